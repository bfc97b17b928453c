import type { ClientSession } from 'mongoose';
import { JobModel } from '../database/models/job.ts';
import { newId, transaction } from '../database/mongo.ts';
import { AppError } from '../lib/errors.ts';
import { MAX_ATTEMPTS } from './failure.ts';
import type { JobWaits } from './handler.ts';
import { HELD } from './held.ts';
import { JOB_PAYLOADS, type JobName, type JobPayload } from './payloads.ts';

/**
 * The queue of background work, on MongoDB.
 *
 * A job is written in the transaction that needs it. A worker claims it with a lease, renews the lease while it works,
 * and ends it as done, queued again or dead. When a worker dies, its lease runs out, or a process that knows of the
 * death ends it. The next worker claims the job with a higher `fence`, and from then on no write of the first one is
 * accepted. Of jobs with one `key` only one runs at a time: the unique index on running jobs decides, not a lock. All
 * times are the database's own (`$$NOW`), so that the clocks of the instances do not matter.
 */
export const LEASE_MS = 30_000;

/** A worker works for every account; its writes for one carry that account's id. */
export const WORKER = { acrossAccounts: 'jobs' } as const;

export type NewJob<Name extends JobName> = {
  /** The job gets a new id by default. */
  id?: string;
  name: Name;
  payload: JobPayload<Name>;
  accountId: string;
  /** Two jobs with the same key never run at once; by default every job has a key of its own. */
  key?: string;
  /** No job is written while another with this key is queued or runs. */
  dedupeKey?: string;
  /** The delay before it is due, by the database's clock. */
  delayMs?: number;
  maxAttempts?: number;
};

/** A job as its holder knows it: every write of the holder names `id` and `fence`. */
export type ClaimedJob = {
  id: string;
  name: string;
  payload: unknown;
  accountId: string;
  key: string;
  attempt: number;
  maxAttempts: number;
  /** The handler counts in it; it is kept when the job goes back to the queue. */
  waits: JobWaits;
  /** True once the job has stepped aside: from then on it waits for others, in a lane of its own (lanes.ts). */
  isAside: boolean;
  /** True when its last holder left it without a word. */
  isTakenOver: boolean;
  fence: number;
};
export type JobLease = Pick<ClaimedJob, 'id' | 'fence'>;
type Returned = JobLease & Pick<ClaimedJob, 'waits' | 'isAside'>;

/** Writes a job inside the caller's transaction: no job without the change, no change without the job. */
export async function enqueueJob<Name extends JobName>(session: ClientSession, job: NewJob<Name>): Promise<void> {
  if (job.dedupeKey !== undefined && (await isOpen(session, job.dedupeKey))) return;
  const id = job.id ?? newId();
  const fields = {
    name: job.name,
    payload: { $literal: JOB_PAYLOADS[job.name].parse(job.payload) },
    accountId: job.accountId,
    key: job.key ?? id,
    dedupeKey: job.dedupeKey ?? null,
    status: 'queued',
    runAt: fromNow(job.delayMs ?? 0),
    attempt: 0,
    maxAttempts: job.maxAttempts ?? MAX_ATTEMPTS,
    fence: 0,
    leaseUntil: null,
    worker: null,
    lastError: null,
    finishedAt: null,
    createdAt: '$$NOW',
  };
  // Only an update can name the server's clock, so the insert is an upsert.
  const filter = { _id: id, accountId: job.accountId };
  await JobModel.updateOne(filter, [{ $set: fields }], { session, upsert: true, updatePipeline: true });
}

/**
 * Makes the queued job of the same key due now, or writes one if there is none, since a running job may be past the
 * point that matters. However often this is called, only one more job waits.
 */
export async function expediteJob<Name extends JobName>(
  session: ClientSession,
  job: NewJob<Name> & { key: string },
): Promise<void> {
  const { name, accountId, key } = job;
  const payload = JOB_PAYLOADS[name].parse(job.payload);
  const runAt = { $min: ['$runAt', '$$NOW'] };
  const isAside = { $in: [null, true] as const };
  const waiting = { name, accountId, key, payload, isAside, status: 'queued' as const };
  const options = { session, updatePipeline: true, hint: 'queued_turns' };
  const { matchedCount } = await JobModel.updateOne(waiting, [{ $set: { runAt } }], options);
  if (matchedCount === 0) await enqueueJob(session, job);
}

/**
 * Returns whether a job of this key is queued or runs. A second writer of the same key conflicts with the first and
 * runs again, so the answer is exact.
 */
async function isOpen(session: ClientSession, dedupeKey: string): Promise<boolean> {
  // The planner uses the partial index only when the filter repeats its whole expression, including the type.
  const filter = {
    dedupeKey: { $eq: dedupeKey, $type: 'string' as const },
    status: { $in: ['queued', 'running'] as const },
  };
  // When neither side finds anything, the planner takes the index of queued jobs and reads all of it.
  const found = JobModel.exists(filter).setOptions(WORKER).hint('one_open_a_dedupe_key').session(session);
  return (await found) !== null;
}

const WAITING_MAX = 20;
type JobKind = { name: string; isAside: boolean };
const KIND = { name: 1, isAside: { $eq: ['$isAside', true] } };

/** Returns the jobs of any lane that wait until no job of this key runs. */
export async function waitingFor(key: string): Promise<JobKind[]> {
  return JobModel.find({ key, status: 'queued', $expr: { $lte: ['$runAt', '$$NOW'] } })
    .select(KIND)
    .limit(WAITING_MAX)
    .setOptions({ ...WORKER, hint: 'queued_of_a_key' })
    .lean<JobKind[]>();
}

/** Returns the jobs that are due, and those whose lease ran out. */
export async function dueJobs(): Promise<JobKind[]> {
  const look = (status: 'queued' | 'running', at: string, hint: string) =>
    JobModel.find({ status, $expr: { $lte: [at, '$$NOW'] } })
      .select(KIND)
      .setOptions({ ...WORKER, hint })
      .lean<JobKind[]>();
  const due = [look('queued', '$runAt', 'queued_turns'), look('running', '$leaseUntil', 'status_lease')];
  return (await Promise.all(due)).flat();
}

export function fromNow(ms: number) {
  return { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount: Math.round(ms) } };
}

/** Renews the lease; returns false when another worker holds the job or it is over. */
export async function renewLease(lease: JobLease): Promise<boolean> {
  return write(lease, { leaseUntil: fromNow(LEASE_MS) });
}

/**
 * Runs `work` in a transaction whose first operation is a write under the fence. A holder that has lost its lease
 * fails with `lease_lost`; one that loses it meanwhile conflicts, and fails in the same way when it runs again.
 */
export async function fencedTransaction<T>(lease: JobLease, work: (session: ClientSession) => Promise<T>): Promise<T> {
  return transaction(async (session) => {
    if (!(await write(lease, { leaseUntil: fromNow(LEASE_MS) }, session))) throw leaseLost();
    return work(session);
  });
}

/** Returns `lease_lost`: the caller stops and leaves the work to the new holder. */
export function leaseLost(): AppError {
  return new AppError('lease_lost', 'Another worker has taken this over.');
}

const GIVEN_BACK = { ...HELD, leaseUntil: null, worker: null };

/**
 * Marks the job as done. Returns false when the lease was lost: the new holder then finds the work done and ends it.
 */
export async function finishJob(lease: JobLease): Promise<boolean> {
  return write(lease, { ...GIVEN_BACK, status: 'done', finishedAt: '$$NOW', lastError: null });
}

/** Puts a job back to be tried again after `delayMs`; with `attempt: 0` it has all its attempts again. */
export async function retryJob(
  lease: Returned,
  error: string,
  delayMs: number,
  { attempt }: { attempt?: number } = {},
): Promise<boolean> {
  const lastError = { $literal: error };
  const fields = { status: 'queued', runAt: fromNow(delayMs), lastError };
  return write(lease, { ...GIVEN_BACK, ...fields, ...waitFieldsOf(lease), ...(attempt !== undefined && { attempt }) });
}

/**
 * Makes the job a dead letter, which operators see (`fairlead jobs`). `work` records the failure in the same
 * transaction.
 */
export async function deadLetterJob(
  lease: JobLease,
  error: string,
  work?: (session: ClientSession) => Promise<void>,
): Promise<void> {
  await fencedTransaction(lease, async (session) => {
    await work?.(session);
    const lastError = { $literal: error };
    await write(lease, { ...GIVEN_BACK, status: 'dead', finishedAt: '$$NOW', lastError }, session);
  });
}

/** Gives the job back untouched, at shutdown or to return after `delayMs`: the attempt does not count. */
export async function requeueJob(lease: Returned, delayMs = 0): Promise<boolean> {
  const attempt = { $subtract: ['$attempt', 1] };
  return write(lease, { ...GIVEN_BACK, status: 'queued', runAt: fromNow(delayMs), attempt, ...waitFieldsOf(lease) });
}

function waitFieldsOf({ waits: { of, count }, isAside }: Returned) {
  return { waits: count, waitsOf: { $literal: of }, isAside: isAside || null };
}

/** Returns the leases of a worker, and of its children, which die with it (`{worker}.{number}`). */
export async function leasesOf(worker: string): Promise<JobLease[]> {
  // Matches everything that begins with the name and a dot: the slash is the character after the dot.
  const children = { worker: { $gte: `${worker}.`, $lt: `${worker}/` } };
  const filter = { status: 'running' as const, $or: [{ worker }, children] };
  const docs = await JobModel.find(filter, { fence: 1 }).setOptions(WORKER).lean();
  return docs.map(({ _id: id, fence }) => ({ id, fence }));
}

/**
 * Ends the lease of a dead holder, so that the job can be claimed at once; returns false when another worker holds it
 * by now. The attempt counts: the job may be what killed its holder.
 */
export async function endLease(lease: JobLease): Promise<boolean> {
  return write(lease, { leaseUntil: fromNow(-1) });
}

async function write(lease: JobLease, fields: Record<string, unknown>, session?: ClientSession): Promise<boolean> {
  const filter = { _id: lease.id, fence: lease.fence, status: 'running' as const };
  const options = { updatePipeline: true, ...(session !== undefined && { session }) };
  const { matchedCount } = await JobModel.updateOne(filter, [{ $set: fields }], options).setOptions(WORKER);
  return matchedCount === 1;
}
