import type { JobHandler } from '../../queue/handler.ts';
import { enqueueDueHealthChecks } from '../health.ts';

/** Enqueues a check of every deployment that is due. */
export const checkDeploymentsJob: JobHandler<'check-deployments'> = {
  async run(job) {
    await enqueueDueHealthChecks(job.providers.now(), job.signal, (work) => job.transaction(work));
  },
};
