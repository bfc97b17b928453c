import { createHash, randomBytes } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import type { RedirectTable } from '../../routers/schemas/redirects-file.ts';
import { isServedPath } from '../../routers/schemas/upload-rules.ts';
import type { Manifest } from '../artifacts/manifest.ts';
import { AppError } from '../errors.ts';
import type { StepReport } from '../jobs/handler.ts';
import type { PlatformCall } from '../platforms/platform.ts';
import type { Providers } from '../service-context.ts';
import { storedRef } from './platform-call.ts';
import { readManifest } from './releases/read.ts';
import { readRedirects } from './releases/rule-report.ts';
import type { ReleaseWork } from './releases/work.ts';
import { addressHere, addressThere, publicHost, releaseHost, type SiteAddress } from './site-address.ts';

/**
 * Live means seen live (product page, section 3): what the site answers is compared with what was uploaded, byte by
 * byte through its hash. Before the switch every file that is served, at the release's own address; after the switch
 * the entry page, a page that does not exist and the 20 largest files, at the public address. Where a platform keeps no
 * address for a release, every file is compared at the public one instead.
 */
const AT_ONCE = 8;
const LARGEST_FILES = 20;
/**
 * How long an attempt waits in silence before the next, on a connection of its own: whoever took the first may have ended
 * since without a word. Each is more patient, since a busy machine may need long as well.
 */
const SILENCES_MS = [5_000, 10_000, 20_000] as const;
const FIRST_PAUSE_MS = 25;
const LAST_PAUSE_MS = 500;

export type ReleaseToVerify = {
  /** The release's own address; null where it has none. */
  own: SiteAddress | null;
  public: SiteAddress;
  manifest: Manifest;
  /** A page that does not exist shows the entry page. */
  isSinglePage: boolean;
  /** Addresses that a rule of the site itself takes elsewhere show what the rule says, not what was uploaded. */
  redirects?: RedirectTable;
  signal: AbortSignal;
  onProgress?(done: { done: number; total: number; doneBytes: number; totalBytes: number }): void;
  /** An answer that differs is asked for again so long: not every edge follows at once. Silence has its own patience. */
  settleMs: number;
};

export type Verification = { atOwnAddress(): Promise<void>; atPublicAddress(): Promise<void> };

/** The two halves for a release that is being worked on; what each of them finds goes to the step's log. */
export async function verifyRelease(
  providers: Providers,
  work: ReleaseWork,
  call: PlatformCall,
  report: StepReport,
): Promise<Verification> {
  const { release, deployment, platform } = work;
  const manifest = await readManifest(providers.store, release.manifestHash);
  const toVerify: ReleaseToVerify = {
    ...(await addressesOf(providers, work, call)),
    manifest,
    redirects: await readRedirects(providers.store, manifest),
    isSinglePage: deployment.isSinglePage,
    signal: call.signal,
    onProgress: report.progress,
    settleMs: platform.capabilities.limits.settleMs,
  };
  const isSeenWhole = toVerify.own !== null || work.wasVerified;
  return {
    async atOwnAddress() {
      if (toVerify.own === null) return;
      const count = await verifyAtOwnAddress(toVerify);
      report.log(`${count} ${count === 1 ? 'file answers' : 'files answer'} at the release's own address as uploaded`);
    },
    async atPublicAddress() {
      if (isSeenWhole) await verifyAtPublicAddress({ ...toVerify, onProgress: () => undefined });
      else await verifyWhole(toVerify);
      if (work.wasVerified) report.log(`Rolled back to release ${release.number}`);
      report.log(`Seen live at ${toVerify.public.url}`);
    },
  };
}

/** Fairlead's own host serves where the platform names no address. */
async function addressesOf(
  { addresses }: Providers,
  { platform, release, deployment }: ReleaseWork,
  call: PlatformCall,
): Promise<Pick<ReleaseToVerify, 'own' | 'public'>> {
  const { url, ownUrl } = await platform.release(call, storedRef(release.platformRef) ?? {});
  if (url !== null) return { public: addressThere(url), own: ownUrl === null ? null : addressThere(ownUrl) };
  return {
    public: addressHere(addresses, publicHost(addresses, deployment.slug)),
    own: addressHere(addresses, releaseHost(addresses, deployment.slug, release.number)),
  };
}

/** What one address must answer; a hash of null takes any body. */
type Expected = { path: string; status: number; sha256: string | null; sizeBytes: number };
type Seen = { status: number; sha256: string };

/** First half: every file that is served; answers how many. Throws `verification_failed`, or the reason of the signal. */
export async function verifyAtOwnAddress(release: ReleaseToVerify): Promise<number> {
  const files = servedFiles(release);
  await verifyAll(release, release.own ?? release.public, files);
  return files.length;
}

/** Second half: a sample of the public address. Throws `verification_failed`, or the reason of the signal. */
export async function verifyAtPublicAddress(release: ReleaseToVerify): Promise<void> {
  const largest = servedFiles(release)
    .sort((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, LARGEST_FILES);
  await verifyAll(release, release.public, [...pages(release), ...largest]);
}

/** Both halves in one, where the public address is all there is. */
async function verifyWhole(release: ReleaseToVerify): Promise<void> {
  await verifyAll(release, release.public, [...pages(release), ...servedFiles(release)]);
}

/** The entry page, and what a page that does not exist shows. */
function pages({ manifest, isSinglePage, redirects }: ReleaseToVerify): Expected[] {
  const entry = manifest.get('index.html');
  const missing = `no-such-page-${randomBytes(6).toString('hex')}`;
  const expected: Expected[] = [];
  if (entry !== undefined && !isForced(redirects, '')) expected.push({ path: '/', status: 200, ...entry });
  if (isForced(redirects, missing) || redirects?.otherwise(missing, '')) return expected;
  if (entry !== undefined && isSinglePage) return [...expected, { path: `/${missing}`, status: 200, ...entry }];
  const sha256 = manifest.get('404.html')?.sha256 ?? null;
  return [...expected, { path: `/${missing}`, status: 404, sha256, sizeBytes: 0 }];
}

function servedFiles({ manifest, redirects }: ReleaseToVerify): Expected[] {
  return [...manifest]
    .filter(([path]) => isServedPath(path) && !isForced(redirects, path))
    .map(([path, { sha256, sizeBytes }]) => ({ path: urlPath(path), status: 200, sha256, sizeBytes }));
}

function isForced(redirects: RedirectTable | undefined, path: string): boolean {
  return redirects !== undefined && redirects.forced(path, '') !== null;
}

/** `?`, `#` and `%` in names are percent-encoded in addresses (security facts, 2.4). */
function urlPath(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}

async function verifyAll(release: ReleaseToVerify, at: SiteAddress, expected: readonly Expected[]): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([release.signal, failed.signal]);
  const agent = new (at.protocol === 'https:' ? SecureAgent : Agent)({ keepAlive: true, maxSockets: AT_ONCE });
  const totalBytes = expected.reduce((sum, one) => sum + one.sizeBytes, 0);
  const queue = expected.values();
  let done = 0;
  let doneBytes = 0;

  const work = async (): Promise<void> => {
    for (const one of queue) {
      await verifyOne({ release, agent, at, signal }, one);
      done += 1;
      doneBytes += one.sizeBytes;
      release.onProgress?.({ done, total: expected.length, doneBytes, totalBytes });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    failed.abort();
    agent.destroy();
  }
}

type Look = { release: ReleaseToVerify; agent: Agent; at: SiteAddress; signal: AbortSignal };

async function verifyOne(look: Look, expected: Expected): Promise<void> {
  const { settleMs } = look.release;
  let giveUpAt = performance.now() + settleMs;
  let silences = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
    look.signal.throwIfAborted();
    const seen = await fetchOnce(look, expected.path, silences).catch((error: unknown) => errorOf(error));
    look.signal.throwIfAborted();
    if (!(seen instanceof Error) && isExpected(seen, expected)) return;
    if (seen instanceof Silence) {
      silences += 1;
      giveUpAt = performance.now() + settleMs;
    }
    const isOver = seen instanceof Silence ? silences === SILENCES_MS.length : performance.now() + pauseMs > giveUpAt;
    if (isOver) throw mismatch(look, expected, seen);
    await wait(pauseMs, undefined, { signal: look.signal });
  }
}

class Silence extends Error {}

function isExpected(seen: Seen, expected: Expected): boolean {
  return seen.status === expected.status && (expected.sha256 === null || seen.sha256 === expected.sha256);
}

function fetchOnce({ at, agent, signal }: Look, path: string, silences: number): Promise<Seen> {
  const send = at.protocol === 'https:' ? secureRequest : request;
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        ...at.listener,
        path: `${at.basePath}${path}`,
        agent: silences === 0 ? agent : false,
        signal,
        timeout: SILENCES_MS[silences] ?? SILENCES_MS[2],
        headers: { host: at.hostHeader, accept: 'text/html, */*', 'accept-encoding': 'identity' },
      },
      (response) => readSeen(response).then(resolve, reject),
    );
    outgoing.on('timeout', () => {
      const silence = new Silence('no answer in time');
      // First: in the middle of a body the destroyed request only says that it was aborted.
      reject(silence);
      outgoing.destroy(silence);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

async function readSeen(response: IncomingMessage): Promise<Seen> {
  const hash = createHash('sha256');
  for await (const chunk of response) hash.update(chunk);
  return { status: response.statusCode ?? 0, sha256: hash.digest('hex') };
}

function mismatch(look: Look, expected: Expected, seen: Seen | Error): AppError {
  const url = `${look.at.url}${expected.path}`;
  const what =
    seen instanceof Error
      ? `could not be opened (${seen.message})`
      : seen.status === expected.status
        ? 'answers with other bytes than were uploaded'
        : `answers with status ${seen.status} instead of ${expected.status}`;
  return new AppError('verification_failed', `${url} ${what}.`, {
    hint: 'Try again. If it fails the same way, publish the files anew.',
  });
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
