import type { Migration } from './index.ts';

/**
 * Renames `damagedFiles` of releases, which lists files that the store has lost, to `corruptedFiles`. The old field
 * stays, so that a process of the previous version can go on reading.
 */
export const corruptedFiles: Migration = {
  number: 3,
  name: 'corrupted-files',
  async run(database) {
    // The index of ids is used, and all ids are texts: databases may refuse a scan of a whole collection.
    const waiting = { _id: { $gte: '' }, corruptedFiles: { $exists: false } };
    await database
      .collection<{ _id: string }>('releases')
      .updateMany(waiting, [{ $set: { corruptedFiles: { $ifNull: ['$damagedFiles', []] } } }]);
  },
};
