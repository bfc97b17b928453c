import type { Migration } from './index.ts';

/** A deployment names its primary destination, which was the first of its list. */
export const primaryDestination: Migration = {
  number: 9,
  name: 'primary-destination',
  async run(database) {
    // By the index of their ids, which are all texts: databases may refuse a scan of a whole collection.
    const missing = { _id: { $gte: '' }, primaryId: { $exists: false } };
    await database
      .collection<{ _id: string }>('deployments')
      .updateMany(missing, [{ $set: { primaryId: { $first: '$destinations._id' } } }]);
  },
};
