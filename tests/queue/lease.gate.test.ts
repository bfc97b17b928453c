import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { expect, inject, test } from 'vitest';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { enqueueJob } from '../../server/queue/queue.ts';
import { startJobProcess } from '../support/job-processes.ts';
import { endLeases } from '../support/make-due.ts';
import { IS_FULL } from '../support/size.ts';

/** A lease is 30 s. With every run of the tests it is ended by hand instead of being waited for. */
const PAUSED_MS = IS_FULL ? 40_000 : 0;

async function enqueue(): Promise<string> {
  const deploymentId = newId();
  await transaction((session) =>
    enqueueJob(session, { name: 'remove-deployment', payload: { deploymentId }, accountId: newId() }),
  );
  return deploymentId;
}

async function outlastLease(): Promise<void> {
  if (PAUSED_MS > 0) await wait(PAUSED_MS);
  else await endLeases();
}

test('a process that was paused for longer than its lease finds its writes refused', async () => {
  const database = { uri: inject('mongoUri'), databaseName: mongoose.connection.name };
  // What a try before this one has left would be claimed first.
  await JobModel.deleteMany({ _id: { $gt: '' } }).setOptions({ acrossAccounts: 'jobs' });
  const deploymentId = await enqueue();
  await using paused = await startJobProcess({ ...database, mode: 'pause' });
  await paused.until('begun');
  paused.child.kill('SIGSTOP');
  await outlastLease();

  await using _other = await startJobProcess(database);
  await expect.poll(() => JobModel.countDocuments({ status: 'done' }).setOptions({ acrossAccounts: 'jobs' })).toBe(1);
  paused.child.kill('SIGCONT');
  paused.tell('write');
  await paused.until('refused: lease_lost');

  const effect = await RateLimitModel.findById(`effect:${deploymentId}`).lean();
  expect(effect?.count).toBe(1);
  const [job] = await JobModel.find({ status: 'done' }).setOptions({ acrossAccounts: 'jobs' }).lean();
  expect(job).toMatchObject({ attempt: 2, fence: 2, payload: { deploymentId } });
});
