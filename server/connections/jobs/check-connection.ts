import { jobContext } from '../../context.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { lookAtConnection } from '../watch.ts';

/** Asks a platform or a DNS provider whether it still accepts the stored credential. */
export const checkConnectionJob: JobHandler<'check-connection'> = {
  async run(job) {
    await lookAtConnection(jobContext(job.providers, job), job.payload.connectionId, job.signal);
  },
};
