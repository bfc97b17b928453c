import { setTimeout as wait } from 'node:timers/promises';
import { isMongoUp } from '../database/health.ts';
import type { PartState, Readiness, ReadinessReport } from '../http/health.ts';
import type { ArtifactStore } from '../store/store.ts';

/** Stays below the 3 s within which every call is answered. */
const CHECK_TIMEOUT_MS = 2_000;
/** One check answers everybody who asks within this time, because the check of the store writes a file. */
const KEPT_MS = 500;
/**
 * The wait is split into pieces, so that a pause of this process counts as one of them and not as a store that does
 * not answer.
 */
const PIECE_MS = 100;
/** An idle worker reports six times within this time, and one that runs a job three times. */
const SILENT_MAX_MS = 30_000;

export type ReadinessParts = {
  store: Pick<ArtifactStore, 'check'>;
  /** Returns the time since the worker was last heard (server/queue/worker.ts). */
  worker: { silentMs(): number };
  /** False before the start is complete and from the first moment of a stop. */
  isServing(): boolean;
};

/** Checks database, store and worker, once for everybody who asks within half a second. */
export function createReadiness({ store, worker, isServing }: ReadinessParts): Readiness {
  let last: { at: number; report: Promise<ReadinessReport> } | undefined;
  let storeCheck: Promise<boolean> | undefined;

  /** Runs one check at a time: checks that hang would fill the thread pool that all file access needs. */
  function checkStore(): Promise<boolean> {
    storeCheck ??= store
      .check()
      .then(() => true)
      .finally(() => {
        storeCheck = undefined;
      });
    return storeCheck;
  }

  /** Judges the worker, and gives it a moment to be heard when all of this process was paused. */
  async function workerState(): Promise<PartState> {
    for (let spentMs = 0; isServing() && worker.silentMs() > SILENT_MAX_MS; spentMs += PIECE_MS) {
      if (spentMs >= CHECK_TIMEOUT_MS) return 'unavailable';
      await wait(PIECE_MS);
    }
    return isServing() ? 'ok' : 'unavailable';
  }

  async function look(): Promise<ReadinessReport> {
    const [database, artifacts, jobs] = await Promise.all([
      isMongoUp(CHECK_TIMEOUT_MS).then((isUp): PartState => (isUp ? 'ok' : 'unavailable')),
      stateOf(checkStore()),
      workerState(),
    ]);
    return {
      isReady: database === 'ok' && artifacts === 'ok' && jobs === 'ok',
      parts: { database, store: artifacts, worker: jobs },
    };
  }

  return {
    check() {
      const now = performance.now();
      if (last === undefined || now - last.at > KEPT_MS || !isServing()) last = { at: now, report: look() };
      return last.report;
    },
  };
}

async function stateOf(check: Promise<boolean>): Promise<PartState> {
  const checked = new AbortController();
  const timedOut = workedFor(CHECK_TIMEOUT_MS, checked.signal).then(() => false);
  try {
    return (await Promise.race([check, timedOut])) ? 'ok' : 'unavailable';
  } catch {
    return 'unavailable';
  } finally {
    timedOut.catch(() => undefined);
    checked.abort();
  }
}

/**
 * Waits for `ms` of running time. `withTimeout` does not do: after a pause of the process a single timer would expire
 * before the check could answer.
 */
async function workedFor(ms: number, signal: AbortSignal): Promise<void> {
  for (let spentMs = 0; spentMs < ms; spentMs += PIECE_MS) await wait(PIECE_MS, undefined, { signal });
}
