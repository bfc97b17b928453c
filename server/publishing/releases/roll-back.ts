import type { Deployment, RollBackDeploymentInput } from '../../../routers/schemas/deployments.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { actorName } from '../../account/actor-name.ts';
import { requireConnected } from '../../connections/watch.ts';
import type { AccountContext } from '../../context.ts';
import { findDeployment } from '../../database/find-deployment.ts';
import { type DeploymentDoc, primaryOf } from '../../database/models/publishing/deployment.ts';
import { ReleaseModel } from '../../database/models/publishing/release.ts';
import { transaction } from '../../database/mongo.ts';
import { moveDeployment, moveRelease } from '../../database/move-state.ts';
import { publishEvent } from '../../events/publish.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { requireWritable } from '../../plans/subscription/writable.ts';
import { deploymentBusy } from '../deployments/change.ts';
import { toDeployment } from '../deployments/read.ts';
import { publishAt } from '../publication/other-destinations.ts';
import { countRelease } from './pace.ts';
import { recordRollBack } from './roll-backs.ts';

/**
 * Makes an earlier release the public one again, without a new upload: a job switches and verifies the site. Throws
 * `not_found`, `plan_required`, `credentials_invalid`, `deployment_busy`, and `conflict` for a release that was never
 * live or a platform that cannot roll back.
 */
export async function rollBackDeployment(ctx: AccountContext, input: RollBackDeploymentInput): Promise<Deployment> {
  const before = await findDeployment(ctx, input.deploymentId);
  const { accountId } = ctx.actor;
  const target = await ReleaseModel.findOne({ _id: input.releaseId, accountId, deploymentId: before._id }).lean();
  if (target === null) throw notFound('release');
  await requireWritable(null, ctx, before._id);
  if (before.currentReleaseId === target._id)
    throw new AppError('conflict', `Release ${target.number} is already live.`);
  if (target.state !== 'superseded')
    throw new AppError('conflict', `Release ${target.number} was never live, so you cannot roll back to it.`);
  requireRollBack(ctx, before);
  await requireConnected(ctx, before);
  await countRelease(ctx);
  const serving = await ReleaseModel.findOne({ _id: before.currentReleaseId ?? '', accountId }, { number: 1 });
  const createdBy = await actorName(ctx);
  const at = ctx.now();

  const doc = await transaction(async (session) => {
    const ids = { deploymentId: before._id, releaseId: target._id };
    await publishEvent(session, accountId, { type: 'analytics_update', ...ids });
    await requireWritable(session, ctx, before._id);
    const deploying = await moveDeployment(session, {
      id: before._id,
      accountId,
      from: ['live'],
      to: 'deploying',
      set: { latestReleaseId: target._id },
    });
    if (deploying === null) throw deploymentBusy();
    const moved = await moveRelease(session, {
      id: target._id,
      accountId,
      from: ['superseded'],
      to: 'verifying',
      set: {
        error: null,
        cancelRequestedAt: null,
        replacedReleaseId: null,
      },
    });
    if (moved === null) throw deploymentBusy();
    if (serving !== null) {
      await recordRollBack(session, { from: serving.number, to: moved, createdBy, at });
    }
    const destination = primaryOf(deploying);
    await publishAt(session, { deployment: deploying, release: moved, destination, at });
    return deploying;
  });
  return toDeployment(ctx, doc);
}

function requireRollBack({ providers }: AccountContext, deployment: DeploymentDoc): void {
  const { platform } = primaryOf(deployment);
  if (providers.platforms[platform]?.capabilities.rollBack) return;
  throw new AppError('conflict', `${PLATFORMS[platform].title} cannot roll back to an earlier release.`, {
    hint: 'Download the earlier release and publish its files again.',
  });
}
