import type { ClientSession } from 'mongoose';
import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { RELEASE_STEPS } from '../../../routers/schemas/states.ts';
import type { DestinationDoc } from '../../database/models/publishing/destination.ts';
import {
  PublicationModel,
  type PublicationRow,
  publicationId,
  STEP_NOT_BEGUN,
} from '../../database/models/publishing/publication.ts';
import type { ReleaseDoc } from '../../database/models/publishing/release.ts';
import { newId } from '../../database/mongo.ts';

/**
 * A publication is one release at one destination of its deployment, with a state, steps and a log of its own. Going
 * public again with a release that was live there before is another act of the same publication, whose first steps are
 * done already.
 */
export type PublicationIds = { releaseId: string; destinationId: string };

/** Returns the publication of a release at one destination; null when it was never to go there. */
export function findPublication(accountId: string, ids: PublicationIds): Promise<PublicationRow | null> {
  return PublicationModel.findOne({ _id: publicationId(ids), accountId }).lean();
}

export type NewAct = { release: ReleaseDoc; destination: Pick<DestinationDoc, '_id' | 'platform'>; at: Date };

/**
 * Begins to publish a release at a destination, as an act of its own that continues nothing of a failed one. A release
 * that was live there, at a platform that can roll back, only has to be switched to and verified.
 */
export async function beginAct(session: ClientSession, { release, destination, at }: NewAct): Promise<void> {
  const { accountId, deploymentId, _id: releaseId } = release;
  const { _id: destinationId, platform } = destination;
  const own = { _id: publicationId({ releaseId, destinationId }), accountId };
  const before = await PublicationModel.findOne(own, { state: 1 }).session(session).lean();
  const canGoBack = (PLATFORM_CAPABILITIES[platform]?.rollBack ?? null) !== null;
  const wasLive = before?.state === 'live' && canGoBack;
  const act = { state: 'publishing', error: null, wasLive, actId: newId(), startedAt: at } as const;
  await PublicationModel.updateOne(
    own,
    {
      $set: {
        ...act,
        publicAt: null,
        confirmedUrl: null,
        ...(wasLive ? LOOKED_AT_ANEW : { ref: null, steps: ALL_STEPS }),
      },
      $setOnInsert: { deploymentId, releaseId, destinationId, platform },
    },
    { session, upsert: true },
  );
}

const ALL_STEPS = Object.fromEntries(RELEASE_STEPS.map((name) => [name, STEP_NOT_BEGUN]));

/** Resets the step of verification; the log continues. */
const LOOKED_AT_ANEW = Object.fromEntries(
  Object.entries(STEP_NOT_BEGUN).flatMap(([name, value]) =>
    name === 'log' || name === 'logCount' ? [] : [[`steps.verifying.${name}`, value]],
  ),
);

export type PublicationEnd = {
  state: PublicationRow['state'];
  error: ShownError | null;
  /** The outcome of the running step; when it is cancelled, so are the steps after it. */
  steps?: { state: 'failed' | 'cancelled'; at: Date };
};

/** Records how a publication ended; does nothing when the release was never to go there. */
export async function endPublication(
  session: ClientSession,
  accountId: string,
  ids: PublicationIds,
  { state, error, steps }: PublicationEnd,
): Promise<void> {
  const own = { _id: publicationId(ids), accountId };
  const set: Record<string, unknown> = { state, error };
  if (steps !== undefined) {
    const publication = await PublicationModel.findOne(own).session(session).lean();
    if (publication === null) return;
    for (const name of RELEASE_STEPS) {
      const step = publication.steps[name].state;
      if (step === 'running')
        Object.assign(set, { [`steps.${name}.state`]: steps.state, [`steps.${name}.endedAt`]: steps.at });
      if (step === 'waiting' && steps.state === 'cancelled') set[`steps.${name}.state`] = 'cancelled';
    }
  }
  await PublicationModel.updateOne(own, { $set: set }, { session });
}
