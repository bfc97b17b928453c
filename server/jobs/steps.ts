import type { ClientSession } from 'mongoose';
import type { LogLine } from '../../routers/schemas/events.ts';
import { PROGRESS_INTERVAL_MS } from '../../routers/schemas/limits.ts';
import type { ReleaseState, ReleaseStepName } from '../../routers/schemas/states.ts';
import { AppError } from '../errors.ts';
import { ReleaseModel } from '../models/release.ts';
import { ReleaseStepModel, STEP_LOG_LINES } from '../models/release-step.ts';
import { moveRelease } from '../services/move-state.ts';
import type { RunningJob } from './handler.ts';

/** A line of the log is for a person: longer ones are cut. */
const LINE_MAX = 500;

/** The state that each step begins from. */
const BEGINS_FROM = {
  preparing: ['queued'],
  uploading: ['preparing'],
  processing: ['uploading'],
  verifying: ['processing'],
} as const satisfies Record<ReleaseStepName, readonly ReleaseState[]>;

export type StepProgress = { done: number; total: number; doneBytes: number; totalBytes: number };

export type Step = {
  /** Remembers how far it is; written at most four times a second, the last one always. */
  progress(progress: Partial<StepProgress>): void;
  /** Adds a line to the step's log. */
  log(text: string): void;
};

/** The release as its document names it. */
export type StepOf = { _id: string };

/**
 * Runs one step of a release: writes its row and the release's state together, lets `work` report progress and log
 * lines, and ends the row. A step that is done already is skipped, so that a handler which runs again continues where
 * the other one ended. When `work` throws, what it reported is written and the error goes on: the handler decides what
 * becomes of the release.
 *
 * Throws `state_changed` when the release is no longer in a state from which this step begins: it was cancelled.
 */
export async function runStep(
  job: RunningJob,
  release: StepOf,
  name: ReleaseStepName,
  work: (step: Step) => Promise<void>,
): Promise<void> {
  const row = { _id: stepId(release._id, name), accountId: job.accountId };
  if (!(await beginStep(job, release, name))) return;
  await job.providers.faults?.at(`${name}:start`);
  const report = createReport(job, row);
  try {
    await work(report.step);
  } catch (error) {
    // The lease may be what failed: then there is nobody to write for.
    await report.flush().catch(() => undefined);
    throw error;
  }
  await report.stop();
  await job.transaction(async (session) => {
    await writeReport(session, row, report.take(), { state: 'done', endedAt: job.providers.now() });
  });
  await job.providers.faults?.at(`${name}:end`);
}

export function stepId(releaseId: string, name: ReleaseStepName): string {
  return `${releaseId}.${name}`;
}

/** False when the step was done before. */
async function beginStep(job: RunningJob, release: StepOf, name: ReleaseStepName): Promise<boolean> {
  return job.transaction(async (session) => {
    const { accountId } = job;
    const row = await ReleaseStepModel.findOne({ _id: stepId(release._id, name), accountId }, { state: 1 }).session(
      session,
    );
    if (row === null) throw new Error(`Release ${release._id} has no row for ${name}.`);
    if (row.state === 'done') return false;
    const doc = await ReleaseModel.findOne({ _id: release._id, accountId }, { state: 1, startedAt: 1 }).session(
      session,
    );
    const at = job.providers.now();
    // After a crash, and at the start of a roll back, the release is in the step's state already.
    if (doc?.state !== name) {
      const set = { startedAt: doc?.startedAt ?? at };
      const moved = await moveRelease(session, { id: release._id, accountId, from: BEGINS_FROM[name], to: name, set });
      if (moved === null) throw new AppError('state_changed', 'This release is no longer worked on.');
    }
    const isResumed = row.state === 'running';
    const line = { at, text: 'Continued after an interruption' };
    await ReleaseStepModel.updateOne(
      { _id: row._id, accountId },
      isResumed
        ? { $push: { log: { $each: [line], $slice: -STEP_LOG_LINES } }, $inc: { logCount: 1 } }
        : { $set: { state: 'running', startedAt: at } },
      { session },
    );
    return true;
  });
}

type Pending = { progress: Partial<StepProgress>; lines: LogLine[] };
type Report = { step: Step; flush(): Promise<void>; stop(): Promise<void>; take(): Pending };

/** Collects what a step reports and writes it at most every 250 ms; one write is under way at a time. */
function createReport(job: RunningJob, row: { _id: string; accountId: string }): Report {
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
    // A write that fails shows again at the end of the step, which cannot be written either.
    timer = setTimeout(() => {
      writing = flush().catch((error) =>
        job.providers.log.warn('Progress was not written.', { jobId: job.id, error: String(error) }),
      );
    }, dueInMs);
  };
  return {
    step: {
      progress: (progress) => {
        pending.progress = { ...pending.progress, ...progress };
        soon();
      },
      log: (text) => {
        pending.lines.push({ at: job.providers.now(), text: text.slice(0, LINE_MAX) });
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
  row: { _id: string; accountId: string },
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
