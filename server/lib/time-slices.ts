import { setImmediate as nextTurn } from 'node:timers/promises';

/** Others are answered after this at the latest; a step of the work is to take a fraction of it. */
const TURN_MS = 5;

let lastShare: Promise<void> = Promise.resolve();

/** One turn of the event loop for each who asks, in their order: however many work, they hold it for one turn's time. */
function nextShare(): Promise<void> {
  lastShare = lastShare.then(() => nextTurn());
  return lastShare;
}

/**
 * Runs long work that pauses at each `yield`: what other calls wait for has its turn every few milliseconds. For work
 * over what strangers send, whose size is bounded and whose time is not.
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
