import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { JobHandlers } from '../../server/jobs/queue/handler.ts';
import type { JobName, JobPayload } from '../../server/jobs/queue/payloads.ts';
import { type ClaimOptions, claimJob, enqueueJob, finishJob } from '../../server/jobs/queue/queue.ts';
import { createWorker } from '../../server/jobs/worker.ts';
import { NO_ACCOUNT } from '../../server/models/account-scope.ts';
import { JobModel } from '../../server/models/job.ts';
import { newId, transaction } from '../../server/mongo.ts';
import { createTestApp } from '../support/app.ts';
import { IS_FULL } from '../support/size.ts';

const RELEASES = IS_FULL ? 1_000 : 100;
const MAILS = IS_FULL ? 50 : 20;
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
  enqueue(accountId, 'deploy-release', () => ({ releaseId: newId() }), count);

/** Handlers that run until they are let go, and note whose job they have. */
function createHeldJobs(): { begun: string[]; letGo(): void; handlers: JobHandlers } {
  const begun: string[] = [];
  const held = new AbortController();
  setMaxListeners(0, held.signal);
  const run = (job: { accountId: string }): Promise<void> => {
    begun.push(job.accountId);
    return new Promise((resolve) => held.signal.addEventListener('abort', () => resolve()));
  };
  const handlers = {
    'check-domain': { run },
    'deploy-release': { run },
    'issue-certificate': { run },
    'rehearse-renewals': { run },
  };
  return { begun, letGo: () => held.abort(), handlers };
}

test(`an account with ${RELEASES} releases is served no more often than one with a single release`, async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await enqueueReleases('busy', RELEASES);
  for (const accountId of ['ada', 'zoe', 'bob']) await enqueueReleases(accountId);

  const served: string[] = [];
  const options: ClaimOptions = {};
  for (let turn = 0; turn < 6; turn += 1) {
    const claimed = await claimJob('tester', ['deploy-release'], options);
    if (claimed === null) break;
    await finishJob(claimed);
    options.after = claimed.accountId;
    served.push(claimed.accountId);
  }
  expect(served).toEqual(['ada', 'bob', 'busy', 'zoe', 'busy', 'busy']);
});

test('jobs that wait for their time are passed over, and the oldest that is due comes first', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await enqueueReleases('ada', 100);
  const all = await JobModel.find({ accountId: 'ada', _id: { $gt: '' } }, { _id: 1 })
    .comment('test')
    .lean();
  const [due, older = '', ...waiting] = all.map(({ _id }) => _id);
  const runAt = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);
  await JobModel.updateMany({ accountId: 'ada', _id: { $in: waiting } }, { $set: { runAt: runAt(1) } });
  await JobModel.updateOne({ accountId: 'ada', _id: older }, { $set: { runAt: runAt(-1) } });
  expect((await claimJob('tester', ['deploy-release']))?.id).toBe(older);
  expect((await claimJob('tester', ['deploy-release']))?.id).toBe(due);
  expect(await claimJob('tester', ['deploy-release'])).toBeNull();
});

test('one account has only so many jobs of a lane running, and those of no account are not counted', async () => {
  await JobModel.deleteMany({}).setOptions(CLEAR).comment('test');
  await enqueueReleases('ada', 3);
  await enqueueReleases(NO_ACCOUNT, 3);
  const claimedOf = async (): Promise<string | undefined> =>
    (await claimJob('tester', ['deploy-release'], { perAccount: 2 }))?.accountId;
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
  await expect.poll(() => certificates.begun).toEqual([NO_ACCOUNT, NO_ACCOUNT]);
  await enqueue('ada', 'issue-certificate', () => ({ certificateId: newId() }));
  await expect.poll(() => certificates.begun).toEqual([NO_ACCOUNT, NO_ACCOUNT, 'ada']);
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
