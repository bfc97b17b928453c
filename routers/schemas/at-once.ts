/** Runs work for a server's time slices (server/lib/time-slices.ts) to its end without the pauses. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
