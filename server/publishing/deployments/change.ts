import type { ClientSession } from 'mongoose';
import {
  type Deployment,
  type RemoveDeploymentInput,
  slugTakenText,
  type UpdateDeploymentInput,
} from '../../../routers/schemas/deployments.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import { countAgainst } from '../../account/rate-limit.ts';
import type { AccountContext } from '../../context.ts';
import { findDeployment } from '../../database/find-deployment.ts';
import { type DeploymentDoc, DeploymentModel, primaryOf } from '../../database/models/publishing/deployment.ts';
import { isDuplicateKey, transaction } from '../../database/mongo.ts';
import { moveDeployment } from '../../database/move-state.ts';
import { publishEvent } from '../../events/publish.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { requireWritable } from '../../plans/subscription/writable.ts';
import { enqueueJob, expediteJob } from '../../queue/queue.ts';
import { toDeployment } from './read.ts';
import { listKey } from './search.ts';
import { dropSlugReservation, isSlugFree, reserveSlug } from './slug.ts';

/**
 * Renames a deployment, gives it another address, or changes how the built-in host interprets requested paths, which
 * takes effect at once without a release. The old address stays reserved for 30 days. Throws `not_found`,
 * `plan_required`, `slug_taken` on `slug`, `conflict` on it when the built-in host serves nothing of the deployment,
 * `deployment_busy` for a new address while a release is being published, and `rate_limited` for an account that
 * changes very much, or very many addresses.
 */
export async function updateDeployment(ctx: AccountContext, input: UpdateDeploymentInput): Promise<Deployment> {
  const { slug } = await findDeployment(ctx, input.deploymentId);
  await requireWritable(null, ctx, input.deploymentId);
  await countUpdate(ctx);
  if (input.slug !== undefined && input.slug !== slug) await countAddressChange(ctx);
  try {
    const doc = await transaction((session) => applyUpdate(session, ctx, input));
    return await toDeployment(ctx, doc);
  } catch (error) {
    if (isDuplicateKey(error, 'slug')) throw slugTaken(input.slug ?? '');
    throw error;
  }
}

function countUpdate({ actor, providers }: AccountContext): Promise<void> {
  const limit = providers.limits.deploymentUpdatesPerHour;
  return countAgainst({ name: 'deployment-updates', key: actor.accountId, limit, windowMs: HOUR_MS });
}

function countAddressChange({ actor, providers }: AccountContext): Promise<void> {
  const limit = providers.limits.addressChangesPerHour;
  return countAgainst({ name: 'address-changes', key: actor.accountId, limit, windowMs: HOUR_MS });
}

async function applyUpdate(
  session: ClientSession,
  ctx: AccountContext,
  input: UpdateDeploymentInput,
): Promise<DeploymentDoc> {
  const { accountId } = ctx.actor;
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId: input.deploymentId });
  await requireWritable(session, ctx, input.deploymentId);
  const before = await findDeployment(ctx, input.deploymentId);
  if (before.state === 'deleting') throw notFound('deployment');
  const isMoving = input.slug !== undefined && input.slug !== before.slug;
  if (isMoving) await changeAddress(session, ctx, before, input.slug ?? '');
  const named = { name: input.name ?? before.name, slug: input.slug ?? before.slug };
  const doc = await DeploymentModel.findOneAndUpdate(
    { _id: before._id, accountId, state: before.state },
    {
      $set: {
        ...named,
        nameKey: listKey(named),
        ...(input.isSinglePage !== undefined && { isSinglePage: input.isSinglePage }),
        ...(input.hasCleanUrls !== undefined && { hasCleanUrls: input.hasCleanUrls }),
      },
    },
    { session, returnDocument: 'after' },
  );
  if (doc === null) throw notFound('deployment');
  return doc;
}

/**
 * Refuses a new address while a release is on its way, because verification uses the address that the release started
 * with.
 */
async function changeAddress(
  session: ClientSession,
  ctx: AccountContext,
  before: DeploymentDoc,
  slug: string,
): Promise<void> {
  const { accountId } = ctx.actor;
  requireAddressHere(before);
  if (before.state === 'deploying')
    throw deploymentBusy('This deployment is being published: change its address afterwards.');
  if (!(await isSlugFree(session, accountId, slug))) throw slugTaken(slug);
  await reserveSlug(session, before, ctx.now());
  await dropSlugReservation(session, accountId, slug);
}

/**
 * Throws for a deployment that is only elsewhere: the platform gives its address, and another one here would appear
 * nowhere and be withheld from other accounts.
 */
function requireAddressHere(deployment: DeploymentDoc): void {
  if (deployment.destinations.some(({ platform }) => PLATFORMS[platform].isServedHere)) return;
  const { title } = PLATFORMS[primaryOf(deployment).platform];
  throw new AppError('conflict', `This deployment has its address from ${title}.`, {
    field: 'slug',
    hint: `Change the address at ${title}.`,
  });
}

/**
 * Removes a deployment with all its releases: a job takes it off its platforms, and its address stays reserved for 30
 * days. With `leaveSite` the sites stay at their platforms. Calling it again while a platform refuses makes the job
 * try at once. Throws `not_found`, and `deployment_busy` while it is being published.
 */
export async function removeDeployment(ctx: AccountContext, input: RemoveDeploymentInput): Promise<Done> {
  const { accountId } = ctx.actor;
  const before = await findDeployment(ctx, input.deploymentId);
  const leavesSites = input.leaveSite === true;
  if (before.state === 'deleting') {
    await transaction((session) => expediteRemoval(session, before, leavesSites));
    return DONE;
  }
  try {
    await transaction((session) => startRemoval(session, before, leavesSites));
  } catch (error) {
    // A concurrent call was faster and has done what was asked for.
    const isBusy = error instanceof AppError && error.code === 'deployment_busy';
    const now = isBusy ? await DeploymentModel.findOne({ _id: before._id, accountId }, { state: 1 }) : before;
    if (now !== null && now.state !== 'deleting') throw error;
  }
  return DONE;
}

async function startRemoval(
  session: ClientSession,
  { _id: id, accountId }: DeploymentDoc,
  leavesSites: boolean,
): Promise<void> {
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId: id });
  const set = { leavesSites, 'destinations.$[].state': 'removing', 'destinations.$[].error': null };
  const doc = await moveDeployment(session, { id, accountId, from: ['draft', 'live', 'failed'], to: 'deleting', set });
  if (doc === null) throw deploymentBusy('This deployment is being published: cancel the release first.');
  await enqueueJob(session, { name: 'remove-deployment', payload: { deploymentId: id }, accountId, key: id });
}

/** A decision to leave the sites is never undone, because the job may have read it already. */
async function expediteRemoval(
  session: ClientSession,
  { _id: deploymentId, accountId }: DeploymentDoc,
  leavesSites: boolean,
): Promise<void> {
  const filter = { _id: deploymentId, accountId, state: 'deleting' as const };
  const set = leavesSites ? { leavesSites } : {};
  const { matchedCount } = await DeploymentModel.updateOne(filter, { $set: set }, { session });
  if (matchedCount === 0) return;
  await expediteJob(session, { name: 'remove-deployment', payload: { deploymentId }, accountId, key: deploymentId });
}

/** A deployment does one thing at a time. */
export function deploymentBusy(hint = 'Wait until it is live, or cancel it.'): AppError {
  return new AppError('deployment_busy', 'A release of this deployment is on its way.', { hint });
}

function slugTaken(slug: string): AppError {
  return new AppError('slug_taken', slugTakenText(slug), { field: 'slug' });
}
