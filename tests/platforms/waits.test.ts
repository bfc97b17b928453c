import { expect, test } from 'vitest';
import { JobModel } from '../../server/models/job.ts';
import type { Platform } from '../../server/platforms/platform.ts';
import { createSimulatedApp, type SimulatedApp } from '../support/simulated-app.ts';
import { simulated } from '../support/standins/simulated/index.ts';

const ONE = { 'index.html': '<h1>one</h1>', 'style.css': 'p {}' };
const MINUTE_MS = 60_000;

/** The simulated platform with an edge that may keep what it has for ten minutes. */
function withSlowEdge(apiUrl: string): Platform {
  const platform = simulated.upload(apiUrl);
  const { capabilities } = platform;
  const limits = { ...capabilities.limits, settleMs: 10 * MINUTE_MS };
  return { ...platform, capabilities: { ...capabilities, limits } };
}

const stepsOf = (app: SimulatedApp, step: string) => app.vendor.requests.filter((request) => request.step === step);
const queuedJob = (app: SimulatedApp) => JobModel.findOne({ accountId: app.person.user.id, status: 'queued' });

test('an edge that follows late is waited for in the queue, and the platform is asked for nothing twice', async () => {
  await using app = await createSimulatedApp(withSlowEdge);
  const deployment = await app.create('Slow edge');
  // Its own address is looked at first, once for each file.
  app.vendor.fail('visit', { how: 'wait', ms: 0 }, Object.keys(ONE).length);
  app.vendor.fail('visit', { how: 'garbage' }, 100_000);
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  const waiting = await app.person.caller.releases.get({ releaseId: release.id });
  expect(waiting).toMatchObject({ state: 'verifying', error: null, destinations: [{ state: 'publishing' }] });
  expect((await queuedJob(app))?.attempt).toBe(0);
  app.vendor.heal();
  const live = await app.settle(release);
  expect(live).toMatchObject({ state: 'live', destinations: [{ platform: 'simulated', state: 'live', error: null }] });
  expect([stepsOf(app, 'release').length, stepsOf(app, 'restore').length]).toEqual([1, 1]);
}, 30_000);

test('an edge that never follows fails the release when its time is over, in words', async () => {
  await using app = await createSimulatedApp(withSlowEdge);
  const deployment = await app.create('Stale edge');
  app.vendor.fail('visit', { how: 'garbage' }, 100_000);
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  expect((await app.person.caller.releases.get({ releaseId: release.id })).state).toBe('verifying');
  app.clock.advance(11 * MINUTE_MS);
  const failed = await app.settle(release);
  expect(failed).toMatchObject({
    state: 'failed',
    error: { code: 'verification_failed', message: expect.stringContaining('other bytes than were uploaded') },
    destinations: [{ state: 'failed', error: { code: 'verification_failed' } }],
  });
}, 30_000);

test('a site that was deleted there fails one release, and trying again makes it anew', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Deleted');
  await app.publish(deployment, ONE);
  for (const { id } of await app.vendor.records.all('sites')) await app.vendor.records.remove('sites', id);
  const failed = await app.publish(deployment, { ...ONE, 'index.html': 'two' });
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'platform_place_gone' } });
  const live = await app.settle(await app.person.caller.releases.retry({ releaseId: failed.id }));
  expect(live.state).toBe('live');
  expect(await app.countSites()).toBe(1);
});
