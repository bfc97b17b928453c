import type { ClientSession } from 'mongoose';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { type DeploymentDoc, othersOf } from '../../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../../database/models/publishing/destination.ts';
import { PublicationModel } from '../../database/models/publishing/publication.ts';
import type { ReleaseDoc } from '../../database/models/publishing/release.ts';
import { furtherPlatformsRefusal } from '../../plans/quota.ts';
import { enqueueJob, expediteJob } from '../../queue/queue.ts';
import { beginAct, endPublication } from './publications.ts';
import { BEING_PUBLISHED, destinationKey, writeDestination } from './release-work.ts';

/**
 * A deployment may have destinations besides the primary one. They follow it: whenever a release goes live at the
 * primary one, for the first time or by a rollback, a job of its own publishes it at each of the others. A destination
 * that fails shows the reason and stays at the release that it had, or goes back to it if the platform can do that
 * (withdraw.ts); neither the release nor another destination fails with it.
 *
 * Each job reads from the store the files that it sends, even if another has read them just before. For 500 MB in
 * 4,204 files that was less than a second of one core and nothing from the disk, since the system has them in memory
 * by then (measured on Linux), while sending them takes most of a minute at 100 Mbit/s. One reading for all
 * destinations would delay each of them by the slowest, or hold in Fairlead's own memory what that one has not sent
 * yet.
 */

/**
 * Publishes the release that has just gone live at the destinations besides the primary one; part of the caller's
 * transaction.
 */
export async function publishElsewhere(
  session: ClientSession,
  deployment: DeploymentDoc,
  release: ReleaseDoc,
  at: Date,
): Promise<void> {
  const others = othersOf(deployment).filter(({ state }) => state !== 'removing');
  if (others.length === 0) return;
  const refusal = await furtherPlatformsRefusal(session, { accountId: deployment.accountId, now: at });
  for (const destination of others) {
    if (refusal === null || destination.isMove) await publishAt(session, { deployment, release, destination, at });
    else await skipAt(session, { deployment, release, destination }, refusal);
  }
}

/** Leaves what is live there, and records why the destination stays behind. */
async function skipAt(
  session: ClientSession,
  { deployment, release, destination }: Omit<NewPublication, 'at'>,
  error: ShownError,
): Promise<void> {
  const { accountId } = deployment;
  const failed = { state: 'failed', error } as const;
  await writeDestination(session, accountId, { deploymentId: deployment._id, destinationId: destination._id }, failed);
  await endPublication(session, accountId, { releaseId: release._id, destinationId: destination._id }, failed);
}

export type NewPublication = {
  deployment: DeploymentDoc;
  release: ReleaseDoc;
  destination: DestinationDoc;
  at: Date;
};

/** Begins to publish a release at one destination. */
export async function publishAt(
  session: ClientSession,
  { deployment, release, destination, at }: NewPublication,
): Promise<void> {
  const { accountId, _id: deploymentId } = deployment;
  const { _id: destinationId } = destination;
  const publishing = { state: 'publishing', error: null } as const;
  await writeDestination(session, accountId, { deploymentId, destinationId }, publishing);
  Object.assign(destination, publishing);
  await beginAct(session, { release, destination, at });
  const payload = { releaseId: release._id, destinationId };
  const key = destinationKey({ deploymentId, destinationId });
  await enqueueJob(session, { name: 'publish', payload, accountId, key });
}

/**
 * Goes on with the release that visitors have again: while another was switched to, the jobs elsewhere found theirs
 * unwanted and ended, or could not record how theirs ended.
 */
export async function resumeElsewhere(session: ClientSession, deployment: DeploymentDoc): Promise<void> {
  const { accountId, _id: deploymentId, currentReleaseId: releaseId } = deployment;
  if (!releaseId) return;
  const isUnderWay = ({ state }: DestinationDoc) => BEING_PUBLISHED.some((one) => one === state);
  for (const { _id: destinationId } of othersOf(deployment).filter(isUnderWay)) {
    const key = destinationKey({ deploymentId, destinationId });
    await expediteJob(session, { name: 'publish', payload: { releaseId, destinationId }, accountId, key });
  }
}

/** Ends what goes on elsewhere with a release that another takes the place of: the destinations follow that one. */
export async function callOffElsewhere(
  session: ClientSession,
  accountId: string,
  releaseId: string,
  at: Date,
): Promise<void> {
  const moving = { accountId, releaseId, state: { $in: [...BEING_PUBLISHED] } };
  const publications = await PublicationModel.find(moving, { destinationId: 1, wasLive: 1 }).session(session).lean();
  for (const { destinationId, wasLive } of publications) {
    const end = { state: wasLive ? 'live' : 'idle', error: null, steps: { state: 'cancelled', at } } as const;
    await endPublication(session, accountId, { releaseId, destinationId }, end);
  }
}
