import type { ClientSession } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { platformCall } from '../../connections/platform-call.ts';
import { JobModel } from '../../database/models/job.ts';
import type { DeploymentDoc } from '../../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../../database/models/publishing/destination.ts';
import { AppError, JobDeferred, shownError } from '../../lib/errors.ts';
import { errorText, isFinal } from '../../queue/failure.ts';
import type { JobHandler, RunningJob } from '../../queue/handler.ts';
import {
  eraseDeployment,
  eraseSomeReleases,
  eraseSomeVisits,
  findDeleting,
  isOwnerLeaving,
  recordRemovals,
} from '../deployments/erase.ts';
import type { Removal } from '../deployments/left-sites.ts';
import { destinationKey } from '../publication/release-work.ts';

/** Erases some domains of a deployment; false when none is left. */
type EraseSomeDomains = (
  session: ClientSession,
  now: Date,
  ids: { accountId: string; deploymentId: string },
) => Promise<boolean>;

/**
 * Takes a deployment off its platforms and erases it. Each part may run twice: what is gone already is no error. Its
 * address, its slot in the plan and the deletion of its account wait for the end, so the job goes on until everything
 * is removed, or until the owner decides to leave what a platform refuses to remove. The domains know publishing and
 * not the other way round, so the list of jobs hands over how they are erased.
 */
export function createRemoveDeploymentJob(eraseSomeDomains: EraseSomeDomains): JobHandler<'remove-deployment'> {
  return {
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
      while (await job.transaction((session) => eraseSomeDomains(session, providers.now(), ids)))
        signal.throwIfAborted();
      await job.transaction((session) => eraseDeployment(session, providers, deployment, removals));
    },
  };
}

/** The time that a running publication takes at most to notice that it is no longer wanted, and to end. */
const COME_BACK_MS = 1_000;

/** Throws while a publication is still running, since a site cannot be taken away while it is being made. */
async function requireNobodyPublishes({ accountId, _id: deploymentId, destinations }: DeploymentDoc): Promise<void> {
  const keys = destinations.map(({ _id: destinationId }) => destinationKey({ deploymentId, destinationId }));
  const running = await JobModel.exists({ accountId, key: { $in: keys }, status: 'running' });
  if (running !== null) throw new JobDeferred('It is still being published somewhere', COME_BACK_MS);
}

/**
 * Removes the deployment from all platforms even if one refuses, whose reason the owner is shown. Returns the outcome
 * for each site.
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
 * Removes the site of one destination, or leaves it in three cases: a person has published it by hand, the platform
 * does not let Fairlead in any more, or it wants a permission from somebody who has deleted the account and cannot
 * give it.
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
