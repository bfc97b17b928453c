import mongoose from 'mongoose';
import { expect, inject, test } from 'vitest';
import { applicationName } from '../../server/database/dead-transactions.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { claimJob } from '../../server/queue/claim.ts';
import { enqueueJob, finishJob } from '../../server/queue/queue.ts';
import { takeOverJobs } from '../../server/queue/take-over.ts';

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

/** A process of this name that was killed in the middle of a transaction, and what it wrote to in it. */
async function leftOpenBy(processName: string, jobId: string): Promise<AsyncDisposable> {
  const client = new mongoose.mongo.MongoClient(inject('mongoUri'), { appName: applicationName(processName, newId()) });
  const session = client.startSession();
  session.startTransaction();
  const jobs = client.db(mongoose.connection.name).collection<{ _id: string }>('jobs');
  await jobs.updateOne({ _id: jobId }, { $set: { lastError: 'in the middle' } }, { session });
  return { [Symbol.asyncDispose]: () => client.close() };
}

test('a start ends the transactions that dead processes have left open, and those of no other', async () => {
  const [ended, leftOpen, kept] = [
    await claimedBy('killed'),
    await claimedBy('killed.1'),
    await claimedBy('killed-not'),
  ];
  await using _dead = await leftOpenBy('killed', ended.id);
  await using _child = await leftOpenBy('killed.1', leftOpen.id);
  await using _alive = await leftOpenBy('killed-not', kept.id);
  const write = (id: string) =>
    JobModel.updateOne({ _id: id }, { $set: { lastError: null } }, { maxTimeMS: 200 }).setOptions({
      acrossAccounts: 'jobs',
    });

  await takeOverJobs(['killed'], LOG);

  for (const { id } of [ended, leftOpen]) expect((await write(id)).matchedCount).toBe(1);
  await expect(write(kept.id)).rejects.toThrow(/time limit/);
  expect(lines).toContain('Transactions that a killed process left open are ended');
});
