import { AppError, JobDeferred } from '../../lib/errors.ts';
import { errorText, isFinal } from '../../queue/failure.ts';
import type { JobHandler, RunningJob } from '../../queue/handler.ts';
import type { PlatformCall } from '../platforms/platform.ts';
import { cancel, fail } from '../publication/outcome.ts';
import { findWanted, type ReleaseWork } from '../publication/release-work.ts';
import { withdraw } from '../publication/withdraw.ts';

type Job = RunningJob<'publish'>;
type Broken = { error: unknown; isCancelled: boolean };

/**
 * Ends a publication whose work threw: as cancelled, as failed for good, or by rethrowing for another attempt. Its work
 * at the platform is undone first. Elsewhere than at the primary destination, one that was cancelled, by another
 * release or the removal, is left to the job of that.
 */
export async function endPublishing(
  job: Job,
  work: ReleaseWork,
  call: PlatformCall,
  error: unknown,
  calledOff: AbortSignal,
): Promise<void> {
  if (job.signal.aborted) throw job.signal.reason;
  const isCancelled = calledOff.aborted || (error instanceof AppError && error.code === 'state_changed');
  if (isCancelled && !work.isPrimary) return;
  const isLastTry = job.attempt >= job.maxAttempts && !(error instanceof JobDeferred);
  const isTriedAgain = !isCancelled && !isFinal(error);
  if (isTriedAgain && !isLastTry) throw error;
  await tryToWithdraw(job, work, { ...call, signal: job.signal, mayHold: () => true }, { error, isCancelled });
  // The job becomes a dead letter, which ends the publication.
  if (isTriedAgain) throw error;
  await job.transaction(async (session) => {
    if (isCancelled) await cancel(session, job.providers, job.accountId, job.payload);
    else await fail(session, job.providers, job.accountId, job.payload, error);
  });
}

/**
 * Rethrows a temporary failure of a cancelled release so that the job tries again while it has attempts; otherwise the
 * release ends all the same.
 */
async function tryToWithdraw(
  job: Job,
  work: ReleaseWork,
  call: PlatformCall,
  { error, isCancelled }: Broken,
): Promise<void> {
  try {
    await withdraw(work, job, call, isCancelled);
  } catch (trouble) {
    if (job.signal.aborted) throw job.signal.reason;
    if (isCancelled && !isFinal(trouble) && job.attempt < job.maxAttempts) throw trouble;
    const fields = { releaseId: work.release._id, error: errorText(error), trouble: errorText(trouble) };
    job.providers.log.error('What a release did at its platform could not be undone.', fields);
  }
}

/** Ends the publication when its job has become a dead letter, whatever state it is in. */
export const endDeadPublication: NonNullable<JobHandler<'publish'>['onDeadLetter']> = async (session, job, error) => {
  const { accountId, payload, providers } = job;
  const wanted = await findWanted(session, accountId, payload);
  if (wanted?.release.cancelRequestedAt) await cancel(session, providers, accountId, payload);
  else await fail(session, providers, accountId, payload, error);
};
