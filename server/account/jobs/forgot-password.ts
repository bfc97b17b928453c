import { jobContext } from '../../context.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { mailResetLink } from '../auth/index.ts';

/** Looks for the account of an address and mails it a link: out of the caller's sight, so that nothing tells whether there is one. */
export const forgotPasswordJob: JobHandler<'forgot-password'> = {
  run: (job) => mailResetLink(jobContext(job.providers, job), job.payload.email, (work) => job.transaction(work)),
};
