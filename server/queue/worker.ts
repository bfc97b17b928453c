import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Providers } from '../context.ts';
import { newId } from '../database/mongo.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { AppError, JobDeferred } from '../lib/errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { claimJob } from './claim.ts';
import { backoffMs, errorText, isFinal, retryDelayMs } from './failure.ts';
import type { JobHandler, JobHandlers, RunningJob } from './handler.ts';
import { LANES, namesOf, standsAside } from './lanes.ts';
import { holdLease } from './lease.ts';
import { JOB_PAYLOADS, type JobName, type JobPayload } from './payloads.ts';
import {
  type ClaimedJob,
  deadLetterJob,
  dueJobs,
  fencedTransaction,
  finishJob,
  requeueJob,
  retryJob,
  waitingFor,
} from './queue.ts';
import { sleep, takes, type WorkerLane, wakeLanes, wakeLater, wakeOne } from './sleepers.ts';

/** Polling is enough by itself; the change feed only makes it quick. */
const POLL_MS = 5_000;
/** The pause after a failed claim: the database is away or stepping down. */
const TROUBLE_PAUSE_MS = 1_000;
/** At shutdown, jobs have this long to reach a point from which they can go on. */
const STOP_GRACE_MS = 20_000;

export type WorkerOptions = {
  /** Marks the jobs that it holds; made up when absent. */
  name?: string;
  handlers: JobHandlers;
  pollMs?: number;
  /** The number of loops of each lane; as in LANES by default. */
  loops?: number;
};

export type Worker = {
  start(): Promise<void>;
  /**
   * Returns the time since the queue answered one of the loops, or a running job kept its lease; `/api/ready` checks
   * it.
   */
  silentMs(): number;
  /** Claims no more, tells running jobs to stop, and gives back those that do not end in time. */
  stop(): Promise<void>;
  /** Runs due jobs, and the jobs that they enqueue, until none is left: for tests. */
  drain(): Promise<void>;
};

/** Creates a worker that runs jobs of the queue: several loops a lane, each claiming and running one at a time. */
export function createWorker(providers: Providers, options: WorkerOptions): Worker {
  const { handlers } = options;
  const id = options.name ?? `worker-${newId()}`;
  const stopping = createStopping();
  const running = new Set<ClaimedJob>();
  let loops: Promise<void>[] = [];
  let stopWaking = (): void => undefined;
  let aliveAt = performance.now();
  const onAlive = (): void => {
    aliveAt = performance.now();
  };
  const lanes = lanesOf(handlers);

  const runOne = async (lane: WorkerLane): Promise<boolean> => {
    const claimed = await claimInTurn(id, lane);
    onAlive();
    if (claimed === null) return false;
    // There may be more jobs: a woken loop looks, and wakes the next in turn.
    wakeOne(lane);
    running.add(claimed);
    try {
      const wakeIn = (ms: number): void => wakeLater(lanes.find((one) => takes(one, claimed)) ?? lane, ms);
      await runJob({ providers, handlers, stopping: stopping.signal, onAlive, wakeIn }, claimed);
    } finally {
      running.delete(claimed);
    }
    const waiting = claimed.key === claimed.id ? [] : await waitingFor(claimed.key);
    for (const other of lanes) if (waiting.some((job) => takes(other, job))) wakeOne(other);
    return true;
  };

  const loop = async (lane: WorkerLane): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        if (!(await runOne(lane)) && !lane.isCalled) await sleep(lane.sleepers, stopping.signal);
      } catch (error) {
        providers.log.warn('The job queue cannot be read.', { error: errorText(error) });
        await wait(TROUBLE_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };

  return {
    async start() {
      stopWaking = wakeLanes(providers.changes, lanes, options.pollMs ?? POLL_MS);
      loops = lanes.flatMap((lane) => {
        return Array.from({ length: options.loops ?? lane.loops }, () => loop(lane));
      });
    },
    silentMs: () => performance.now() - aliveAt,
    async stop() {
      stopWaking();
      stopping.abort(new AppError('shutting_down', 'Fairlead is stopping.'));
      await withTimeout(Promise.all(loops), STOP_GRACE_MS, () => undefined);
      // A job that reached no safe point in time loses its lease: from here on the fence refuses its writes.
      await Promise.all([...running].map((claimed) => requeueJob(claimed)));
    },
    drain: () => drainLanes(lanes, runOne, onAlive),
  };
}

function lanesOf(handlers: JobHandlers): WorkerLane[] {
  return Object.entries(LANES)
    .map(([name, lane]) => ({
      ...lane,
      names: namesOf(lane.asideOf ?? name, Object.keys(handlers)),
      isAside: lane.asideOf !== undefined,
      after: '',
      claiming: Promise.resolve(),
      sleepers: new Set<() => void>(),
      isCalled: false,
    }))
    .filter(({ names }) => names.length > 0);
}

/**
 * Makes one claim of a lane at a time: the next one sees the jobs of this account that run, and continues after it.
 */
function claimInTurn(id: string, lane: WorkerLane): Promise<ClaimedJob | null> {
  const claiming = lane.claiming.then(() => {
    lane.isCalled = false;
    return claimJob(id, lane.names, lane);
  });
  lane.claiming = claiming.then(
    (claimed) => {
      // Where nobody waits, the next turn is anybody's.
      lane.after = claimed?.accountId ?? '';
    },
    () => undefined,
  );
  return claiming;
}

/**
 * Claims one job in each lane that has something due, and repeats: an empty claim costs several commands of the
 * database.
 */
async function drainLanes(
  lanes: readonly WorkerLane[],
  runOne: (lane: WorkerLane) => Promise<boolean>,
  onAlive: () => void,
): Promise<void> {
  for (let hasRun = true; hasRun; ) {
    hasRun = false;
    const due = await dueJobs();
    onAlive();
    const waiting = lanes.filter((lane) => due.some((job) => takes(lane, job)));
    for (const lane of waiting) if (await runOne(lane)) hasRun = true;
  }
}

/** Creates the signal that all loops wait for: Node warns of a leak from the eleventh listener on. */
function createStopping(): AbortController {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  return stopping;
}

type WorkerContext = {
  providers: Providers;
  handlers: JobHandlers;
  stopping: AbortSignal;
  onAlive(): void;
  /** Makes the lane look again after `ms`. */
  wakeIn(ms: number): void;
};

/** Runs one claimed job to its end, whatever that is; throws only when the database is away. */
async function runJob(context: WorkerContext, claimed: ClaimedJob): Promise<void> {
  const job = parseJob(context, claimed);
  if (job === null) return deadLetterJob(claimed, 'This version cannot read the payload of this job.');
  const { run, lease } = job;
  // After five crashes of the process in a row the job ends or pauses here: it was claimed once more than it may run.
  const crashesMore = claimed.isTakenOver ? claimed.attempt - claimed.maxAttempts : 0;
  if (crashesMore > 0) {
    lease.release();
    const error = new AppError('internal', 'This was interrupted too often.', { hint: 'Try again.' });
    return job.deadLetter(error, { delayMs: backoffMs(crashesMore), attempt: claimed.attempt - 1 });
  }
  try {
    await run();
    lease.release();
    await finishJob(claimed);
  } catch (error) {
    lease.release();
    await endFailedRun(context, claimed, lease.signal.aborted ? lease.signal.reason : error, job.deadLetter);
  }
}

/** Decides once whether a job that threw is given back, tried again or made a dead letter. */
async function endFailedRun(
  { providers, wakeIn }: Pick<WorkerContext, 'providers' | 'wakeIn'>,
  claimed: ClaimedJob,
  error: unknown,
  deadLetter: (error: unknown) => Promise<void>,
): Promise<void> {
  const code = error instanceof AppError ? error.code : 'internal';
  // Another worker holds it: nothing more is written.
  if (code === 'lease_lost') return;
  if (code === 'shutting_down') return void (await requeueJob(claimed));
  if (error instanceof JobDeferred) {
    claimed.isAside = isJobName(claimed.name) && standsAside(claimed.name);
    await requeueJob(claimed, error.delayMs);
    return wakeIn(error.delayMs);
  }
  if (isFinal(error) || claimed.attempt >= claimed.maxAttempts) return deadLetter(error);
  providers.log.warn('A job failed and is tried again.', failureFields(claimed, error));
  await retryJob(claimed, errorText(error), retryDelayMs(error, claimed.attempt));
}

function failureFields({ name, id, attempt }: ClaimedJob, error: unknown) {
  const code = error instanceof AppError ? error.code : 'internal';
  return { job: name, jobId: id, attempt, code, error: errorText(error) };
}

type PreparedJob = {
  lease: ReturnType<typeof holdLease>;
  run(): Promise<void>;
  /** Makes the job a dead letter; one that `neverGivesUp` is tried again, by default as new after an hour. */
  deadLetter(error: unknown, again?: { delayMs: number; attempt: number }): Promise<void>;
};

/** Joins handler, payload and lease; returns null when the payload does not match the handler's schema. */
function parseJob(context: WorkerContext, claimed: ClaimedJob): PreparedJob | null {
  return isJobName(claimed.name) ? prepareJob(context, context.handlers[claimed.name], claimed.name, claimed) : null;
}

function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOB_PAYLOADS, name);
}

/** The assertion holds since `JobPayload<Name>` is the type of the schema under that very name. */
function parsePayload<Name extends JobName>(name: Name, payload: unknown): JobPayload<Name> | null {
  const parsed = JOB_PAYLOADS[name].safeParse(payload);
  return parsed.success ? (parsed.data as JobPayload<Name>) : null;
}

/** One after the other: each writes the job's own row first, so that of two at once one would have to run again. */
function inTurn(transaction: RunningJob['transaction']): RunningJob['transaction'] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(() => transaction(work));
    last = next.catch(() => undefined);
    return next;
  };
}

function prepareJob<Name extends JobName>(
  { providers, stopping, onAlive }: WorkerContext,
  handler: JobHandler<Name> | undefined,
  name: Name,
  claimed: ClaimedJob,
): PreparedJob | null {
  const payload = parsePayload(name, claimed.payload);
  if (payload === null || handler === undefined) return null;
  const lease = holdLease(claimed, stopping, providers.log, { onConfirmed: onAlive });
  const job: RunningJob<Name> = {
    id: claimed.id,
    name,
    payload,
    accountId: claimed.accountId,
    attempt: claimed.attempt,
    maxAttempts: claimed.maxAttempts,
    waits: claimed.waits,
    isAside: claimed.isAside,
    signal: lease.signal,
    providers,
    transaction: inTurn((work) => fencedTransaction(claimed, work)),
  };
  return {
    lease,
    run: () => handler.run(job),
    async deadLetter(error, again = { delayMs: HOUR_MS, attempt: 0 }) {
      const fields = failureFields(claimed, error);
      if (handler.neverGivesUp === true) {
        const when = again.attempt === 0 ? 'in an hour' : 'after a pause';
        providers.log.warn(`A job failed and is tried again ${when}.`, fields);
        return void (await retryJob(claimed, fields.error, again.delayMs, again));
      }
      providers.log.error('A job was given up.', fields);
      await deadLetterJob(claimed, fields.error, async (session) => handler.onDeadLetter?.(session, job, error));
    },
  };
}
