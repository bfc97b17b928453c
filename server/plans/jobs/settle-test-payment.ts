import { jobContext } from '../../context.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { failLatePayment, settleTestPayment } from '../payments/index.ts';

/** Lets the money arrive for a payment that was confirmed with Pay later. */
export const settleTestPaymentJob: JobHandler<'settle-test-payment'> = {
  run: (job) =>
    job.transaction((session) => settleTestPayment(session, jobContext(job.providers, job), job.payload.paymentId)),
  onDeadLetter: (session, job) => failLatePayment(session, jobContext(job.providers, job), job.payload.paymentId),
};
