import type { Migration } from './index.ts';

/**
 * The host compresses the files of a release when they are asked for. What had been compressed before is not named any
 * more, so that garbage collection takes it, and no job waits to do it.
 */
export const compressedOnRequest: Migration = {
  number: 7,
  name: 'compressed-on-request',
  async run(database) {
    // By the index of the ids, which are all texts, because databases may refuse a scan of a whole collection.
    const all = { _id: { $gte: '' } };
    await database.collection<{ _id: string }>('jobs').deleteMany({ ...all, name: 'compress-release' });
    const named = { ...all, variants: { $exists: true } };
    await database.collection<{ _id: string }>('releases').updateMany(named, { $unset: { variants: 1, twins: 1 } });
  },
};
