import { setTimeout as rest } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { JobModel } from '../../server/database/models/job.ts';
import { createPlatformApp, ONE, type PlatformApp, type Played, TWO } from '../support/platform-app.ts';
import { BOUNDARIES, diesAt } from '../support/publishing-that-dies.ts';
import { IS_FULL } from '../support/size.ts';
import type { Fault, Step } from '../support/standins/faults.ts';
import { githubUnderTest } from '../support/standins/github-pages/world.ts';
import { herokuUnderTest } from '../support/standins/heroku/world.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';
import { renderUnderTest } from '../support/standins/render/world.ts';
import { vercelUnderTest } from '../support/standins/vercel/world.ts';

const LOOK_EVERY_MS = 5;

const STEPS: readonly Step[] = ['look', 'site', 'release', 'upload', 'state', 'restore'];
const TRANSIENT_FAULTS: readonly (readonly [string, Fault, number])[] = [
  ['an answer after we gave up', { how: 'late' }, 1],
  ['429 with a wait', { how: 'status', status: 429, headers: { 'retry-after': '3' } }, 2],
  ['500 three times', { how: 'status', status: 500 }, 3],
  ['half a body', { how: 'halfBody' }, 2],
  ['garbage', { how: 'garbage' }, 2],
  ['a broken connection', { how: 'reset' }, 3],
];

/** Asks for the site again and again until it is told to stop; answers all that was seen. */
function watch(app: PlatformApp, url: string): () => Promise<Set<string>> {
  const seen = new Set<string>();
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      seen.add(await app.textAt(url));
      // Each look is a connection of its own: without a rest they use up the ports of the machine within a minute.
      await rest(LOOK_EVERY_MS);
    }
  })();
  return async () => {
    isOver = true;
    await loop;
    return seen;
  };
}

/** The last three stand for all outside the full size: the client cures each fault, and its own tests check how. */
test.each(IS_FULL ? TRANSIENT_FAULTS : TRANSIENT_FAULTS.slice(3))(
  '%s in each step: the release ends live on one site, and the old one is served until then',
  async (_what, trouble, times) => {
    await using app = await createPlatformApp(netlifyUnderTest);
    const first = await app.create('First release');
    for (const step of STEPS) app.world.fail(step, trouble, times);
    const one = await app.publish(first, ONE);
    expect(one).toMatchObject({ state: 'live', error: null });

    app.world.heal();
    // The steps of a site that is there already.
    for (const step of STEPS.filter((one) => one !== 'look' && one !== 'site')) app.world.fail(step, trouble, times);
    const stop = watch(app, one.url);
    const two = await app.publish(first, TWO);
    expect(two).toMatchObject({ state: 'live', error: null });
    const seen = await stop();
    expect([...seen].every((text) => text === ONE['index.html'] || text === TWO['index.html'])).toBe(true);
    expect(await app.world.countSites()).toBe(1);
    expect(await app.world.countReleases()).toBe(2);
  },
);

test('a long wait is kept by the queue: the job is due when the platform said, and the log says so', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const deployment = await app.create('Patient');
  app.world.fail('upload', { how: 'status', status: 429, headers: { 'retry-after': '600' } });
  const release = await app.start(deployment, ONE);
  const startedAt = Date.now();
  await app.jobs.drain();
  const job = await JobModel.findOne({ accountId: app.person.user.id, status: 'queued' });
  const dueInMs = (job?.runAt.getTime() ?? 0) - startedAt;
  expect(dueInMs).toBeGreaterThan(590_000);
  expect(dueInMs).toBeLessThan(700_000);
  const waiting = await app.releases.get({ releaseId: release.id });
  expect(waiting.state).toBe('uploading');
  const log = waiting.steps.flatMap((step) => step.log.map(({ text }) => text));
  expect(log).toContain('Netlify asks us to slow down. Trying again in 600 s.');
  expect((await app.settled(release)).state).toBe('live');
});

test('trouble that outlasts every try fails the release: platform and remedy are named, the old one serves on', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const deployment = await app.create('Down');
  const one = await app.publish(deployment, ONE);
  app.world.fail('release', { how: 'status', status: 503, body: '<html>Bad gateway</html>' }, 1_000);
  const failed = await app.publish(deployment, TWO);
  expect(failed.state).toBe('failed');
  expect(failed.error).toMatchObject({
    code: 'platform_down',
    message: 'Netlify did not respond as expected: status 503.',
    hint: expect.stringContaining('status page of Netlify'),
    raw: 'HTTP 503\nBad gateway',
  });
  const [job] = await JobModel.find({ accountId: app.person.user.id, status: 'dead' });
  expect(job?.attempt).toBe(5);
  // Five tries of the request within each of the job's five attempts.
  expect(app.requestsOf('release')).toHaveLength(1 + 5 * 5);
  expect(await app.textAt(one.url)).toBe(ONE['index.html']);

  app.world.heal();
  const retried = await app.settled(await app.releases.retry({ releaseId: failed.id }));
  expect(retried.state).toBe('live');
  expect(await app.world.countSites()).toBe(1);
});

test('a refusal for good is tried once, and trying again after the remedy makes no second site', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const deployment = await app.create('Refused');
  app.world.fail('release', { how: 'status', status: 402, body: { message: 'Card expired' } });
  const failed = await app.publish(deployment, ONE);
  expect(failed.error).toMatchObject({
    code: 'payment_required',
    message: 'Netlify asks for a payment or a payment method first: Card expired.',
    hint: 'Settle it at Netlify, then try again. https://app.netlify.com/teams',
    raw: 'HTTP 402\n{"message":"Card expired"}',
  });
  expect(app.requestsOf('release')).toHaveLength(1);
  const live = await app.settled(await app.releases.retry({ releaseId: failed.id }));
  expect(live.state).toBe('live');
  expect(await app.world.countSites()).toBe(1);
});

test('a platform that takes longer than a minute gives the worker back and is come back to', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const deployment = await app.create('Slow');
  app.world.fail('release', { how: 'states', states: Array.from({ length: 30 }, (_, look) => `thinking ${look}`) });
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  expect((await app.releases.get({ releaseId: release.id })).state).toBe('processing');
  const job = await JobModel.findOne({ accountId: app.person.user.id, status: 'queued' });
  expect(job?.attempt).toBe(0);
  expect((await app.settled(release)).state).toBe('live');
  expect(await app.world.countReleases()).toBe(1);
});

const HELD_BOUNDARIES = IS_FULL ? BOUNDARIES : BOUNDARIES.slice(0, 2);

/** Outside the full size one that uploads, and one that is given a commit. */
const PLAYED: readonly { name: string; make: () => Promise<Played> }[] = [
  { name: 'Netlify', make: netlifyUnderTest },
  { name: 'GitHub Pages', make: githubUnderTest },
  { name: 'Vercel', make: vercelUnderTest },
  { name: 'Render', make: renderUnderTest },
  { name: 'Heroku', make: herokuUnderTest },
];

test.each(IS_FULL ? PLAYED : PLAYED.slice(0, 2))(
  'at $name: killed at a boundary, the next worker ends it live, with one of each',
  async ({ make }) => {
    await using app = await createPlatformApp(make);
    for (const [index, boundary] of HELD_BOUNDARIES.entries()) {
      const release = await app.start(await app.create(`Killed ${index}`), { ...ONE, 'unique.txt': boundary });
      expect(await diesAt(app, boundary), boundary).toBe(true);
      const ended = await app.settled(release);
      expect(ended, boundary).toMatchObject({ state: 'live', error: null });
      expect(await app.textAt(ended.url, '/unique.txt')).toBe(boundary);
      expect([await app.world.countSites(), await app.world.countReleases()], boundary).toEqual([index + 1, index + 1]);
    }
  },
);

/**
 * Each answer is a step that the platform has taken, and that nobody here knows of yet. Each try has a platform of its own:
 * Render takes twenty services an hour.
 */
test.each(IS_FULL ? PLAYED : [])(
  'at $name: killed after any answer, the next worker ends it live, with one of each',
  async ({ make }) => {
    let answer = 0;
    for (let wasKilled = true; wasKilled; ) {
      answer += 1;
      await using app = await createPlatformApp(make);
      const boundary = `answer:${answer}`;
      const release = await app.start(await app.create('Killed'), { 'index.html': boundary });
      wasKilled = await diesAt(app, boundary);
      const ended = await app.settled(release);
      expect(ended, boundary).toMatchObject({ state: 'live', error: null });
      expect(await app.textAt(ended.url), boundary).toBe(boundary);
      expect([await app.world.countSites(), await app.world.countReleases()], boundary).toEqual([1, 1]);
    }
    expect(answer).toBeGreaterThan(STEPS.length);
  },
);
