import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { buildIndexes, connectMongo, newId, transaction } from '../../server/database/mongo.ts';
import { enqueueJob } from '../../server/queue/queue.ts';
import { startJobProcess } from '../support/job-processes.ts';
import { startOwnMongod } from '../support/own-mongod.ts';

/** The gate has the job of a release instead (outage.test.ts). */
const AWAY_MS = 20_000;
const JOBS = 300;

test('workers whose database is killed go on when it is back: each job has its effect once, and none is lost', async () => {
  await using mongod = await startOwnMongod();
  await connectMongo(mongod.uri);
  try {
    await buildIndexes();
    const ids = Array.from({ length: JOBS }, newId);
    await transaction(async (session) => {
      for (const [index, deploymentId] of ids.entries()) {
        const delayMs = (index * AWAY_MS * 2) / JOBS;
        await enqueueJob(session, {
          name: 'remove-deployment',
          payload: { deploymentId },
          accountId: newId(),
          delayMs,
        });
      }
    });
    const database = { uri: mongod.uri, databaseName: 'fairlead' };
    const processes = await Promise.all([startJobProcess(database), startJobProcess(database)]);
    await expect
      .poll(() => JobModel.countDocuments({ status: 'done' }).setOptions({ acrossAccounts: 'jobs' }))
      .toBeGreaterThan(2);
    await mongod.kill();
    await wait(AWAY_MS);
    await mongod.restart();

    await expect
      .poll(
        () =>
          JobModel.countDocuments({ status: 'done' })
            .setOptions({ acrossAccounts: 'jobs' })
            .catch(() => 0),
        { timeout: 120_000, interval: 500 },
      )
      .toBe(JOBS);
    expect(processes.map(({ child }) => [child.exitCode, child.signalCode])).toEqual([
      [null, null],
      [null, null],
    ]);
    await Promise.all(processes.map(({ kill }) => kill()));
    const effects = await RateLimitModel.find({ _id: { $in: ids.map((id) => `effect:${id}`) } });
    expect(effects.map(({ count }) => count)).toEqual(ids.map(() => 1));
  } finally {
    await mongoose.disconnect();
  }
});
