import { AppError, JobDeferred } from '../lib/errors.ts';
import type { PlatformCall } from '../platforms/platform.ts';
import { errorText, isFinal } from '../queue/failure.ts';
import type { JobHandler, RunningJob } from '../queue/handler.ts';
import { endCancelled, endFailed } from '../services/releases/outcome.ts';
import { findRunningRelease, type ReleaseWork } from '../services/releases/release-work.ts';
import { withdrawRelease } from '../services/releases/withdraw.ts';

type Job = RunningJob<'deploy-release'>;
type Broken = { error: unknown; isCancelled: boolean };

/**
 * What becomes of a release whose work threw: cancelled, failed for good, or left to the worker to try again. What it
 * has done at its platform is undone first.
 */
export async function endRelease(
  job: Job,
  work: ReleaseWork,
  call: PlatformCall,
  error: unknown,
  cancelled: AbortSignal,
): Promise<void> {
  if (job.signal.aborted) throw job.signal.reason;
  const isCancelled = cancelled.aborted || (error instanceof AppError && error.code === 'state_changed');
  const isLastTry = job.attempt >= job.maxAttempts && !(error instanceof JobDeferred);
  const isTriedAgain = !isCancelled && !isFinal(error);
  if (isTriedAgain && !isLastTry) throw error;
  await withdraw(job, work, { ...call, signal: job.signal, mayHold: () => true }, { error, isCancelled });
  // The worker gives the job up, and with it the release.
  if (isTriedAgain) throw error;
  await job.transaction((session) =>
    isCancelled
      ? endCancelled(session, job.providers, work.release)
      : endFailed(session, job.providers, work.release, error),
  );
}

/** Tries again with the job what may pass, as long as it has attempts; the release ends all the same. */
async function withdraw(
  job: Job,
  work: ReleaseWork,
  call: PlatformCall,
  { error, isCancelled }: Broken,
): Promise<void> {
  try {
    await withdrawRelease(work, job, call, isCancelled);
  } catch (trouble) {
    if (job.signal.aborted) throw job.signal.reason;
    if (isCancelled && !isFinal(trouble) && job.attempt < job.maxAttempts) throw trouble;
    const fields = { releaseId: work.release._id, error: errorText(error), trouble: errorText(trouble) };
    job.providers.log.error('What a release did at its platform could not be undone.', fields);
  }
}

/** With its job given up a release ends, whatever state it broke off in. */
export const endDeadRelease: NonNullable<JobHandler<'deploy-release'>['onDeadLetter']> = async (
  session,
  job,
  error,
) => {
  const release = await findRunningRelease(job.accountId, job.payload.releaseId);
  if (release === null) return;
  if (release.cancelRequestedAt) await endCancelled(session, job.providers, release);
  else await endFailed(session, job.providers, release, error);
};
