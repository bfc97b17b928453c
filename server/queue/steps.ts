import type { ClientSession } from 'mongoose';
import type { LogLine } from '../../routers/schemas/events.ts';
import { PROGRESS_INTERVAL_MS } from '../../routers/schemas/limits.ts';
import type { ReleaseState } from '../../routers/schemas/state-names.ts';
import type { ReleaseStepName } from '../../routers/schemas/states.ts';
import { ReleaseModel } from '../database/models/release.ts';
import { ReleaseStepModel, STEP_LOG_LINES } from '../database/models/release-step.ts';
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

export type StepOf = { _id: string };
type StepRow = { _id: string; accountId: string };

/**
 * Runs one step of a release: writes its row and the release's state together, lets `work` report progress and log
 * lines, and ends the row. A step that is already done is skipped, so that a handler which runs again continues where
 * the last run ended. When `work` throws, its reports are written and the error goes on: the handler decides what
 * becomes of the release.
 *
 * Throws `state_changed` when the release is no longer in a state from which this step begins: it was cancelled.
 */
export async function runStep(
  job: RunningJob,
  release: StepOf,
  name: ReleaseStepName,
  work: (step: StepReport) => Promise<void>,
): Promise<void> {
  const row = { _id: stepId(release._id, name), accountId: job.accountId };
  const begun = await beginStep(job, release, name);
  if (begun === null) return;
  await job.providers.faults?.at(`${name}:start`);
  const report = createReport(job, row, begun);
  try {
    await work(report.step);
  } catch (error) {
    // The lease may be what failed: this process may then write nothing.
    await writeFailure(job, row, report, error).catch(() => undefined);
    throw error;
  }
  await report.stop();
  await job.transaction(async (session) => {
    await writeReport(session, row, report.take(), { state: 'done', endedAt: job.providers.now() });
  });
  await job.providers.faults?.at(`${name}:end`);
}

/** Returns the `_id` of a step: a release has one row of each name. */
export function stepId(releaseId: string, name: ReleaseStepName): string {
  return `${releaseId}.${name}`;
}

/**
 * Writes the step's reports before it broke off, and a sentence for a person about what comes next, if something does.
 */
async function writeFailure(job: RunningJob, row: StepRow, report: Report, error: unknown): Promise<void> {
  const isWaiting = error instanceof JobDeferred;
  const isTriedAgain = !isWaiting && !isFinal(error) && job.attempt < job.maxAttempts && !job.signal.aborted;
  if (isTriedAgain && error instanceof AppError) {
    const when = error.retryAfterMs === undefined ? 'shortly' : `in ${Math.ceil(error.retryAfterMs / 1_000)} s`;
    report.step.log(`${error.message} Tried again by itself ${when}.`);
  }
  await report.flush();
  if (isWaiting) {
    await job.transaction((session) => ReleaseStepModel.updateOne(row, { $set: { isWaiting } }, { session }));
  }
}

type Begun = { startedAt: Date; lastLine: string | null };

/** Begins the step; returns null when it is already done. */
async function beginStep(job: RunningJob, release: StepOf, name: ReleaseStepName): Promise<Begun | null> {
  const { accountId } = job;
  // A release that returns again and again to wait for its platform passes finished steps without a transaction.
  if ((await ReleaseStepModel.exists({ _id: stepId(release._id, name), accountId, state: 'done' })) !== null)
    return null;
  return job.transaction(async (session) => {
    const row = await ReleaseStepModel.findOne({ _id: stepId(release._id, name), accountId })
      .slice('log', -1)
      .session(session);
    if (row === null) throw new Error(`Release ${release._id} has no row for ${name}.`);
    if (row.state === 'done') return null;
    const doc = await ReleaseModel.findOne({ _id: release._id, accountId }, { state: 1, startedAt: 1 }).session(
      session,
    );
    const at = job.providers.now();
    // After a crash, and at the start of a rollback, the release is already in the step's state.
    if (doc?.state !== name) {
      const set = { startedAt: doc?.startedAt ?? at };
      const moved = await moveRelease(session, { id: release._id, accountId, from: BEGINS_FROM[name], to: name, set });
      if (moved === null) throw new AppError('state_changed', 'This release is no longer worked on.');
    }
    const line = { at, text: 'Continued after an interruption' };
    const isInterrupted = row.state === 'running' && !row.isWaiting;
    const begins = row.state === 'running' ? {} : { state: 'running', startedAt: at };
    await ReleaseStepModel.updateOne(
      { _id: row._id, accountId },
      {
        $set: { ...begins, isWaiting: false },
        ...(isInterrupted && { $push: { log: { $each: [line], $slice: -STEP_LOG_LINES } }, $inc: { logCount: 1 } }),
      },
      { session },
    );
    const startedAt = row.state === 'running' ? (row.startedAt ?? at) : at;
    return { startedAt, lastLine: (isInterrupted ? line : row.log.at(-1))?.text ?? null };
  });
}

type Pending = { progress: Partial<StepProgress>; lines: LogLine[] };
type Report = { step: StepReport; flush(): Promise<void>; stop(): Promise<void>; take(): Pending };

/**
 * Collects a step's reports and writes them at most every 250 ms, one write at a time. A line that repeats the last
 * one is left out.
 */
function createReport(job: RunningJob, row: StepRow, { lastLine, startedAt }: Begun): Report {
  let last = lastLine;
  let pending: Pending = { progress: {}, lines: [] };
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let writtenAt = 0;

  const take = (): Pending => {
    const taken = pending;
    pending = { progress: {}, lines: [] };
    return taken;
  };
  const flush = async (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    await writing;
    const taken = take();
    if (Object.keys(taken.progress).length === 0 && taken.lines.length === 0) return;
    writtenAt = performance.now();
    await job.transaction((session) => writeReport(session, row, taken));
  };
  const soon = (): void => {
    if (timer !== null) return;
    const dueInMs = Math.max(0, writtenAt + PROGRESS_INTERVAL_MS - performance.now());
    // A write that fails here shows again at the end of the step, which cannot be written either.
    timer = setTimeout(() => {
      writing = flush().catch((error) =>
        job.providers.log.warn('Progress was not written.', { jobId: job.id, error: String(error) }),
      );
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
    },
    flush,
    take,
    stop: async () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await writing;
    },
  };
}

async function writeReport(
  session: ClientSession,
  row: StepRow,
  pending: Pending,
  set: Record<string, unknown> = {},
): Promise<void> {
  const { progress, lines } = pending;
  const fields = { ...progress, ...set };
  await ReleaseStepModel.updateOne(
    row,
    {
      ...(Object.keys(fields).length > 0 && { $set: fields }),
      ...(lines.length > 0 && {
        $push: { log: { $each: lines, $slice: -STEP_LOG_LINES } },
        $inc: { logCount: lines.length },
      }),
    },
    { session },
  );
}
