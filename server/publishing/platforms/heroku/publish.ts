import { redactedLine } from '../../../lib/egress/vendor-answers.ts';
import { neverMade } from '../failures.ts';
import { makeOnce, type Vendor } from '../http.ts';
import type {
  PlatformCall,
  PlatformRef,
  PlatformRelease,
  PlatformState,
  PublishEvent,
  PublishRequest,
  RestoreEvent,
} from '../platform.ts';
import { stringField } from '../reference.ts';
import { bytesIn, contentsOf, filesIn, reportUntilOver } from '../send-files.ts';
import { stateOf, waitUntilDone } from '../wait-until-done.ts';
import {
  buildToMake,
  findBuild,
  type HerokuBuild,
  makeSource,
  putSource,
  readBuild,
  readCurrent,
  readOutput,
  readRelease,
  releaseToMake,
  TITLE,
} from './api.ts';
import { ensureApp, ensureDyno } from './app.ts';
import { packSource } from './archive.ts';

/**
 * A release is a build of the archive and, once that has succeeded, a release of the app. `build` and `rel` are their
 * ids; until a build is made, `release` names our own release, by which the build is found again.
 */
type HerokuRef = { release: string; app: string; url: string; build: string | null; rel: string | null };

/** Publishes the release; the app's configuration is never touched. */
export async function* publish(
  vendor: Vendor,
  call: PlatformCall,
  request: PublishRequest,
): AsyncGenerator<PublishEvent, PlatformRef> {
  call.signal.throwIfAborted();
  const site = yield* ensureApp(vendor, call);
  const known = refIn(request.ref);
  const isRepeated = known?.release === request.release.id && known.app === site.app;
  const { app, url } = site;
  let ref = isRepeated ? known : { release: request.release.id, app, url, build: null, rel: null };
  if (ref.build === null) {
    yield { type: 'ref', ref };
    ref = { ...ref, build: yield* makeBuild(vendor, call, { app, request, isRepeated }) };
    yield { type: 'ref', ref };
  }
  yield { type: 'processing', text: `${TITLE} builds the app` };
  yield* waitUntilDone(call, TITLE, async () => {
    const { release, rel } = await look(vendor, call, ref);
    ref = { ...ref, rel };
    return release;
  });
  yield* ensureDyno(vendor, call, site);
  return ref;
}

function refIn(ref: PlatformRef | null): HerokuRef | null {
  const [release, app, url] = [stringField(ref, 'release'), stringField(ref, 'app'), stringField(ref, 'url')];
  if (release === null || app === null || url === null) return null;
  return { release, app, url, build: stringField(ref, 'build'), rel: stringField(ref, 'rel') };
}

type Making = { app: string; request: PublishRequest; isRepeated: boolean };

/** Sends the archive and orders its build, unless an earlier run has ordered it already; returns the build's id. */
async function* makeBuild(
  vendor: Vendor,
  call: PlatformCall,
  { app, request, isRepeated }: Making,
): AsyncGenerator<PublishEvent, string> {
  const { id, number } = request.release;
  const earlier = isRepeated ? await findBuild(vendor, call, app, id) : null;
  if (earlier !== null) return earlier.id;
  const source = yield* sendSource(vendor, call, request);
  let mayBeThere = false;
  const build = await makeOnce(call, vendor, {
    look: async () => {
      const isLookedFor = mayBeThere;
      mayBeThere = true;
      return isLookedFor ? findBuild(vendor, call, app, id) : null;
    },
    ...buildToMake(app, { ...source, version: id, title: `Release ${number}` }),
  });
  return build.id;
}

/**
 * Packs the release into a file, so that a try that breaks off can start again, and puts it at the address for builds.
 */
async function* sendSource(
  vendor: Vendor,
  call: PlatformCall,
  { manifest }: PublishRequest,
): AsyncGenerator<PublishEvent, { url: string; checksum: string }> {
  const contents = contentsOf(manifest);
  const total = filesIn(contents);
  const totalBytes = bytesIn(contents);
  const file = await call.openSpool();
  const left = new AbortController();
  const inner = { ...call, signal: AbortSignal.any([call.signal, left.signal]) };
  // The furthest progress of any try: a second try begins at the first byte.
  let share = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const piece of file.read()) {
      yield piece;
      bytes += piece.length;
      share = Math.max(share, bytes / file.sizeBytes);
    }
  }
  const progress = (): PublishEvent => {
    const [done, doneBytes] = [Math.floor(total * share), Math.floor(totalBytes * share)];
    return { type: 'uploading', done, total, doneBytes, totalBytes };
  };
  const send = async (): Promise<{ url: string; checksum: string }> => {
    const sha256 = await packSource(inner, manifest, file);
    const { putUrl, getUrl } = await makeSource(vendor, inner);
    await putSource(vendor, inner, putUrl, async () => ({ sizeBytes: file.sizeBytes, chunks: counted() }));
    return { url: getUrl, checksum: `SHA256:${sha256}` };
  };

  const sending = send();
  // The error is handled below; until then nothing listens.
  sending.catch(() => undefined);
  try {
    yield progress();
    yield* reportUntilOver(sending, progress);
    share = 1;
    yield progress();
    return await sending;
  } finally {
    left.abort(new Error('nobody waits for this archive any more'));
    await sending.catch(() => undefined);
    await file.close();
  }
}

const BUILD_STATES: Readonly<Record<string, PlatformState>> = { failed: 'failed' };
const RELEASE_STATES: Readonly<Record<string, PlatformState>> = {
  succeeded: 'verifying',
  failed: 'failed',
  expired: 'failed',
};

/** Returns the state of a release; one that was never made there is `preparing`. */
export async function lookAt(vendor: Vendor, call: PlatformCall, stored: PlatformRef): Promise<PlatformRelease> {
  const ref = refIn(stored);
  if (ref === null) return { state: 'preparing', text: null, url: null, ownUrl: null };
  const build = ref.build ?? (await findBuild(vendor, call, ref.app, ref.release))?.id ?? null;
  if (build === null) return { state: 'preparing', text: null, url: ref.url, ownUrl: null };
  return (await look(vendor, call, { ...ref, build })).release;
}

async function look(
  vendor: Vendor,
  call: PlatformCall,
  { app, url, build, rel: known }: HerokuRef,
): Promise<{ release: PlatformRelease; rel: string | null }> {
  let rel = known;
  const seen = (state: PlatformState, text: string | null): PlatformRelease => ({ state, text, url, ownUrl: null });
  if (rel === null) {
    const made = await readBuild(vendor, call, app, build ?? '');
    if (stateOf(BUILD_STATES, made.status ?? null) === 'failed')
      return { release: seen(...(await faultOf(call, made))), rel };
    rel = made.status === 'succeeded' ? (made.release?.id ?? null) : null;
    if (rel === null) return { release: seen('processing', `${TITLE}: build ${made.status ?? 'unknown'}`), rel };
  }
  // A build that succeeded is not public before its release is.
  const { status } = await readRelease(vendor, call, app, rel);
  const state = stateOf(RELEASE_STATES, status ?? null);
  return { release: seen(state, `${TITLE}: release ${status ?? 'unknown'}`), rel };
}

const LINES_REPORTED = 3;

/** Returns the error of a build. It has no field for that: its log marks those lines with an exclamation mark. */
async function faultOf(call: PlatformCall, build: HerokuBuild): Promise<[PlatformState, string]> {
  const lines = (await readOutput(call, build.output_stream_url)).split('\n').map((line) => line.trim());
  const marked = lines.filter((line) => /^!\s*\S/.test(line)).map((line) => line.replace(/^!\s*/, ''));
  const reported = (marked.length > 0 ? marked : lines.filter((line) => line !== '')).slice(-LINES_REPORTED).join(' ');
  const text = reported === '' ? 'the build failed' : redactedLine(reported, []);
  return [/\bcancel+ed\b/i.test(reported) ? 'cancelled' : 'failed', text];
}

/** Returns the build of a release, if one was made; one that is over is left as it is. */
export async function buildIn(vendor: Vendor, call: PlatformCall, stored: PlatformRef): Promise<HerokuBuild | null> {
  const ref = refIn(stored);
  if (ref === null) return null;
  return ref.build === null
    ? findBuild(vendor, call, ref.app, ref.release)
    : readBuild(vendor, call, ref.app, ref.build);
}

/** Runs an earlier release again, as a new release of the app; if it runs already, nothing changes. */
export async function* restore(
  vendor: Vendor,
  call: PlatformCall,
  stored: PlatformRef,
): AsyncGenerator<RestoreEvent, PlatformRef> {
  const ref = refIn(stored);
  if (ref === null || ref.rel === null) {
    throw neverMade(TITLE);
  }
  const { app, rel: earlier } = ref;
  yield { type: 'processing', text: `${TITLE} runs it again` };
  const wanted = await readRelease(vendor, call, app, earlier);
  const current = await makeOnce(call, vendor, {
    look: async () => {
      const found = await readCurrent(vendor, call, app);
      const isSame = found?.id === wanted.id || (found?.slug?.id !== undefined && found.slug?.id === wanted.slug?.id);
      return isSame ? found : null;
    },
    ...releaseToMake(app, earlier),
  });
  const restored = { ...ref, rel: current.id };
  yield { type: 'ref', ref: restored };
  yield* waitUntilDone(call, TITLE, async () => (await look(vendor, call, restored)).release);
  return restored;
}
