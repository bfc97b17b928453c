import { jobContext } from '../../context.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { deliverMail } from '../mail/queue-mail.ts';

/** Hands one queued mail to the mailer; a second run sends it under the same id. */
export const sendMailJob: JobHandler<'send-mail'> = {
  run: (job) => deliverMail(jobContext(job.providers, job), job.payload.mailId, (work) => job.transaction(work)),
};
