import { expect, test } from 'vitest';
import { JobModel } from '../../server/database/models/job.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { claimJob } from '../../server/queue/claim.ts';
import { backoffMs } from '../../server/queue/failure.ts';
import {
  deadLetterJob,
  endLease,
  enqueueJob,
  fencedTransaction,
  finishJob,
  leasesOf,
  renewLease,
  requeueJob,
  retryJob,
} from '../../server/queue/queue.ts';
import { IS_FULL } from '../support/size.ts';

const NAMES = ['remove-deployment'];

/** Returns one job of an account and key of its own, so that the tests of this file do not meet. */
async function enqueue(
  fields: { accountId?: string; key?: string; dedupeKey?: string; delayMs?: number; maxAttempts?: number } = {},
): Promise<string> {
  const deploymentId = newId();
  await transaction((session) =>
    enqueueJob(session, { name: 'remove-deployment', payload: { deploymentId }, accountId: newId(), ...fields }),
  );
  return deploymentId;
}

async function claimOf(deploymentId: string) {
  const claimed = await claimJob('tester', NAMES);
  expect(claimed?.payload).toEqual({ deploymentId });
  if (claimed === null) throw new Error('Nothing was claimed.');
  return claimed;
}

/** The database's own time, as the queue counts it. */
async function letLeaseRunOut(id: string): Promise<void> {
  await JobModel.updateOne({ _id: id }, { $set: { leaseUntil: new Date(0) } }).setOptions({ acrossAccounts: 'jobs' });
}

async function clear(): Promise<void> {
  await JobModel.deleteMany({}).setOptions({ acrossAccounts: 'jobs' }).comment('test');
}

test('a job whose transaction is rolled back does not exist', async () => {
  await clear();
  const aborted = transaction(async (session) => {
    await enqueueJob(session, { name: 'remove-deployment', payload: { deploymentId: newId() }, accountId: newId() });
    throw new Error('rolled back');
  });
  await expect(aborted).rejects.toThrow('rolled back');
  expect(await claimJob('tester', NAMES)).toBeNull();
});

test('a committed job is claimed once, and not again while its lease runs', async () => {
  await clear();
  const claimed = await claimOf(await enqueue());
  expect(claimed.attempt).toBe(1);
  expect(await claimJob('another', NAMES)).toBeNull();
  expect(await finishJob(claimed)).toBe(true);
  expect(await JobModel.findById(claimed.id).setOptions({ acrossAccounts: 'jobs' })).toMatchObject({
    status: 'done',
    leaseUntil: null,
  });
});

test('a job that waits is not claimed before its time', async () => {
  await clear();
  await enqueue({ delayMs: 60_000 });
  expect(await claimJob('tester', NAMES)).toBeNull();
});

test('a worker passes over jobs whose name it does not know', async () => {
  await clear();
  await enqueue();
  expect(await claimJob('tester', ['send-mail'])).toBeNull();
});

test('a lease that ran out is taken by the next worker, and the first one can write nothing more', async () => {
  await clear();
  const first = await claimOf(await enqueue());
  await letLeaseRunOut(first.id);
  const second = await claimJob('another', NAMES);
  expect(second).toMatchObject({ id: first.id, attempt: 2, fence: first.fence + 1 });

  expect(await renewLease(first)).toBe(false);
  expect(await finishJob(first)).toBe(false);
  expect(await retryJob(first, 'late', 0)).toBe(false);
  expect(await requeueJob(first)).toBe(false);
  const write = fencedTransaction(first, async (session) => {
    await enqueueJob(session, { name: 'send-mail', payload: { mailId: newId() }, accountId: newId() });
  });
  await expect(write).rejects.toMatchObject({ code: 'lease_lost' });
  expect(await JobModel.countDocuments({}).setOptions({ acrossAccounts: 'jobs' }).comment('test')).toBe(1);
});

test('of many jobs with one key one runs at a time, and the next follows when it ends', async () => {
  await clear();
  const key = newId();
  // Accounts have turns in the order of their ids, which are random.
  const [earlier = '', later = ''] = [newId(), newId()].sort();
  await enqueue({ key, accountId: earlier });
  await enqueue({ key, accountId: earlier });
  const other = await enqueue({ accountId: later });
  const first = await claimJob('tester', NAMES);
  expect(first?.key).toBe(key);
  expect((await claimJob('tester', NAMES))?.payload).toEqual({ deploymentId: other });
  expect(await claimJob('tester', NAMES)).toBeNull();
  if (first !== null) await finishJob(first);
  expect((await claimJob('tester', NAMES))?.key).toBe(key);
});

test('a second job with the same dedupe key is not written while the first is open', async () => {
  await clear();
  const dedupeKey = newId();
  const first = await enqueue({ dedupeKey });
  await Promise.all([enqueue({ dedupeKey }), enqueue({ dedupeKey })]);
  expect(await JobModel.countDocuments({ dedupeKey, status: 'queued' }).setOptions({ acrossAccounts: 'jobs' })).toBe(1);
  await finishJob(await claimOf(first));
  await enqueue({ dedupeKey });
  expect(await JobModel.countDocuments({ dedupeKey, status: 'queued' }).setOptions({ acrossAccounts: 'jobs' })).toBe(1);
});

// The check of all plans at the end of this file tells (tests/support/database.ts).
test('however many jobs are open, whether one of a dedupe key is among them is found without reading the others', async () => {
  const ids: string[] = [];
  for (let number = 0; number < 30; number += 1)
    ids.push(await enqueue({ dedupeKey: `open ${number}`, delayMs: 60_000 }));
  await enqueue({ dedupeKey: 'open 0' });
  const open = JobModel.find({ 'payload.deploymentId': { $in: ids } }).setOptions({ acrossAccounts: 'jobs' });
  expect(await open.hint('queued_turns').comment('test')).toHaveLength(30);
  await JobModel.deleteMany({ dedupeKey: /^open /, status: 'queued' })
    .setOptions({ acrossAccounts: 'jobs' })
    .comment('test');
});

test('a job that is given back has lost no attempt, one that is tried again waits', async () => {
  await clear();
  const id = await enqueue();
  await requeueJob(await claimOf(id));
  const again = await claimOf(id);
  expect(again.attempt).toBe(1);
  await retryJob(again, 'the other side is away', 60_000);
  expect(await claimJob('tester', NAMES)).toBeNull();
  expect(await JobModel.findById(again.id).setOptions({ acrossAccounts: 'jobs' })).toMatchObject({
    status: 'queued',
    attempt: 1,
    lastError: 'the other side is away',
  });
});

test('a dead letter writes its consequence in the same transaction, or is none', async () => {
  await clear();
  const claimed = await claimOf(await enqueue());
  const broken = deadLetterJob(claimed, 'no use', async () => {
    throw new Error('the consequence cannot be written');
  });
  await expect(broken).rejects.toThrow('the consequence');
  expect((await JobModel.findById(claimed.id).setOptions({ acrossAccounts: 'jobs' }))?.status).toBe('running');
  await deadLetterJob(claimed, 'no use', async () => undefined);
  expect(await JobModel.findById(claimed.id).setOptions({ acrossAccounts: 'jobs' })).toMatchObject({
    status: 'dead',
    lastError: 'no use',
  });
});

const CLAIMED = IS_FULL ? 200 : 48;

test('sixteen workers at once claim each of many jobs once', async () => {
  await clear();
  await transaction(async (session) => {
    for (let index = 0; index < CLAIMED; index += 1) {
      await enqueueJob(session, { name: 'remove-deployment', payload: { deploymentId: newId() }, accountId: newId() });
    }
  });
  const claimedIds: string[] = [];
  const worker = async (): Promise<void> => {
    for (let job = await claimJob('tester', NAMES); job !== null; job = await claimJob('tester', NAMES)) {
      claimedIds.push(job.id);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  expect(claimedIds).toHaveLength(CLAIMED);
  expect(new Set(claimedIds).size).toBe(CLAIMED);
});

test('the wait grows threefold from five seconds to an hour, with a fifth of spread', () => {
  for (const [attempt, plainMs] of [
    [1, 5_000],
    [2, 15_000],
    [3, 45_000],
    [4, 135_000],
    [9, 3_600_000],
  ] as const) {
    for (let sample = 0; sample < 50; sample += 1) {
      expect(backoffMs(attempt)).toBeGreaterThanOrEqual(plainMs * 0.8);
      expect(backoffMs(attempt)).toBeLessThanOrEqual(plainMs * 1.2);
    }
  }
});

test('a filter on jobs that names no account and no reason is refused', async () => {
  await expect(JobModel.countDocuments({ status: 'queued' })).rejects.toThrow('lacks the account');
  expect(await JobModel.countDocuments({ status: 'queued', accountId: newId() })).toBe(0);
});

test('the jobs of a worker that is known to be dead, and of its children, are claimed at once, and it writes no more', async () => {
  await clear();
  const holders = ['run', 'run.0', 'run.10', 'run.1', 'runner', 'run-2.0', 'another'];
  const held = new Map<string, NonNullable<Awaited<ReturnType<typeof claimJob>>>>();
  for (const worker of holders) {
    await enqueue();
    const claimed = await claimJob(worker, NAMES);
    if (claimed !== null) held.set(worker, claimed);
  }
  const claimAll = async (): Promise<(string | undefined)[]> => {
    const claimed: (string | undefined)[] = [];
    for (let job = await claimJob('next', NAMES); job !== null; job = await claimJob('next', NAMES)) {
      const { id, attempt } = job;
      expect(attempt).toBe(2);
      claimed.push([...held].find(([, own]) => own.id === id)?.[0]);
    }
    return claimed.sort();
  };

  const endAllOf = async (worker: string): Promise<boolean[]> =>
    Promise.all((await leasesOf(worker)).map((lease) => endLease(lease)));

  // A child alone: not the one whose number begins as its own.
  expect(await endAllOf('run.1')).toEqual([true]);
  expect(await claimAll()).toEqual(['run.1']);
  const known = await leasesOf('run');
  expect(await endAllOf('run')).toEqual([true, true, true]);
  expect(await claimAll()).toEqual(['run', 'run.0', 'run.10']);
  expect(await leasesOf('run')).toEqual([]);
  // The worker that has claimed it since, under whatever name, keeps it.
  expect(await Promise.all(known.map((lease) => endLease(lease)))).toEqual([false, false, false]);
  expect(await claimAll()).toEqual([]);

  const written = async (worker: string): Promise<boolean> => {
    const lease = held.get(worker);
    return lease !== undefined && finishJob(lease);
  };
  expect(await Promise.all(holders.map(written))).toEqual([false, false, false, false, true, true, true]);
});
