import type { Migration } from './index.ts';

/**
 * Gives deployments and releases a list of destinations, which holds their one platform. The old fields stay, so that
 * a process of the previous version can go on reading.
 */
export const destinations: Migration = {
  number: 2,
  name: 'destinations',
  async run(database) {
    // The index of ids is used, and all ids are texts: databases may refuse a scan of a whole collection.
    const missing = { _id: { $gte: '' }, destinations: { $exists: false } };
    const id = { $concat: [{ $substrCP: ['$deploymentId', 0, 18] }, 'd1'] };
    await database.collection<{ _id: string }>('deployments').updateMany(missing, [
      {
        $set: {
          destinations: [
            {
              _id: { $concat: [{ $substrCP: ['$_id', 0, 18] }, 'd1'] },
              platform: '$platform',
              connectionId: null,
              targetId: null,
              options: {},
              site: { $ifNull: ['$platformSite', null] },
              url: { $ifNull: ['$siteUrl', null] },
              state: { $cond: [{ $ifNull: ['$currentReleaseId', false] }, 'live', 'idle'] },
              error: null,
            },
          ],
        },
      },
    ]);
    await database.collection<{ _id: string }>('releases').updateMany(missing, [
      {
        $set: {
          destinations: [
            {
              _id: id,
              platform: 'built-in',
              ref: { $ifNull: ['$platformRef', null] },
              url: null,
              ownUrl: { $ifNull: ['$ownUrl', null] },
              actId: null,
              publicAt: null,
              confirmedUrl: null,
              state: { $cond: [{ $in: ['$state', ['live', 'superseded']] }, 'live', 'failed'] },
              error: null,
            },
          ],
        },
      },
    ]);
  },
};
