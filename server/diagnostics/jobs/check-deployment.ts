import { jobContext } from '../../context.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { lookAtHealth } from '../health.ts';

/** Runs the three checks of every plan on a deployment. */
export const checkDeploymentJob: JobHandler<'check-deployment'> = {
  async run(job) {
    const { providers, payload, signal } = job;
    const inTransaction = job.transaction.bind(job);
    await lookAtHealth(jobContext(providers, job), payload.deploymentId, { signal, inTransaction });
  },
};
