import type { Migration } from './index.ts';

/**
 * Renames `twins` of releases, their precompressed variants, to `variants`. The old field stays: a running process of
 * the previous version would collect files that no release names there as garbage.
 */
export const releaseVariants: Migration = {
  number: 1,
  name: 'release-variants',
  async run(database) {
    const releases = database.collection<{ _id: string }>('releases');
    // The index of ids is used, and all ids are texts: databases may refuse a scan of a whole collection.
    const waiting = { _id: { $gte: '' }, twins: { $type: 'object' }, variants: null };
    await releases.updateMany(waiting, [{ $set: { variants: '$twins' } }]);
  },
};
