import type { Migration } from './index.ts';

/**
 * Releases name their precompressed variants in `variants`, which was called `twins`. The old field stays: a process of
 * the version before that still runs collects as garbage what no release names there.
 */
export const releaseVariants: Migration = {
  number: 1,
  name: 'release-variants',
  async run(database) {
    const releases = database.collection<{ _id: string }>('releases');
    // By the index of their ids, which are all texts: databases may refuse a scan of a whole collection.
    const waiting = { _id: { $gte: '' }, twins: { $type: 'object' }, variants: null };
    await releases.updateMany(waiting, [{ $set: { variants: '$twins' } }]);
  },
};
