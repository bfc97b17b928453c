import { eraseDeployment, eraseSomeReleases, findDeleting } from '../services/deployments/erase.ts';
import type { JobHandler } from './handler.ts';

/** Takes a deployment off its platform and erases it. Each part may run twice: what is gone is no error. */
export const removeDeployment: JobHandler<'remove-deployment'> = {
  async run(job) {
    const { providers, signal } = job;
    const deployment = await findDeleting(job.accountId, job.payload.deploymentId);
    if (deployment === null) return;
    const { _id: id, slug, platform } = deployment;
    await providers.platforms[platform]?.remove({
      deployment: { id, slug },
      store: providers.store,
      signal,
      now: () => providers.now(),
    });
    await providers.faults?.at('removing:platform');
    while (await job.transaction((session) => eraseSomeReleases(session, deployment))) signal.throwIfAborted();
    await job.transaction((session) => eraseDeployment(session, providers, deployment));
  },
};
