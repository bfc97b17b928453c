import { setImmediate as nextTurn } from 'node:timers/promises';

/** Other requests run after this at the latest; one step of the work should take a fraction of it. */
const TURN_MS = 5;

let lastShare: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop. The callers take turns in order, so that together they never hold it for longer
 * than one turn.
 */
function nextShare(): Promise<void> {
  lastShare = lastShare.then(() => nextTurn());
  return lastShare;
}

/**
 * Runs long work that pauses at each `yield`, so that other calls get their turn every few milliseconds. It is for
 * untrusted input whose size is bounded and whose processing time is not.
 */
export async function runInTimeSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    await nextShare();
    const until = performance.now() + TURN_MS;
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < until);
  }
}
