import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import mongoose from 'mongoose';
import { expect, inject, test } from 'vitest';
import type { ConnectionProvider } from '../../routers/schemas/platforms/ids.ts';
import { JobModel } from '../../server/models/job.ts';
import { githubPages } from '../../server/platforms/github-pages/index.ts';
import { get } from '../support/host.ts';
import { makeDue } from '../support/make-due.ts';
import type { PlatformUnderTest } from '../support/platform-harness.ts';
import { platforms } from '../support/platforms.ts';
import { program } from '../support/program.ts';
import { createPublishingApp, startRelease } from '../support/publishing.ts';
import { createSimulatedApp, type SimulatedApp } from '../support/simulated-app.ts';
import type { Fault, Step } from '../support/standins/faults.ts';
import { githubUnderTest } from '../support/standins/github-pages/world.ts';
import { herokuUnderTest } from '../support/standins/heroku/world.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';
import { renderUnderTest } from '../support/standins/render/world.ts';
import { simulated } from '../support/standins/simulated/index.ts';
import { type StandIn, TOKEN } from '../support/standins/stand-in.ts';
import { vercelUnderTest } from '../support/standins/vercel/world.ts';

const ONE = { 'index.html': '<h1>one</h1>', 'style.css': 'p {}' };
const TWO = { ...ONE, 'index.html': '<h1>two</h1>' };
const LOOK_EVERY_MS = 5;
const IS_FULL = process.env.FAIRLEAD_FULL_COUNTS === '1';

const STEPS: readonly Step[] = ['look', 'site', 'release', 'upload', 'finish', 'state', 'restore'];
const TRANSIENT_FAULTS: readonly (readonly [string, Fault, number])[] = [
  ['an answer after we gave up', { how: 'late' }, 1],
  ['429 with a wait', { how: 'status', status: 429, headers: { 'retry-after': '3' } }, 2],
  ['500 three times', { how: 'status', status: 500 }, 3],
  ['half a body', { how: 'halfBody' }, 2],
  ['garbage', { how: 'garbage' }, 2],
  ['a broken connection', { how: 'reset' }, 3],
];

/** Asks for the site again and again until it is told to stop; answers all that was seen. */
function watch(app: SimulatedApp, url: string): () => Promise<Set<string>> {
  const seen = new Set<string>();
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      const { status, text } = await app.look(url);
      seen.add(status === 200 ? text : String(status));
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

/** The last three stand for all outside the full size: what each fault is mended by is the client's, and held there. */
test.each(IS_FULL ? TRANSIENT_FAULTS : TRANSIENT_FAULTS.slice(3))(
  '%s in each step: the release ends live on one site, and the old one is served until then',
  async (_what, trouble, times) => {
    await using app = await createSimulatedApp();
    const first = await app.create('First release');
    // Each answer that stays out is waited for: two seconds.
    const steps =
      IS_FULL || trouble.how !== 'late' ? STEPS : STEPS.filter((step) => step === 'release' || step === 'finish');
    for (const step of steps) app.vendor.fail(step, trouble, times);
    const one = await app.settle(await app.start(first, ONE));
    expect(one).toMatchObject({ state: 'live', error: null });

    app.vendor.heal();
    // The steps of a site that is there already.
    for (const step of steps.filter((one) => one !== 'look' && one !== 'site')) app.vendor.fail(step, trouble, times);
    const stop = watch(app, one.url);
    const two = await app.settle(await app.start(first, TWO));
    expect(two).toMatchObject({ state: 'live', error: null });
    const seen = await stop();
    expect([...seen].every((text) => text === ONE['index.html'] || text === TWO['index.html'])).toBe(true);
    expect(await app.countSites()).toBe(1);
    expect(await app.countReleases()).toBe(2);
  },
);

test('a long wait is kept by the queue: the job is due when the platform said, and the log says so', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Patient');
  app.vendor.fail('upload', { how: 'status', status: 429, headers: { 'retry-after': '3600' } });
  const release = await app.start(deployment, ONE);
  const startedAt = Date.now();
  await app.jobs.drain();
  const job = await JobModel.findOne({ accountId: app.person.user.id, status: 'queued' });
  const dueInMs = (job?.runAt.getTime() ?? 0) - startedAt;
  expect(dueInMs).toBeGreaterThan(3_500_000);
  expect(dueInMs).toBeLessThan(3_700_000);
  const waiting = await app.person.caller.releases.get({ releaseId: release.id });
  expect(waiting.state).toBe('uploading');
  const log = waiting.steps.flatMap((step) => step.log.map(({ text }) => text));
  expect(log).toContain('Simulated platform asks us to slow down. Tried again by itself in 3600 s.');
  expect((await app.settle(release)).state).toBe('live');
});

test('trouble that outlasts every try fails the release: platform and remedy are named, the old one serves on', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Down');
  const one = await app.publish(deployment, ONE);
  app.vendor.fail('release', { how: 'status', status: 503, body: '<html>Bad gateway</html>' }, 1_000);
  const failed = await app.settle(await app.start(deployment, TWO));
  expect(failed.state).toBe('failed');
  expect(failed.error).toMatchObject({
    code: 'platform_down',
    message: 'Simulated platform does not answer as it should: status 503.',
    hint: expect.stringContaining('status page of Simulated platform'),
    raw: 'HTTP 503\nBad gateway',
  });
  const [job] = await JobModel.find({ accountId: app.person.user.id, status: 'dead' });
  expect(job?.attempt).toBe(5);
  // Five tries of the request within each of the job's five attempts.
  expect(app.vendor.requests.filter(({ step }) => step === 'release')).toHaveLength(1 + 5 * 5);
  expect((await app.look(one.url)).text).toBe(ONE['index.html']);

  app.vendor.heal();
  const retried = await app.settle(await app.person.caller.releases.retry({ releaseId: failed.id }));
  expect(retried.state).toBe('live');
  expect(await app.countSites()).toBe(1);
});

test('a refusal for good is tried once, and trying again after the remedy makes no second site', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Refused');
  app.vendor.fail('finish', { how: 'status', status: 402, body: { message: 'Card expired' } });
  const failed = await app.publish(deployment, ONE);
  expect(failed.error).toMatchObject({
    code: 'payment_required',
    message: 'Simulated platform asks for a payment or a means of payment first: Card expired.',
    hint: 'Settle it at Simulated platform, then try again.',
    raw: 'HTTP 402\n{"message":"Card expired"}',
  });
  expect(app.vendor.requests.filter(({ step }) => step === 'finish')).toHaveLength(1);
  const live = await app.settle(await app.person.caller.releases.retry({ releaseId: failed.id }));
  expect(live.state).toBe('live');
  expect(await app.countSites()).toBe(1);
});

test('a platform that takes longer than a minute gives the worker back and is come back to', async () => {
  await using app = await createSimulatedApp();
  const deployment = await app.create('Slow');
  app.vendor.fail('finish', { how: 'states', states: Array.from({ length: 30 }, (_, look) => `thinking ${look}`) });
  const release = await app.start(deployment, ONE);
  await app.jobs.drain();
  expect((await app.person.caller.releases.get({ releaseId: release.id })).state).toBe('processing');
  const job = await JobModel.findOne({ accountId: app.person.user.id, status: 'queued' });
  expect(job?.attempt).toBe(0);
  expect((await app.settle(release)).state).toBe('live');
  expect(await app.countReleases()).toBe(1);
});

/** The first before anything is on record here, though the platform has done its part. */
const BOUNDARIES = [
  'publishing:site',
  'publishing:ref',
  'uploading:end',
  'processing:end',
  'uploading:start',
  'processing:start',
  'preparing:end',
] as const;

test.each(['upload', 'viaGit'] as const)(
  'by %s: killed at each boundary, the next worker ends it live on one site',
  async (play) => {
    await using app = await createSimulatedApp(simulated[play]);
    for (const [index, boundary] of (IS_FULL ? BOUNDARIES : BOUNDARIES.slice(0, 3)).entries()) {
      const deployment = await app.create(`Killed ${index}`);
      const release = await app.start(deployment, { ...ONE, 'unique.txt': boundary });
      await diesAt(app, [boundary, play, app.vendor.apiUrl]);
      const ended = await app.settle(release);
      expect(ended.state, boundary).toBe('live');
      expect((await app.look(ended.url, '/unique.txt')).text).toBe(boundary);
      expect(await app.countSites(), boundary).toBe(index + 1);
      expect(await app.countReleases(), boundary).toBe(index + 1);
    }
  },
);

type Played = PlatformUnderTest & { standIn: Pick<StandIn<unknown>, 'apiUrl'>; github?: { apiUrl: string } };
type PlayedRow = {
  id: ConnectionProvider;
  make(): Promise<Played>;
  options: Record<string, string | boolean>;
};

/** Outside the full size one that uploads, and one that is given a commit. */
const PLAYED: readonly PlayedRow[] = [
  { id: 'netlify', make: netlifyUnderTest, options: {} },
  { id: 'github-pages', make: githubUnderTest, options: { publicFiles: true } },
  { id: 'vercel', make: vercelUnderTest, options: {} },
  { id: 'render', make: renderUnderTest, options: { publicFiles: true } },
  { id: 'heroku', make: herokuUnderTest, options: { paymentThere: true } },
];

test.each(IS_FULL ? PLAYED : PLAYED.slice(0, 2))(
  'at $id: killed before the release there is on record here, the next worker ends it live, with one of each',
  async ({ id, make, options }) => {
    await using played = await make();
    const { platform, world, standIn, github } = played;
    await using app = await createPublishingApp({
      providers: {
        platforms: {
          ...platforms,
          ...(github && { 'github-pages': githubPages({ apiUrl: github.apiUrl }) }),
          [id]: platform,
        },
        wait: async (_ms, signal) => signal.throwIfAborted(),
      },
    });
    const person = await app.trialPerson();
    const { connections, deployments, releases } = person.caller;
    await connections.connect({ provider: id, token: TOKEN });
    if (github !== undefined) await connections.connect({ provider: 'github-pages', token: TOKEN });
    const deployment = await deployments.create({ name: 'Killed', platform: id, options });
    const { id: releaseId } = await startRelease(app, person, deployment, ONE);
    await diesAt(app, ['publishing:ref', id, standIn.apiUrl, github?.apiUrl ?? standIn.apiUrl]);
    for (let round = 0; round < 30 && (await releases.get({ releaseId })).state !== 'live'; round += 1) {
      await makeDue();
      await app.jobs.drain();
    }
    expect(await releases.get({ releaseId })).toMatchObject({ state: 'live', error: null });
    expect([await world?.countSites(), await world?.countReleases()]).toEqual([1, 1]);
    const url = new URL((await deployments.get({ deploymentId: deployment.id })).url);
    expect((await get(Number(url.port), url.host, url.pathname)).text).toBe(ONE['index.html']);
    expect(world?.drift).toEqual([]);
  },
);

/** Works on what is queued in a process that ends itself there; its lease is over then, and the job due. */
async function diesAt(app: Pick<SimulatedApp, 'folder'>, at: [boundary: string, ...placeAndAddresses: string[]]) {
  const store = join(app.folder, 'artifacts');
  const args = [inject('mongoUri'), mongoose.connection.name, store, ...at];
  const child = spawn(process.execPath, [...program('platform-process'), ...args], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(child, 'exit'), at[0]).toEqual([null, 'SIGKILL']);
  await JobModel.updateMany({ status: 'running' }, { $set: { leaseUntil: new Date(0) } }).setOptions({
    acrossAccounts: 'jobs',
  });
  await makeDue();
}
