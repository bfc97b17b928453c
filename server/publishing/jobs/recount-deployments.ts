import { recountDeployments } from '../../plans/quota.ts';
import type { JobHandler } from '../../queue/handler.ts';

/** Counts the deployments of every account once a night, since the plan caps rely on a stored number. */
export const recountDeploymentsJob: JobHandler<'recount-deployments'> = {
  async run(job) {
    const corrected = await recountDeployments(job.signal, (work) => job.transaction(work));
    if (corrected > 0) job.providers.log.warn('Accounts had a wrong number of deployments', { corrected });
  },
};
