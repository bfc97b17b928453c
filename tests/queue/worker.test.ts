import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { jobHandlers } from '../../server/boot/jobs.ts';
import { createChangeFeed } from '../../server/database/change-feed.ts';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { AppError, JobDeferred } from '../../server/lib/errors.ts';
import { claimJob } from '../../server/queue/claim.ts';
import type { JobHandlers } from '../../server/queue/handler.ts';
import { holdLease } from '../../server/queue/lease.ts';
import { enqueueJob } from '../../server/queue/queue.ts';
import { createWorker } from '../../server/queue/worker.ts';
import { createTestApp } from '../support/app.ts';
import { endLeases, makeDue } from '../support/make-due.ts';
import { IS_FULL } from '../support/size.ts';

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function enqueue(fields: { deploymentId?: string; key?: string; maxAttempts?: number } = {}): Promise<string> {
  const { deploymentId = newId(), ...rest } = fields;
  await transaction((session) =>
    enqueueJob(session, { name: 'remove-deployment', payload: { deploymentId }, accountId: newId(), ...rest }),
  );
  return deploymentId;
}

const handlersOf = (run: NonNullable<JobHandlers['remove-deployment']>['run']): JobHandlers => ({
  'remove-deployment': { run },
});
/** Scans on purpose: no index serves what only a test asks. */
const statusOf = async (deploymentId: string) =>
  (await JobModel.find({}).setOptions({ acrossAccounts: 'jobs' }).comment('test')).find(
    (job) => job.payload.deploymentId === deploymentId,
  );

/** One row an effect: a second one under the same name would show as a count of two. */
async function note(effect: string): Promise<void> {
  await RateLimitModel.updateOne(
    { _id: `ledger:${effect}` },
    { $inc: { count: 1 }, $set: { at: new Date(), expiresAt: new Date(Date.now() + 3_600_000) } },
    { upsert: true },
  );
}

const OF_ONE_KEY = IS_FULL ? 50 : 16;

test('many jobs of one key on four workers never run two at once, and each runs once', async () => {
  await using app = await createTestApp();
  const key = newId();
  const ids = await Promise.all(Array.from({ length: OF_ONE_KEY }, () => enqueue({ key })));
  let running = 0;
  let most = 0;
  const ran: string[] = [];
  const handlers = handlersOf(async (job) => {
    running += 1;
    most = Math.max(most, running);
    await job.transaction(() => note(job.payload.deploymentId));
    ran.push(job.payload.deploymentId);
    running -= 1;
  });
  const workers = Array.from({ length: 4 }, () => createWorker(app.providers, { handlers, pollMs: 20, loops: 1 }));
  for (const worker of workers) await worker.start();
  await expect.poll(() => ran.length, { timeout: 60_000 }).toBe(OF_ONE_KEY);
  for (const worker of workers) await worker.stop();
  expect(most).toBe(1);
  expect(new Set(ran)).toEqual(new Set(ids));
});

test('a new job wakes a worker that would have slept for an hour', async () => {
  const changes = createChangeFeed(QUIET);
  await changes.start();
  await using app = await createTestApp({ changes });
  const done: string[] = [];
  const worker = createWorker(app.providers, {
    handlers: handlersOf(async (job) => void done.push(job.payload.deploymentId)),
    pollMs: 3_600_000,
  });
  await worker.start();
  const id = await enqueue();
  await expect.poll(() => done).toEqual([id]);
  await worker.stop();
  await changes.stop();
});

const JOBS = 10;

/** Returns how many commands about jobs the server has answered. */
async function askedOfJobs(): Promise<number> {
  const [stats] = await JobModel.collection.aggregate([{ $collStats: { latencyStats: {} } }]).toArray();
  const { reads, writes, commands } = stats?.latencyStats ?? {};
  return Number(reads.ops) + Number(writes.ops) + Number(commands.ops);
}

test('a job has its own lane look for work, and those in which something waits for its key', async () => {
  const changes = createChangeFeed(QUIET);
  await changes.start();
  await using app = await createTestApp({ changes });
  const [key, sha256] = [newId(), 'a'.repeat(64)];
  const done: string[] = [];
  const idle = { run: async () => undefined };
  const handlers: JobHandlers = {
    ...handlersOf(async ({ accountId, payload: { deploymentId } }) => {
      const waiting = { name: 'report-corruption', payload: { sha256 }, accountId, key } as const;
      if (done.length === JOBS - 1) await transaction((session) => enqueueJob(session, waiting));
      done.push(deploymentId);
    }),
    'report-corruption': { run: async ({ payload }) => void done.push(payload.sha256) },
    ...{ 'send-mail': idle, publish: idle, 'check-domain': idle, 'apply-dns': idle, 'run-diagnostics': idle },
    ...{ 'issue-certificate': idle, 'check-connection': idle, 'check-domains': idle },
  };
  const worker = createWorker(app.providers, { handlers, pollMs: 3_600_000, loops: 1 });
  await worker.start();
  const before = await askedOfJobs();
  for (let job = 1; job <= JOBS; job += 1) {
    const id = await enqueue({ key });
    await expect.poll(() => done).toContain(id);
  }
  await expect.poll(() => done).toContain(sha256);
  // A dozen of each job's own, and as many of the look for more: nine lanes that look in vain come to several times that.
  expect(((await askedOfJobs()) - before) / JOBS).toBeLessThan(30);
  await worker.stop();
  await changes.stop();
});

test('a job that comes back soon wakes a worker that would have slept for an hour', async () => {
  await using app = await createTestApp();
  await JobModel.deleteMany({}).setOptions({ acrossAccounts: 'jobs' }).comment('test');
  const id = await enqueue();
  const begun: string[] = [];
  const handlers = handlersOf(async (job) => {
    begun.push(job.payload.deploymentId);
    if (begun.length < 3) throw new JobDeferred('It is not all there yet.', 100);
  });
  const worker = createWorker(app.providers, { handlers, pollMs: 3_600_000 });
  await worker.start();
  await expect.poll(() => begun).toEqual([id, id, id]);
  await worker.stop();
});

test('an error that may pass is tried again by the table, a final one is not', async () => {
  await using app = await createTestApp();
  const passing = await enqueue();
  const final = await enqueue();
  const handlers = handlersOf(async (job) => {
    if (job.payload.deploymentId === passing) throw new Error('socket hang up');
    throw new AppError('platform_failed', 'The platform refuses this.');
  });
  await createWorker(app.providers, { handlers }).drain();
  expect(await statusOf(passing)).toMatchObject({ status: 'queued', attempt: 1, lastError: 'Error: socket hang up' });
  expect((await statusOf(passing))?.runAt.getTime()).toBeGreaterThan(Date.now() + 3_000);
  expect(await statusOf(final)).toMatchObject({ status: 'dead', attempt: 1 });
});

test('what the other side asks to wait is waited', async () => {
  await using app = await createTestApp();
  const id = await enqueue();
  const handlers = handlersOf(async () => {
    throw new AppError('platform_failed', 'Too many calls.', { retryAfterMs: 600_000 });
  });
  await createWorker(app.providers, { handlers }).drain();
  expect((await statusOf(id))?.runAt.getTime()).toBeGreaterThan(Date.now() + 500_000);
});

test('a job that comes back later gives its place back, and no attempt of it counts', async () => {
  await using app = await createTestApp();
  const ids = await Promise.all(Array.from({ length: 100 }, () => enqueue()));
  let isReady = false;
  const done: string[] = [];
  const handlers = handlersOf(async (job) => {
    if (!isReady) throw new JobDeferred('The platform is working on it.', 3_600_000);
    done.push(job.payload.deploymentId);
  });
  const worker = createWorker(app.providers, { handlers });
  await worker.drain();
  const rows = await JobModel.find({ status: 'queued' }).setOptions({ acrossAccounts: 'jobs' }).comment('test');
  const waiting = rows.filter((row) => ids.includes(row.payload.deploymentId));
  expect(waiting).toHaveLength(100);
  for (const row of waiting) expect(row).toMatchObject({ attempt: 0, leaseUntil: null, worker: null });
  expect(Math.min(...waiting.map((row) => row.runAt.getTime()))).toBeGreaterThan(Date.now() + 3_000_000);

  isReady = true;
  const another = await enqueue();
  await worker.drain();
  expect(done).toEqual([another]);
  await JobModel.deleteMany({}).setOptions({ acrossAccounts: 'jobs' }).comment('test');
});

test('a job that was promised rests for an hour instead of being given up, and begins with all its attempts', async () => {
  const logged: string[] = [];
  const warn = (text: string): void => void logged.push(`warn: ${text}`);
  const error = (text: string): void => void logged.push(`error: ${text}`);
  await using app = await createTestApp({ log: { ...QUIET, warn, error } });
  const id = await enqueue({ maxAttempts: 2 });
  const run = async (): Promise<void> => {
    throw new AppError('platform_failed', 'The platform refuses this.');
  };
  await createWorker(app.providers, { handlers: { 'remove-deployment': { run, neverGivesUp: true } } }).drain();
  const row = await statusOf(id);
  expect(row).toMatchObject({ status: 'queued', attempt: 0, lastError: 'AppError: The platform refuses this.' });
  expect(row?.runAt.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
  expect(logged).toEqual(['warn: A job failed and is tried again in an hour.']);
});

test('a job that was promised runs again seconds after too many crashes, and each more makes the pause longer', async () => {
  const warn = vi.fn();
  await using app = await createTestApp({ log: { ...QUIET, warn } });
  await JobModel.deleteMany({}).setOptions({ acrossAccounts: 'jobs' }).comment('test');
  const id = await enqueue({ maxAttempts: 2 });
  const run = async (): Promise<void> => void (await note(`ran ${id}`));
  const worker = createWorker(app.providers, { handlers: { 'remove-deployment': { run, neverGivesUp: true } } });
  const crash = async () => {
    await claimJob('a process that dies', ['remove-deployment']);
    await endLeases();
  };
  await crash();
  for (const [times, aboutMs] of [5_000, 15_000, 45_000].entries()) {
    await makeDue();
    await crash();
    const before = Date.now();
    await worker.drain();
    const row = await statusOf(id);
    const runAt = row?.runAt.getTime();
    const text = 'AppError: This was interrupted too often.';
    expect(row).toMatchObject({ attempt: 2 + times, lastError: text });
    const fields = expect.objectContaining({ job: 'remove-deployment', attempt: 3 + times, error: text });
    expect(warn).toHaveBeenLastCalledWith('A job failed and is tried again after a pause.', fields);
    expect(runAt).toBeGreaterThan(before + 0.7 * aboutMs);
    expect(runAt).toBeLessThan(Date.now() + 1.3 * aboutMs);
  }
  await makeDue();
  await worker.drain();
  expect((await RateLimitModel.findById(`ledger:ran ${id}`))?.count).toBe(1);
});

test('a poison job is dead after its attempts, crashes included, and its end is written with it', async () => {
  await using app = await createTestApp();
  await JobModel.deleteMany({}).setOptions({ acrossAccounts: 'jobs' }).comment('test');
  const id = await enqueue({ maxAttempts: 3 });
  let runs = 0;
  const handlers: JobHandlers = {
    'remove-deployment': {
      async run() {
        runs += 1;
        throw new Error('poison');
      },
      onDeadLetter: async (_session, job) => note(`dead-lettered ${job.payload.deploymentId}`),
    },
  };
  const worker = createWorker(app.providers, { handlers });
  await worker.drain();
  // The second attempt kills its process: nobody ends it, and its lease runs out.
  await makeDue();
  await claimJob('a process that dies', ['remove-deployment']);
  await endLeases();
  await worker.drain();
  await makeDue();
  await worker.drain();
  expect(runs).toBe(2);
  expect(await statusOf(id)).toMatchObject({ status: 'dead', attempt: 3 });
  expect((await RateLimitModel.findById(`ledger:dead-lettered ${id}`))?.count).toBe(1);
});

test('a job that kills its process each time becomes a dead letter without being run once more', async () => {
  await using app = await createTestApp();
  const id = await enqueue({ maxAttempts: 2 });
  for (let crash = 0; crash < 2; crash += 1) {
    await claimJob('a process that dies', ['remove-deployment']);
    await endLeases();
  }
  let runs = 0;
  const handlers = handlersOf(async () => {
    runs += 1;
  });
  await createWorker(app.providers, { handlers }).drain();
  expect(runs).toBe(0);
  expect((await statusOf(id))?.status).toBe('dead');
});

test('a payload that this version cannot read becomes a dead letter', async () => {
  await using app = await createTestApp();
  const id = await enqueue();
  await JobModel.updateMany({ status: 'queued' }, { $set: { 'payload.extra': true } }).setOptions({
    acrossAccounts: 'jobs',
  });
  await createWorker(app.providers, { handlers: handlersOf(async () => undefined) }).drain();
  expect((await statusOf(id))?.status).toBe('dead');
});

test('a worker that stops gives its job back, and the next one runs it as the same attempt', async () => {
  await using app = await createTestApp();
  const id = await enqueue();
  let hasBegun = false;
  const first = createWorker(app.providers, {
    handlers: handlersOf(async (job) => {
      hasBegun = true;
      await wait(60_000, undefined, { signal: job.signal });
    }),
    pollMs: 20,
  });
  await first.start();
  await expect.poll(() => hasBegun).toBe(true);
  await first.stop();
  expect(await statusOf(id)).toMatchObject({ status: 'queued', attempt: 0, worker: null });
  const attempts: number[] = [];
  await createWorker(app.providers, { handlers: handlersOf(async (job) => void attempts.push(job.attempt)) }).drain();
  expect(attempts).toEqual([1]);
});

test('a handler whose job was taken is told, and what it writes afterwards is refused', async () => {
  await using app = await createTestApp();
  const id = await enqueue();
  const seen: unknown[] = [];
  const handlers = handlersOf(async (job) => {
    if (job.attempt > 1) return;
    await endLeases();
    await createWorker(app.providers, { handlers }).drain();
    await job.transaction(() => note(`zombie ${id}`)).catch((error) => seen.push(error));
    throw seen[0];
  });
  await createWorker(app.providers, { handlers }).drain();
  expect(seen).toMatchObject([{ code: 'lease_lost' }]);
  expect(await RateLimitModel.findById(`ledger:zombie ${id}`)).toBeNull();
  expect(await statusOf(id)).toMatchObject({ status: 'done', attempt: 2 });
});

test('a lease is renewed while it is held, and its loss aborts the work', async () => {
  await enqueue();
  const claimed = await claimJob('tester', ['remove-deployment']);
  if (claimed === null) throw new Error('Nothing was claimed.');
  const times = { heartbeatMs: 20, unconfirmedMaxMs: 60_000, watchMs: 20 };
  const lease = holdLease(claimed, new AbortController().signal, QUIET, times);
  const before =
    (await JobModel.findById(claimed.id).setOptions({ acrossAccounts: 'jobs' }))?.leaseUntil?.getTime() ?? 0;
  await expect
    .poll(
      async () =>
        (await JobModel.findById(claimed.id).setOptions({ acrossAccounts: 'jobs' }))?.leaseUntil?.getTime() ?? 0,
    )
    .toBeGreaterThan(before);
  await JobModel.updateOne({ _id: claimed.id }, { $inc: { fence: 1 } }).setOptions({ acrossAccounts: 'jobs' });
  await expect.poll(() => lease.signal.aborted).toBe(true);
  expect(lease.signal.reason).toMatchObject({ code: 'lease_lost' });
  lease.release();
});

test('without a confirmed renewal the work is aborted by the monotonic clock', async () => {
  await enqueue();
  const claimed = await claimJob('tester', ['remove-deployment']);
  if (claimed === null) throw new Error('Nothing was claimed.');
  const lease = holdLease(claimed, new AbortController().signal, QUIET, {
    heartbeatMs: 3_600_000,
    unconfirmedMaxMs: 50,
    watchMs: 10,
  });
  await expect.poll(() => lease.signal.aborted).toBe(true);
  expect(lease.signal.reason).toMatchObject({ code: 'lease_lost' });
  lease.release();
});

test('a worker is silent since its queue last answered, and a running job that keeps its lease is heard', async () => {
  await using app = await createTestApp();
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const worker = createWorker(app.providers, { handlers: handlersOf(async () => undefined) });
    vi.advanceTimersByTime(40_000);
    expect(worker.silentMs()).toBe(40_000);
    await worker.drain();
    expect(worker.silentMs()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
  await enqueue();
  const claimed = await claimJob('somebody', ['remove-deployment']);
  if (claimed === null) throw new Error('There was nothing to claim.');
  const heard = new Promise<void>((resolve) => {
    const lease = holdLease(claimed, new AbortController().signal, QUIET, { heartbeatMs: 10, onConfirmed });
    function onConfirmed(): void {
      lease.release();
      resolve();
    }
  });
  await heard;
});

test('as many loops as there are lanes wait for the end without a warning of a leak', async () => {
  await using app = await createTestApp();
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const listen = vi.spyOn(AbortSignal.prototype, 'addEventListener');
  const worker = createWorker(app.providers, { handlers: jobHandlers, loops: 5 });
  await worker.start();
  // From the eleventh listener on Node warns.
  await expect.poll(() => listen.mock.calls.length).toBeGreaterThan(11);
  await worker.stop();
  listen.mockRestore();
  const names = warned.mock.calls.map(([warning]) => (warning instanceof Error ? warning.name : warning));
  warned.mockRestore();
  expect(names).not.toContain('MaxListenersExceededWarning');
});
