import { setTimeout as wait } from 'node:timers/promises';
import { isMongoUp } from '../database/health.ts';
import type { PartState, Readiness, ReadinessReport } from '../http/health.ts';
import type { ArtifactStore } from '../store/store.ts';

/** Below the 3 s in which every call is answered. */
const CHECK_TIMEOUT_MS = 2_000;
/** Many who ask at once, or in a row, cost one check: the store's writes a file. */
const KEPT_MS = 500;
/** Waited in pieces, so that a pause of this process counts as one of them and not as a store that does not answer. */
const PIECE_MS = 100;
/** Six times as long as a worker with nothing to do is silent, three times as long as one that runs a job. */
const SILENT_MAX_MS = 30_000;

export type ReadinessParts = {
  store: Pick<ArtifactStore, 'check'>;
  /** How long ago the worker was last heard (server/queue/worker.ts). */
  worker: { silentMs(): number };
  /** False before the start is whole and from the first moment of a stop. */
  isServing(): boolean;
};

/** Asks database, store and worker, at most once a moment however many ask it. */
export function createReadiness({ store, worker, isServing }: ReadinessParts): Readiness {
  let last: { at: number; report: Promise<ReadinessReport> } | undefined;
  let storeCheck: Promise<boolean> | undefined;

  /** One at a time: checks that hang would fill the threads that all work on files goes through. */
  function checkStore(): Promise<boolean> {
    storeCheck ??= store
      .check()
      .then(() => true)
      .finally(() => {
        storeCheck = undefined;
      });
    return storeCheck;
  }

  /** A worker that was silent with all of this process, in a pause, has a moment to be heard. */
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
  const giveUp = new AbortController();
  const timedOut = workedFor(CHECK_TIMEOUT_MS, giveUp.signal).then(() => false);
  try {
    return (await Promise.race([check, timedOut])) ? 'ok' : 'unavailable';
  } catch {
    return 'unavailable';
  } finally {
    timedOut.catch(() => undefined);
    giveUp.abort();
  }
}

/** Not `withTimeout`: after a pause of the whole process a single timer would be over before the check could answer. */
async function workedFor(ms: number, signal: AbortSignal): Promise<void> {
  for (let spentMs = 0; spentMs < ms; spentMs += PIECE_MS) await wait(PIECE_MS, undefined, { signal });
}
