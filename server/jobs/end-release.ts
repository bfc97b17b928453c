import { AppError } from '../errors.ts';
import { endCancelled, endFailed } from '../services/releases/outcome.ts';
import { findRunningRelease, type ReleaseWork } from '../services/releases/work.ts';
import { isFinal } from './failure.ts';
import type { JobHandler, RunningJob } from './handler.ts';

type Job = RunningJob<'deploy-release'>;

/** What becomes of a release whose work threw: cancelled, failed for good, or left to the worker to try again. */
export async function endRelease(job: Job, work: ReleaseWork, error: unknown, cancelled: AbortSignal): Promise<void> {
  if (job.signal.aborted) throw job.signal.reason;
  const isCancelled = cancelled.aborted || (error instanceof AppError && error.code === 'state_changed');
  if (!isCancelled && !isFinal(error)) throw error;
  await job.transaction((session) =>
    isCancelled
      ? endCancelled(session, job.providers, work.release)
      : endFailed(session, job.providers, work.release, error),
  );
}

/** With its job given up a release fails, whatever state it broke off in. */
export const giveUpRelease: NonNullable<JobHandler<'deploy-release'>['giveUp']> = async (session, job, error) => {
  const release = await findRunningRelease(job.accountId, job.payload.releaseId);
  if (release !== null) await endFailed(session, job.providers, release, error);
};
