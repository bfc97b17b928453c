import type { JobHandler } from '../../queue/handler.ts';
import { enqueueDueLooks } from '../watch.ts';

/** Enqueues a check of every connection that is due. */
export const checkConnectionsJob: JobHandler<'check-connections'> = {
  async run(job) {
    await enqueueDueLooks(job.providers.now(), job.signal, (work) => job.transaction(work));
  },
};
