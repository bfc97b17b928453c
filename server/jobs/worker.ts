import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { newId } from '../mongo.ts';
import type { Providers } from '../service-context.ts';
import { isFinal, isRest, retryDelayMs, sentence } from './failure.ts';
import type { JobHandler, JobHandlers, RunningJob } from './handler.ts';
import { holdLease } from './lease.ts';
import { JOB_PAYLOADS, type JobName, type JobPayload } from './payloads.ts';
import { buryJob, type ClaimedJob, claimJob, fencedTransaction, finishJob, giveBackJob, retryJob } from './queue.ts';
import { jobHandlers } from './registry.ts';

/** Of an instance: several processes share them. */
const LOOPS = 4;
/** Security facts, 7.2: the poll alone must be enough; the change feed only makes it quick. */
const POLL_MS = 5_000;
const POLL_SPREAD = 0.2;
/** After a failed claim: the database is away, or stepping down. */
const TROUBLE_PAUSE_MS = 1_000;
/** Security facts, section 12: jobs get this long to reach a safe point at shutdown. */
const STOP_GRACE_MS = 20_000;

export type WorkerOptions = {
  /** Marks what it holds; one of its own when absent. */
  name?: string;
  handlers?: JobHandlers;
  pollMs?: number;
  loops?: number;
  /** How many processes run a worker like this one. */
  processes?: number;
};

export type Worker = {
  start(): Promise<void>;
  /** How long ago the queue answered one of the loops, or a running job kept its lease: what `/api/ready` looks at. */
  silentMs(): number;
  /** Claims no more, tells running jobs to stop, and gives back what did not end. */
  stop(): Promise<void>;
  /** Runs what is due now, and what that brings about, until nothing is: for tests. */
  drain(): Promise<void>;
};

/** Runs jobs of the queue: several loops, each claiming and running one at a time. */
export function createWorker(providers: Providers, options: WorkerOptions = {}): Worker {
  const handlers = options.handlers ?? jobHandlers;
  const names = Object.keys(handlers);
  const id = options.name ?? `worker-${newId()}`;
  const stopping = new AbortController();
  const sleepers = new Set<() => void>();
  const running = new Set<ClaimedJob>();
  let loops: Promise<void>[] = [];
  let unsubscribe = (): void => undefined;
  let heardAt = performance.now();
  const onHeard = (): void => {
    heardAt = performance.now();
  };

  const runOne = async (): Promise<boolean> => {
    const claimed = await claimJob(id, names);
    onHeard();
    if (claimed === null) return false;
    running.add(claimed);
    try {
      await runJob({ providers, handlers, stopping: stopping.signal, onHeard }, claimed);
    } finally {
      running.delete(claimed);
    }
    return true;
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        if (await runOne()) continue;
        await sleep(spread(options.pollMs ?? POLL_MS), sleepers, stopping.signal);
      } catch (error) {
        providers.log.warn('The job queue cannot be read.', { error: sentence(error) });
        await sleep(TROUBLE_PAUSE_MS, new Set(), stopping.signal);
      }
    }
  };

  const wakeOne = (): void => sleepers.values().next().value?.();
  const wakeAll = (): void => {
    for (const wake of [...sleepers]) wake();
  };

  return {
    async start() {
      unsubscribe = providers.changes.subscribe(['jobs'], {
        onChange: (change) => change.operation === 'insert' && wakeOne(),
        onReopened: wakeAll,
      });
      loops = Array.from({ length: options.loops ?? Math.ceil(LOOPS / (options.processes ?? 1)) }, loop);
    },
    silentMs: () => performance.now() - heardAt,
    async stop() {
      unsubscribe();
      stopping.abort(new AppError('shutting_down', 'Fairlead is stopping.'));
      const grace = new AbortController();
      await Promise.race([Promise.all(loops), wait(STOP_GRACE_MS, undefined, { signal: grace.signal, ref: false })]);
      grace.abort();
      // What reached no safe point in time loses its lease: from here on the fence refuses its writes.
      await Promise.all([...running].map((claimed) => giveBackJob(claimed)));
    },
    async drain() {
      while (await runOne());
    },
  };
}

/** Resolves after `ms`, or when woken, or at the signal. */
function sleep(ms: number, sleepers: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      sleepers.delete(end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    sleepers.add(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

function spread(ms: number): number {
  const range = Math.round(ms * POLL_SPREAD);
  return ms - range + randomInt(0, 2 * range + 1);
}

/** What the jobs of a worker run with. */
type Bench = { providers: Providers; handlers: JobHandlers; stopping: AbortSignal; onHeard(): void };

/** Runs one claimed job to its end, whatever that is; never throws but for a database that is away. */
async function runJob(bench: Bench, claimed: ClaimedJob): Promise<void> {
  const job = parseJob(bench, claimed);
  if (job === null) return buryJob(claimed, 'The payload of this job is not readable by this version.');
  const { run, lease } = job;
  // A crash of the process five times in a row ends here: it was claimed once more than it may run.
  if (claimed.attempt > claimed.maxAttempts) {
    lease.release();
    return job.bury(new AppError('internal', 'This broke off too often.', { hint: 'Try again.' }));
  }
  try {
    await run();
    lease.release();
    await finishJob(claimed);
  } catch (error) {
    lease.release();
    await settle(bench.providers, claimed, lease.signal.aborted ? lease.signal.reason : error, job.bury);
  }
}

/** Decides once what becomes of a job that threw: given back, tried again, dead. */
async function settle(
  providers: Providers,
  claimed: ClaimedJob,
  error: unknown,
  bury: (error: unknown) => Promise<void>,
): Promise<void> {
  const code = error instanceof AppError ? error.code : 'internal';
  // Somebody else holds it: nothing more is written.
  if (code === 'lease_lost') return;
  if (code === 'shutting_down') return void (await giveBackJob(claimed));
  if (isRest(error)) return void (await giveBackJob(claimed, retryDelayMs(error, claimed.attempt)));
  const fields = { job: claimed.name, jobId: claimed.id, attempt: claimed.attempt, code, error: sentence(error) };
  if (isFinal(error) || claimed.attempt >= claimed.maxAttempts) {
    providers.log.error('A job was given up.', fields);
    return bury(error);
  }
  providers.log.warn('A job failed and is tried again.', fields);
  await retryJob(claimed, sentence(error), retryDelayMs(error, claimed.attempt));
}

type PreparedJob = {
  lease: ReturnType<typeof holdLease>;
  run(): Promise<void>;
  bury(error: unknown): Promise<void>;
};

/** Joins handler, payload and lease; null when the payload is not what the handler takes. */
function parseJob(bench: Bench, claimed: ClaimedJob): PreparedJob | null {
  const name = claimed.name;
  return isJobName(name) ? prepareJob(bench, bench.handlers[name], name, claimed) : null;
}

function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOB_PAYLOADS, name);
}

/** The assertion holds since `JobPayload<Name>` is what the schema under that very name parses to. */
function parsePayload<Name extends JobName>(name: Name, payload: unknown): JobPayload<Name> | null {
  const parsed = JOB_PAYLOADS[name].safeParse(payload);
  return parsed.success ? (parsed.data as JobPayload<Name>) : null;
}

function prepareJob<Name extends JobName>(
  { providers, stopping, onHeard }: Bench,
  handler: JobHandler<Name> | undefined,
  name: Name,
  claimed: ClaimedJob,
): PreparedJob | null {
  const payload = parsePayload(name, claimed.payload);
  if (payload === null || handler === undefined) return null;
  const lease = holdLease(claimed, stopping, providers.log, { onConfirmed: onHeard });
  const job: RunningJob<Name> = {
    id: claimed.id,
    name,
    payload,
    accountId: claimed.accountId,
    attempt: claimed.attempt,
    maxAttempts: claimed.maxAttempts,
    signal: lease.signal,
    providers,
    transaction: (work) => fencedTransaction(claimed, work),
  };
  return {
    lease,
    run: () => handler.run(job),
    bury: (error) => buryJob(claimed, sentence(error), async (session) => handler.giveUp?.(session, job, error)),
  };
}
