import type { ClientSession } from 'mongoose';
import {
  type Deployment,
  type RemoveDeploymentInput,
  slugTakenText,
  type UpdateDeploymentInput,
} from '../../../routers/schemas/deployments.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import { AppError, notFound } from '../../errors.ts';
import { publishEvent } from '../../events/publish.ts';
import { enqueueJob } from '../../jobs/queue.ts';
import { type DeploymentDoc, DeploymentModel } from '../../models/deployment.ts';
import { isDuplicateKey, transaction } from '../../mongo.ts';
import type { AccountContext } from '../../service-context.ts';
import { moveDeployment } from '../move-state.ts';
import { requireWritablePlan } from '../quota.ts';
import { findDeployment, toDeployment } from './read.ts';
import { dropSlugReservation, isSlugFree, reserveSlug } from './slug.ts';

/**
 * Renames a deployment, gives it another address, or changes how the built-in host reads its addresses, which takes
 * effect at once without a release. The old address stays held for 30 days. Throws `not_found`, `plan_required`,
 * `slug_taken` on `slug`, `deployment_busy` for another address while it is being published.
 */
export async function updateDeployment(ctx: AccountContext, input: UpdateDeploymentInput): Promise<Deployment> {
  await findDeployment(ctx, input.deploymentId);
  await requireWritablePlan(ctx);
  try {
    const doc = await transaction((session) => applyUpdate(session, ctx, input));
    return await toDeployment(ctx, doc);
  } catch (error) {
    if (isDuplicateKey(error, 'slug')) throw slugTaken(input.slug ?? '');
    throw error;
  }
}

async function applyUpdate(
  session: ClientSession,
  ctx: AccountContext,
  input: UpdateDeploymentInput,
): Promise<DeploymentDoc> {
  const { accountId } = ctx.actor;
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId: input.deploymentId });
  const before = await findDeployment(ctx, input.deploymentId);
  if (before.state === 'deleting') throw notFound('deployment');
  const isMoving = input.slug !== undefined && input.slug !== before.slug;
  if (isMoving) await changeAddress(session, ctx, before, input.slug ?? '');
  const doc = await DeploymentModel.findOneAndUpdate(
    { _id: before._id, accountId, state: before.state },
    {
      $set: {
        ...(input.name !== undefined && { name: input.name, nameKey: input.name.toLowerCase() }),
        ...(isMoving && { slug: input.slug }),
        ...(input.isSinglePage !== undefined && { isSinglePage: input.isSinglePage }),
        ...(input.hasCleanUrls !== undefined && { hasCleanUrls: input.hasCleanUrls }),
      },
    },
    { session, returnDocument: 'after' },
  );
  if (doc === null) throw notFound('deployment');
  return doc;
}

/** Not while a release is on its way: it is looked at under the address that it was started with. */
async function changeAddress(
  session: ClientSession,
  ctx: AccountContext,
  before: DeploymentDoc,
  slug: string,
): Promise<void> {
  const { accountId } = ctx.actor;
  if (before.state === 'deploying') throw deploymentBusy('It is being published: change its address afterwards.');
  if (!(await isSlugFree(session, accountId, slug))) throw slugTaken(slug);
  await reserveSlug(session, accountId, before.slug, ctx.now());
  await dropSlugReservation(session, accountId, slug);
}

/**
 * Removes a deployment with all its releases: it is taken off its platform by a job, and its address is held for 30
 * days. Throws `not_found`, `deployment_busy` while it is being published.
 */
export async function removeDeployment(ctx: AccountContext, input: RemoveDeploymentInput): Promise<Done> {
  const { accountId } = ctx.actor;
  const before = await findDeployment(ctx, input.deploymentId);
  if (before.state === 'deleting') return DONE;
  try {
    await transaction((session) => startRemoval(session, before));
  } catch (error) {
    // A call beside this one was faster: what it did is what was asked for.
    const isBusy = error instanceof AppError && error.code === 'deployment_busy';
    const now = isBusy ? await DeploymentModel.findOne({ _id: before._id, accountId }, { state: 1 }) : before;
    if (now !== null && now.state !== 'deleting') throw error;
  }
  return DONE;
}

async function startRemoval(session: ClientSession, { _id: id, accountId }: DeploymentDoc): Promise<void> {
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId: id });
  const doc = await moveDeployment(session, { id, accountId, from: ['draft', 'live', 'failed'], to: 'deleting' });
  if (doc === null) throw deploymentBusy('It is being published: cancel the release first.');
  await enqueueJob(session, { name: 'remove-deployment', payload: { deploymentId: id }, accountId, key: id });
}

/** A deployment does one thing at a time. */
export function deploymentBusy(hint = 'Wait until it is live, or cancel it.'): AppError {
  return new AppError('deployment_busy', 'A release of this deployment is on its way.', { hint });
}

function slugTaken(slug: string): AppError {
  return new AppError('slug_taken', slugTakenText(slug), { field: 'slug' });
}
