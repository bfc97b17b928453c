import { AppError, JobDeferred } from '../errors.ts';
import type { DeploymentDoc } from '../models/deployment.ts';
import type { DestinationDoc } from '../models/destination.ts';
import { JobModel } from '../models/job.ts';
import { eraseDeployment, eraseSomeReleases, eraseSomeVisits, findDeleting } from '../services/deployments/erase.ts';
import { destinationKey } from '../services/releases/other-destinations.ts';
import { platformCall } from '../services/releases/platform-call.ts';
import { errorText } from './failure.ts';
import type { JobHandler, RunningJob } from './handler.ts';

/**
 * Takes a deployment off its platform and erases it. Each part may run twice: what is gone is no error. Its address, its
 * place in the plan and the deletion of its account wait for it, so that it goes on until it is done.
 */
export const removeDeploymentJob: JobHandler<'remove-deployment'> = {
  neverGivesUp: true,
  async run(job) {
    const { providers, signal } = job;
    const deployment = await findDeleting(job.accountId, job.payload.deploymentId);
    if (deployment === null) return;
    await requireNobodyPublishes(deployment);
    const left = await removeEverywhere(job, deployment);
    await providers.faults?.at('removing:platform');
    while (await job.transaction((session) => eraseSomeReleases(session, deployment))) signal.throwIfAborted();
    while (await job.transaction((session) => eraseSomeVisits(session, deployment))) signal.throwIfAborted();
    await job.transaction((session) => eraseDeployment(session, providers, deployment, left));
  },
};

const LOCKED_OUT: ReadonlySet<string> = new Set(['credentials_invalid', 'permission_missing']);

/** How long a run that publishes somewhere takes at most to see that it is not wanted any more, and to end. */
const COME_BACK_MS = 1_000;

/** What is being made at a platform cannot be taken away before that has ended. */
async function requireNobodyPublishes({ accountId, _id: deploymentId, destinations }: DeploymentDoc): Promise<void> {
  const keys = destinations.map(({ _id: destinationId }) => destinationKey({ deploymentId, destinationId }));
  const running = await JobModel.exists({ accountId, key: { $in: keys }, status: 'running' });
  if (running !== null) throw new JobDeferred('It is still being published somewhere', COME_BACK_MS);
}

/**
 * One platform that refuses keeps the deployment from no other. A platform that does not let us in any more keeps its
 * site: nobody could ever take it off, and address, place and account would wait for it for ever. Returns the destinations
 * whose sites stay so.
 */
async function removeEverywhere(
  job: RunningJob<'remove-deployment'>,
  deployment: DeploymentDoc,
): Promise<DestinationDoc[]> {
  const { providers, signal } = job;
  const left: DestinationDoc[] = [];
  const removals = deployment.destinations.map(async (destination) => {
    const call = platformCall(providers, deployment, destination, signal);
    try {
      await providers.platforms[destination.platform]?.remove(call);
    } catch (error) {
      if (!(error instanceof AppError) || !LOCKED_OUT.has(error.code)) throw error;
      left.push(destination);
      const { platform } = destination;
      providers.log.warn('The site of a deleted deployment stays at its platform', {
        deploymentId: deployment._id,
        platform,
        error: errorText(error),
      });
    }
  });
  const refused = (await Promise.allSettled(removals)).find(({ status }) => status === 'rejected');
  if (refused?.status === 'rejected') throw refused.reason;
  return left;
}
