import type { ClientSession } from 'mongoose';
import type { Providers } from '../context.ts';
import type { PublicationRow } from '../database/models/publishing/publication.ts';
import type { JobName, JobPayload } from './payloads.ts';

/**
 * The thing that the job waits for, and how often it left its slot for that. The handler counts; the next run
 * continues the count.
 */
export type JobWaits = { of: string | null; count: number };

/**
 * The contract of a job's handler.
 *
 * A handler may run again from its start at any moment: after a crash, after a lost lease, on another machine. So it
 * first checks what is already done, and every write goes through `transaction`, whose first operation proves that the
 * lease is still held: a holder that lost it cannot write. Effects outside the database are keyed, so that doing them
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
  /** True when the job runs in the lane for waiting: before that a release waits for nobody for long (lanes.ts). */
  readonly isAside: boolean;
  /** Aborted when the lease is lost or the process stops; its reason is an AppError. */
  readonly signal: AbortSignal;
  readonly providers: Providers;
  /** Runs `work` in a transaction that fails with `lease_lost` when another worker holds the job now. */
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
};

export type JobHandler<Name extends JobName> = {
  /** Resolves when the job is done. A final error ends the job, JobDeferred postpones it, any other is tried again. */
  run(job: RunningJob<Name>): Promise<void>;
  /**
   * The work must be done however long it takes: where other jobs become dead letters, this one rests for an hour and
   * begins again with all its attempts. Where the process has crashed too often with it, each further crash makes it
   * pause longer: from seconds to the same hour.
   */
  neverGivesUp?: true;
  /** Records the failure when the job becomes a dead letter, in the same transaction. */
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

/** Receives the progress of a release's step. */
export type StepReport = {
  /** The time when the step began: a run that continues it, after a wait or a crash, has the same. */
  startedAt: Date;
  /** Records the progress; it is written at most four times a second, and the last one always is. */
  progress(progress: Partial<StepProgress>): void;
  /** Adds a line to the step's log. */
  log(text: string): void;
  /**
   * Writes what the step has led to in the transaction that ends it, unless its work throws. The returned fields of the
   * publication are written together with the step.
   */
  atEnd(write: (session: ClientSession, at: Date) => Promise<Partial<PublicationRow> | undefined>): void;
};

export type JobHandlers = { [Name in JobName]?: JobHandler<Name> };
