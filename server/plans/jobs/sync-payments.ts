import { jobContext } from '../../context.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { syncPayments } from '../payments/sync.ts';

/** Asks the payment service about one account, because a notice came or none did for too long. */
export const syncPaymentsJob: JobHandler<'sync-payments'> = {
  run: (job) => syncPayments(jobContext(job.providers, job), (work) => job.transaction(work)),
};
