import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { withFastTimeouts } from '../support/fast-timeouts.ts';
import { createPlatformApp, ONE, type PlatformApp, TWO } from '../support/platform-app.ts';
import type { Site } from '../support/publishing.ts';
import { IS_FULL } from '../support/size.ts';
import type { Step } from '../support/standins/faults.ts';
import { githubUnderTest } from '../support/standins/github-pages/world.ts';
import { stateOf } from '../support/standins/netlify/state.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';

/** Starts the release, holds it in this step, and cancels it there: the platform does its part after we have left. */
async function cancelIn(app: PlatformApp, deployment: { id: string }, site: Site, step: Step) {
  const held = new EventEmitter();
  const before = app.requestsOf(step).length;
  app.world.fail(step, { how: 'held', until: once(held, 'end') });
  const release = await app.start(deployment, site);
  const drained = app.jobs.drain();
  await expect.poll(() => app.requestsOf(step).length, { interval: 10 }).toBeGreaterThan(before);
  await app.releases.cancel({ releaseId: release.id });
  await drained;
  held.emit('end');
  return app.settled(release);
}

const createOnNetlify = () => createPlatformApp(netlifyUnderTest);

function deploysOf({ standIn }: Awaited<ReturnType<typeof createOnNetlify>>) {
  const { state } = standIn;
  return [...state.deploys.values()].map((deploy) => deploy.errorMessage ?? stateOf(state, deploy));
}

/** Each look is one state further: it is on its way for as long as a test needs. */
const SLOW = { how: 'states', states: Array.from({ length: 30 }, () => 'building') } as const;
/** Before there is anything, and when there is. */
const STEPS: Step[] = ['site', 'upload'];
const FURTHER_STEPS: Step[] = ['release', 'state'];

test.each(IS_FULL ? [...STEPS, ...FURTHER_STEPS] : STEPS)(
  'cancelled in step %s of the first release, nothing is public, and trying again works',
  async (step) => {
    await using app = await createOnNetlify();
    const deployment = await app.create('First');
    const cancelled = await cancelIn(app, deployment, ONE, step);
    expect(cancelled).toMatchObject({ state: 'cancelled', error: null });
    expect([...app.standIn.state.sites.values()].every(({ publishedId }) => publishedId === null)).toBe(true);

    const live = await app.settled(await app.releases.retry({ releaseId: cancelled.id }));
    expect(live.state).toBe('live');
    expect(await app.textAt(live.url)).toBe(ONE['index.html']);
    expect(await app.world.countSites()).toBe(1);
  },
);

test('cancelled over a live one, the platform is told, and what was live stays', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('Second');
  const one = await app.publish(deployment, ONE);
  app.world.fail('release', SLOW);
  const cancelled = await cancelIn(app, deployment, TWO, 'state');
  expect(cancelled.state).toBe('cancelled');
  expect(deploysOf(app)).toEqual(['ready', 'Canceled by user']);
  expect(await app.textAt(one.url)).toBe(ONE['index.html']);
  expect((await app.deployments.get({ deploymentId: deployment.id })).state).toBe('live');
});

test('cancelled while it waits for its next try, it ends at once, there too', async () => {
  await using app = await createOnNetlify();
  app.world.fail('upload', { how: 'status', status: 429, headers: { 'retry-after': '7200' } });
  const { id: releaseId } = await app.start(await app.create('Later'), ONE);
  await app.jobs.drain();
  expect((await app.releases.get({ releaseId })).state).toBe('uploading');
  await app.releases.cancel({ releaseId });
  await app.jobs.drain();
  expect((await app.releases.get({ releaseId })).state).toBe('cancelled');
  expect(deploysOf(app)).toEqual(['Canceled by user']);
});

test('a platform that is away while a release is cancelled is told when it is back', async () => {
  await using app = await createOnNetlify();
  app.world.fail('release', SLOW);
  app.world.fail('cancel', { how: 'status', status: 503 }, 6);
  const ended = await cancelIn(app, await app.create('Away'), ONE, 'upload');
  expect(ended.state).toBe('cancelled');
  expect(app.requestsOf('cancel')).toHaveLength(7);
  expect(deploysOf(app)).toEqual(['Canceled by user']);
});

test('by upload, a release that answers at its own address alone gives way to the one before it', async () => {
  await using app = await createPlatformApp(netlifyUnderTest, { change: withFastTimeouts });
  const deployment = await app.create('Half way');
  const one = await app.publish(deployment, ONE);
  // Its own address is looked at first, once for each file.
  app.world.fail('visit', { how: 'wait', ms: 0 }, Object.keys(TWO).length);
  app.world.fail('visit', { how: 'garbage' }, 100_000);
  const failed = await app.publish(deployment, TWO);
  app.world.heal();
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'verification_failed' } });
  expect(app.requestsOf('restore')).toHaveLength(3);
  expect(await app.textAt(one.url)).toBe(ONE['index.html']);
  const { state, currentRelease } = await app.deployments.get({ deploymentId: deployment.id });
  expect([state, currentRelease?.number]).toEqual(['live', 1]);
});

test('through Git, where nothing can be stopped, a cancelled first release leaves no site', async () => {
  await using app = await createPlatformApp(githubUnderTest);
  const cancelled = await cancelIn(app, await app.create('No site'), ONE, 'state');
  expect(cancelled.state).toBe('cancelled');
  expect(await app.world.countSites()).toBe(0);
  const live = await app.settled(await app.releases.retry({ releaseId: cancelled.id }));
  expect(live.state).toBe('live');
  expect(await app.textAt(live.url)).toBe(ONE['index.html']);
});

test('through Git, a release that is cancelled, or not seen as uploaded, gives way to the one before it', async () => {
  await using app = await createPlatformApp(githubUnderTest, { change: withFastTimeouts });
  const deployment = await app.create('Way back');
  const one = await app.publish(deployment, ONE);
  expect((await cancelIn(app, deployment, TWO, 'state')).state).toBe('cancelled');
  expect(await app.textAt(one.url)).toBe(ONE['index.html']);

  app.world.fail('visit', { how: 'garbage' }, 100_000);
  const failed = await app.publish(deployment, TWO);
  app.world.heal();
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'verification_failed' } });
  expect(await app.textAt(one.url)).toBe(ONE['index.html']);
});
