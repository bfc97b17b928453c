import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SiteAddress } from '../../../database/site-address.ts';
import { type Egress, EgressError } from '../../../lib/egress/egress.ts';
import { AppError, JobDeferred } from '../../../lib/errors.ts';
import type { PlatformCall } from '../../platforms/platform.ts';
import { lookQuickly } from './quick-look.ts';

const AT_ONCE = 8;
/**
 * The time that an attempt waits in silence before the next one starts on a connection of its own, because the worker
 * that accepted the first may have died without a word. Each attempt is more patient, since a busy machine may need
 * long as well.
 */
const SILENCES_MS = [5_000, 10_000, 20_000] as const;
const FIRST_PAUSE_MS = 25;
const LAST_PAUSE_MS = 500;
/** A visit ends if it is slower than this as a whole, besides the time of a turn: 1 Mbit/s. */
const BYTES_A_MS = 125;
/** A run checks for this long before it gives its worker back; it comes back for the files that it has not seen yet. */
const TURN_MS = 20_000;
const NEXT_TURN_MS = 500;
/**
 * The time that all visits may take together, besides a second for each address and 4 Mbit/s. A site may answer
 * correctly and delay each visit as long as it is allowed, which would be days for a site with many files.
 */
const RUN_MS = 10 * 60_000;
const ADDRESS_MS = 1_000;
const RUN_BYTES_A_MS = 500;
/**
 * A larger page is never one of the uploaded files to compare, but for example the platform's own page for missing
 * ones.
 */
export const FOREIGN_PAGE_BYTES = 5 * 1024 * 1024;
/** `/about.html` may lead to `/about`, and an address that was given a domain to that domain. */
const REDIRECTS_MAX = 5;

/** The way of visiting a site, and the patience with it. */
export type Visiting = {
  egress: Egress;
  signal: AbortSignal;
  onProgress?(done: { done: number; total: number; doneBytes: number; totalBytes: number }): void;
  /**
   * The time for which a differing answer is asked for again, since not every edge follows at once. Silence has a
   * patience of its own.
   */
  settleMs: number;
  /** Present when the edge may take longer: as long as it has time, a check is postponed and does not fail. */
  edge?: Pick<PlatformCall, 'patience' | 'wait'> & { hasTime(): boolean };
  /** The time that all visits may take together, besides what their number and size allow; ten minutes when absent. */
  runMs?: number;
  /** The number of files on our own host from which on they are looked at quickly at first; 500 when absent. */
  quickFilesMin?: number | undefined;
  /** Remembers what earlier runs have seen; present for a job, which gives its worker back between turns. */
  turns?: Turns;
};

export type Turns = {
  /** Tells one publication from another, so that none continues with the results of another. */
  act: string;
  looked(): readonly VerificationProgress[];
  save(looked: VerificationProgress): Promise<void>;
  turnMs?: number;
};
/** The progress in one list of answers: a bit for each answer that was seen, and the time spent so far. */
export type VerificationProgress = { of: string; seen: Buffer; spentMs: number };

/**
 * The answer that one address must give; a hash of null accepts any body. `path` begins with a slash and is
 * percent-encoded.
 */
export type Expected = { path: string; statuses: readonly number[]; sha256: string | null; sizeBytes: number };
type Seen = { status: number; sha256: string };

/**
 * Fetches each of these addresses of a site, eight at once, and compares status and hash. Throws
 * `verification_failed`, also when the site is too slow for all of them; JobDeferred while the edge may still follow
 * and at the end of a turn; or the reason of the signal.
 */
export async function compareAnswers(release: Visiting, at: SiteAddress, expected: readonly Expected[]): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([release.signal, failed.signal]);
  const looks = continueLooks(release.turns, at, expected);
  const totalBytes = sizeOf(expected);
  const total = expected.length;
  const allowedMs = (release.runMs ?? RUN_MS) + (total * ADDRESS_MS) / AT_ONCE + totalBytes / RUN_BYTES_A_MS;
  const late = setTimeout(
    () => failed.abort(tooSlow(at, { done: looks.done(), total, allowedMs })),
    Math.max(0, allowedMs - looks.spentMs()),
  );
  const turn = startTurn(release.turns);
  const queue = looks.left();
  const reportProgress = (): void =>
    release.onProgress?.({ done: looks.done(), total, doneBytes: looks.doneBytes(), totalBytes });

  const work = async (): Promise<void> => {
    // The first check of a turn runs to its end, since otherwise a slow one would never finish.
    let ends = signal;
    // One signal for all later checks: making and ending one for each takes a tenth of the time of a check at the
    // built-in host.
    const endsWithTurn = AbortSignal.any([signal, turn.signal]);
    for (const [index, one] of queue) {
      if (turn.isOver()) return;
      try {
        await verifyOne({ release, at, signal: ends }, one);
      } catch (error) {
        if (ends !== signal && turn.isOver() && !signal.aborted) return;
        throw error;
      }
      looks.note(index);
      reportProgress();
      ends = endsWithTurn;
    }
  };
  try {
    const quick = { at, filesMin: release.quickFilesMin, signal: AbortSignal.any([signal, turn.signal]) };
    for await (const seen of lookQuickly(quick, looks.left())) {
      for (const index of seen) looks.note(index);
      reportProgress();
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (looks.done() < total) throw nextTurn(at, looks.done(), total);
  } catch (error) {
    failed.signal.throwIfAborted();
    if (error instanceof JobDeferred) await looks.keep();
    throw error;
  } finally {
    clearTimeout(late);
    turn.end();
    failed.abort();
  }
  if (looks.isContinued) await looks.keep();
}

/** The end of a turn is no failure: the worker serves others meanwhile. */
function nextTurn({ url }: SiteAddress, done: number, total: number): JobDeferred {
  return new JobDeferred(`${url} is slow: ${done} of ${total} files checked so far`, NEXT_TURN_MS);
}

function startTurn(turns: Turns | undefined): { signal: AbortSignal; isOver(): boolean; end(): void } {
  const over = new AbortController();
  const timer = turns && setTimeout(() => over.abort(), turns.turnMs ?? TURN_MS);
  return { signal: over.signal, isOver: () => over.signal.aborted, end: () => clearTimeout(timer) };
}

/** Continues the checks of earlier runs of the same list, if there are any. */
function continueLooks(turns: Turns | undefined, at: SiteAddress, expected: readonly Expected[]) {
  const of = turns === undefined ? '' : fingerprintOf(turns.act, at, expected);
  const before = turns?.looked().find((looked) => looked.of === of);
  const seen = Buffer.alloc(Math.ceil(expected.length / 8));
  before?.seen.copy(seen);
  const isSeen = (index: number): boolean => ((seen[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  const seenBefore = expected.filter((_, index) => isSeen(index));
  const beganAt = performance.now();
  let done = seenBefore.length;
  let doneBytes = sizeOf(seenBefore);
  const spentMs = (): number => (before?.spentMs ?? 0) + performance.now() - beganAt;
  return {
    isContinued: before !== undefined,
    done: () => done,
    doneBytes: () => doneBytes,
    spentMs,
    *left(): Generator<[number, Expected]> {
      for (const [index, one] of expected.entries()) if (!isSeen(index)) yield [index, one];
    },
    note(index: number): void {
      seen[index >> 3] = (seen[index >> 3] ?? 0) | (1 << (index & 7));
      done += 1;
      doneBytes += sizeOf(expected.slice(index, index + 1));
    },
    keep: async () => turns?.save({ of, seen, spentMs: Math.round(spentMs()) }),
  };
}

/** Tells one list of answers from another; the path of the page that does not exist differs each time. */
function fingerprintOf(act: string, at: SiteAddress, expected: readonly Expected[]): string {
  const hash = createHash('sha256').update(`${act}\n${at.url}`);
  for (const { sha256, sizeBytes, statuses } of expected) hash.update(`\n${sha256} ${sizeBytes} ${statuses}`);
  return hash.digest('hex');
}

function sizeOf(expected: readonly Expected[]): number {
  return expected.reduce((sum, { sha256, sizeBytes }) => (sha256 === null ? sum : sum + sizeBytes), 0);
}

type Comparison = { release: Visiting; at: SiteAddress; signal: AbortSignal };

async function verifyOne(comparison: Comparison, expected: Expected): Promise<void> {
  const { edge } = comparison.release;
  const settleMs = edge?.hasTime() ? edge.patience.lookingMs(comparison.at.url) : comparison.release.settleMs;
  const silencesMax = edge?.hasTime() && settleMs === 0 ? 1 : SILENCES_MS.length;
  let beganAt = performance.now();
  let pausedMs = 0;
  let silences = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
    comparison.signal.throwIfAborted();
    const seen = await visit(comparison, expected, silences).catch((error: unknown) => errorOf(error));
    comparison.signal.throwIfAborted();
    if (!(seen instanceof Error) && isExpected(seen, expected)) return;
    const fault = seen instanceof EgressError ? seen.fault : null;
    if (fault === 'refused') throw mismatch(`${comparison.at.url}${expected.path}`, expected, seen);
    if (fault === 'silent') {
      silences += 1;
      beganAt = performance.now();
      pausedMs = 0;
    }
    // The caller's own wait may take no time: each pause counts as it was asked for.
    const spentMs = Math.max(pausedMs, performance.now() - beganAt);
    const isOver = fault === 'silent' ? silences === silencesMax : spentMs + pauseMs > settleMs;
    if (isOver && edge?.hasTime()) throw notYet(comparison, expected, edge.patience.leave(comparison.at.url));
    if (isOver) throw mismatch(`${comparison.at.url}${expected.path}`, expected, seen);
    await pause(comparison, pauseMs);
    pausedMs += pauseMs;
  }
}

function pause({ release: { edge }, signal }: Comparison, ms: number): Promise<void> {
  return edge?.wait(ms, signal) ?? wait(ms, undefined, { signal });
}

function isExpected(seen: Seen, expected: Expected): boolean {
  return expected.statuses.includes(seen.status) && (expected.sha256 === null || seen.sha256 === expected.sha256);
}

function visit({ release, at, signal }: Comparison, expected: Expected, silences: number): Promise<Seen> {
  const { sizeBytes } = expected;
  const request = {
    headers: () => ({ accept: 'text/html, */*', 'user-agent': 'Fairlead' }),
    signal,
    // An answer of another length has other bytes. No more of it is read than proves that, or than a page of an error
    // has.
    maxBytes: Math.max(sizeBytes + 1, FOREIGN_PAGE_BYTES),
    redirects: at.listener === undefined ? REDIRECTS_MAX : 0,
    silenceMs: SILENCES_MS[silences] ?? SILENCES_MS[2],
    wholeMs: TURN_MS + sizeBytes / BYTES_A_MS,
    listener: at.listener,
    isFresh: silences > 0,
  };
  return release.egress.request(`${at.url}${expected.path}`, request, async ({ status, body }) => {
    const hash = createHash('sha256');
    for await (const chunk of body) hash.update(chunk);
    return { status, sha256: hash.digest('hex') };
  });
}

/** Postpones the check without a failure: an edge that has the old answer may have it for a while yet. */
function notYet({ at }: Comparison, { path }: Expected, delayMs: number): JobDeferred {
  return new JobDeferred(`${at.url}${path} does not match your upload yet`, delayMs);
}

export function mismatch(
  url: string,
  expected: Pick<Expected, 'statuses'>,
  seen: { status: number } | Error,
): AppError {
  const what =
    seen instanceof Error
      ? `could not be opened (${seen.message})`
      : expected.statuses.includes(seen.status)
        ? 'does not match the file that was uploaded'
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
