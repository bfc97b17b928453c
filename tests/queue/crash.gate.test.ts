import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { expect, inject, onTestFinished, test } from 'vitest';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { enqueueJob } from '../../server/queue/queue.ts';
import { type JobProcess, startJobProcess } from '../support/job-processes.ts';
import { endLeases } from '../support/make-due.ts';
import { randomOf, SEED } from '../support/random.ts';
import { IS_FULL } from '../support/size.ts';

const JOBS = IS_FULL ? 500 : 60;
const KILL_EVERY_MS = 200;
const KILLS = IS_FULL ? 40 : 2;

async function startProcess(): Promise<JobProcess> {
  const started = await startJobProcess({ uri: inject('mongoUri'), databaseName: mongoose.connection.name });
  onTestFinished(started.kill);
  return started;
}

/** The run in full waits until the leases of the dead run out by themselves; here all are dead, and another goes on. */
async function endAll(processes: JobProcess[]): Promise<void> {
  // One that still lived would claim another job, whose lease nobody ends.
  await Promise.all(processes.splice(0).map(({ kill }) => kill()));
  await endLeases();
  processes.push(await startProcess());
}

test('of two processes that are killed at random each job has its effect once, and none is lost', {
  timeout: IS_FULL ? 300_000 : 90_000,
}, async () => {
  // What a try before this one has left would be counted.
  await JobModel.deleteMany({ _id: { $gt: '' } }).setOptions({ acrossAccounts: 'jobs' });
  const ids = Array.from({ length: JOBS }, newId);
  await transaction(async (session) => {
    for (const deploymentId of ids) {
      await enqueueJob(session, { name: 'remove-deployment', payload: { deploymentId }, accountId: newId() });
    }
  });
  const processes = await Promise.all([startProcess(), startProcess()]);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await wait(KILL_EVERY_MS);
    const victim = randomOf(SEED, kill).below(processes.length);
    await processes[victim]?.kill();
    processes[victim] = await startProcess();
  }
  if (!IS_FULL) await endAll(processes);
  // What a dead process held is taken when its lease of 30 s has run out.
  await expect
    .poll(
      () => JobModel.countDocuments({ status: { $in: ['queued', 'running'] } }).setOptions({ acrossAccounts: 'jobs' }),
      {
        timeout: IS_FULL ? 120_000 : 60_000,
        interval: 500,
      },
    )
    .toBe(0);
  await Promise.all(processes.map(({ kill }) => kill()));
  expect(await JobModel.countDocuments({ status: 'done' }).setOptions({ acrossAccounts: 'jobs' })).toBe(JOBS);
  const effects = await RateLimitModel.find({ _id: { $in: ids.map((id) => `effect:${id}`) } });
  expect(effects).toHaveLength(JOBS);
  expect(effects.every((effect) => effect.count === 1)).toBe(true);
});
