/** Runs work to its end that a server does in slices of time (server/lib/time-slices.ts), without the pauses. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
