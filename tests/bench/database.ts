import { buildIndexes, connectMongo } from '../../server/database/mongo.ts';
import { mongoUri } from './ready.ts';

/** Gives a server of ours a database of its own. */
export async function connectDatabase(): Promise<void> {
  await connectMongo(mongoUri(), { databaseName: `bench${process.pid}` });
  await buildIndexes();
}
