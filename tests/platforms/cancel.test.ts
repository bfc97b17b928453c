import { expect, test } from 'vitest';
import { withFastTimeouts } from '../support/fast-timeouts.ts';
import { createSimulatedApp, type SimulatedApp } from '../support/simulated-app.ts';
import type { Step } from '../support/standins/faults.ts';
import { simulated } from '../support/standins/simulated/index.ts';

const ONE = { 'index.html': '<h1>one</h1>', 'style.css': 'p {}' };
const TWO = { ...ONE, 'index.html': '<h1>two</h1>' };

/** Long enough for a cancel to come in, below what the adapter waits for an answer. */
const HELD_MS = 1_500;

/** Starts the release, holds it in this step, and cancels it there. */
async function cancelIn(app: SimulatedApp, deployment: { id: string }, site: Record<string, string>, step: Step) {
  app.vendor.fail(step, { how: 'wait', ms: HELD_MS });
  const seen = () => app.vendor.requests.filter((request) => request.step === step).length;
  const before = seen();
  const release = await app.start(deployment, site);
  const drained = app.jobs.drain();
  await expect.poll(seen, { interval: 10 }).toBeGreaterThan(before);
  await app.person.caller.releases.cancel({ releaseId: release.id });
  await drained;
  app.vendor.heal();
  return app.settle(release);
}

const OF_UPLOAD: Step[] = ['site', 'release', 'upload', 'finish', 'state'];

test.each(OF_UPLOAD)(
  'cancelled in step %s of the first release, nothing is public, and trying again works',
  async (step) => {
    await using app = await createSimulatedApp();
    const deployment = await app.create('First');
    const cancelled = await cancelIn(app, deployment, ONE, step);
    expect(cancelled).toMatchObject({ state: 'cancelled', error: null });
    const states = (await app.vendor.records.all('releases')).map(({ state }) => state);
    // Stopped before it was named, a release is at most half made: nobody can be led to it.
    expect(states.every((state) => state === 'cancelled' || state === 'uploading')).toBe(true);
    expect((await app.vendor.records.all('sites')).every(({ published }) => published === null)).toBe(true);

    const retried = await app.person.caller.releases.retry({ releaseId: cancelled.id });
    const live = await app.settle(retried);
    expect(live.state).toBe('live');
    expect((await app.look(live.url)).text).toBe(ONE['index.html']);
    expect(await app.countSites()).toBe(1);
  },
);

test('cancelled over a live one, the platform is told, and what was live stays', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Second');
  const one = await app.publish(deployment, ONE);
  const cancelled = await cancelIn(app, deployment, TWO, 'state');
  expect(cancelled.state).toBe('cancelled');
  expect(app.vendor.requests.map(({ step }) => step)).toContain('cancel');
  expect((await app.look(one.url)).text).toBe(ONE['index.html']);
  expect((await app.person.caller.deployments.get({ deploymentId: deployment.id })).state).toBe('live');
});

test('cancelled while it waits for its next try, it ends at once, there too', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Later');
  app.vendor.fail('finish', { how: 'status', status: 429, headers: { 'retry-after': '7200' } });
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  expect((await app.person.caller.releases.get({ releaseId: release.id })).state).toBe('uploading');
  await app.person.caller.releases.cancel({ releaseId: release.id });
  await app.jobs.drain();
  expect((await app.person.caller.releases.get({ releaseId: release.id })).state).toBe('cancelled');
  expect((await app.vendor.records.all('releases')).map(({ state }) => state)).toEqual(['cancelled']);
});

test('a platform that is away while a release is cancelled is told when it is back', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Away');
  app.vendor.fail('cancel', { how: 'status', status: 503 }, 6);
  app.vendor.fail('finish', { how: 'wait', ms: HELD_MS });
  const release = await app.start(deployment, ONE);
  const drained = app.jobs.drain();
  await expect.poll(() => app.vendor.requests.map(({ step }) => step), { interval: 10 }).toContain('finish');
  await app.person.caller.releases.cancel({ releaseId: release.id });
  await drained;
  const ended = await app.settle(release);
  expect(ended.state).toBe('cancelled');
  expect((await app.vendor.records.all('releases')).map(({ state }) => state)).toEqual(['cancelled']);
});

test('through Git, where nothing can be stopped, a cancelled first release leaves no site', async () => {
  await using app = await createSimulatedApp(simulated.viaGit);
  const deployment = await app.create('No site');
  const cancelled = await cancelIn(app, deployment, ONE, 'state');
  expect(cancelled.state).toBe('cancelled');
  expect(await app.countSites()).toBe(0);
  const live = await app.settle(await app.person.caller.releases.retry({ releaseId: cancelled.id }));
  expect(live.state).toBe('live');
  expect((await app.look(live.url)).text).toBe(ONE['index.html']);
});

test('through Git, a cancelled release gives way to the one before it', async () => {
  await using app = await createSimulatedApp(simulated.viaGit);
  const deployment = await app.create('Way back');
  const one = await app.publish(deployment, ONE);
  const cancelled = await cancelIn(app, deployment, TWO, 'state');
  expect(cancelled.state).toBe('cancelled');
  expect((await app.look(one.url)).text).toBe(ONE['index.html']);
  const [site] = await app.vendor.records.all('sites');
  expect(site?.head).toBe(site?.published);
});

test('through Git, a release that is not seen as uploaded gives way to the one before it', async () => {
  await using app = await createSimulatedApp((apiUrl) => withFastTimeouts(simulated.viaGit(apiUrl)));
  const deployment = await app.create('Other bytes');
  const one = await app.publish(deployment, ONE);
  app.vendor.fail('visit', { how: 'garbage' }, 100_000);
  const failed = await app.publish(deployment, TWO);
  app.vendor.heal();
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'verification_failed' } });
  expect((await app.look(one.url)).text).toBe(ONE['index.html']);
});

test('by upload, a release that answers at its own address alone gives way to the one before it', async () => {
  await using app = await createSimulatedApp((apiUrl) => withFastTimeouts(simulated.upload(apiUrl)));
  const deployment = await app.create('Half way');
  const one = await app.publish(deployment, ONE);
  // Its own address is looked at first, once for each file.
  app.vendor.fail('visit', { how: 'wait', ms: 0 }, Object.keys(TWO).length);
  app.vendor.fail('visit', { how: 'garbage' }, 100_000);
  const failed = await app.publish(deployment, TWO);
  app.vendor.heal();
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'verification_failed' } });
  expect(app.vendor.requests.filter(({ step }) => step === 'restore')).toHaveLength(3);
  expect((await app.look(one.url)).text).toBe(ONE['index.html']);
  const { state, currentRelease } = await app.person.caller.deployments.get({ deploymentId: deployment.id });
  expect([state, currentRelease?.number]).toEqual(['live', 1]);
});
