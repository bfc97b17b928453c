/** Ends a turn; call it once. */
type Release = () => void;
export type Semaphore = {
  /** Waits for a turn, in order; returns null when `signal` is aborted before. */
  acquire(signal: AbortSignal): Promise<Release | null>;
};

type Waiter = { signal: AbortSignal; begin(): void };

/**
 * Gives up to `limit` callers a turn at once. `reserved` turns are kept for callers that have none: all with the same
 * signal count as one caller, so that a few with many questions do not keep the others out.
 */
export function createSemaphore(limit: number, reserved = 0): Semaphore {
  const waiting = new Set<Waiter>();
  const turnsOf = new WeakMap<AbortSignal, number>();
  let taken = 0;
  const mayBegin = (signal: AbortSignal): boolean => taken < (turnsOf.get(signal) ? limit - reserved : limit);
  const count = (signal: AbortSignal, change: 1 | -1): void => {
    taken += change;
    turnsOf.set(signal, (turnsOf.get(signal) ?? 0) + change);
  };
  const take = (signal: AbortSignal): Release => {
    count(signal, 1);
    return () => {
      count(signal, -1);
      for (const next of waiting) {
        if (taken === limit) break;
        if (mayBegin(next.signal)) next.begin();
      }
    };
  };
  return {
    async acquire(signal) {
      if (signal.aborted) return null;
      if (mayBegin(signal)) return take(signal);
      return new Promise((resolve) => {
        const leave = (turn: Release | null) => {
          waiting.delete(waiter);
          signal.removeEventListener('abort', onAbort);
          resolve(turn);
        };
        const waiter = { signal, begin: () => leave(take(signal)) };
        const onAbort = () => leave(null);
        waiting.add(waiter);
        signal.addEventListener('abort', onAbort);
      });
    },
  };
}
