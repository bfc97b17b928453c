import type { Migration } from './index.ts';

/**
 * Records what follows at the end of each subscription and which notices were sent. For a plan that has ended, no
 * further notices are sent.
 */
export const subscriptionLife: Migration = {
  number: 5,
  name: 'subscription-life',
  async run(database) {
    // The index of ids is used, and all ids are texts: databases may refuse a scan of a whole collection.
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
