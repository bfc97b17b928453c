import type { ClientSession } from 'mongoose';
import type { Providers } from '../context.ts';
import type { JobName, JobPayload } from './payloads.ts';

/** What it waits for of somebody else's, and how often it left for that. Who waits counts; the next run goes on with it. */
export type JobWaits = { of: string | null; count: number };

/**
 * What a job's handler gets and promises.
 *
 * A handler may run again from its start at any moment: after a crash, after a lost lease, on another machine. So it
 * looks first what is done already, and every write goes through `transaction`, whose first operation proves that the
 * lease is still held: who lost it cannot write. Effects outside the database are keyed, so that
 * twice is harmless.
 */
export type RunningJob<Name extends JobName = JobName> = {
  readonly id: string;
  readonly name: Name;
  readonly payload: JobPayload<Name>;
  readonly accountId: string;
  /** 1 for the first run; crashes count as well. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly waits: JobWaits;
  /** It runs where others are waited for: before that a release waits for nobody for long (lanes.ts). */
  readonly isAside: boolean;
  /** Aborted when the lease is lost or the process stops; its reason is an AppError. */
  readonly signal: AbortSignal;
  readonly providers: Providers;
  /** Runs `work` in a transaction that fails with `lease_lost` when somebody else holds the job now. */
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
};

export type JobHandler<Name extends JobName> = {
  /** Returns when the job is done; throws to try again by the retry table, for good when the error is final, or JobDeferred. */
  run(job: RunningJob<Name>): Promise<void>;
  /**
   * What was promised is done however long it takes: where other jobs become dead letters, this one rests for an hour and
   * begins again with all its attempts.
   */
  neverGivesUp?: true;
  /** Writes what becomes of the work when the job becomes a dead letter, in that very transaction. */
  onDeadLetter?(session: ClientSession, job: RunningJob<Name>, error: unknown): Promise<void>;
};

export type StepProgress = {
  done: number;
  total: number;
  doneBytes: number;
  totalBytes: number;
  doneBefore: number;
  doneBytesBefore: number;
};

/** Takes what the work of a release's step has to tell of its progress. */
export type StepReport = {
  /** When the step was begun: a run that continues it, after a wait or a crash, has the same. */
  startedAt: Date;
  /** Remembers how far it is; written at most four times a second, the last one always. */
  progress(progress: Partial<StepProgress>): void;
  /** Adds a line to the step's log. */
  log(text: string): void;
};

export type JobHandlers = { [Name in JobName]?: JobHandler<Name> };
