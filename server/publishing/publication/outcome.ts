import type { ClientSession } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { Providers } from '../../context.ts';
import type { DestinationDoc } from '../../database/models/publishing/destination.ts';
import type { ReleaseDoc } from '../../database/models/publishing/release.ts';
import { publishEvent } from '../../events/publish.ts';
import { shownError } from '../../lib/errors.ts';
import { failRelease, makeLive, takeBack } from './promote.ts';
import { endPublication, type PublicationEnd, type PublicationIds } from './publications.ts';
import { findWanted, type Wanted, writeDestination } from './release-work.ts';

/**
 * Records that the release was seen live at its destination.
 *
 * The functions here end a publication in the caller's transaction, and its destination's state with it. They do
 * nothing for one that is no longer wanted. At the primary destination the release ends with it (promote.ts).
 */
export async function complete(
  session: ClientSession,
  providers: Providers,
  accountId: string,
  ids: PublicationIds,
  at: Date,
): Promise<void> {
  const wanted = await findWanted(session, accountId, ids);
  if (wanted === null) return;
  const { deploymentId, releaseId } = wanted.published;
  const live = { state: 'live', error: null } as const;
  if (!wanted.isPrimary) {
    await end(session, wanted, live, { releaseId });
    return publishEvent(session, accountId, { type: 'analytics_update', deploymentId, releaseId });
  }
  await endPublication(session, accountId, ids, live);
  await makeLive(session, providers, wanted, { ...live, releaseId }, at);
}

/**
 * Records that publishing there has failed for good, with the error for the person. What was live there before is live
 * still, or again.
 */
export async function fail(
  session: ClientSession,
  providers: Providers,
  accountId: string,
  ids: PublicationIds,
  thrown: unknown,
): Promise<void> {
  const wanted = await findWanted(session, accountId, ids);
  if (wanted === null) return;
  const { release, deployment, destination, published, isPrimary } = wanted;
  const error = shownError(thrown);
  const state = isPrimary ? await failRelease(session, providers, wanted, error) : 'failed';
  // A site that was deleted there is made anew by the next attempt.
  const site = error.code === 'platform_place_gone' ? { site: null } : {};
  const steps = { state: 'failed', at: providers.now() } as const;
  // A release that the primary destination failed to go back to can be gone back to again.
  const outcome = isPrimary && published.wasLive ? 'live' : 'failed';
  await end(session, wanted, { state: outcome, error, steps }, { state, ...site });
  if (isPrimary) return;
  await publishEvent(session, accountId, {
    type: 'notification',
    title: `Not published on ${PLATFORMS[destination.platform].title}`,
    message: `Release ${release.number} of ${deployment.name}: ${error.message}`,
    variant: 'destructive',
    deploymentId: deployment._id,
    releaseId: release._id,
  });
}

/** Records that a person cancelled the release. No failure is reported, since it is none. */
export async function cancel(
  session: ClientSession,
  providers: Providers,
  accountId: string,
  ids: PublicationIds,
): Promise<ReleaseDoc | null> {
  const wanted = await findWanted(session, accountId, ids);
  if (wanted === null) return null;
  const at = providers.now();
  const set = { finishedAt: at };
  const { release, deployment } = await takeBack(session, wanted, { to: 'cancelled', set, otherwise: 'draft', at });
  const serving = deployment.currentReleaseId ?? null;
  const steps = { state: 'cancelled', at } as const;
  await end(session, wanted, { state: 'idle', error: null, steps }, { state: serving === null ? 'idle' : 'live' });
  await publishEvent(session, accountId, {
    type: 'notification',
    title: 'Release cancelled',
    message: `Release ${release.number} of ${deployment.name} was cancelled. ${serving === null ? 'Nothing was published.' : 'What was live stays live.'}`,
    deploymentId: deployment._id,
    releaseId: release._id,
  });
  return release;
}

/** Writes the outcome of the publication, and with it the destination's state, which `there` may differ from. */
async function end(
  session: ClientSession,
  { published: { accountId, deploymentId, releaseId, destinationId } }: Wanted,
  outcome: PublicationEnd,
  there: Partial<Pick<DestinationDoc, 'state' | 'site' | 'releaseId'>>,
): Promise<void> {
  const { state, error } = outcome;
  await writeDestination(session, accountId, { deploymentId, destinationId }, { state, error, ...there });
  await endPublication(session, accountId, { releaseId, destinationId }, outcome);
}
