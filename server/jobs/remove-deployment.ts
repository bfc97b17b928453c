import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { DeploymentDoc } from '../database/models/deployment.ts';
import type { DestinationDoc } from '../database/models/destination.ts';
import { JobModel } from '../database/models/job.ts';
import { AppError, JobDeferred } from '../lib/errors.ts';
import { errorText, isFinal } from '../queue/failure.ts';
import type { JobHandler, RunningJob } from '../queue/handler.ts';
import {
  eraseDeployment,
  eraseSomeReleases,
  eraseSomeVisits,
  findDeleting,
  isOwnerLeaving,
  recordRemovals,
} from '../services/deployments/erase.ts';
import type { Removal } from '../services/deployments/left-sites.ts';
import { eraseSomeDomains } from '../services/domains/detach.ts';
import { shownError } from '../services/releases/outcome.ts';
import { platformCall } from '../services/releases/platform-call.ts';
import { destinationKey } from '../services/releases/release-work.ts';

/**
 * Takes a deployment off its platforms and erases it. Each part may run twice: what is gone is no error. Its address, its
 * place in the plan and the deletion of its account wait for it, so that it goes on until it is done, or until its owner
 * decides to leave what a platform refuses to take away.
 */
export const removeDeploymentJob: JobHandler<'remove-deployment'> = {
  neverGivesUp: true,
  async run(job) {
    const { providers, signal } = job;
    const deployment = await findDeleting(job.accountId, job.payload.deploymentId);
    if (deployment === null) return;
    await requireNobodyPublishes(deployment);
    const removals = await removeEverywhere(job, deployment);
    await providers.faults?.at('removing:platform');
    while (await job.transaction((session) => eraseSomeReleases(session, deployment))) signal.throwIfAborted();
    while (await job.transaction((session) => eraseSomeVisits(session, deployment))) signal.throwIfAborted();
    const ids = { accountId: job.accountId, deploymentId: deployment._id };
    while (await job.transaction((session) => eraseSomeDomains(session, providers.now(), ids))) signal.throwIfAborted();
    await job.transaction((session) => eraseDeployment(session, providers, deployment, removals));
  },
};

/** How long a run that publishes somewhere takes at most to see that it is not wanted any more, and to end. */
const COME_BACK_MS = 1_000;

/** What is being made at a platform cannot be taken away before that has ended. */
async function requireNobodyPublishes({ accountId, _id: deploymentId, destinations }: DeploymentDoc): Promise<void> {
  const keys = destinations.map(({ _id: destinationId }) => destinationKey({ deploymentId, destinationId }));
  const running = await JobModel.exists({ accountId, key: { $in: keys }, status: 'running' });
  if (running !== null) throw new JobDeferred('It is still being published somewhere', COME_BACK_MS);
}

/**
 * One platform that refuses keeps the deployment from no other; its owner is shown what it said. Returns what became of
 * each site.
 */
async function removeEverywhere(job: RunningJob<'remove-deployment'>, deployment: DeploymentDoc): Promise<Removal[]> {
  const { destinations } = deployment;
  const leaving = await isOwnerLeaving(deployment.accountId);
  const outcomes = await Promise.allSettled(
    destinations.map((destination) => removeAt(job, deployment, destination, leaving)),
  );
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (refusals.length === 0) return outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const removals = outcomes.map((one) => (one.status === 'rejected' ? shownError(one.reason) : one.value));
  job.signal.throwIfAborted();
  await job.transaction((session) => recordRemovals(session, deployment, removals));
  throw refusals.find((error) => !isFinal(error)) ?? refusals[0];
}

const GONE: Removal = { isLeft: false, kept: null };
const LEFT: Removal = { isLeft: true, kept: null };

/**
 * What a person has published by hand is theirs to take down. A platform that does not let us in any more keeps its site: nobody could ever take it off. So does one that wants a
 * permission of somebody who deleted the account, and can give it no more.
 */
async function removeAt(
  { providers, signal }: RunningJob<'remove-deployment'>,
  deployment: DeploymentDoc,
  destination: DestinationDoc,
  isOwnerLeaving: boolean,
): Promise<Removal> {
  const { platform, state, site, url } = destination;
  if (state === 'removed') return GONE;
  const isTheirs = providers.platforms[platform]?.capabilities.publish === 'handOff';
  if (isTheirs || (deployment.leavesSites && !PLATFORMS[platform].isServedHere)) {
    return (site ?? url ?? null) === null ? GONE : LEFT;
  }
  try {
    const kept = await providers.platforms[platform]?.remove(platformCall(providers, deployment, destination, signal));
    return { isLeft: false, kept: kept ?? null };
  } catch (error) {
    const isLockedOut =
      error instanceof AppError &&
      (error.code === 'credentials_invalid' || (isOwnerLeaving && error.code === 'permission_missing'));
    if (!isLockedOut) throw error;
    providers.log.warn('The site of a deleted deployment stays at its platform', {
      deploymentId: deployment._id,
      platform,
      error: errorText(error),
    });
    return LEFT;
  }
}
