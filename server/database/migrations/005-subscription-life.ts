import type { Migration } from './index.ts';

/**
 * Subscriptions say what follows at their end and what was told of it. Of a plan that has ended already nothing is told
 * any more.
 */
export const subscriptionLife: Migration = {
  number: 5,
  name: 'subscription-life',
  async run(database) {
    // By the index of their ids, which are all texts: databases may refuse a scan of a whole collection.
    const missing = { _id: { $gte: '' }, cancelAtEnd: { $exists: false } };
    const hasEnded = { $lte: ['$endsAt', '$$NOW'] };
    await database.collection<{ _id: string }>('subscriptions').updateMany(missing, [
      {
        $set: {
          writableIds: [],
          writableChosenFor: null,
          cancelAtEnd: false,
          nextPlan: null,
          warnedWeekFor: null,
          warnedDayFor: null,
          endToldFor: { $cond: [hasEnded, '$endsAt', null] },
        },
      },
    ]);
  },
};
