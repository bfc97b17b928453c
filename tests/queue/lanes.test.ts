import { setMaxListeners } from 'node:events';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { NO_ACCOUNT } from '../../server/database/models/account-scope.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { JobDeferred } from '../../server/lib/errors.ts';
import { type ClaimOptions, claimJob } from '../../server/queue/claim.ts';
import type { JobHandlers, RunningJob } from '../../server/queue/handler.ts';
import type { JobName, JobPayload } from '../../server/queue/payloads.ts';
import { endLease, enqueueJob, finishJob, requeueJob } from '../../server/queue/queue.ts';
import { createWorker } from '../../server/queue/worker.ts';
import { createTestApp } from '../support/app.ts';
import { IS_FULL } from '../support/size.ts';

const RELEASES = IS_FULL ? 1_000 : 30;
const MAILS = IS_FULL ? 50 : 12;
const CLEAR = { acrossAccounts: 'jobs' } as const;

async function enqueue<Name extends JobName>(
  accountId: string,
  name: Name,
  payload: () => JobPayload<Name>,
  count = 1,
): Promise<void> {
  await transaction(async (session) => {
    for (let index = 0; index < count; index += 1) await enqueueJob(session, { name, payload: payload(), accountId });
  });
}

const enqueueReleases = (accountId: string, count?: number): Promise<void> =>
  enqueue(accountId, 'publish', () => ({ releaseId: newId(), destinationId: newId() }), count);

/** Handlers that run until they are let go, and note whose job they have. */
function createHeldJobs() {
  const begun: string[] = [];
  const held = new AbortController();
  setMaxListeners(0, held.signal);
  const run = (job: { accountId: string }): Promise<void> => {
    begun.push(job.accountId);
    return new Promise((resolve) => held.signal.addEventListener('abort', () => resolve()));
  };
  const handlers = {
    'check-domain': { run },
    publish: { run },
    'issue-certificate': { run },
    'rehearse-renewals': { run },
  };
  return { begun, letGo: () => held.abort(), run, handlers };
}

test(`an account with ${RELEASES} releases is served no more often than one with a single release`, async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await enqueueReleases('busy', RELEASES);
  for (const accountId of ['ada', 'zoe', 'bob']) await enqueueReleases(accountId);

  const served: string[] = [];
  const options: ClaimOptions = {};
  for (let turn = 0; turn < 6; turn += 1) {
    const claimed = await claimJob('tester', ['publish'], options);
    if (claimed === null) break;
    await finishJob(claimed);
    options.after = claimed.accountId;
    served.push(claimed.accountId);
  }
  expect(served).toEqual(['ada', 'bob', 'busy', 'zoe', 'busy', 'busy']);
});

test('jobs that wait for their time are passed over, and the oldest that is due comes first', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await enqueueReleases('ada', 30);
  const all = await JobModel.find({ accountId: 'ada', _id: { $gt: '' } }, { _id: 1 })
    .comment('test')
    .lean();
  const [due, older = '', ...waiting] = all.map(({ _id }) => _id);
  const runAt = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);
  await JobModel.updateMany({ accountId: 'ada', _id: { $in: waiting } }, { $set: { runAt: runAt(1) } });
  await JobModel.updateOne({ accountId: 'ada', _id: older }, { $set: { runAt: runAt(-1) } });
  expect((await claimJob('tester', ['publish']))?.id).toBe(older);
  expect((await claimJob('tester', ['publish']))?.id).toBe(due);
  expect(await claimJob('tester', ['publish'])).toBeNull();
});

test('one account has only so many jobs of a lane running, and those of no account are not counted', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await enqueueReleases('ada', 3);
  await enqueueReleases(NO_ACCOUNT, 3);
  const claimedOf = async (): Promise<string | undefined> =>
    (await claimJob('tester', ['publish'], { perAccount: 2 }))?.accountId;
  const claimed = [await claimedOf(), await claimedOf(), await claimedOf(), await claimedOf(), await claimedOf()];
  expect(claimed).toEqual(['ada', 'ada', NO_ACCOUNT, NO_ACCOUNT, NO_ACCOUNT]);
  expect(await claimedOf()).toBeUndefined();
});

test('releases of one account that never end hold up neither those of others nor mail', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await using app = await createTestApp();
  const releases = createHeldJobs();
  const messages: string[] = [];
  const note = async (job: { name: string; accountId: string }): Promise<void> => {
    messages.push(`${job.name} of ${job.accountId}`);
  };
  const handlers: JobHandlers = {
    ...releases.handlers,
    'send-mail': { run: note },
    'forgot-password': { run: note },
  };
  await enqueueReleases('busy', RELEASES);
  const worker = createWorker(app.providers, { handlers, pollMs: 20 });
  await worker.start();
  await expect.poll(() => releases.begun).toEqual(['busy', 'busy']);

  await enqueueReleases('ada');
  await enqueue('busy', 'send-mail', () => ({ mailId: newId() }), MAILS);
  await enqueue('bob', 'send-mail', () => ({ mailId: newId() }));
  await enqueue(NO_ACCOUNT, 'forgot-password', () => ({ email: 'zoe@example.com' }));

  await expect.poll(() => releases.begun).toEqual(['busy', 'busy', 'ada']);
  await expect.poll(() => messages.length).toBe(MAILS + 2);
  expect(messages.indexOf('send-mail of bob')).toBeLessThan(10);
  expect(messages.indexOf(`forgot-password of ${NO_ACCOUNT}`)).toBeLessThan(10);
  releases.letGo();
  await worker.stop();
});

test('releases of two accounts that never end leave a place to a third', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await using app = await createTestApp();
  const releases = createHeldJobs();
  for (const accountId of ['busy', 'crowded']) await enqueueReleases(accountId, 10);
  const worker = createWorker(app.providers, { handlers: releases.handlers, pollMs: 20 });
  await worker.start();
  await expect.poll(() => releases.begun).toContain('crowded');
  await enqueueReleases('zoe');
  await expect.poll(() => releases.begun.at(-1)).toBe('zoe');
  const stopped = worker.stop();
  releases.letGo();
  await stopped;
});

test('certificates of one account take half of the places while nobody waits, and those of others go on', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await using app = await createTestApp();
  const certificates = createHeldJobs();
  const enqueueFor = (accountId: string) =>
    enqueue(accountId, 'issue-certificate', () => ({ certificateId: newId() }), 10);
  await enqueueFor('busy');
  const worker = createWorker(app.providers, { handlers: certificates.handlers, pollMs: 20 });
  await worker.start();
  const ofBusy = Array.from({ length: 4 }, () => 'busy');
  await expect.poll(() => certificates.begun).toEqual(ofBusy);
  await enqueueFor('ada');
  await expect.poll(() => certificates.begun).toEqual([...ofBusy, 'ada', 'ada']);
  await enqueueFor('bob');
  await expect.poll(() => certificates.begun).toEqual([...ofBusy, 'ada', 'ada', 'bob', 'bob']);
  const stopped = worker.stop();
  certificates.letGo();
  await stopped;
});

test('checks of domains whose name servers are slow, of eight accounts at once, leave places to others', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await using app = await createTestApp();
  const checks = createHeldJobs();
  const enqueueFor = (accountId: string, count: number) =>
    enqueue(accountId, 'check-domain', () => ({ domainId: newId() }), count);
  const slow = Array.from({ length: 8 }, (_, number) => `slow${number}`);
  await enqueueFor('slow0', 20);
  const worker = createWorker(app.providers, { handlers: checks.handlers, pollMs: 20 });
  await worker.start();
  const alone = Array.from({ length: 4 }, () => 'slow0');
  await expect.poll(() => checks.begun).toEqual(alone);
  for (const accountId of slow.slice(1)) await enqueueFor(accountId, 20);
  await expect.poll(() => checks.begun.toSorted()).toEqual([...alone, ...slow.slice(1)]);
  await enqueueFor('zoe', 1);
  await expect.poll(() => checks.begun.at(-1)).toBe('zoe');
  const stopped = worker.stop();
  checks.letGo();
  await stopped;
});

test('rehearsals that never end keep no order of a certificate waiting', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await using app = await createTestApp();
  const certificates = createHeldJobs();
  await enqueue(NO_ACCOUNT, 'rehearse-renewals', () => ({}), 20);
  const worker = createWorker(app.providers, { handlers: certificates.handlers, pollMs: 20 });
  await worker.start();
  const rehearsals = Array.from({ length: 4 }, () => NO_ACCOUNT);
  await expect.poll(() => certificates.begun).toEqual(rehearsals);
  await enqueue('ada', 'issue-certificate', () => ({ certificateId: newId() }));
  await expect.poll(() => certificates.begun).toEqual([...rehearsals, 'ada']);
  const stopped = worker.stop();
  certificates.letGo();
  await stopped;
});

test('of an account that has its share no more certificates are taken while another one waits', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  const enqueueFor = (accountId: string, count: number) =>
    enqueue(accountId, 'issue-certificate', () => ({ certificateId: newId() }), count);
  await enqueueFor('busy', 10);
  await enqueueFor('zoe', 3);
  const served: (string | undefined)[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    const claimed = await claimJob('tester', ['issue-certificate'], { perAccount: 2, whenAlone: 6 });
    served.push(claimed?.accountId);
  }
  expect(served).toEqual(['busy', 'busy', 'zoe', 'zoe', 'busy', 'busy', undefined]);
});

test('of those who wait the account whose jobs held a place for less time is served first, in every process', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  for (const accountId of ['ada', 'bob', 'zoe']) await enqueueReleases(accountId, 4);
  const claim = (options: ClaimOptions = {}) => claimJob(newId(), ['publish'], { after: 'zoe', ...options });
  const heldFor = async (seconds: number, end: typeof finishJob): Promise<void> => {
    const claimed = await claim();
    if (claimed === null) throw new Error('Nothing is due.');
    const since = [{ $set: { claimedAt: { $subtract: ['$$NOW', seconds * 1_000] } } }];
    await JobModel.updateOne({ _id: claimed.id }, since, { updatePipeline: true }).setOptions(CLEAR);
    await end(claimed);
  };
  // What a killed process held counts as well: its job is taken over first, and is over at once.
  await heldFor(90, endLease);
  await heldFor(0, finishJob);
  await heldFor(30, finishJob);
  const order: (string | undefined)[] = [];
  for (let turn = 0; turn < 10; turn += 1) order.push((await claim())?.accountId);
  expect(order).toEqual(['zoe', 'zoe', 'zoe', 'zoe', 'bob', 'bob', 'bob', 'ada', 'ada', 'ada']);
});

test('time that was used long ago is forgotten, so that nobody waits behind others for good', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await enqueueReleases('ada', 2);
  await enqueueReleases('zoe', 2);
  const first = await claimJob('tester', ['publish']);
  if (first === null) throw new Error('Nothing is due.');
  await finishJob(first);
  const held = (minutesAgo: number) => {
    const set = { heldMs: 60_000, heldAt: new Date(Date.now() - minutesAgo * 60_000) };
    return JobModel.updateOne({ _id: first.id }, { $set: set }).setOptions(CLEAR);
  };
  await held(9);
  const second = await claimJob('tester', ['publish']);
  expect(second?.accountId).toBe('zoe');
  await held(11);
  expect((await claimJob('tester', ['publish']))?.accountId).toBe('ada');
});

test('what accounts have used is added up without reading the jobs that they have had', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await enqueueReleases('ada', 60);
  const held = { status: 'done' as const, heldMs: 1_000, heldAt: new Date() };
  await JobModel.updateMany({ name: 'publish' }, { $set: held }).setOptions(CLEAR).comment('test');
  await enqueueReleases('bob');
  const { db } = mongoose.connection;
  const { was, filter } = (await db?.command({ profile: -1 })) ?? {};
  await db?.command({ profile: 1, filter: { docsExamined: { $gt: 10 } } });
  await claimJob('tester', ['publish']);
  await db?.command({ profile: was, filter });
  const read = await db?.collection('system.profile').find({ docsExamined: { $gt: 10 } }, { comment: 'test' });
  expect((await read?.toArray())?.filter(({ command }) => command?.comment !== 'test')).toEqual([]);
});

test('a release that waited once is claimed by the lane of those that wait, and holds no place of the others', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await enqueueReleases('ada', 2);
  const first = await claimJob('tester', ['publish'], { perAccount: 1 });
  if (first === null) throw new Error('Nothing is due.');
  await requeueJob({ ...first, isAside: true });
  const others = await claimJob('tester', ['publish'], { perAccount: 1 });
  expect(others?.id).not.toBe(first.id);
  const aside = await claimJob('tester', ['publish'], { perAccount: 1, isAside: true });
  expect(aside).toMatchObject({ id: first.id, isAside: true, attempt: 1 });
  expect(await claimJob('tester', ['publish'], { isAside: true })).toBeNull();
});

test('releases that wait for slow sites, of as many accounts as have places, hold up none that is sent', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await using app = await createTestApp();
  const looks = createHeldJobs();
  const sent: string[] = [];
  const run = async (job: RunningJob): Promise<void> => {
    if (job.accountId === 'zoe') return void sent.push(job.accountId);
    if (!job.isAside) throw new JobDeferred('The site is checked next', 0);
    return looks.run(job);
  };
  const slow = Array.from({ length: 12 }, (_, number) => `slow${number}`);
  for (const accountId of slow) await enqueueReleases(accountId, 2);
  const worker = createWorker(app.providers, { handlers: { publish: { run } }, pollMs: 20 });
  await worker.start();
  await expect.poll(() => looks.begun.length).toBe(12);
  await enqueueReleases('zoe');
  await expect.poll(() => sent).toEqual(['zoe']);
  expect(looks.begun.toSorted()).toEqual(slow.toSorted());
  const stopped = worker.stop();
  looks.letGo();
  await stopped;
});
