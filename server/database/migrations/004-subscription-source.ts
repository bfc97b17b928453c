import type { Migration } from './index.ts';

/** Records where the plan of each subscription comes from. Before, only the trial could be started. */
export const subscriptionSource: Migration = {
  number: 4,
  name: 'subscription-source',
  async run(database) {
    // The index of ids is used, and all ids are texts: databases may refuse a scan of a whole collection.
    const missing = { _id: { $gte: '' }, source: { $exists: false } };
    await database
      .collection<{ _id: string }>('subscriptions')
      .updateMany(missing, { $set: { source: 'trial', renews: false } });
  },
};
