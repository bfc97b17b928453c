import type { ClientSession } from 'mongoose';
import type { CancelReleaseInput, Release } from '../../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import type { AccountContext } from '../../context.ts';
import { findDeployment } from '../../database/find-deployment.ts';
import { JobModel } from '../../database/models/job.ts';
import { PublicationModel } from '../../database/models/publishing/publication.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/publishing/release.ts';
import { transaction } from '../../database/mongo.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { expediteJob } from '../../queue/queue.ts';
import { cancel } from '../publication/outcome.ts';
import { destinationKey } from '../publication/release-work.ts';
import { wasLiveBefore } from '../publication/was-live-before.ts';
import { findRelease } from './read.ts';
import { toReleaseOf } from './to-release.ts';

/**
 * Cancels a release that is on its way; what was live stays live. While a worker runs the release, it ends at the
 * worker's next safe point, within a second or two; otherwise it ends here. Throws `not_found`, and `conflict` when it
 * has ended already or is a rollback.
 */
export async function cancelRelease(ctx: AccountContext, input: CancelReleaseInput): Promise<Release> {
  const before = await findRelease(ctx, input.releaseId);
  if (!isRunningReleaseState(before.state)) throw over(before);
  // Half of a rollback would leave nothing that "cancelled" could mean.
  if (wasLiveBefore(before)) {
    throw new AppError('conflict', 'A rollback cannot be cancelled. Roll back to another release when it is done.');
  }
  const doc = await transaction((session) => requestCancel(session, ctx, before));
  return toReleaseOf(ctx, doc);
}

async function requestCancel(session: ClientSession, ctx: AccountContext, before: ReleaseDoc): Promise<ReleaseDoc> {
  const { accountId } = ctx.actor;
  const { _id: releaseId, deploymentId } = before;
  const { primaryId: destinationId } = await findDeployment(ctx, deploymentId);
  const key = destinationKey({ deploymentId, destinationId });
  const worked = await JobModel.exists({ accountId, key, status: 'running' }).session(session);
  // Files that are at a platform by now have to be withdrawn there as well.
  const isElsewhere = await PublicationModel.exists({ accountId, releaseId, ref: { $ne: null } }).session(session);
  if (worked === null && isElsewhere === null) {
    const ended = await cancel(session, ctx.providers, accountId, { releaseId, destinationId });
    if (ended === null) throw over(before);
    return ended;
  }
  const doc = await ReleaseModel.findOneAndUpdate(
    { _id: releaseId, accountId, finishedAt: null },
    { $set: { cancelRequestedAt: ctx.now() } },
    { session, returnDocument: 'after' },
  );
  if (doc === null) throw notFound('release');
  // The job may wait for hours until it is due.
  if (worked === null) {
    await expediteJob(session, { name: 'publish', payload: { releaseId, destinationId }, accountId, key });
  }
  return doc;
}

function over(release: ReleaseDoc): AppError {
  return new AppError('conflict', `Release ${release.number} has ended, so there is nothing to cancel.`);
}
