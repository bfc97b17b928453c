import type { ClientSession } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { publishEvent } from '../../events/publish.ts';
import { type DeploymentDoc, DeploymentModel, primaryOf } from '../../models/deployment.ts';
import type { DestinationDoc } from '../../models/destination.ts';
import { ReleaseModel } from '../../models/release.ts';
import { ReleaseStepModel } from '../../models/release-step.ts';
import { RollBackModel } from '../../models/roll-back.ts';
import { VisitModel } from '../../models/visit.ts';
import type { Providers } from '../../service-context.ts';
import { releaseDeploymentSlot } from '../quota.ts';
import { reserveSlug } from './slug.ts';

/** Releases erased in one transaction: its writes are kept small (MongoDB manual, production considerations). */
const RELEASES_AT_ONCE = 100;
const VISITS_AT_ONCE = 1_000;

/** Returns the deployment that is being removed; null when that was finished before. */
export async function findDeleting(accountId: string, deploymentId: string): Promise<DeploymentDoc | null> {
  return DeploymentModel.findOne({ _id: deploymentId, accountId, state: 'deleting' });
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
 * Erases some of the minutes that its visits were counted in; false when none is left. The host writes no more of them
 * since the deployment is being removed. What its owner said of it stays, as all that they wrote to us does, until the
 * account goes.
 */
export async function eraseSomeVisits(session: ClientSession, deployment: DeploymentDoc): Promise<boolean> {
  const owned = { accountId: deployment.accountId, deploymentId: deployment._id };
  const visits = await VisitModel.find(owned, { _id: 1 }).limit(VISITS_AT_ONCE).session(session).lean();
  if (visits.length === 0) return false;
  await VisitModel.deleteMany({ ...owned, _id: { $in: visits.map((visit) => visit._id) } }, { session });
  return true;
}

/**
 * The end of a deployment: its place in the plan is free, its address is held, and its owner hears which sites are `left`
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
  if (!PLATFORMS[primaryOf(deployment).platform].isSimulated) await releaseDeploymentSlot(session, accountId);
  await reserveSlug(session, accountId, slug, providers.now());
  for (const destination of left) await publishLeft(session, deployment, destination);
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
}

/** Without the deployment's id: there is nothing left to open. */
async function publishLeft(
  session: ClientSession,
  { accountId, name }: DeploymentDoc,
  { platform, url }: DestinationDoc,
): Promise<void> {
  const { title } = PLATFORMS[platform];
  await publishEvent(session, accountId, {
    type: 'notification',
    title: `${name} stays at ${title}`,
    message: `${url ?? 'Its site'} could not be taken off: Fairlead can no longer reach the account there. Delete the site at ${title}.`,
    variant: 'destructive',
  });
}
