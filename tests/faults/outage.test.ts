import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { enqueueJob } from '../../server/jobs/queue/queue.ts';
import { JobModel } from '../../server/models/job.ts';
import { RateLimitModel } from '../../server/models/rate-limit.ts';
import { buildIndexes, connectMongo, newId, transaction } from '../../server/mongo.ts';
import { type Account, clientOf, openAccount, publishSite, startPublish } from '../support/api-account.ts';
import { startJobProcess } from '../support/job-processes.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import { faultyEntry, startRealApp } from '../support/real-app.ts';
import { hashedSite, loadHashedSite, startVisiting } from '../support/visitor.ts';

const IS_FULL = process.env.FAIRLEAD_FULL_COUNTS === '1';
/** Within a call, within a lease, and longer than one. */
const AWAY_SECONDS = IS_FULL ? [1, 10, 60] : [1];
const J6_AWAY_MS = IS_FULL ? 20_000 : 3_000;
const JOBS = IS_FULL ? 300 : 60;
const SETTLED_MS = 90_000;
/** Held at a boundary, the work goes on when it is told so; after an outage it may come there once more. */
const LET_GO_EVERY_MS = 500;

test('workers whose database is killed go on when it is back: each job has its effect once, and none is lost', {
  timeout: 300_000,
}, async () => {
  await using mongod = await startOwnMongod();
  await connectMongo(mongod.uri);
  try {
    await buildIndexes();
    const ids = Array.from({ length: JOBS }, newId);
    await transaction(async (session) => {
      for (const [index, deploymentId] of ids.entries()) {
        const delayMs = (index * J6_AWAY_MS * 2) / JOBS;
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
    await wait(J6_AWAY_MS);
    await mongod.restart();
    if (!IS_FULL) await mongod.endLeases();

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
    for (const { kill } of processes) kill();
    const effects = await RateLimitModel.find({ _id: { $in: ids.map((id) => `effect:${id}`) } });
    expect(effects.map(({ count }) => count)).toEqual(ids.map(() => 1));
  } finally {
    await mongoose.disconnect();
  }
});

async function stateOf(account: Account, releaseId: string): Promise<string> {
  return clientOf(account)
    .releases.get.query({ releaseId })
    .then(
      ({ state }) => state,
      () => 'not answered',
    );
}

/** A connection that breaks is noticed a moment later, on the loop of a busy machine not always before the next answer. */
async function expectAway(url: string, path: string, token: string): Promise<void> {
  const ask = () => fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  await expect.poll(async () => (await ask()).status, { message: path }).toBe(503);
  expect(Number((await ask()).headers.get('Retry-After')), path).toBeGreaterThan(0);
}

test.each(AWAY_SECONDS)(
  'a database that is killed in mid-release and comes back after %i s costs nothing',
  {
    timeout: 400_000,
  },
  async (seconds) => {
    await using mongod = await startOwnMongod();
    await using app = await startRealApp({ MONGODB_URI: mongod.uri });
    const account = await openAccount(app.url, `patient ${process.pid} ${seconds}`);
    const site = await publishSite(account, 'Outage', hashedSite('before'));
    await app.kill();
    app.entry = faultyEntry({ 'processing:start': 'hold' });
    await app.restart();
    const { release } = await startPublish(account, site, hashedSite('after'));
    await expect.poll(() => app.output()).toContain('Held at processing:start');
    const visits = startVisiting(async () => (await loadHashedSite(app.sitesPort, `${site.slug}.localhost`)).fault);

    await mongod.kill();
    app.child.kill('SIGUSR2');
    const backAt = performance.now() + seconds * 1_000;
    await expectAway(app.url, '/api/ready', account.token);
    await expectAway(app.url, '/api/user', account.token);
    expect((await fetch(`${app.url}/api/health`)).status).toBe(200);
    await wait(Math.max(0, backAt - performance.now()));
    const visitsWhileAway = visits.count;
    await mongod.restart();
    if (!IS_FULL) await mongod.endLeases();

    const lettingGo = setInterval(() => app.child.kill('SIGUSR2'), LET_GO_EVERY_MS);
    await expect
      .poll(() => stateOf(account, release.id), { timeout: SETTLED_MS, interval: 500 })
      .toMatch(/^(live|failed|cancelled)$/);
    clearInterval(lettingGo);
    await visits.stop();
    expect(await stateOf(account, release.id)).toBe('live');
    expect(app.child.exitCode).toBeNull();
    expect(visitsWhileAway).toBeGreaterThan(0);
    expect(visits.wrong).toEqual([]);
    expect(await loadHashedSite(app.sitesPort, `${site.slug}.localhost`)).toEqual({ word: 'after', fault: null });
    const { items } = await clientOf(account).releases.list.query({ deploymentId: site.deploymentId });
    expect(items.map(({ number, state }) => [number, state])).toEqual([
      [2, 'live'],
      [1, 'superseded'],
    ]);
  },
);
