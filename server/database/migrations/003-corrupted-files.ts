import type { Migration } from './index.ts';

/**
 * Releases list what the store has lost in `corruptedFiles`, which was called `damagedFiles`. The old field stays, so
 * that a process of the version before can go on reading.
 */
export const corruptedFiles: Migration = {
  number: 3,
  name: 'corrupted-files',
  async run(database) {
    // By the index of their ids, which are all texts: databases may refuse a scan of a whole collection.
    const waiting = { _id: { $gte: '' }, corruptedFiles: { $exists: false } };
    await database
      .collection<{ _id: string }>('releases')
      .updateMany(waiting, [{ $set: { corruptedFiles: { $ifNull: ['$damagedFiles', []] } } }]);
  },
};
