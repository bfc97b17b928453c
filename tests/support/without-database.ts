import mongoose from 'mongoose';
import { inject } from 'vitest';
import { connectMongo } from '../../server/database/mongo.ts';

/** Runs `work` while the process has no database at all, and comes back to it afterwards. */
export async function withoutDatabase<T>(work: () => Promise<T>): Promise<T> {
  const databaseName = mongoose.connection.name;
  await mongoose.disconnect();
  try {
    return await work();
  } finally {
    await connectMongo(inject('mongoUri'), { databaseName });
  }
}
