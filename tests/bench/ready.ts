/** The answers of a server of ours or of its peer to the bench. Nothing of Fairlead is loaded here, because peers import it. */

/** The run's one database server (tests/bench/run.ts starts it); each server has a database of its own on it. */
export function mongoUri(): string {
  const uri = process.env.BENCH_MONGODB_URI;
  if (uri === undefined) throw new Error('Start benches by `npm run bench`: it brings the database.');
  return uri;
}

/**
 * Reports the port to the bench, and ends when the bench says so or is gone. run.ts deletes the folder of the test app.
 */
export function tellReady(port: number, facts: Record<string, string> = {}): void {
  process.send?.({ port, facts });
  process.on('disconnect', () => process.exit(0));
  process.on('SIGTERM', () => process.exit(0));
}

/** The monotonic clock is one for all processes of a machine, so the reader can subtract. */
export const stamp = (): string => process.hrtime.bigint().toString();

/** The second of the events' two messages collects garbage and answers. */
export function onPublish(publish: () => void): void {
  process.on('message', (message) => {
    if (message === 'publish') return publish();
    globalThis.gc?.();
    process.send?.({ isCollected: true });
  });
}
