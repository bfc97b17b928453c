import mongoose from 'mongoose';

/** Every document there is, but the counters that bound how often it is asked. */
export async function everythingStored(): Promise<unknown> {
  const collections = await mongoose.connection.db?.collections();
  const kept = collections?.filter(({ collectionName }) => !/^(system\.|rate_limits$)/.test(collectionName)) ?? [];
  const stored = await Promise.all(
    kept.map(async (one) => [one.collectionName, await one.find().sort({ _id: 1 }).toArray()] as const),
  );
  return Object.fromEntries(stored);
}
