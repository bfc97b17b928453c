import type { ClientSession } from 'mongoose';
import {
  type AddDestinationInput,
  DESTINATIONS_MAX,
  type Deployment,
  type MakePrimaryInput,
  type RemoveDestinationInput,
  type RetryDestinationInput,
} from '../../../routers/schemas/deployments.ts';
import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { countAgainst } from '../../account/rate-limit.ts';
import { requireConnected } from '../../connections/watch.ts';
import type { AccountContext } from '../../context.ts';
import { findDeployment } from '../../database/find-deployment.ts';
import { JobModel } from '../../database/models/job.ts';
import {
  type DeploymentDoc,
  DeploymentModel,
  othersOf,
  primaryOf,
} from '../../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../../database/models/publishing/destination.ts';
import { PublicationModel } from '../../database/models/publishing/publication.ts';
import { ReleaseModel } from '../../database/models/publishing/release.ts';
import { transaction } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { requireSeveralPlatforms } from '../../plans/quota.ts';
import { requireWritable } from '../../plans/subscription/writable.ts';
import { enqueueJob } from '../../queue/queue.ts';
import { publishAt } from '../publication/other-destinations.ts';
import { type DestinationIds, destinationKey, writeDestination } from '../publication/release-work.ts';
import { deploymentBusy } from './change.ts';
import { type NewDestination, resolveDestination } from './destination.ts';
import { forgetDestination, requireNobodyLedTo } from './former-destinations.ts';
import { notifyKept, notifyLeft, type Removal } from './left-sites.ts';
import { toDeployment } from './read.ts';
import { wantedNameOf } from './slug.ts';

/**
 * All further platforms of three deployments. Each addition publishes a site, and stays in the record of its release
 * once it was live.
 */
const ADDITIONS_PER_HOUR = 30;
/** Each one moves all domains of a deployment in one transaction. */
const PRIMARY_MOVES_PER_HOUR = 10;

/**
 * Publishes a deployment on one more platform: what is live now, and from then on every release. Throws the errors of
 * `resolveDestination` and `requireConnected`, `plan_required` when the plan has one platform at a time and this is no
 * move, `conflict` when it is published there already or an earlier move has not ended, `deployment_busy`, and
 * `rate_limited` for an account that adds very many.
 */
export async function addDestination(ctx: AccountContext, input: AddDestinationInput): Promise<Deployment> {
  const { deploymentId, isMove = false, ...asked } = input;
  const before = await findDeployment(ctx, deploymentId);
  await requireWritable(null, ctx, deploymentId);
  if (!isMove) await requireSeveralPlatforms(ctx);
  const { accountId } = ctx.actor;
  await countAgainst({ name: 'added-destinations', key: accountId, limit: ADDITIONS_PER_HOUR, windowMs: HOUR_MS });
  const destination = await resolveDestination(ctx, asked);
  await requireConnected(ctx, before, destination);
  return change(ctx, deploymentId, async (session, deployment) => {
    await requireWritable(session, ctx, deploymentId);
    if (!isMove) await requireSeveralPlatforms(ctx, session);
    requireNewDestination(deployment, destination);
    if (isMove) requireNoOtherMove(deployment);
    const added = await DeploymentModel.findOneAndUpdate(
      { _id: deploymentId, accountId: deployment.accountId, state: deployment.state },
      { $push: { destinations: { ...destination, wantedName: wantedNameOf(deployment), isMove } } },
      { session, returnDocument: 'after' },
    );
    if (added === null) throw deploymentBusy();
    await publishCurrent(session, ctx, added, destination._id);
  });
}

function requireNewDestination({ destinations }: DeploymentDoc, added: NewDestination): void {
  const { title } = PLATFORMS[added.platform];
  const isThere = destinations.some(
    ({ platform, connectionId, targetId }) =>
      platform === added.platform &&
      (connectionId ?? null) === added.connectionId &&
      (targetId ?? null) === added.targetId,
  );
  if (isThere) throw new AppError('conflict', `This deployment is already published on ${title}, by the same account.`);
  if (destinations.length >= DESTINATIONS_MAX) {
    throw new AppError('conflict', `A deployment can be published on ${DESTINATIONS_MAX} platforms at once.`);
  }
}

/**
 * A move has two platforms for a while. Another one begins only after it, since otherwise the deployment would have
 * several platforms at once.
 */
function requireNoOtherMove(deployment: DeploymentDoc): void {
  const [other] = othersOf(deployment);
  if (other === undefined) return;
  const { title } = PLATFORMS[other.platform];
  throw new AppError('conflict', `This deployment is still on ${title} as well.`, {
    hint: `Remove ${title} before you move it again.`,
  });
}

/**
 * Takes a deployment off one of its platforms, by a job. Throws `not_found`, and `conflict` for the primary
 * destination, which another has to replace first, and while the records of a domain lead there.
 */
export async function removeDestination(ctx: AccountContext, input: RemoveDestinationInput): Promise<Deployment> {
  const { deploymentId, destinationId, leaveSite } = input;
  return change(ctx, deploymentId, async (session, deployment) => {
    const destination = findDestination(deployment, destinationId);
    if (destinationId === deployment.primaryId) {
      throw new AppError('conflict', 'The primary platform cannot be removed.', {
        hint: 'Make another platform the primary one first, or delete the deployment.',
      });
    }
    const { accountId } = deployment;
    if (destination.state !== 'removing') {
      await requireNobodyLedTo(session, accountId, { destinationId, platform: destination.platform });
    }
    const ids = { deploymentId, destinationId };
    if (leaveSite === true) return endRemoval(session, accountId, ids, { isLeft: true, kept: null });
    if (destination.state === 'removing') return;
    await writeDestination(session, accountId, ids, { state: 'removing', error: null });
    await enqueueJob(session, { name: 'remove-destination', payload: ids, accountId, key: destinationKey(ids) });
  });
}

/**
 * Tries again at one destination that failed. Throws `not_found`, `plan_required`, `credentials_invalid`,
 * `deployment_busy`, `conflict`.
 */
export async function retryDestination(ctx: AccountContext, input: RetryDestinationInput): Promise<Deployment> {
  const before = await findDeployment(ctx, input.deploymentId);
  await requireWritable(null, ctx, input.deploymentId);
  await requireConnected(ctx, before, findDestination(before, input.destinationId));
  return change(ctx, input.deploymentId, async (session, deployment) => {
    await requireWritable(session, ctx, input.deploymentId);
    const { state, _id, isMove } = findDestination(deployment, input.destinationId);
    if (!isMove) await requireSeveralPlatforms(ctx, session);
    if (_id === deployment.primaryId || state !== 'failed') {
      throw new AppError('conflict', 'Only an additional platform where publishing failed can be tried again.');
    }
    await publishCurrent(session, ctx, deployment, _id);
  });
}

/** Moves the domains of a deployment. They know publishing and not the other way round, so the router hands it over. */
type MoveDomains = (
  session: ClientSession,
  deployment: DeploymentDoc,
  move: { to: DestinationDoc; now: Date },
) => Promise<void>;

/**
 * Makes another destination the primary one: its address becomes the deployment's, releases are live once they are
 * seen live there, and the domains move there. Throws `not_found`, `plan_required`, `deployment_busy`, and `conflict`
 * until the live release is live there too, or when its domains cannot be served there.
 */
export async function makePrimary(
  ctx: AccountContext,
  input: MakePrimaryInput,
  moveDomains: MoveDomains,
): Promise<Deployment> {
  const { accountId: key } = ctx.actor;
  await findDeployment(ctx, input.deploymentId);
  await requireWritable(null, ctx, input.deploymentId);
  await countAgainst({ name: 'primary-moves', key, limit: PRIMARY_MOVES_PER_HOUR, windowMs: HOUR_MS });
  return change(ctx, input.deploymentId, async (session, deployment) => {
    await requireWritable(session, ctx, input.deploymentId);
    const chosen = findDestination(deployment, input.destinationId);
    const { _id, accountId, currentReleaseId } = deployment;
    const before = primaryOf(deployment);
    if (chosen._id === before._id) return;
    if (chosen.state !== 'live' || !currentReleaseId || chosen.releaseId !== currentReleaseId) {
      const { title } = PLATFORMS[chosen.platform];
      throw new AppError('conflict', `${title} does not have the live release yet.`, { hint: 'Wait until it does.' });
    }
    // The old primary destination is an ordinary one from now on and has to know itself which release visitors get
    // there.
    before.releaseId = currentReleaseId;
    chosen.isMove = false;
    await DeploymentModel.updateOne(
      { _id, accountId },
      { $set: { primaryId: chosen._id, platform: chosen.platform, destinations: deployment.destinations } },
      { session },
    );
    await moveDomains(session, deployment, { to: chosen, now: ctx.now() });
  });
}

/** Changes the destinations in a transaction with its event; refused while a release is on its way. */
async function change(
  ctx: AccountContext,
  deploymentId: string,
  work: (session: ClientSession, deployment: DeploymentDoc) => Promise<void>,
): Promise<Deployment> {
  const { accountId } = ctx.actor;
  const doc = await transaction(async (session) => {
    await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
    const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId }).session(session);
    if (deployment === null || deployment.state === 'deleting') throw notFound('deployment');
    if (deployment.state === 'deploying') throw deploymentBusy();
    await work(session, deployment);
    return DeploymentModel.findOne({ _id: deploymentId, accountId }).session(session).orFail();
  });
  return toDeployment(ctx, doc);
}

function findDestination({ destinations }: DeploymentDoc, destinationId: string): DestinationDoc {
  const destination = destinations.find(({ _id }) => _id === destinationId);
  if (destination === undefined) throw notFound('destination');
  return destination;
}

/** Publishes the live release at the destination; with nothing live it waits for the first release. */
async function publishCurrent(
  session: ClientSession,
  ctx: AccountContext,
  deployment: DeploymentDoc,
  destinationId: string,
): Promise<void> {
  const { accountId, currentReleaseId } = deployment;
  const release = await ReleaseModel.findOne({ _id: currentReleaseId ?? '', accountId }).session(session);
  if (release === null) return;
  const destination = findDestination(deployment, destinationId);
  await publishAt(session, { deployment, release, destination, at: ctx.now() });
}

/** Returns the destination that a job is to take away; null when that was done before. */
export async function findRemoving(
  accountId: string,
  { deploymentId, destinationId }: DestinationIds,
): Promise<{ deployment: DeploymentDoc; destination: DestinationDoc } | null> {
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId });
  const destination = deployment?.destinations.find(({ _id, state }) => _id === destinationId && state === 'removing');
  return deployment && destination ? { deployment, destination } : null;
}

/**
 * Removes the destination from the deployment and from the queue. A release that was live there keeps it as history.
 * The owner is told once which parts of the site are left.
 */
export async function endRemoval(
  session: ClientSession,
  accountId: string,
  { deploymentId, destinationId }: DestinationIds,
  { isLeft, kept }: Removal,
): Promise<void> {
  const gone = { $pull: { destinations: { _id: destinationId } } };
  const before = await DeploymentModel.findOneAndUpdate({ _id: deploymentId, accountId }, gone, { session });
  const destination = before?.destinations.find(({ _id }) => _id === destinationId);
  if (before && destination) {
    const { name } = before;
    const isTheirs = PLATFORM_CAPABILITIES[destination.platform]?.publish === 'handOff';
    const isThere = (isLeft || isTheirs) && Boolean(destination.site ?? destination.url);
    if (isThere) await notifyLeft(session, { accountId, name, isWanted: true }, destination);
    if (kept !== null) await notifyKept(session, { accountId, name }, kept);
  }
  await forgetDestination(session, accountId, { deploymentId, destinationId });
  const neverLive = { accountId, destinationId, state: { $ne: 'live' as const }, wasLive: false };
  await PublicationModel.deleteMany(neverLive, { session });
  const name = { $in: ['publish', 'remove-destination'] };
  const key = destinationKey({ deploymentId, destinationId });
  await JobModel.deleteMany({ status: 'queued', name, accountId, key }, { session });
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
}

/** Records that the platform did not remove the site, with the reason; the destination stays. */
export async function failRemoval(
  session: ClientSession,
  accountId: string,
  ids: DestinationIds,
  error: ShownError,
): Promise<void> {
  await writeDestination(session, accountId, ids, { state: 'failed', error });
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId: ids.deploymentId });
}
