import { createHash, randomBytes } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isServedPath } from '../../routers/schemas/upload-rules.ts';
import type { Manifest } from '../artifacts/manifest.ts';
import { AppError } from '../errors.ts';
import type { Addresses, Providers } from '../service-context.ts';
import type { StepReport } from './publish-release.ts';
import { readManifest } from './releases/read.ts';
import type { ReleaseWork } from './releases/work.ts';
import { publicHost, releaseHost, urlOfHost } from './site-address.ts';

/**
 * Live means seen live (product page, section 3): what the host answers is compared with what was uploaded, byte by
 * byte through its hash. Before the switch every file that the host serves, at the release's own address; after the
 * switch the entry page, a page that does not exist and the 20 largest files, at the public address.
 *
 * Not every resolver knows `*.localhost`, so requests connect to the host's listener and name the site in `Host`.
 */
const AT_ONCE = 8;
const LARGEST_FILES = 20;
const REQUEST_TIMEOUT_MS = 30_000;
/** Another process of the host may follow the switch a moment later: an answer that differs is asked for again so long. */
const SETTLE_MS = 5_000;
const FIRST_PAUSE_MS = 25;
const LAST_PAUSE_MS = 500;

export type ReleaseToVerify = {
  addresses: Addresses;
  slug: string;
  number: number;
  manifest: Manifest;
  signal: AbortSignal;
  onProgress?(done: { done: number; total: number; doneBytes: number; totalBytes: number }): void;
  settleMs?: number;
};

export type Verification = { atOwnAddress(): Promise<void>; atPublicAddress(): Promise<void> };

/** The two halves for a release that is being worked on; what each of them finds goes to the step's log. */
export async function verifyRelease(
  providers: Providers,
  work: ReleaseWork,
  report: StepReport,
  signal: AbortSignal,
): Promise<Verification> {
  const { release, deployment } = work;
  const manifest = await readManifest(providers.store, release.manifestHash);
  const toVerify: ReleaseToVerify = {
    addresses: providers.addresses,
    slug: deployment.slug,
    number: release.number,
    manifest,
    signal,
    onProgress: report.progress,
  };
  return {
    async atOwnAddress() {
      const count = await verifyAtOwnAddress(toVerify);
      report.log(`${count} ${count === 1 ? 'file answers' : 'files answer'} at the release's own address as uploaded`);
    },
    async atPublicAddress() {
      await verifyAtPublicAddress({ ...toVerify, onProgress: () => undefined });
      if (work.wasVerified) report.log(`Rolled back to release ${release.number}`);
      report.log(`Seen live at ${urlOfHost(providers.addresses, publicHost(providers.addresses, deployment.slug))}`);
    },
  };
}

/** What one address must answer; a hash of null takes any body. */
type Expected = { path: string; status: number; sha256: string | null; sizeBytes: number };
type Seen = { status: number; sha256: string };

/** First half: every file that is served; answers how many. Throws `verification_failed`, or the reason of the signal. */
export async function verifyAtOwnAddress(release: ReleaseToVerify): Promise<number> {
  const files = servedFiles(release.manifest);
  await verifyAll(release, releaseHost(release.addresses, release.slug, release.number), files);
  return files.length;
}

/** Second half: a sample of the public address. Throws `verification_failed`, or the reason of the signal. */
export async function verifyAtPublicAddress(release: ReleaseToVerify): Promise<void> {
  const { manifest } = release;
  const entry = manifest.get('index.html');
  const notFoundPage = manifest.get('404.html');
  const largest = servedFiles(manifest)
    .sort((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, LARGEST_FILES);
  await verifyAll(release, publicHost(release.addresses, release.slug), [
    ...(entry === undefined ? [] : [{ path: '/', status: 200, ...entry }]),
    {
      path: `/no-such-page-${randomBytes(6).toString('hex')}`,
      status: 404,
      sha256: notFoundPage?.sha256 ?? null,
      sizeBytes: 0,
    },
    ...largest,
  ]);
}

function servedFiles(manifest: Manifest): Expected[] {
  return [...manifest]
    .filter(([path]) => isServedPath(path))
    .map(([path, { sha256, sizeBytes }]) => ({ path: urlPath(path), status: 200, sha256, sizeBytes }));
}

/** `?`, `#` and `%` in names are percent-encoded in addresses (security facts, 2.4). */
function urlPath(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}

async function verifyAll(release: ReleaseToVerify, host: string, expected: readonly Expected[]): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([release.signal, failed.signal]);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const totalBytes = expected.reduce((sum, one) => sum + one.sizeBytes, 0);
  const queue = expected.values();
  let done = 0;
  let doneBytes = 0;

  const work = async (): Promise<void> => {
    for (const one of queue) {
      await verifyOne({ release, agent, host, signal }, one);
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

type Look = { release: ReleaseToVerify; agent: Agent; host: string; signal: AbortSignal };

async function verifyOne(look: Look, expected: Expected): Promise<void> {
  const giveUpAt = performance.now() + (look.release.settleMs ?? SETTLE_MS);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
    look.signal.throwIfAborted();
    const seen = await fetchOnce(look, expected.path).catch((error: unknown) => errorText(error));
    look.signal.throwIfAborted();
    if (typeof seen !== 'string' && isExpected(seen, expected)) return;
    if (performance.now() + pauseMs > giveUpAt) throw mismatch(look, expected, seen);
    await wait(pauseMs, undefined, { signal: look.signal });
  }
}

function isExpected(seen: Seen, expected: Expected): boolean {
  return seen.status === expected.status && (expected.sha256 === null || seen.sha256 === expected.sha256);
}

function fetchOnce(look: Look, path: string): Promise<Seen> {
  const { host, port } = look.release.addresses.sitesListener;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host,
        port,
        path,
        agent: look.agent,
        signal: look.signal,
        timeout: REQUEST_TIMEOUT_MS,
        headers: { host: look.host, 'accept-encoding': 'identity' },
      },
      (response) => readSeen(response).then(resolve, reject),
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

async function readSeen(response: IncomingMessage): Promise<Seen> {
  const hash = createHash('sha256');
  for await (const chunk of response) hash.update(chunk);
  return { status: response.statusCode ?? 0, sha256: hash.digest('hex') };
}

function mismatch(look: Look, expected: Expected, seen: Seen | string): AppError {
  const url = `${urlOfHost(look.release.addresses, look.host)}${expected.path}`;
  const what =
    typeof seen === 'string'
      ? `could not be opened (${seen})`
      : seen.status === expected.status
        ? 'answers with other bytes than were uploaded'
        : `answers with status ${seen.status} instead of ${expected.status}`;
  return new AppError('verification_failed', `${url} ${what}.`, {
    hint: 'Try again. If it fails the same way, publish the files anew.',
  });
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
