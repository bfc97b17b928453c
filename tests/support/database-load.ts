import mongoose from 'mongoose';

/** The number of questions to MongoDB for each kind of operation on each collection, as `users.queries`. */
export type DatabaseLoad = ReadonlyMap<string, number>;

const KINDS = ['queries', 'getmore', 'insert', 'update', 'remove', 'commands'] as const;

/** Returns the operations that MongoDB itself counted for the test's own database while `work` ran (manual: `top`). */
export async function databaseLoadOf(work: () => Promise<unknown>): Promise<DatabaseLoad> {
  const before = await readLoad();
  await work();
  const after = await readLoad();
  return new Map(
    [...after].map(([key, count]) => [key, count - (before.get(key) ?? 0)] as const).filter(([, n]) => n > 0),
  );
}

async function readLoad(): Promise<DatabaseLoad> {
  const { name } = mongoose.connection;
  const { totals } = await mongoose.connection.getClient().db('admin').command({ top: 1 });
  const counts = new Map<string, number>();
  for (const [namespace, of] of Object.entries<Record<string, { count?: number }>>(totals)) {
    if (!namespace.startsWith(`${name}.`) || namespace.includes('.system.')) continue;
    for (const kind of KINDS) counts.set(`${namespace.slice(name.length + 1)}.${kind}`, of[kind]?.count ?? 0);
  }
  return counts;
}
