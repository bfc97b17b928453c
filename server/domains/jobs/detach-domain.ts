import { AppError, shownError } from '../../lib/errors.ts';
import { errorText, isFinal } from '../../queue/failure.ts';
import type { JobHandler, RunningJob } from '../../queue/handler.ts';
import { detachNames, endDetach, findDetaching, notifyKept } from '../detach.ts';

type Job = RunningJob<'detach-domain'>;

/**
 * Detaches the names of a domain from a platform. If the platform no longer lets Fairlead in, it keeps the names and
 * the owner is notified; here they are free.
 */
export const detachDomainJob: JobHandler<'detach-domain'> = {
  neverGivesUp: true,
  async run(job) {
    const { accountId, payload } = job;
    const published = await findDetaching(accountId, payload);
    const refusal = published === null ? null : await detach(job, published);
    await job.transaction(async (session) => {
      await endDetach(session, accountId, payload);
      if (published === null || refusal === null) return;
      await notifyKept(session, published.deployment, published.destination, payload, shownError(refusal));
    });
  },
};

/** Returns the error with which the platform keeps the names, or null. A site that is gone there has none. */
async function detach(
  { providers, payload, signal }: Job,
  published: NonNullable<Awaited<ReturnType<typeof findDetaching>>>,
): Promise<unknown> {
  try {
    await detachNames(providers, published, payload, signal);
    return null;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!isFinal(error)) throw error;
    if (error instanceof AppError && error.code === 'platform_place_gone') return null;
    const { platform } = published.destination;
    providers.log.warn('A domain stays at its platform', { ...payload, platform, error: errorText(error) });
    return error;
  }
}
