import type { ClientSession } from 'mongoose';
import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { type DeploymentDoc, DeploymentModel } from '../../database/models/deployment.ts';
import type { DestinationDoc } from '../../database/models/destination.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/release.ts';
import { newId } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { furtherPlatformsRefusal } from '../../plans/quota.ts';
import { enqueueJob } from '../../queue/queue.ts';
import { BEING_PUBLISHED, type DestinationIds, fieldsBelow, type ReleaseWork } from './release-work.ts';

/**
 * A deployment may have destinations besides the primary one. They follow it: whenever a release goes live at the primary
 * one, for the first time or by a roll back, a job of its own publishes it at each of the others. One that fails keeps
 * what it had and says why; neither the release nor another destination fails with it.
 *
 * Each reads from the store what it sends, also what another has read just before. Of 500 MB in 4,204 files that was less
 * than a second of one core and nothing from the disk, since the system has them in memory by then (measured on Linux),
 * while sending them takes most of a minute at 100 Mbit/s. One reading for all would hold each of them up by the slowest,
 * or hold in our own memory what that one has not sent yet.
 */

/** Of one destination one job runs at a time. */
export function destinationKey({ deploymentId, destinationId }: DestinationIds): string {
  return `${deploymentId}.${destinationId}`;
}

/** Publishes what has just gone live at the destinations besides the primary one; part of the caller's transaction. */
export async function publishElsewhere(
  session: ClientSession,
  deployment: DeploymentDoc,
  release: ReleaseDoc,
  at: Date,
): Promise<void> {
  const others = deployment.destinations.slice(1).filter(({ state }) => state !== 'removing');
  if (others.length === 0) return;
  const refusal = await furtherPlatformsRefusal(session, { accountId: deployment.accountId, now: at });
  for (const destination of others) {
    if (refusal === null || destination.isMove) await publishAt(session, { deployment, release, destination, at });
    else await skipAt(session, { deployment, release, destination }, refusal);
  }
}

/** What is live there stays as it is, and says why it stays behind. */
async function skipAt(
  session: ClientSession,
  { deployment, release, destination }: Omit<NewPublication, 'at'>,
  error: ShownError,
): Promise<void> {
  const { accountId } = deployment;
  const set = { $set: fieldsBelow('destinations.$', { state: 'failed', error }) };
  const there = { 'destinations._id': destination._id };
  await DeploymentModel.updateOne({ _id: deployment._id, accountId, ...there }, set, { session });
  await ReleaseModel.updateOne({ _id: release._id, accountId, ...there }, set, { session });
}

export type NewPublication = {
  deployment: DeploymentDoc;
  release: ReleaseDoc;
  destination: DestinationDoc;
  at: Date;
};

/** Begins to publish a release at one destination, as an act of its own: nothing of one that failed is gone on with. */
export async function publishAt(
  session: ClientSession,
  { deployment, release, destination, at }: NewPublication,
): Promise<void> {
  const { accountId, _id: deploymentId } = deployment;
  const { _id: destinationId, platform } = destination;
  const before = release.destinations.find(({ _id }) => _id === destinationId);
  const canGoBack = (PLATFORM_CAPABILITIES[platform]?.rollBack ?? null) !== null;
  const wasLive = before?.state === 'live' && canGoBack;
  const act = {
    ...{ state: 'publishing' as const, error: null, wasLive, ref: wasLive ? before.ref : null },
    ...{
      actId: newId(),
      startedAt: at,
      publicAt: null,
      confirmedUrl: null,
      verifiedUnder: before?.verifiedUnder ?? null,
    },
  };
  await DeploymentModel.updateOne(
    { _id: deploymentId, accountId, 'destinations._id': destinationId },
    { $set: fieldsBelow('destinations.$', { state: 'publishing', error: null }) },
    { session },
  );
  await ReleaseModel.updateOne(
    before === undefined
      ? { _id: release._id, accountId }
      : { _id: release._id, accountId, 'destinations._id': destinationId },
    before === undefined
      ? { $push: { destinations: { _id: destinationId, platform, ...act } } }
      : { $set: fieldsBelow('destinations.$', act) },
    { session },
  );
  const ids = { deploymentId, destinationId };
  await enqueueJob(session, { name: 'publish-destination', payload: ids, accountId, key: destinationKey(ids) });
}

/** Seen live there. */
export async function endLiveAt(session: ClientSession, { deployment, release, destination }: ReleaseWork) {
  const place = { deployment, release, destinationId: destination._id };
  const set = { state: 'live', error: null };
  if (!(await endAt(session, place, { published: set, destination: { ...set, releaseId: release._id } }))) return;
  const ids = { deploymentId: deployment._id, releaseId: release._id };
  await publishEvent(session, deployment.accountId, { type: 'analytics_update', ...ids });
}

/** Failed there for good: what was live there before may be live all the same. */
export async function endFailedAt(
  session: ClientSession,
  accountId: string,
  { deploymentId, destinationId }: DestinationIds,
  error: ShownError,
): Promise<void> {
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId }).session(session);
  const destination = deployment?.destinations.find(({ _id }) => _id === destinationId);
  const release = await ReleaseModel.findOne({ _id: deployment?.currentReleaseId ?? '', accountId }).session(session);
  if (!deployment || !destination || !release) return;
  const set = { state: 'failed', error };
  // What was deleted there is made anew by the next attempt.
  const isGone = error.code === 'platform_place_gone' && { site: null };
  const changes = { published: set, destination: { ...set, ...isGone } };
  if (!(await endAt(session, { deployment, release, destinationId }, changes))) return;
  const { title } = PLATFORMS[destination.platform];
  await publishEvent(session, accountId, {
    type: 'notification',
    title: `Not published on ${title}`,
    message: `Release ${release.number} of ${deployment.name}: ${error.message}`,
    variant: 'destructive',
    deploymentId,
    releaseId: release._id,
  });
}

type Place = { deployment: DeploymentDoc; release: ReleaseDoc; destinationId: string };
type Changes = { published: Record<string, unknown>; destination: Record<string, unknown> };

/** Holds only while this release is to be published there; false when something else is by now. */
async function endAt(
  session: ClientSession,
  { deployment: { _id, accountId }, release, destinationId }: Place,
  changes: Changes,
): Promise<boolean> {
  const wanted = { $elemMatch: { _id: destinationId, state: { $in: [...BEING_PUBLISHED] } } };
  const ended = await DeploymentModel.updateOne(
    { _id, accountId, currentReleaseId: release._id, destinations: wanted },
    { $set: fieldsBelow('destinations.$', changes.destination) },
    { session },
  );
  if (ended.matchedCount === 0) return false;
  await ReleaseModel.updateOne(
    { _id: release._id, accountId, 'destinations._id': destinationId },
    { $set: fieldsBelow('destinations.$', changes.published) },
    { session },
  );
  return true;
}
