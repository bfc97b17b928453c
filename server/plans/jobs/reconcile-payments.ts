import type { JobHandler } from '../../queue/handler.ts';
import { enqueueDueChecks } from '../payments/customer.ts';

/** Finds what the payment service has told nobody: its notices may be late, or never come. */
export const reconcilePaymentsJob: JobHandler<'reconcile-payments'> = {
  async run(job) {
    if (job.providers.payments.hosted === undefined) return;
    await enqueueDueChecks(job.providers.now(), (work) => job.transaction(work));
  },
};
