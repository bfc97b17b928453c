import { setTimeout as wait } from 'node:timers/promises';

/**
 * Resolves or rejects as `work` does, or as `onTimeout` does when `ms` milliseconds have passed before. The work itself
 * goes on: nobody waits for it any more, and its later failure is no unhandled rejection.
 */
export async function withTimeout<T, Late>(
  work: Promise<T>,
  ms: number,
  onTimeout: () => Late | Promise<Late>,
): Promise<T | Late> {
  const timer = new AbortController();
  try {
    return await Promise.race([work, wait(ms, undefined, { signal: timer.signal }).then(onTimeout)]);
  } finally {
    timer.abort();
  }
}
