import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../../routers/schemas/events.ts';
import { RELEASE_STEPS } from '../../../routers/schemas/states.ts';
import { EventModel } from '../../../server/database/models/event.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { builtIn } from '../../../server/publishing/platforms/built-in/index.ts';
import type { Person } from '../../support/app.ts';
import { RELEASE_BOUNDARIES, REMOVAL_BOUNDARY } from '../../support/boundaries.ts';
import { makeDue } from '../../support/make-due.ts';
import { createPlatformApp } from '../../support/platform-app.ts';
import { createPublishingApp, publish, sha256Of, startRelease } from '../../support/publishing.ts';
import { netlifyUnderTest } from '../../support/standins/netlify/world.ts';

const ACROSS = { acrossAccounts: 'jobs' } as const;
const SITE = { 'index.html': '<h1>One</h1>', 'style.css': 'h1 { color: teal }', 'about/index.html': 'About' };

async function eventsOf(person: Person): Promise<{ type: string; payload: Partial<StoredEvent> }[]> {
  return EventModel.find({ accountId: person.user.id }).sort({ seq: 1 }).lean();
}

test('a release goes through its steps, is seen live, and says so once', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'First site', platform: 'built-in' });
  const queued = await startRelease(app, person, deployment, SITE);
  expect(queued).toMatchObject({
    number: 1,
    state: 'queued',
    isCurrent: false,
    fileCount: 3,
    changedFiles: 3,
    source: 'folder',
  });
  expect(queued.createdBy).toBe(person.user.username);
  await app.jobs.drain();

  const live = await person.caller.releases.get({ deploymentId: deployment.id, number: 1 });
  expect(live).toMatchObject({ state: 'live', isCurrent: true, error: null, servingNumber: 1 });
  expect(live.steps.map((step) => [step.name, step.state])).toEqual(RELEASE_STEPS.map((name) => [name, 'done']));
  for (const step of live.steps) {
    expect(step.startedAt).toBeInstanceOf(Date);
    expect(step.endedAt).toBeInstanceOf(Date);
  }
  expect(live.steps.find((step) => step.name === 'verifying')).toMatchObject({ done: 3, total: 3 });
  expect(live.steps.flatMap((step) => step.log).length).toBeGreaterThan(2);
  expect(await person.caller.deployments.get({ deploymentId: deployment.id })).toMatchObject({
    state: 'live',
    currentRelease: { number: 1 },
    latestRelease: { number: 1 },
    releaseCount: 1,
  });
  expect((await app.visit('first-site')).text).toBe('<h1>One</h1>');
  expect((await app.visit('r1--first-site')).text).toBe('<h1>One</h1>');

  const outcomes = (await eventsOf(person)).filter((event) => event.type === 'deployment_status');
  expect(outcomes).toHaveLength(1);
  expect(outcomes[0]?.payload).toMatchObject({ status: 'success', deploymentId: deployment.id, releaseId: live.id });
});

test('a release that cannot be seen live fails, and the old one stays live', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Broken', platform: 'built-in' });
  const first = await publish(app, person, deployment, SITE);
  const { store } = app.providers;
  // What arrived is lost again before the release is worked on.
  const started = await startRelease(app, person, deployment, { ...SITE, 'lost.html': 'lost' });
  const manifest = await person.caller.releases.diff({ releaseId: started.id });
  expect(manifest.added).toEqual([{ path: 'lost.html', sizeBytes: 4 }]);
  await store.remove(sha256Of('lost'));
  await app.jobs.drain();

  const failed = await person.caller.releases.get({ releaseId: started.id });
  expect(failed).toMatchObject({
    state: 'failed',
    isCurrent: false,
    error: { code: 'artifact_corrupted' },
    servingNumber: 1,
  });
  expect(failed.steps.find((step) => step.name === 'uploading')?.state).toBe('failed');
  expect(await person.caller.deployments.get({ deploymentId: deployment.id })).toMatchObject({
    state: 'live',
    currentRelease: { id: first.id },
    latestRelease: { id: failed.id },
  });
  expect((await app.visit('broken')).text).toBe('<h1>One</h1>');
  const last = (await eventsOf(person)).at(-1);
  expect(last).toMatchObject({ type: 'deployment_status', payload: { status: 'failed', releaseId: failed.id } });
  const destinations = async () => (await person.caller.deployments.get({ deploymentId: deployment.id })).destinations;
  expect(await destinations()).toMatchObject([{ state: 'live', error: { code: 'artifact_corrupted' } }]);
  await startRelease(app, person, deployment, SITE);
  expect(await destinations()).toMatchObject([{ state: 'publishing', error: null }]);
});

test('a release that is being worked on ends at the next safe point after it was cancelled', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Midway', platform: 'built-in' });
  await publish(app, person, deployment, SITE);
  const gate = new EventEmitter();
  const reached = once(gate, 'reached');
  app.providers.platforms = {
    'built-in': {
      ...builtIn,
      async *publish(call, request) {
        yield { type: 'uploading', done: 0, total: 1, doneBytes: 0, totalBytes: 1 };
        gate.emit('reached');
        await new Promise((_resolve, reject) =>
          call.signal.addEventListener('abort', () => reject(call.signal.reason)),
        );
        return yield* builtIn.publish(call, request);
      },
    },
  };
  const started = await startRelease(app, person, deployment, { 'index.html': 'never' });
  const drained = app.jobs.drain();
  await reached;
  expect((await person.caller.releases.cancel({ releaseId: started.id })).state).toBe('uploading');
  await drained;
  const cancelled = await person.caller.releases.get({ releaseId: started.id });
  expect(cancelled.state).toBe('cancelled');
  expect(cancelled.steps.map((step) => step.state)).toEqual(['done', 'cancelled', 'cancelled', 'cancelled']);
  expect((await person.caller.deployments.get({ deploymentId: deployment.id })).state).toBe('live');
  expect((await app.visit('midway')).text).toBe('<h1>One</h1>');
});

test('a release whose work breaks off each time ends failed with its job, not in a running state', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Poison', platform: 'built-in' });
  const first = await publish(app, person, deployment, SITE);
  app.providers.platforms = {};
  await expect(startRelease(app, person, deployment, { 'index.html': 'no platform' })).resolves.toMatchObject({
    number: 2,
  });
  await app.jobs.drain();
  const [latest] = (await person.caller.releases.list({ deploymentId: deployment.id })).items;
  expect(latest).toMatchObject({ state: 'failed', error: { code: 'platform_unavailable' } });

  app.providers.platforms = {
    'built-in': {
      ...builtIn,
      // biome-ignore lint/correctness/useYield: it breaks off before it has anything to tell
      async *publish() {
        throw new TypeError('a defect');
      },
    },
  };
  const poisoned = await startRelease(app, person, deployment, { 'index.html': 'poison' });
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await makeDue();
    await app.jobs.drain();
  }
  expect(await person.caller.releases.get({ releaseId: poisoned.id })).toMatchObject({
    state: 'failed',
    error: { code: 'internal', message: 'Something went wrong on our side.' },
  });
  expect(await person.caller.deployments.get({ deploymentId: deployment.id })).toMatchObject({
    state: 'live',
    currentRelease: { id: first.id },
  });
});

test('a release and its removal pass every boundary that a process is killed at, and no other', async () => {
  const passed: string[] = [];
  const faults = { at: async (boundary: string) => void passed.push(boundary) };
  await using app = await createPlatformApp(netlifyUnderTest, { providers: { faults } });
  const deployment = await app.create('Boundaries');
  expect((await app.publish(deployment, SITE)).state).toBe('live');
  await app.deployments.remove({ deploymentId: deployment.id });
  await app.jobs.drain();
  expect([...new Set(passed)].sort()).toEqual([...RELEASE_BOUNDARIES, REMOVAL_BOUNDARY].sort());
});

test('a release elsewhere looks at its site in the lane of those that wait, and one on our own host has nobody to wait for', async () => {
  const lanes = new Map<string, boolean | null>();
  const faults = {
    at: async (boundary: string): Promise<void> => {
      const running = await JobModel.findOne({ status: 'running', name: 'publish' }).setOptions(ACROSS);
      if (running !== null) lanes.set(boundary, running.isAside === true);
    },
  };
  await using app = await createPlatformApp(netlifyUnderTest, { providers: { faults } });
  expect((await app.publish(await app.create('Elsewhere'), SITE)).state).toBe('live');
  expect([lanes.get('uploading:start'), lanes.get('processing:start')]).toEqual([false, false]);
  expect(lanes.get('verifying:start')).toBe(true);

  await using here = await createPublishingApp({ providers: { faults } });
  const person = await here.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Here', platform: 'built-in' });
  expect((await publish(here, person, deployment, SITE)).state).toBe('live');
  expect(lanes.get('verifying:start')).toBe(false);
});
