import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { netlifyCapabilities } from '../../routers/schemas/platforms/capabilities/netlify.ts';
import { createPatience } from '../../server/connections/patience.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { JobDeferred } from '../../server/lib/errors.ts';
import { waitUntilDone } from '../../server/publishing/platforms/wait-until-done.ts';
import { timeOf } from '../../server/publishing/publication/release-time.ts';
import type { JobHandlers } from '../../server/queue/handler.ts';
import { enqueueJob } from '../../server/queue/queue.ts';
import { createWorker } from '../../server/queue/worker.ts';
import { createTestApp } from '../support/app.ts';
import { fillAnswerBudget } from '../support/full-budget.ts';
import { makeDue } from '../support/make-due.ts';
import { createPlatformApp, ONE, type PlatformApp } from '../support/platform-app.ts';
import { platformHarness } from '../support/platform-harness.ts';
import { IS_FULL } from '../support/size.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';

const MINUTE_MS = 60_000;
const WAITING_JOBS = IS_FULL ? 100 : 6;
const WAITING = 100;

const createOnNetlify = () => createPlatformApp(netlifyUnderTest);
const queuedJob = (app: PlatformApp) => JobModel.findOne({ accountId: app.person.user.id, status: 'queued' });

test('an edge that follows late is waited for in the queue, and the platform is asked for nothing twice', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('Slow edge');
  // Its own address is looked at first, once for each file.
  app.world.fail('visit', { how: 'wait', ms: 0 }, Object.keys(ONE).length);
  app.world.fail('visit', { how: 'garbage' }, 100_000);
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  const waiting = await app.releases.get({ releaseId: release.id });
  expect(waiting).toMatchObject({ state: 'verifying', error: null, destinations: [{ state: 'publishing' }] });
  expect((await queuedJob(app))?.attempt).toBe(0);
  app.world.heal();
  const live = await app.settled(release);
  expect(live).toMatchObject({ state: 'live', destinations: [{ platform: 'netlify', state: 'live', error: null }] });
  expect([app.requestsOf('release').length, app.requestsOf('restore').length]).toEqual([1, 1]);
});

test('an edge that never follows fails the release when its time is over, in words', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('Stale edge');
  app.world.fail('visit', { how: 'garbage' }, 100_000);
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  expect((await app.releases.get({ releaseId: release.id })).state).toBe('verifying');
  app.clock.advance(2 * MINUTE_MS);
  const failed = await app.settled(release);
  expect(failed).toMatchObject({
    state: 'failed',
    error: {
      code: 'verification_failed',
      message: expect.stringContaining('does not match the file that was uploaded'),
    },
    destinations: [{ state: 'failed', error: { code: 'verification_failed' } }],
  });
});

test('a site that was deleted there fails one release, and trying again makes it anew', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('Deleted');
  await app.publish(deployment, ONE);
  await app.world.deleteSites();
  const failed = await app.publish(deployment, { ...ONE, 'index.html': 'two' });
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'platform_place_gone' } });
  const live = await app.settled(await app.releases.retry({ releaseId: failed.id }));
  expect(live.state).toBe('live');
  expect(await app.world.countSites()).toBe(1);
});

const SLOW = { how: 'states', states: Array.from({ length: 200 }, (_, look) => `thinking ${look}`) } as const;
const NEVER = { state: 'processing', text: 'thinking', url: null, ownUrl: null } as const;

test(`${WAITING_JOBS} that wait for a platform hold nobody: each gets one look, and another gets its turn`, async () => {
  await using app = await createTestApp();
  await using harness = await platformHarness();
  const looks = new Map<string, number>();
  const quickId = newId();
  const run: NonNullable<JobHandlers['publish']>['run'] = async ({ payload, waits }) => {
    const { releaseId } = payload;
    if (releaseId !== quickId) {
      const call = { ...harness.call, patience: createPatience(waits) };
      const look = async () => {
        looks.set(releaseId, (looks.get(releaseId) ?? 0) + 1);
        return NEVER;
      };
      for await (const event of waitUntilDone(call, 'Elsewhere', look)) {
        if (event.type === 'waiting') throw new JobDeferred(event.text, event.retryAfterMs);
      }
    }
  };
  const enqueue = (releaseId: string) =>
    transaction((session) =>
      enqueueJob(session, {
        id: releaseId,
        name: 'publish',
        payload: { releaseId, destinationId: newId() },
        accountId: newId(),
      }),
    );
  await Promise.all(Array.from({ length: WAITING_JOBS }, () => enqueue(newId())));
  const worker = createWorker(app.providers, { handlers: { publish: { run } } });
  await worker.drain();
  expect(looks.size).toBe(WAITING_JOBS);
  expect(Math.min(...looks.values())).toBeGreaterThan(1);
  looks.clear();
  harness.waits.length = 0;
  await enqueue(quickId);
  await makeDue();
  await worker.drain();
  expect(harness.waits).toEqual([]);
  expect([looks.size, Math.max(...looks.values())]).toEqual([WAITING_JOBS, 1]);
  expect((await JobModel.findById(quickId).setOptions({ acrossAccounts: 'jobs' }))?.status).toBe('done');
});

// Outside the full size the jobs above stand for them, and each release below for one that is asked to wait.
if (IS_FULL)
  test(`whole releases that wait for a platform hold nobody: another goes live, and then they do (${WAITING})`, async () => {
    await using app = await createOnNetlify();
    const names = Array.from({ length: WAITING }, (_, index) => `Waits ${index}`);
    const hour = { 'retry-after': '3600' };
    // A minute passes there from one request to the next: how many it takes in one is no matter here.
    app.standIn.keepTime(() => new Date(Date.now() + app.standIn.requests.length * MINUTE_MS));
    app.world.fail('release', { how: 'status', status: 429, headers: hour }, 100 * WAITING);
    const releases = [];
    for (const name of names) releases.push(await app.start(await app.create(name), { ...ONE, 'name.txt': name }));
    await app.jobs.drain();
    // Each asked once; then its job gave the place back, with all its attempts.
    expect(app.requestsOf('release')).toHaveLength(WAITING);
    const queued = await JobModel.find({ accountId: app.person.user.id, status: 'queued' });
    const jobs = queued.filter(({ name }) => name === 'publish');
    expect(jobs.map(({ attempt }) => attempt)).toEqual(names.map(() => 0));
    for (const { runAt } of jobs) expect(runAt.getTime()).toBeGreaterThan(Date.now() + 15 * MINUTE_MS);

    app.world.heal();
    const quick = await app.publish(await app.create('Quick'), ONE);
    expect(quick.state).toBe('live');
    for (const release of releases) expect((await app.settled(release)).state).toBe('live');
    expect([await app.world.countSites(), await app.world.countReleases()]).toEqual([WAITING + 1, WAITING + 1]);
  }, 600_000);

test('a wait that is over leaves the next one all its patience, in a later run as well', async () => {
  await using app = await createTestApp();
  await using harness = await platformHarness();
  const releaseId = newId();
  let isFirstOver = false;
  const looks = [async () => (isFirstOver ? { ...NEVER, state: 'verifying' as const } : NEVER), async () => NEVER];
  const run: NonNullable<JobHandlers['publish']>['run'] = async ({ waits }) => {
    const call = { ...harness.call, patience: createPatience(waits) };
    for (const [index, look] of looks.entries()) {
      for await (const event of waitUntilDone(call, 'Elsewhere', look, `wait ${index}`)) {
        if (event.type === 'waiting') throw new JobDeferred(event.text, event.retryAfterMs);
      }
    }
  };
  await transaction((session) =>
    enqueueJob(session, {
      id: releaseId,
      name: 'publish',
      payload: { releaseId, destinationId: newId() },
      accountId: newId(),
    }),
  );
  const worker = createWorker(app.providers, { handlers: { publish: { run } } });
  const waited: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    isFirstOver = round >= 3;
    await makeDue();
    await worker.drain();
    const job = await JobModel.findById(releaseId).setOptions({ acrossAccounts: 'jobs' });
    waited.push(job?.waits ?? 0);
  }
  expect(waited).toEqual([1, 2, 3, 1, 2]);
});

test('who waits is looked after at longer and longer intervals', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('Slow');
  app.world.fail('release', SLOW, 100);
  const release = await app.start(deployment, ONE);
  const restsMs: number[] = [];
  for (let visit = 0; visit < 4; visit += 1) {
    await makeDue();
    const before = Date.now();
    await app.jobs.drain();
    restsMs.push(((await queuedJob(app))?.runAt.getTime() ?? 0) - before);
  }
  expect(restsMs.map((ms) => [5_000, 15_000, 30_000].findLast((atLeast) => ms >= atLeast))).toEqual([
    5_000, 15_000, 30_000, 30_000,
  ]);
  // Each visit but the first reads what there is, and looks once.
  const looks = app.requestsOf('state').length;
  await makeDue();
  await app.jobs.drain();
  expect(app.requestsOf('state')).toHaveLength(looks + 2);
  expect((await app.releases.get({ releaseId: release.id })).state).toBe('processing');
});

test('a platform that asks for a pause again and again costs the release no attempt', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('Limited');
  app.world.fail('upload', { how: 'status', status: 429, headers: { 'retry-after': '600' } }, 8);
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  expect((await queuedJob(app))?.attempt).toBe(0);
  expect((await app.settled(release)).state).toBe('live');
  const { steps } = await app.releases.get({ releaseId: release.id });
  const log = steps.flatMap((step) => step.log.map(({ text }) => text));
  expect(log).not.toContain('Continued after an interruption');
});

test('a pause that a platform asks for again and again ends with the time of the release, which is over then', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('Limited for ever');
  app.world.fail('upload', { how: 'status', status: 429, headers: { 'retry-after': '3600' } }, 100_000);
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  const { startedAt } = await app.releases.get({ releaseId: release.id });
  const runAt = (await queuedJob(app))?.runAt.getTime() ?? 0;
  const afterMs = runAt - (startedAt?.getTime() ?? 0);
  expect(afterMs).toBeGreaterThan(20 * MINUTE_MS);
  expect(afterMs).toBeLessThan(30 * MINUTE_MS);
  app.clock.advance(21 * MINUTE_MS);
  const failed = await app.settled(release);
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'platform_failed' } });
  expect(failed.error?.message).toBe('Netlify did not finish this release within 20 minutes.');
});

test('what is waited for in the middle of a run ends with the time of the release', async () => {
  await using harness = await platformHarness();
  const platform = { capabilities: netlifyCapabilities };
  const work = { title: 'Netlify', platform, release: { fileCount: 1, totalBytes: 1 } };
  const time = timeOf(work, harness.call, new Date(Date.now() - 20 * MINUTE_MS + 50));
  const waited = time.within(() => delay(3_600_000, null, { signal: time.call.signal }));
  await expect(waited).rejects.toThrow('Netlify did not finish this release within 20 minutes.');
});

test('the pauses of all steps of a release count against its one time', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('Limited twice');
  const limited = { how: 'status', status: 429, headers: { 'retry-after': '600' } } as const;
  app.world.fail('upload', limited, 1);
  app.world.fail('restore', limited, 100_000);
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  app.clock.advance(15 * MINUTE_MS);
  await makeDue();
  await app.jobs.drain();
  expect((await app.releases.get({ releaseId: release.id })).state).toBe('verifying');
  app.clock.advance(6 * MINUTE_MS);
  const failed = await app.settled(release);
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'platform_failed' } });
  expect(failed.error?.message).toBe('Netlify did not finish this release within 20 minutes.');
});

test('without room for its answers a release waits, and no attempt is counted', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('No room');
  const release = await app.start(deployment, ONE);
  {
    await using _full = await fillAnswerBudget();
    for (let run = 0; run < 2; run += 1) {
      await makeDue();
      await app.jobs.drain();
      expect((await queuedJob(app))?.attempt).toBe(0);
    }
  }
  expect((await app.settled(release)).state).toBe('live');
});

test('the time of a release grows with what it has to send', async () => {
  await using app = await createOnNetlify();
  const deployment = await app.create('Many files');
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.txt`, ONE['style.css']]));
  app.world.fail('upload', { how: 'status', status: 429, headers: { 'retry-after': '600' } }, 1);
  const release = await app.start(deployment, { ...ONE, ...many });
  await app.jobs.drain();
  app.clock.advance(20.5 * MINUTE_MS);
  expect((await app.settled(release)).state).toBe('live');
});
