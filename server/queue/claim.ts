import { type JobDoc, JobModel } from '../database/models/job.ts';
import { isDuplicateKey } from '../database/mongo.ts';
import { HELD, WAS_HELD_LATELY } from './held.ts';
import { accountsAbove } from './lanes.ts';
import { type ClaimedJob, fromNow, LEASE_MS, WORKER } from './queue.ts';

/** Accounts that have held slots for less than the first level come first, then those below the next. */
const LEVELS_MS = [5_000, 20_000, 80_000, Number.POSITIVE_INFINITY] as const;

export type ClaimOptions = {
  /** The account that was served last: the turn continues after it. */
  after?: string;
  /** The number of jobs of these names that one account may have running; jobs without an account have no limit. */
  perAccount?: number;
  /** While nobody else waits, one account may have more, until this many run in all. */
  whenAlone?: number;
  /** Takes only jobs that have stepped aside; by default, only jobs that have not. */
  isAside?: boolean;
};

/**
 * Takes a job that is due and marks it as running by `worker`; returns null when none is. A job whose lease ran out
 * comes first: its key blocks all others of that key. Next come accounts that have used little time lately: an account
 * that has its few jobs last is served no more than one with many short ones. Equal accounts take turns in the order
 * of their ids, and within one account the job that is due longest comes first: however many jobs an account has,
 * every other account is served once before it is again.
 */
export async function claimJob(
  worker: string,
  names: readonly string[],
  { after = '', perAccount = Number.POSITIVE_INFINITY, whenAlone = 0, isAside = false }: ClaimOptions = {},
): Promise<ClaimedJob | null> {
  const lane: LaneFilter = { name: { $in: [...names] }, isAside: isAside || null };
  const [inAll, isDue] = await Promise.all([findRunning(lane), isAnyDue(lane)]);
  const running = inAll.filter((job) => job.isAside === isAside);
  const abandoned = running.some(({ isAbandoned }) => isAbandoned) && (await claimAbandoned(worker, lane));
  if (abandoned) return abandoned;
  if (!isDue) return null;
  const used = [...inAll, ...(await findHeld(lane))];
  const claimBut = async ($nin: readonly string[]) =>
    (await claimQueued(worker, { ...lane, accountId: { $gt: after, $nin } })) ??
    (after === '' ? null : claimQueued(worker, { ...lane, accountId: { $lte: after, $nin } }));
  const busy = accountsAbove(running, perAccount - 1, () => 1);
  for (const levelMs of LEVELS_MS) {
    const behind = accountsAbove(used, levelMs, ({ heldMs }) => heldMs);
    const claimed = await claimBut([...busy, ...behind]);
    if (claimed !== null) return claimed;
    if (behind.length === 0) break;
  }
  return busy.length > 0 && running.length < whenAlone ? claimBut([]) : null;
}

type LaneFilter = { name: { $in: string[] }; isAside: true | null };
type Held = { accountId: string; heldMs: number };
type Running = Held & { isAside: boolean; isAbandoned: boolean };

/** Returns the running jobs of these names, aside or not, with the time that each has held its slot. */
function findRunning({ name }: LaneFilter): Promise<Running[]> {
  return JobModel.find({ status: 'running', name })
    .select({
      accountId: 1,
      isAside: { $eq: ['$isAside', true] },
      isAbandoned: { $lt: ['$leaseUntil', '$$NOW'] },
      heldMs: HELD.heldMs,
    })
    .setOptions(WORKER)
    .lean<Running[]>();
}

/** Most claims are in vain, and need not know who has used how much. */
async function isAnyDue(lane: LaneFilter): Promise<boolean> {
  const due = { ...lane, status: 'queued' as const, $expr: { $lte: ['$runAt', '$$NOW'] } };
  return (await JobModel.exists(due).setOptions(WORKER).hint('queued_turns')) !== null;
}

/** A busy lane has thousands of jobs within minutes: this many of those that held a slot lately are enough. */
const NOTED_MAX = 500;

/** Adds up the jobs that do not run now, from the index alone: a claim reads no finished job. */
function findHeld({ name }: LaneFilter): Promise<Held[]> {
  return JobModel.aggregate<Held>([
    { $match: { name, heldAt: { $type: 'date' }, status: { $in: ['queued', 'done', 'dead'] } } },
    { $sort: { heldAt: -1 } },
    { $limit: NOTED_MAX },
    { $project: { _id: 0, accountId: 1, heldAt: 1, heldMs: 1 } },
    { $match: { $expr: WAS_HELD_LATELY } },
    { $group: { _id: '$accountId', heldMs: { $sum: '$heldMs' } } },
    { $project: { _id: 0, accountId: '$_id', heldMs: 1 } },
  ]).hint('held_lately');
}

async function claimAbandoned(worker: string, lane: LaneFilter): Promise<ClaimedJob | null> {
  const doc = await JobModel.findOneAndUpdate(
    { status: 'running', $expr: { $lt: ['$leaseUntil', '$$NOW'] }, ...lane },
    claim(worker),
    { sort: { leaseUntil: 1 }, returnDocument: 'after', updatePipeline: true },
  ).setOptions(WORKER);
  return doc === null ? null : { ...toClaimedJob(doc), isTakenOver: true };
}

async function claimQueued(worker: string, filter: Record<string, unknown>): Promise<ClaimedJob | null> {
  const busyKeys: string[] = [];
  for (;;) {
    try {
      const doc = await JobModel.findOneAndUpdate(
        { status: 'queued', ...filter, $expr: { $lte: ['$runAt', '$$NOW'] }, key: { $nin: busyKeys } },
        claim(worker),
        { sort: { accountId: 1, runAt: 1 }, hint: 'queued_turns', returnDocument: 'after', updatePipeline: true },
      ).setOptions(WORKER);
      return doc === null ? null : toClaimedJob(doc);
    } catch (error) {
      const key = duplicateKeyOf(error);
      if (key === null || busyKeys.includes(key)) throw error;
      busyKeys.push(key);
    }
  }
}

function claim(worker: string) {
  return [
    {
      $set: {
        ...HELD,
        claimedAt: '$$NOW',
        status: 'running',
        worker,
        leaseUntil: fromNow(LEASE_MS),
        fence: { $add: ['$fence', 1] },
        attempt: { $add: ['$attempt', 1] },
      },
    },
  ];
}

/** Returns the key that already runs, if that is the error. */
function duplicateKeyOf(error: unknown): string | null {
  if (!isDuplicateKey(error, 'key') || !(error instanceof Error && 'keyValue' in error)) return null;
  const { keyValue } = error;
  if (typeof keyValue !== 'object' || keyValue === null || !('key' in keyValue)) return null;
  return typeof keyValue.key === 'string' ? keyValue.key : null;
}

function toClaimedJob(doc: JobDoc): ClaimedJob {
  const { _id: id, name, payload, accountId, key, attempt, maxAttempts, waits: count, waitsOf: of, fence } = doc;
  const waits = { of: of ?? null, count };
  const isAside = doc.isAside === true;
  return { id, name, payload, accountId, key, attempt, maxAttempts, waits, isAside, isTakenOver: false, fence };
}
