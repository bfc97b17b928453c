import type { ClientSession } from 'mongoose';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { Providers } from '../../context.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { VisitModel } from '../../database/models/analytics/visit.ts';
import { VisitDayModel } from '../../database/models/analytics/visit-day.ts';
import { VisitHourModel } from '../../database/models/analytics/visit-hour.ts';
import { type DeploymentDoc, DeploymentModel, primaryOf } from '../../database/models/publishing/deployment.ts';
import { DeploymentHealthModel } from '../../database/models/publishing/deployment-health.ts';
import { PublicationModel } from '../../database/models/publishing/publication.ts';
import { ReleaseModel } from '../../database/models/publishing/release.ts';
import { RollBackModel } from '../../database/models/publishing/roll-back.ts';
import { publishEvent } from '../../events/publish.ts';
import { releaseDeploymentSlot } from '../../plans/quota.ts';
import { forgetDestination } from './former-destinations.ts';
import { notifyKept, notifyLeft, type Removal } from './left-sites.ts';
import { reserveSlug } from './slug.ts';

/** Releases erased in one transaction: its writes are kept small (MongoDB manual, production considerations). */
const RELEASES_AT_ONCE = 100;
const VISITS_AT_ONCE = 1_000;

/** Returns the deployment that is being removed; null when that was finished before. */
export async function findDeleting(accountId: string, deploymentId: string): Promise<DeploymentDoc | null> {
  return DeploymentModel.findOne({ _id: deploymentId, accountId, state: 'deleting' });
}

/** True when the owner deleted the whole account, and can no longer be asked anything. */
export async function isOwnerLeaving(accountId: string): Promise<boolean> {
  return (await UserModel.exists({ _id: accountId, deletedAt: { $ne: null } })) !== null;
}

/**
 * Records the progress of a removal, in the order of the destinations: the error of each platform that refused, or the
 * outcome for its site. The owner is notified of a refusal once, however often it is repeated.
 */
export async function recordRemovals(
  session: ClientSession,
  { _id, accountId, name, destinations }: DeploymentDoc,
  removals: readonly (ShownError | Removal | undefined)[],
): Promise<void> {
  const deploymentId = _id;
  for (const [index, { _id: id, platform, error: known }] of destinations.entries()) {
    const removal = removals[index];
    const error = removal !== undefined && 'code' in removal ? removal : null;
    const ended = removal !== undefined && 'isLeft' in removal ? removal : null;
    const state = ended?.isLeft === false ? ('removed' as const) : ('removing' as const);
    await DeploymentModel.updateOne(
      { _id, accountId, state: 'deleting', 'destinations._id': id },
      { $set: { 'destinations.$.state': state, 'destinations.$.error': error } },
      { session },
    );
    // This destination is not asked again.
    if (state === 'removed' && ended?.kept) await notifyKept(session, { accountId, name }, ended.kept);
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

/** Erases some of its releases with all that became of them; false when none is left. Files are collected later. */
export async function eraseSomeReleases(session: ClientSession, deployment: DeploymentDoc): Promise<boolean> {
  const { accountId, _id: deploymentId } = deployment;
  const releases = await ReleaseModel.find({ accountId, deploymentId }, { _id: 1 })
    .limit(RELEASES_AT_ONCE)
    .session(session);
  if (releases.length === 0) return false;
  const ids = releases.map((release) => release._id);
  await PublicationModel.deleteMany({ accountId, releaseId: { $in: ids } }, { session });
  await ReleaseModel.deleteMany({ accountId, _id: { $in: ids } }, { session });
  return true;
}

/**
 * Erases some of the visits that were counted for it; false when nothing is left. The host writes no more of them
 * while the deployment is being removed. Its own rows go first: a roll-up of them that runs meanwhile either fails or
 * ends before the sums are erased. Feedback from the owner stays, like all that they wrote to Fairlead, until the
 * account is deleted.
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
 * Ends the removal of a deployment whose releases, visits and domains are erased: it frees its slot in the plan,
 * reserves an address that was live, and tells the owner which sites are left at their platforms, or else that a
 * published deployment is deleted. `removals` are in the order of the destinations. A second run changes nothing.
 */
export async function eraseDeployment(
  session: ClientSession,
  providers: Providers,
  deployment: DeploymentDoc,
  removals: readonly Removal[],
): Promise<void> {
  const { accountId, _id: deploymentId, name, leavesSites, destinations, releaseCount } = deployment;
  const erased = await DeploymentModel.deleteOne({ _id: deploymentId, accountId, state: 'deleting' }, { session });
  if (erased.deletedCount === 0) return;
  await RollBackModel.deleteMany({ accountId, deploymentId }, { session });
  await DeploymentHealthModel.deleteOne({ _id: deploymentId, accountId }, { session });
  // Domains of other deployments were there before; without the site their names are free.
  await forgetDestination(session, accountId, { deploymentId });
  if (!PLATFORMS[primaryOf(deployment).platform].isSimulated) await releaseDeploymentSlot(session, accountId);
  await reserveSlug(session, deployment, providers.now());
  for (const [index, destination] of destinations.entries()) {
    const { isLeft = false, kept = null } = removals[index] ?? {};
    if (isLeft) await notifyLeft(session, { accountId, name, isWanted: leavesSites }, destination);
    if (kept !== null) await notifyKept(session, { accountId, name }, kept);
  }
  const isNotifiedOfRest = removals.some(({ isLeft, kept }) => isLeft || kept !== null);
  // A draft that goes before anything was published is missed by nobody.
  if (releaseCount > 0 && !isNotifiedOfRest) await notifyDeleted(session, { accountId, name });
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
}

async function notifyDeleted(
  session: ClientSession,
  { accountId, name }: Pick<DeploymentDoc, 'accountId' | 'name'>,
): Promise<void> {
  const message = 'It is offline, and its releases are erased.';
  await publishEvent(session, accountId, { type: 'notification', title: `${name} was deleted`, message });
}
