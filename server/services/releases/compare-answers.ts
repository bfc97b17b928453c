import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Egress, EgressError } from '../../egress.ts';
import { AppError, JobDeferred } from '../../errors.ts';
import type { Patience } from '../../platforms/platform.ts';
import type { SiteAddress } from '../site-address.ts';

const AT_ONCE = 8;
/**
 * How long an attempt waits in silence before the next, on a connection of its own: whoever took the first may have ended
 * since without a word. Each is more patient, since a busy machine may need long as well.
 */
const SILENCES_MS = [5_000, 10_000, 20_000] as const;
const FIRST_PAUSE_MS = 25;
const LAST_PAUSE_MS = 500;
/** A visit ends if it is slower than this as a whole, besides a minute: 1 Mbit/s. */
const BYTES_A_MS = 125;
const VISIT_MS = 60_000;
/**
 * How long all visits may take together, besides a second for each address and 4 Mbit/s: a site may answer rightly and
 * hold each visit for as long as it may take, which would be days for one with many files.
 */
const RUN_MS = 10 * 60_000;
const ADDRESS_MS = 1_000;
const RUN_BYTES_A_MS = 500;
/** A larger page is not ours to compare, such as the platform's own for what does not exist. */
export const FOREIGN_PAGE_BYTES = 5 * 1024 * 1024;
/** `/about.html` may lead to `/about`, and an address that was given a domain to that domain. */
const REDIRECTS_MAX = 5;

/** How a site is visited, and how patiently. */
export type Visiting = {
  egress: Egress;
  signal: AbortSignal;
  onProgress?(done: { done: number; total: number; doneBytes: number; totalBytes: number }): void;
  /** An answer that differs is asked for again so long: not every edge follows at once. Silence has its own patience. */
  settleMs: number;
  /** Present where the edge may take longer: as long as it has time, a look is put off rather than failed. */
  edge?: { hasTime(): boolean; patience: Patience };
  /** How long all visits may take together, besides what their number and size allow; ten minutes when absent. */
  runMs?: number;
};

/**
 * The answer that one address must give; a hash of null takes any body. `path` begins with a slash and is
 * percent-encoded.
 */
export type Expected = { path: string; statuses: readonly number[]; sha256: string | null; sizeBytes: number };
type Seen = { status: number; sha256: string };

/**
 * Fetches each of these addresses of a site, eight at once, and compares status and hash. Throws `verification_failed`,
 * also when the site is too slow for all of them, JobDeferred while the edge may still follow, or the reason of the signal.
 */
export async function compareAnswers(release: Visiting, at: SiteAddress, expected: readonly Expected[]): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([release.signal, failed.signal]);
  const totalBytes = sizeOf(expected);
  const queue = expected.values();
  let done = 0;
  let doneBytes = 0;
  const allowedMs = (release.runMs ?? RUN_MS) + (expected.length * ADDRESS_MS) / AT_ONCE + totalBytes / RUN_BYTES_A_MS;
  const late = setTimeout(() => failed.abort(tooSlow(at, { done, total: expected.length, allowedMs })), allowedMs);

  const work = async (): Promise<void> => {
    for (const one of queue) {
      await verifyOne({ release, at, signal }, one);
      done += 1;
      doneBytes += sizeOf([one]);
      release.onProgress?.({ done, total: expected.length, doneBytes, totalBytes });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } catch (error) {
    failed.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(late);
    failed.abort();
  }
}

function sizeOf(expected: readonly Expected[]): number {
  return expected.reduce((sum, { sha256, sizeBytes }) => (sha256 === null ? sum : sum + sizeBytes), 0);
}

type Look = { release: Visiting; at: SiteAddress; signal: AbortSignal };

async function verifyOne(look: Look, expected: Expected): Promise<void> {
  const { edge } = look.release;
  const settleMs = edge?.hasTime() ? edge.patience.lookingMs(look.at.url) : look.release.settleMs;
  const silencesMax = edge?.hasTime() && settleMs === 0 ? 1 : SILENCES_MS.length;
  let giveUpAt = performance.now() + settleMs;
  let silences = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
    look.signal.throwIfAborted();
    const seen = await visit(look, expected, silences).catch((error: unknown) => errorOf(error));
    look.signal.throwIfAborted();
    if (!(seen instanceof Error) && isExpected(seen, expected)) return;
    const fault = seen instanceof EgressError ? seen.fault : null;
    if (fault === 'refused') throw mismatch(look, expected, seen);
    if (fault === 'silent') {
      silences += 1;
      giveUpAt = performance.now() + settleMs;
    }
    const isOver = fault === 'silent' ? silences === silencesMax : performance.now() + pauseMs > giveUpAt;
    if (isOver && edge?.hasTime()) throw notYet(look, expected, edge.patience.leave(look.at.url));
    if (isOver) throw mismatch(look, expected, seen);
    await wait(pauseMs, undefined, { signal: look.signal });
  }
}

function isExpected(seen: Seen, expected: Expected): boolean {
  return expected.statuses.includes(seen.status) && (expected.sha256 === null || seen.sha256 === expected.sha256);
}

function visit({ release, at, signal }: Look, expected: Expected, silences: number): Promise<Seen> {
  const { sizeBytes } = expected;
  const request = {
    headers: () => ({ accept: 'text/html, */*', 'user-agent': 'Fairlead' }),
    signal,
    // An answer of another length has other bytes: no more of it is read than tells that, and a page of an error.
    maxBytes: Math.max(sizeBytes + 1, FOREIGN_PAGE_BYTES),
    redirects: at.listener === undefined ? REDIRECTS_MAX : 0,
    silenceMs: SILENCES_MS[silences] ?? SILENCES_MS[2],
    wholeMs: VISIT_MS + sizeBytes / BYTES_A_MS,
    listener: at.listener,
    isFresh: silences > 0,
  };
  return release.egress.request(`${at.url}${expected.path}`, request, async ({ status, body }) => {
    const hash = createHash('sha256');
    for await (const chunk of body) hash.update(chunk);
    return { status, sha256: hash.digest('hex') };
  });
}

/** No failure: whoever keeps the old answer keeps it for a while yet. */
function notYet({ at }: Look, { path }: Expected, delayMs: number): JobDeferred {
  return new JobDeferred(`${at.url}${path} does not answer as uploaded yet`, delayMs);
}

function mismatch(look: Look, expected: Expected, seen: Seen | Error): AppError {
  const url = `${look.at.url}${expected.path}`;
  const what =
    seen instanceof Error
      ? `could not be opened (${seen.message})`
      : expected.statuses.includes(seen.status)
        ? 'answers with other bytes than were uploaded'
        : `answers with status ${seen.status} instead of ${expected.statuses[0]}`;
  return new AppError('verification_failed', `${url} ${what}.`, {
    hint: 'Try again. If it fails the same way, publish the files again.',
  });
}

function tooSlow(
  { url }: SiteAddress,
  { done, total, allowedMs }: { done: number; total: number; allowedMs: number },
): AppError {
  const minutes = Math.ceil(allowedMs / 60_000);
  const within = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new AppError('verification_failed', `${url} is too slow: ${done} of ${total} files checked in ${within}.`, {
    hint: 'Try again when the site answers faster.',
  });
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
