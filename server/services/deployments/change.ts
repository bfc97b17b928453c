import type { ClientSession } from 'mongoose';
import {
  type Deployment,
  type RemoveDeploymentInput,
  type RollBackDeploymentInput,
  slugTakenText,
  type UpdateDeploymentInput,
} from '../../../routers/schemas/deployments.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import { AppError, notFound } from '../../errors.ts';
import { publishEvent } from '../../events/publish.ts';
import { enqueueJob } from '../../jobs/queue.ts';
import { type DeploymentDoc, DeploymentModel } from '../../models/deployment.ts';
import { ReleaseModel } from '../../models/release.ts';
import { ReleaseStepModel } from '../../models/release-step.ts';
import { isDuplicateKey, transaction } from '../../mongo.ts';
import type { AccountContext } from '../../service-context.ts';
import { actorName } from '../actor-name.ts';
import { moveDeployment, moveRelease } from '../move-state.ts';
import { requireWritablePlan } from '../quota.ts';
import { noteRollBack } from '../releases/roll-backs.ts';
import { findDeployment, toDeployment } from './read.ts';
import { holdSlug, isSlugFree, unholdSlug } from './slug.ts';

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
  if (before.state === 'deploying') throw busy('It is being published: change its address afterwards.');
  if (!(await isSlugFree(session, accountId, slug))) throw slugTaken(slug);
  await holdSlug(session, accountId, before.slug, ctx.now());
  await unholdSlug(session, accountId, slug);
}

/**
 * Makes an earlier release the public one again, without a new upload: a job switches and looks at the site.
 * Throws `not_found`, `plan_required`, `deployment_busy`, `conflict` for a release that was never live or a platform
 * that cannot go back.
 */
export async function rollBackDeployment(ctx: AccountContext, input: RollBackDeploymentInput): Promise<Deployment> {
  const before = await findDeployment(ctx, input.deploymentId);
  const { accountId } = ctx.actor;
  const target = await ReleaseModel.findOne({ _id: input.releaseId, accountId, deploymentId: before._id });
  if (target === null) throw notFound('release');
  await requireWritablePlan(ctx);
  if (before.currentReleaseId === target._id)
    throw new AppError('conflict', `Release ${target.number} is the one that is live.`);
  if (target.state !== 'superseded')
    throw new AppError('conflict', `Release ${target.number} was never live, so nothing can go back to it.`);
  requireRollBack(ctx, before);
  const serving = await ReleaseModel.findOne({ _id: before.currentReleaseId ?? '', accountId }, { number: 1 });
  const createdBy = await actorName(ctx);

  const doc = await transaction(async (session) => {
    const ids = { deploymentId: before._id, releaseId: target._id };
    await publishEvent(session, accountId, { type: 'analytics_update', ...ids });
    const deploying = await moveDeployment(session, {
      id: before._id,
      accountId,
      from: ['live'],
      to: 'deploying',
      set: { latestReleaseId: target._id },
    });
    if (deploying === null) throw busy();
    const moved = await moveRelease(session, {
      id: target._id,
      accountId,
      from: ['superseded'],
      to: 'verifying',
      set: { error: null, cancelRequestedAt: null, replacedReleaseId: null },
    });
    if (moved === null) throw busy();
    if (serving !== null) {
      await noteRollBack(session, { from: serving.number, to: moved, createdBy, at: ctx.now() });
    }
    await ReleaseStepModel.updateOne(
      { _id: `${target._id}.verifying`, accountId },
      { $set: { state: 'waiting', startedAt: null, endedAt: null, done: 0, total: 0, doneBytes: 0, totalBytes: 0 } },
      { session },
    );
    await enqueueJob(session, {
      name: 'deploy-release',
      payload: { releaseId: target._id },
      accountId,
      key: before._id,
    });
    return deploying;
  });
  return toDeployment(ctx, doc);
}

function requireRollBack({ providers }: AccountContext, { platform }: DeploymentDoc): void {
  const rollback = providers.platforms[platform]?.capabilities.rollback ?? 'none';
  if (rollback !== 'none') return;
  throw new AppError('conflict', `${PLATFORMS[platform].title} cannot go back to an earlier release.`, {
    hint: 'Download the earlier release and publish its files again.',
  });
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
  if (doc === null) throw busy('It is being published: cancel the release first.');
  await enqueueJob(session, { name: 'remove-deployment', payload: { deploymentId: id }, accountId, key: id });
}

/** A deployment does one thing at a time. */
export function busy(hint = 'Wait until it is live, or cancel it.'): AppError {
  return new AppError('deployment_busy', 'A release of this deployment is on its way.', { hint });
}

function slugTaken(slug: string): AppError {
  return new AppError('slug_taken', slugTakenText(slug), { field: 'slug' });
}
