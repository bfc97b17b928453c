import { removeChallengeRecords } from '../../connections/challenge-records.ts';
import { jobContext } from '../../context.ts';
import { endSubscriptions } from '../../plans/payments/customer.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { eraseAccount, removeAllDeployments } from '../erase.ts';

/**
 * Takes down the websites of a deleted account, then erases it. Each part may run twice: what is gone already is no
 * error.
 */
export const deleteAccountJob: JobHandler<'delete-account'> = {
  neverGivesUp: true,
  async run(job) {
    await removeAllDeployments(jobContext(job.providers, job));
    job.signal.throwIfAborted();
    await endSubscriptions(jobContext(job.providers, job));
    // The credentials go next: afterwards nobody can.
    await removeChallengeRecords(job.providers, { accountId: job.accountId }, job.signal);
    await eraseAccount(job.accountId);
    await job.providers.zips.forget(job.accountId);
  },
};
