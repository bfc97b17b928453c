import { eraseDeployment, eraseSomeReleases, eraseSomeVisits, findDeleting } from '../services/deployments/erase.ts';
import { platformCall } from '../services/platform-call.ts';
import type { JobHandler } from './handler.ts';

/** Takes a deployment off its platform and erases it. Each part may run twice: what is gone is no error. */
export const removeDeploymentJob: JobHandler<'remove-deployment'> = {
  async run(job) {
    const { providers, signal } = job;
    const deployment = await findDeleting(job.accountId, job.payload.deploymentId);
    if (deployment === null) return;
    await providers.platforms[deployment.platform]?.remove(platformCall(providers, deployment, signal));
    await providers.faults?.at('removing:platform');
    while (await job.transaction((session) => eraseSomeReleases(session, deployment))) signal.throwIfAborted();
    while (await job.transaction((session) => eraseSomeVisits(session, deployment))) signal.throwIfAborted();
    await job.transaction((session) => eraseDeployment(session, providers, deployment));
  },
};
