import type { JobHandler } from '../../queue/handler.ts';
import { enqueueDueChecks } from '../payments/customer.ts';

/** Finds changes at the payment service that no notice reported, since notices may be late or lost. */
export const reconcilePaymentsJob: JobHandler<'reconcile-payments'> = {
  async run(job) {
    if (job.providers.payments.hosted === undefined) return;
    await enqueueDueChecks(job.providers.now(), (work) => job.transaction(work));
  },
};
