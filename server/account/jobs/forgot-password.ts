import { jobContext } from '../../context.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { mailResetLink } from '../auth/index.ts';

/**
 * Looks for the account of an address and mails it a link. It runs apart from the request, so that the answer does not
 * reveal whether there is an account.
 */
export const forgotPasswordJob: JobHandler<'forgot-password'> = {
  run: (job) => mailResetLink(jobContext(job.providers, job), job.payload.email, (work) => job.transaction(work)),
};
