import { buildIndexes, connectMongo } from '../../../server/database/mongo.ts';

/** The run's one database server (tests/bench/run.ts starts it); each server has a database of its own on it. */
export function mongoUri(): string {
  const uri = process.env.BENCH_MONGODB_URI;
  if (uri === undefined) throw new Error('Start benches by `npm run bench`: it brings the database.');
  return uri;
}

export async function connectDatabase(): Promise<void> {
  await connectMongo(mongoUri(), { databaseName: `bench${process.pid}` });
  await buildIndexes();
}

/**
 * Reports the port to the bench, and ends when the bench says so or is gone. run.ts deletes the folder of the test app.
 */
export function tellReady(port: number, facts: Record<string, string> = {}): void {
  process.send?.({ port, facts });
  process.on('disconnect', () => process.exit(0));
  process.on('SIGTERM', () => process.exit(0));
}
