import type { ClientSession } from 'mongoose';
import type { LogLine } from '../../routers/schemas/events.ts';
import { PROGRESS_INTERVAL_MS } from '../../routers/schemas/limits.ts';
import type { ReleaseState } from '../../routers/schemas/state-names.ts';
import { RELEASE_STEPS, type ReleaseStepName } from '../../routers/schemas/states.ts';
import { PublicationModel, type PublicationRow, STEP_LOG_LINES } from '../database/models/publishing/publication.ts';
import { ReleaseModel, type ReleaseRow } from '../database/models/publishing/release.ts';
import { moveRelease } from '../database/move-state.ts';
import { AppError, JobDeferred } from '../lib/errors.ts';
import { isFinal } from './failure.ts';
import type { RunningJob, StepProgress, StepReport } from './handler.ts';

/** A line of the log is for a person: longer ones are cut. */
const LINE_MAX = 500;

/** The states from which each step begins. */
const BEGINS_FROM = {
  preparing: ['queued'],
  uploading: ['preparing'],
  processing: ['uploading'],
  verifying: ['processing'],
} as const satisfies Record<ReleaseStepName, readonly ReleaseState[]>;

/** A release at one of its destinations; `isPrimary` where it makes the state of the release. */
export type StepOf = {
  release: Pick<ReleaseRow, '_id'>;
  /** The publication as it was when this run of the job began. */
  published: Pick<PublicationRow, '_id' | 'steps' | 'wasLive' | 'startedAt'>;
  isPrimary: boolean;
};
type StepKey = { _id: string; accountId: string; name: ReleaseStepName };

/**
 * Runs one step of a publication: writes it and, at the primary destination, the release's state together, lets `work`
 * report progress and log lines, and ends the step. A step that is already done is skipped, so that a handler which runs
 * again continues where the last run ended; false is returned then. When `work` throws, its reports are written and the
 * error goes on: the handler decides what becomes of the publication.
 *
 * Throws `state_changed` when this step begins no more: the release was cancelled, or its destination taken away.
 */
export async function runStep(
  job: RunningJob,
  of: StepOf,
  name: ReleaseStepName,
  work: (step: StepReport) => Promise<void>,
): Promise<boolean> {
  const step = { _id: of.published._id, accountId: job.accountId, name };
  const begun = await beginStep(job, of, step);
  if (begun === null) return false;
  await job.providers.faults?.at(`${name}:start`);
  const report = createReport(job, step, begun);
  try {
    await work(report.step);
  } catch (error) {
    // The lease may be what failed: this process may then write nothing.
    await writeFailure(job, step, report, error).catch(() => undefined);
    throw error;
  }
  await report.stop();
  // Taken before: the transaction runs again when something gets in its way.
  const rest = report.take();
  await job.transaction(async (session) => {
    const endedAt = job.providers.now();
    const ledTo = await report.end(session, endedAt);
    await writeReport(session, step, rest, { state: 'done', endedAt }, ledTo);
  });
  await job.providers.faults?.at(`${name}:end`);
  return true;
}

/**
 * Writes the step's reports before it broke off, and a sentence for a person about what comes next, if something does.
 */
async function writeFailure(job: RunningJob, step: StepKey, report: Report, error: unknown): Promise<void> {
  const isWaiting = error instanceof JobDeferred;
  const isTriedAgain = !isWaiting && !isFinal(error) && job.attempt < job.maxAttempts && !job.signal.aborted;
  if (isTriedAgain && error instanceof AppError) {
    const when = error.retryAfterMs === undefined ? 'shortly' : `in ${Math.ceil(error.retryAfterMs / 1_000)} s`;
    report.step.log(`${error.message} Trying again ${when}.`);
  }
  await report.flush();
  if (isWaiting) {
    await job.transaction((session) => writeReport(session, step, NOTHING, { isWaiting }));
  }
}

type Begun = { startedAt: Date; lastLine: string | null };

/** Begins the step; returns null when it is already done. */
async function beginStep(job: RunningJob, of: StepOf, { _id, accountId, name }: StepKey): Promise<Begun | null> {
  const own = { _id, accountId };
  // A release that returns again and again to wait for its platform passes finished steps without a transaction.
  if (of.published.steps[name].state === 'done') return null;
  return job.transaction(async (session) => {
    const at = job.providers.now();
    // A rollback is this one step, and began when it was asked for.
    const startedAt = (of.published.wasLive && of.published.startedAt) || at;
    // A step is mostly begun once: then this one command reads it as well.
    const begun = await PublicationModel.findOneAndUpdate(
      { ...own, [`steps.${name}.state`]: 'waiting' },
      { $set: fieldsAt(`steps.${name}`, begins(startedAt)) },
      { session },
    ).lean();
    const publication = begun ?? (await PublicationModel.findOne(own).session(session).lean());
    if (publication === null) throw new Error(`There is no publication ${_id}.`);
    const step = publication.steps[name];
    if (step.state === 'done') return null;
    if (of.isPrimary) await moveToStep(session, { ...own, _id: of.release._id }, name, at);
    else if (publication.state !== 'publishing' && publication.state !== 'waiting') throw overBeforeStep();
    if (begun !== null) return { startedAt, lastLine: step.log.at(-1)?.text ?? null };
    return continueStep(session, { ...own, name }, step, at);
  });
}

const begins = (at: Date) => ({ state: 'running', startedAt: at, isWaiting: false });

/** Goes on with a step that an earlier run has begun. */
async function continueStep(
  session: ClientSession,
  key: StepKey,
  step: PublicationRow['steps'][ReleaseStepName],
  at: Date,
): Promise<Begun> {
  const isRunning = step.state === 'running';
  const line = { at, text: 'Continued after an interruption' };
  const isInterrupted = isRunning && !step.isWaiting;
  const report = { progress: {}, lines: isInterrupted ? [line] : [] };
  await writeReport(session, key, report, isRunning ? { isWaiting: false } : begins(at));
  const startedAt = isRunning ? (step.startedAt ?? at) : at;
  return { startedAt, lastLine: (isInterrupted ? line : step.log.at(-1))?.text ?? null };
}

/** A roll back stays in the state that it begins with: what has to be sent anew for it is no step of the release. */
async function moveToStep(
  session: ClientSession,
  own: { _id: string; accountId: string },
  name: ReleaseStepName,
  at: Date,
): Promise<void> {
  const { _id: id, accountId } = own;
  const set = name === RELEASE_STEPS[0] ? { startedAt: at } : {};
  const moved = await moveRelease(session, { id, accountId, from: BEGINS_FROM[name], to: name, set });
  if (moved !== null) return;
  const doc = await ReleaseModel.findOne(own, { state: 1, verifiedAt: 1 }).session(session).lean();
  // After a crash, and at the start of a rollback, the release is already in the step's state.
  const isThere = doc?.state === name || (doc?.state === 'verifying' && doc.verifiedAt instanceof Date);
  if (!isThere) throw overBeforeStep();
}

function overBeforeStep(): AppError {
  return new AppError('state_changed', 'This release is no longer being published.');
}

type Pending = { progress: Partial<StepProgress>; lines: LogLine[] };
const NOTHING: Pending = { progress: {}, lines: [] };
type StepEnd = Parameters<StepReport['atEnd']>[0];
type Report = {
  step: StepReport;
  end: StepEnd;
  flush(): Promise<void>;
  stop(): Promise<void>;
  take(): Pending;
};

/**
 * Collects a step's reports and writes them at most every 250 ms, one write at a time. A line that repeats the last
 * one is left out.
 */
function createReport(job: RunningJob, step: StepKey, { lastLine, startedAt }: Begun): Report {
  let last = lastLine;
  let pending: Pending = { progress: {}, lines: [] };
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let end: StepEnd = async () => undefined;
  // Most steps are over within the interval, and need no write but the one at their end.
  let writtenAt = performance.now();

  const take = (): Pending => {
    const taken = pending;
    pending = { progress: {}, lines: [] };
    return taken;
  };
  const stop = async (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    await writing;
  };
  const flush = async (): Promise<void> => {
    await stop();
    const taken = take();
    if (Object.keys(taken.progress).length === 0 && taken.lines.length === 0) return;
    writtenAt = performance.now();
    await job.transaction((session) => writeReport(session, step, taken));
  };
  const soon = (): void => {
    if (timer !== null) return;
    const dueInMs = Math.max(0, writtenAt + PROGRESS_INTERVAL_MS - performance.now());
    // A write that fails here shows again at the end of the step, which cannot be written either.
    timer = setTimeout(() => {
      writing = flush().catch((error) => logUnwritten(job, error));
    }, dueInMs);
  };
  return {
    step: {
      startedAt,
      progress: (progress) => {
        pending.progress = { ...pending.progress, ...progress };
        soon();
      },
      log: (line) => {
        const text = line.slice(0, LINE_MAX);
        if (text === last) return;
        last = text;
        pending.lines.push({ at: job.providers.now(), text });
        if (pending.lines.length > STEP_LOG_LINES) pending.lines.shift();
        soon();
      },
      atEnd: (write) => {
        end = write;
      },
    },
    end: (session, at) => end(session, at),
    flush,
    take,
    stop,
  };
}

function logUnwritten({ id: jobId, providers }: RunningJob, error: unknown): void {
  providers.log.warn('Progress was not written.', { jobId, error: String(error) });
}

async function writeReport(
  session: ClientSession,
  { name, ...own }: StepKey,
  { progress, lines }: Pending,
  set: Record<string, unknown> = {},
  ledTo: Partial<PublicationRow> = {},
): Promise<void> {
  const at = `steps.${name}`;
  const fields = { ...fieldsAt(at, { ...progress, ...set }), ...ledTo };
  await PublicationModel.updateOne(
    own,
    {
      ...(Object.keys(fields).length > 0 && { $set: fields }),
      ...(lines.length > 0 && {
        $push: { [`${at}.log`]: { $each: lines, $slice: -STEP_LOG_LINES } },
        $inc: { [`${at}.logCount`]: lines.length },
      }),
    },
    { session },
  );
}

function fieldsAt(path: string, fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${path}.${name}`, value]));
}
