import mongoose from 'mongoose';
import { expect, inject, test } from 'vitest';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { enqueueJob } from '../../server/queue/queue.ts';
import { startJobProcess } from '../support/job-processes.ts';

const HOUR_MS = 3_600_000;
const JOBS = 40;
const LATEST_MS = 4_000;
/** Long enough that the other process looks at the lease meanwhile. */
const WORK_MS = 400;

const SHIFTS: [string, number][] = [
  ['an hour fast', HOUR_MS],
  ['an hour slow', -HOUR_MS],
  ['a day fast', 24 * HOUR_MS],
  ['a day slow', -24 * HOUR_MS],
];

test.each(SHIFTS)(
  'a process whose clock is %s runs no job early, late or twice',
  { timeout: 300_000 },
  async (_, shiftMs) => {
    await JobModel.deleteMany({}).setOptions({ acrossAccounts: 'jobs' }).comment('test');
    const database = { uri: inject('mongoUri'), databaseName: mongoose.connection.name, ms: WORK_MS };
    const [wrong, right] = await Promise.all([startJobProcess({ ...database, shiftMs }), startJobProcess(database)]);
    const ids = Array.from({ length: JOBS }, newId);
    await transaction(async (session) => {
      for (const [index, deploymentId] of ids.entries()) {
        const delayMs = (index * LATEST_MS) / JOBS;
        await enqueueJob(session, {
          name: 'remove-deployment',
          payload: { deploymentId },
          accountId: newId(),
          delayMs,
        });
      }
    });

    await expect
      .poll(() => JobModel.countDocuments({ status: 'done' }).setOptions({ acrossAccounts: 'jobs' }), {
        timeout: 120_000,
      })
      .toBe(JOBS);
    for (const taken of [wrong, right]) {
      await taken.until('worked');
      taken.kill();
    }
    const jobs = await JobModel.find({ status: 'done' }).setOptions({ acrossAccounts: 'jobs' }).lean();
    const effects = await RateLimitModel.find({ _id: { $in: ids.map((id) => `effect:${id}`) } }).lean();
    const doneAt = new Map(effects.map(({ _id, at }) => [_id, at.getTime()]));
    for (const { payload, runAt, attempt } of jobs) {
      expect(attempt).toBe(1);
      expect(doneAt.get(`effect:${payload.deploymentId}`)).toBeGreaterThanOrEqual(runAt.getTime());
    }
    expect(effects.map(({ count }) => count)).toEqual(Array.from({ length: JOBS }, () => 1));
  },
);
