import { setTimeout as wait } from 'node:timers/promises';

/**
 * Settles as `work` does, or as `onTimeout` does after `ms` milliseconds. The work itself goes on: nobody waits for
 * it, and its later failure is not an unhandled rejection.
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
