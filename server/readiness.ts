import { setTimeout as wait } from 'node:timers/promises';
import type { ArtifactStore } from './artifacts/store.ts';
import type { PartState, Readiness, ReadinessReport } from './http/health.ts';
import { isMongoUp } from './mongo-pulse.ts';

/** Below the 3 s in which every call is answered. */
const CHECK_TIMEOUT_MS = 2_000;
/** Many who ask at once, or in a row, cost one check: the store's writes a file. */
const KEPT_MS = 500;

/** `isOpen` is false before the start is whole and from the first moment of a stop. */
export function createReadiness(store: ArtifactStore, isOpen: () => boolean): Readiness {
  let last: { at: number; report: Promise<ReadinessReport> } | undefined;

  async function look(): Promise<ReadinessReport> {
    const [database, artifacts] = await Promise.all([
      isMongoUp(CHECK_TIMEOUT_MS).then((isUp): PartState => (isUp ? 'ok' : 'unavailable')),
      stateOf(store.check().then(() => true)),
    ]);
    const worker: PartState = isOpen() ? 'ok' : 'unavailable';
    return {
      isReady: database === 'ok' && artifacts === 'ok' && worker === 'ok',
      parts: { database, store: artifacts, worker },
    };
  }

  return {
    check() {
      const now = Date.now();
      if (last === undefined || now - last.at > KEPT_MS || !isOpen()) last = { at: now, report: look() };
      return last.report;
    },
  };
}

async function stateOf(check: Promise<boolean>): Promise<PartState> {
  const giveUp = new AbortController();
  const timedOut = wait(CHECK_TIMEOUT_MS, false, { signal: giveUp.signal });
  try {
    return (await Promise.race([check, timedOut])) ? 'ok' : 'unavailable';
  } catch {
    return 'unavailable';
  } finally {
    timedOut.catch(() => undefined);
    giveUp.abort();
  }
}
