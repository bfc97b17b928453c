import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { claimJob, enqueueJob, finishJob } from '../../server/jobs/queue.ts';
import { takeOverJobs } from '../../server/jobs/take-over.ts';
import { JobModel } from '../../server/models/job.ts';
import { newId, transaction } from '../../server/mongo.ts';

const NAMES = ['remove-deployment'];
const lines: string[] = [];
const say = (text: string): void => void lines.push(text);
const LOG = { debug: say, info: say, warn: say, error: say };

async function claimedBy(worker: string) {
  const payload = { deploymentId: newId() };
  await transaction((session) => enqueueJob(session, { name: 'remove-deployment', payload, accountId: newId() }));
  const claimed = await claimJob(worker, NAMES);
  if (claimed === null) throw new Error('Nothing was claimed.');
  return claimed;
}

test('a start does not wait for what a dead process left open; its job is taken over when the database gives that up', async () => {
  const left = await claimedBy('dead.1');
  const alive = await claimedBy('alive');
  // The process ended in the middle of a transaction, which nobody commits or aborts.
  const session = await mongoose.startSession();
  session.startTransaction();
  await JobModel.updateOne({ _id: left.id }, { $set: { lastError: 'in the middle' } }, { session }).setOptions({
    acrossAccounts: 'jobs',
  });

  await takeOverJobs(['somebody else', 'dead'], LOG, 50);

  expect(lines).toEqual([]);
  expect(await claimJob('next', NAMES)).toBeNull();
  await session.abortTransaction();
  await session.endSession();
  const claims: unknown[] = [];
  await expect
    .poll(async () => {
      const claimed = await claimJob('next', NAMES);
      if (claimed !== null) claims.push([claimed.id, claimed.attempt]);
      return claims;
    })
    .toEqual([[left.id, 2]]);
  expect(await finishJob(alive)).toBe(true);
  await expect.poll(() => lines).toEqual(['Jobs that a killed process worked on are taken over']);
});
