import type { JobHandler } from '../../queue/handler.ts';
import { enqueueDueChecks } from '../due-checks.ts';

/** Enqueues a check of every domain that is due. */
export const checkDomainsJob: JobHandler<'check-domains'> = {
  async run(job) {
    await enqueueDueChecks(job.providers.now(), job.signal, (work) => job.transaction(work));
  },
};
