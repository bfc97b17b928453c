import { createHash } from 'node:crypto';
import { replitCapabilities } from '../../../../routers/schemas/platforms/capabilities/replit.ts';
import { EgressError } from '../../../lib/egress/egress.ts';
import { notPublished, otherFiles, waitingAt } from '../by-hand.ts';
import type {
  HandOff,
  HandOffRequest,
  Platform,
  PlatformCall,
  PlatformRef,
  PublishEvent,
  PublishRequest,
} from '../platform.ts';
import { stringField } from '../reference.ts';
import { contentsOf, sendFiles } from '../send-files.ts';
import { ADDRESS_HINT, firstSteps, furtherSteps } from './words.ts';

const WAITING = waitingAt('Replit');
const AT_ONCE = 4;
/** Confirming an address brings the job back at once; before that there is nothing to check. */
const UNTIL_CONFIRMED_MS = 6 * 60 * 60_000;
/** Once there is an address, a person waits for the result, and publishing there takes about a minute. */
const LOOK_AGAIN_MS = 15_000;
const ENTRY = 'index.html';
/** The browser shows this address to somebody who publishes there; any other can only be judged by its answers. */
const EDITOR = /^https?:\/\/(www\.)?replit\.com(\/|$)/;
const REDIRECTS_MAX = 5;
/** A person chose the address, so its server gets no more of a worker's time than this. */
const LOOK_MS = 20_000;
/** A larger entry page is not compared here: a whole one must arrive within the time. */
const ENTRY_MAX_BYTES = 5 * 1024 * 1024;

/**
 * Replit, which has no public API: the files are prepared as an archive to import, the person publishes them there and
 * enters the address, and from then on that address is checked from outside. Its entry page shows whether the files
 * are there at all; every file is compared afterwards, as at every platform. Rollback and removal are the person's
 * work, in Replit's own pages. `lookMs` is the longest wait for an answer.
 */
export function replit({ lookMs = LOOK_MS }: { lookMs?: number } = {}): Platform {
  return {
    id: 'replit',
    capabilities: replitCapabilities,
    verify: async () => ({ identity: 'You, by hand', warnings: [] }),
    listTargets: async () => [],
    publish: (call, request) => publish(call, request, lookMs),
    async release(_call, ref) {
      const url = stringField(ref, 'url');
      const state = url === null ? 'processing' : 'verifying';
      return { state, text: url === null ? WAITING : null, url, ownUrl: null };
    },
    async cancel() {},
    handOff,
    remove: async () => undefined,
  };
}

async function* publish(
  call: PlatformCall,
  request: PublishRequest,
  lookMs: number,
): AsyncGenerator<PublishEvent, PlatformRef> {
  call.signal.throwIfAborted();
  const isPrepared = request.ref?.isPrepared === true;
  if (!isPrepared) {
    yield { type: 'ref', ref: { isPrepared: false, url: null } };
    yield* prepare(call, request);
    yield { type: 'processing', text: WAITING };
    yield { type: 'ref', ref: { isPrepared: true, url: null } };
  }
  let reported: string | null = null;
  for (;;) {
    call.signal.throwIfAborted();
    const { confirmedUrl: url } = request;
    const fault = url === null ? WAITING : await faultAt(call, request, { url, wholeMs: lookMs });
    if (url !== null && fault === null) return { isPrepared: true, url };
    const text = fault ?? WAITING;
    if (url !== null && text !== reported) yield { type: 'processing', text };
    reported = text;
    yield { type: 'waiting', text, retryAfterMs: url === null ? UNTIL_CONFIRMED_MS : LOOK_AGAIN_MS, forPerson: true };
  }
}

/** Checks the files now: the archive is made when it is downloaded, which is too late to find a corrupted file. */
async function* prepare(call: PlatformCall, { manifest }: PublishRequest): AsyncGenerator<PublishEvent, void> {
  const contents = contentsOf(manifest);
  const send = async ({ sha256 }: { sha256: string }, { store }: PlatformCall): Promise<void> =>
    (await store.open(sha256)).close();
  yield* sendFiles(call, { contents, missing: contents, atOnce: AT_ONCE, send });
}

/** Returns the fault in the answer of the address; null when it is this release's entry page. */
async function faultAt(
  call: PlatformCall,
  { manifest }: PublishRequest,
  { url, wholeMs }: { url: string; wholeMs: number },
): Promise<string | null> {
  if (EDITOR.test(url)) return `${url} is where the app is edited: enter the address that ends in replit.app`;
  const entry = manifest.get(ENTRY);
  const compared = entry !== undefined && entry.sizeBytes <= ENTRY_MAX_BYTES ? entry : null;
  const maxBytes = (compared?.sizeBytes ?? 0) + 1;
  const request = { signal: call.signal, maxBytes, wholeMs, redirects: REDIRECTS_MAX };
  try {
    return await call.egress.request(`${url}/`, request, async ({ status, body }) => {
      if (status !== 200) return notPublished(url, status);
      if (compared === null) return null;
      const hash = createHash('sha256');
      for await (const piece of body) hash.update(piece);
      return hash.digest('hex') === compared.sha256 ? null : otherFiles(url);
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return error.fault === 'too_large' ? otherFiles(url) : `${url} cannot be opened: ${error.message}`;
  }
}

/**
 * Returns the steps for the person. `.replit` makes Replit serve the files as they are: docs.replit.com, "Static
 * Deployments".
 */
function handOff({ destination }: Pick<PlatformCall, 'destination'>, { release, knownUrl }: HandOffRequest): HandOff {
  const rewrites = destination.isSinglePage ? '\n[[deployment.rewrites]]\nfrom = "/*"\nto = "/index.html"\n' : '';
  const text = `[deployment]\ndeploymentTarget = "static"\npublicDir = "."\n${rewrites}`;
  return {
    addressHint: ADDRESS_HINT,
    files: [{ path: '.replit', text }],
    steps: knownUrl === null ? firstSteps(release.number, destination.slug) : furtherSteps(release.number),
  };
}
