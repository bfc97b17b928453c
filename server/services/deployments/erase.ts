import type { ClientSession } from 'mongoose';
import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { publishEvent } from '../../events/publish.ts';
import { type DeploymentDoc, DeploymentModel, primaryOf } from '../../models/deployment.ts';
import { DeploymentHealthModel } from '../../models/deployment-health.ts';
import type { DestinationDoc } from '../../models/destination.ts';
import { ReleaseModel } from '../../models/release.ts';
import { ReleaseStepModel } from '../../models/release-step.ts';
import { RollBackModel } from '../../models/roll-back.ts';
import { UserModel } from '../../models/user.ts';
import { VisitModel } from '../../models/visit.ts';
import { VisitDayModel } from '../../models/visit-day.ts';
import { VisitHourModel } from '../../models/visit-hour.ts';
import type { Providers } from '../../service-context.ts';
import { forgetPlace } from '../domains/move.ts';
import { releaseDeploymentSlot } from '../quota.ts';
import { reserveSlug } from './slug.ts';

/** Releases erased in one transaction: its writes are kept small (MongoDB manual, production considerations). */
const RELEASES_AT_ONCE = 100;
const VISITS_AT_ONCE = 1_000;

/** Returns the deployment that is being removed; null when that was finished before. */
export async function findDeleting(accountId: string, deploymentId: string): Promise<DeploymentDoc | null> {
  return DeploymentModel.findOne({ _id: deploymentId, accountId, state: 'deleting' });
}

/** Whether its owner deleted the whole account, and can be asked nothing any more. */
export async function isOwnerLeaving(accountId: string): Promise<boolean> {
  return (await UserModel.exists({ _id: accountId, deletedAt: { $ne: null } })) !== null;
}

/**
 * Writes how far a removal is, in the order of the destinations: what one said that refused, or what became of its site.
 * The owner is told of a refusal once, however often it is repeated.
 */
export async function recordRemovals(
  session: ClientSession,
  { _id, accountId, name, destinations }: DeploymentDoc,
  removals: readonly (ShownError | 'gone' | 'left' | undefined)[],
): Promise<void> {
  const deploymentId = _id;
  for (const [index, { _id: id, platform, error: known }] of destinations.entries()) {
    const removal = removals[index];
    const error = typeof removal === 'object' ? removal : null;
    const state = removal === 'gone' ? ('removed' as const) : ('removing' as const);
    await DeploymentModel.updateOne(
      { _id, accountId, state: 'deleting', 'destinations._id': id },
      { $set: { 'destinations.$.state': state, 'destinations.$.error': error } },
      { session },
    );
    if (error === null || known !== null) continue;
    const title = `${name} is still at ${PLATFORMS[platform].title}`;
    const { message } = error;
    await publishEvent(session, accountId, {
      type: 'notification',
      title,
      message,
      variant: 'destructive',
      deploymentId,
    });
  }
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
}

/** Erases some of its releases with their steps; false when none is left. Their files are collected later. */
export async function eraseSomeReleases(session: ClientSession, deployment: DeploymentDoc): Promise<boolean> {
  const { accountId, _id: deploymentId } = deployment;
  const releases = await ReleaseModel.find({ accountId, deploymentId }, { _id: 1 })
    .limit(RELEASES_AT_ONCE)
    .session(session);
  if (releases.length === 0) return false;
  const ids = releases.map((release) => release._id);
  await ReleaseStepModel.deleteMany({ accountId, releaseId: { $in: ids } }, { session });
  await ReleaseModel.deleteMany({ accountId, _id: { $in: ids } }, { session });
  return true;
}

/**
 * Erases some of what its visits were counted in; false when nothing is left. The host writes no more of it since the
 * deployment is being removed, and what it has written goes first: a roll-up of it that runs meanwhile fails or is before
 * the rest. What its owner said of it stays, as all that they wrote to us does, until the account goes.
 */
export async function eraseSomeVisits(session: ClientSession, deployment: DeploymentDoc): Promise<boolean> {
  const owned = { accountId: deployment.accountId, deploymentId: deployment._id };
  const visits = await VisitModel.find(owned, { _id: 1 }).limit(VISITS_AT_ONCE).session(session).lean();
  if (visits.length > 0) {
    await VisitModel.deleteMany({ ...owned, _id: { $in: visits.map(({ _id }) => _id) } }, { session });
    return true;
  }
  const hours = await VisitHourModel.find(owned, { _id: 1 }).limit(VISITS_AT_ONCE).session(session).lean();
  if (hours.length > 0) {
    await VisitHourModel.deleteMany({ ...owned, _id: { $in: hours.map(({ _id }) => _id) } }, { session });
    return true;
  }
  // 396 at most, of 10 KB each, and one with its visitors.
  await VisitDayModel.deleteMany(owned, { session });
  return false;
}

/**
 * The end of a deployment whose releases, visits and domains are erased: its place in the plan is free, its address is held, and its owner hears which sites are `left`
 * at their platforms. Once, however often it runs.
 */
export async function eraseDeployment(
  session: ClientSession,
  providers: Providers,
  deployment: DeploymentDoc,
  left: readonly DestinationDoc[],
): Promise<void> {
  const { accountId, _id: deploymentId, slug } = deployment;
  const erased = await DeploymentModel.deleteOne({ _id: deploymentId, accountId, state: 'deleting' }, { session });
  if (erased.deletedCount === 0) return;
  await RollBackModel.deleteMany({ accountId, deploymentId }, { session });
  await DeploymentHealthModel.deleteOne({ _id: deploymentId, accountId }, { session });
  // Domains of other deployments were there before: with its sites the names are free.
  await forgetPlace(session, accountId, { deploymentId });
  if (!PLATFORMS[primaryOf(deployment).platform].isSimulated) await releaseDeploymentSlot(session, accountId);
  await reserveSlug(session, accountId, slug, providers.now());
  for (const destination of left) await publishLeft(session, deployment, destination);
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
}

/** Without the deployment's id: there is nothing left to open. */
async function publishLeft(
  session: ClientSession,
  { accountId, name, leavesSites }: DeploymentDoc,
  { platform, url }: DestinationDoc,
): Promise<void> {
  const { title } = PLATFORMS[platform];
  const site = url ?? 'Its site';
  const isTheirs = PLATFORM_CAPABILITIES[platform]?.publish === 'handOff';
  await publishEvent(session, accountId, {
    type: 'notification',
    title: `${name} stays at ${title}`,
    ...(leavesSites || isTheirs
      ? { message: `${site} was left as it is. When you no longer need it, delete the site at ${title}.` }
      : {
          message: `${site} could not be taken off: Fairlead can no longer reach the account there. Delete the site at ${title}.`,
          variant: 'destructive',
        }),
  });
}
