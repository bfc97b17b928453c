import type { ClientSession } from 'mongoose';
import { JobModel } from '../database/models/job.ts';
import { newId, transaction } from '../database/mongo.ts';
import { AppError } from '../lib/errors.ts';
import type { JobWaits } from './handler.ts';
import { HELD } from './held.ts';
import { JOB_PAYLOADS, type JobName, type JobPayload } from './payloads.ts';

/**
 * The queue of background work, on MongoDB.
 *
 * A job is written in the transaction that needs it. A worker claims it with a lease, renews the lease while it works,
 * and ends it as done, queued again or dead. Whoever dies leaves a lease that runs out, or that whoever knows of the
 * death ends; the next worker claims the job with a higher `fence`, and from then on nothing that the first one writes
 * is taken. Of jobs with one `key` one runs at a time: the unique index on running jobs decides, not a lock. All times
 * are the database's own (`$$NOW`), so that the clocks of the instances do not matter.
 */
export const LEASE_MS = 30_000;
export const MAX_ATTEMPTS = 5;

/** A worker works for every account; what it then does for one carries that account. */
export const WORKER = { acrossAccounts: 'jobs' } as const;

export type NewJob<Name extends JobName> = {
  /** The job gets a new id by default. */
  id?: string;
  name: Name;
  payload: JobPayload<Name>;
  accountId: string;
  /** Two jobs of one key never run at once; by default every job has its own. */
  key?: string;
  /** While a job with this key is queued or runs, another one is not written. */
  dedupeKey?: string;
  /** How long from now it waits; by the database's clock. */
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
  /** It has stood aside: from then on it waits for others, in a lane of its own (lanes.ts). */
  isAside: boolean;
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
 * Makes the job due that waits in the queue for the same; writes it where none waits, since one that runs may have looked
 * already. However often something is asked for, one job more waits for it.
 */
export async function hastenJob<Name extends JobName>(
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

/** A second writer of the same key conflicts with the first and runs again, so that looking first is exact. */
async function isOpen(session: ClientSession, dedupeKey: string): Promise<boolean> {
  // The planner looks a key up in the partial index only where the filter repeats all of its expression, the type too.
  const filter = {
    dedupeKey: { $eq: dedupeKey, $type: 'string' as const },
    status: { $in: ['queued', 'running'] as const },
  };
  // With nothing found on either side it takes the index of what is queued, and reads all of that.
  const found = JobModel.exists(filter).setOptions(WORKER).hint('one_open_a_dedupe_key').session(session);
  return (await found) !== null;
}

const WAITING_MAX = 20;

/** Returns jobs that wait until none of this key runs, whichever lane is theirs. */
export async function waitingFor(key: string): Promise<{ name: string; isAside: boolean }[]> {
  return JobModel.find({ key, status: 'queued', $expr: { $lte: ['$runAt', '$$NOW'] } })
    .select({ name: 1, isAside: { $eq: ['$isAside', true] } })
    .limit(WAITING_MAX)
    .setOptions({ ...WORKER, hint: 'queued_of_a_key' })
    .lean<{ name: string; isAside: boolean }[]>();
}

/** Returns the names of the jobs that are due, and of those whose lease ran out. */
export async function dueNames(): Promise<Set<string>> {
  const look = (status: 'queued' | 'running', at: string, hint: string) =>
    JobModel.find({ status, $expr: { $lte: [at, '$$NOW'] } }, 'name -_id', { ...WORKER, hint, lean: true });
  const due = [look('queued', '$runAt', 'queued_turns'), look('running', '$leaseUntil', 'status_lease')];
  return new Set((await Promise.all(due)).flat().map(({ name }) => name));
}

export function fromNow(ms: number) {
  return { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount: Math.round(ms) } };
}

/** Renews the lease; false when somebody else holds the job by now, or it is over. */
export async function renewLease(lease: JobLease): Promise<boolean> {
  return write(lease, { leaseUntil: fromNow(LEASE_MS) });
}

/**
 * Runs `work` in a transaction whose first operation is a write under the fence: a holder that lost its lease fails
 * with `lease_lost`, and one that loses it meanwhile conflicts and fails the same way when it runs again.
 */
export async function fencedTransaction<T>(lease: JobLease, work: (session: ClientSession) => Promise<T>): Promise<T> {
  return transaction(async (session) => {
    if (!(await write(lease, { leaseUntil: fromNow(LEASE_MS) }, session))) throw leaseLost();
    return work(session);
  });
}

/** `lease_lost`: whoever meets it stops, and leaves the work to the new holder. */
export function leaseLost(): AppError {
  return new AppError('lease_lost', 'Another worker has taken this over.');
}

const GIVEN_BACK = { ...HELD, leaseUntil: null, worker: null };

/** The work is done. False when the lease was lost: then the new holder finds it done and ends it. */
export async function finishJob(lease: JobLease): Promise<boolean> {
  return write(lease, { ...GIVEN_BACK, status: 'done', finishedAt: '$$NOW', lastError: null });
}

/** Puts it back to be tried again after `delayMs`; with `attempt: 0` with all its attempts. */
export async function retryJob(
  lease: Returned,
  error: string,
  delayMs: number,
  { attempt }: { attempt?: 0 } = {},
): Promise<boolean> {
  const lastError = { $literal: error };
  const fields = { status: 'queued', runAt: fromNow(delayMs), lastError };
  return write(lease, { ...GIVEN_BACK, ...fields, ...keptOf(lease), ...(attempt !== undefined && { attempt }) });
}

/**
 * Gives up for good; operators see it (`fairlead jobs`). `work` writes what that means for the thing itself, in the same
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

/** Hands it back untouched, at shutdown or to come back after `delayMs`: the attempt does not count. */
export async function requeueJob(lease: Returned, delayMs = 0): Promise<boolean> {
  const attempt = { $subtract: ['$attempt', 1] };
  return write(lease, { ...GIVEN_BACK, status: 'queued', runAt: fromNow(delayMs), attempt, ...keptOf(lease) });
}

function keptOf({ waits: { of, count }, isAside }: Returned) {
  return { waits: count, waitsOf: { $literal: of }, isAside: isAside || null };
}

/** Returns what a worker holds, and the children that die with it (`{worker}.{number}`). */
export async function leasesOf(worker: string): Promise<JobLease[]> {
  // All that begins with the name and a dot: the slash is the character after it.
  const children = { worker: { $gte: `${worker}.`, $lt: `${worker}/` } };
  const filter = { status: 'running' as const, $or: [{ worker }, children] };
  const docs = await JobModel.find(filter, { fence: 1 }).setOptions(WORKER).lean();
  return docs.map(({ _id: id, fence }) => ({ id, fence }));
}

/**
 * Ends the lease of a holder that is known to be dead, so that the job is claimed at once; false when somebody else holds
 * it by now. The attempt counts: it may be what killed its holder.
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
