import { searchKey } from '../../../routers/schemas/normal-form.ts';
import type { Migration, MigrationDatabase } from './index.ts';

const BATCH = 1_000;
type Named = { _id: string; name: string; slug: string };

/** A deployment is found by its name without accents, and by its address. */
export const deploymentListKey: Migration = {
  number: 10,
  name: 'deployment-list-key',
  async run(database) {
    // By the index of their ids, which are all texts: databases may refuse a scan of a whole collection.
    const named = { _id: { $gte: '' }, name: { $type: 'string' as const } };
    const cursor = database.collection<Named>('deployments').find(named, { projection: { name: 1, slug: 1 } });
    let batch: Named[] = [];
    for await (const deployment of cursor) {
      batch.push(deployment);
      if (batch.length < BATCH) continue;
      await writeKeys(database, batch);
      batch = [];
    }
    if (batch.length > 0) await writeKeys(database, batch);
  },
};

async function writeKeys(database: MigrationDatabase, batch: readonly Named[]): Promise<void> {
  await database.collection<Named>('deployments').bulkWrite(
    batch.map(({ _id, name, slug }) => ({
      updateOne: { filter: { _id, name, slug }, update: { $set: { nameKey: `${searchKey(name)}\n${slug}` } } },
    })),
  );
}
