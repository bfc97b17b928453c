import { STEP_NOT_BEGUN } from '../models/publishing/publication.ts';
import type { Migration, MigrationDatabase } from './index.ts';

/**
 * Turns the outcome of a release at each of its destinations into a publication, with the steps and the log that the
 * release had; the jobs for one are now called `publish`. The earlier fields are removed once everything has been
 * copied, so that nothing is recorded twice: a process of the previous version must have ended.
 */
export const publications: Migration = {
  number: 8,
  name: 'publications',
  async run(database) {
    await moveDestinations(database);
    const old = { name: 'release_steps' };
    if (await database.listCollections(old).hasNext()) await database.dropCollection(old.name);
    await renameJobs(database);
  },
};

// By the index of the ids, which are all texts, because databases may refuse a scan of a whole collection.
const ALL = { _id: { $gte: '' } };
const STEPS = ['preparing', 'uploading', 'processing', 'verifying'];
/** Steps were recorded for the first destination alone: a release that was live elsewhere has done them there. */
const NOT_BEGUN = Object.fromEntries(STEPS.map((name) => [name, STEP_NOT_BEGUN]));
const DONE = Object.fromEntries(STEPS.map((name) => [name, { ...STEP_NOT_BEGUN, state: 'done' }]));

async function moveDestinations(database: MigrationDatabase): Promise<void> {
  const releases = database.collection<{ _id: string }>('releases');
  const waiting = { ...ALL, destinations: { $exists: true } };
  await releases
    .aggregate([
      { $match: waiting },
      { $unwind: { path: '$destinations', includeArrayIndex: 'index' } },
      {
        $set: {
          stepIds: { $cond: [{ $eq: ['$index', 0] }, STEPS.map((name) => ({ $concat: ['$_id', '.', name] })), []] },
        },
      },
      { $lookup: { from: 'release_steps', localField: 'stepIds', foreignField: '_id', as: 'rows' } },
      {
        $replaceWith: {
          $mergeObjects: [
            { wasLive: false, verifiedUnder: null, looked: [], missingLinks: [], startedAt: null },
            '$destinations',
            {
              _id: { $concat: ['$_id', '.', '$destinations._id'] },
              accountId: '$accountId',
              deploymentId: '$deploymentId',
              releaseId: '$_id',
              destinationId: '$destinations._id',
              steps: stepsOf,
            },
          ],
        },
      },
      { $merge: { into: 'publications', on: '_id', whenMatched: 'keepExisting', whenNotMatched: 'insert' } },
    ])
    .toArray();
  await releases.updateMany(waiting, { $unset: { destinations: 1 } });
}

const stepsOf = {
  $mergeObjects: [
    { $cond: [{ $and: [{ $gt: ['$index', 0] }, { $eq: ['$destinations.state', 'live'] }] }, DONE, NOT_BEGUN] },
    {
      $arrayToObject: {
        $map: {
          input: '$rows',
          in: {
            k: '$$this.name',
            v: {
              $mergeObjects: [
                STEP_NOT_BEGUN,
                Object.fromEntries(
                  Object.entries(STEP_NOT_BEGUN).map(([field, value]) => [
                    field,
                    { $ifNull: [`$$this.${field}`, value] },
                  ]),
                ),
              ],
            },
          },
        },
      },
    },
  ],
};

async function renameJobs(database: MigrationDatabase): Promise<void> {
  const jobs = database.collection<{ _id: string }>('jobs');
  const ofRelease = { ...ALL, name: 'deploy-release' };
  const ofDestination = { ...ALL, name: 'publish-destination' };
  const write = { $merge: { into: 'jobs', on: '_id', whenMatched: 'merge', whenNotMatched: 'discard' } };
  const joined = (localField: string) => [
    { $lookup: { from: 'deployments', localField, foreignField: '_id', as: 'deployment' } },
    { $unwind: '$deployment' },
  ];
  const primaryId = { $first: '$deployment.destinations._id' };
  const toPrimary = {
    name: 'publish',
    payload: { releaseId: '$payload.releaseId', destinationId: primaryId },
    key: { $concat: ['$deployment._id', '.', primaryId] },
  };
  await jobs.aggregate([{ $match: ofRelease }, ...joined('key'), { $project: toPrimary }, write]).toArray();
  const toOther = {
    name: 'publish',
    payload: { releaseId: '$deployment.currentReleaseId', destinationId: '$payload.destinationId' },
  };
  await jobs
    .aggregate([{ $match: ofDestination }, ...joined('payload.deploymentId'), { $project: toOther }, write])
    .toArray();
  // Their deployment is gone.
  await jobs.deleteMany({ ...ALL, name: { $in: ['deploy-release', 'publish-destination'] } });
}
