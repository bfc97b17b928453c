import type { ClientSession } from 'mongoose';
import { domainsRefusal } from '../../routers/schemas/platforms/domains-refusal.ts';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { type DomainDoc, DomainModel, type FormerPlace } from '../database/models/domains/domain.ts';
import { type DeploymentDoc, type DeploymentRow, primaryOf } from '../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../database/models/publishing/destination.ts';
import { moveDomain } from '../database/move-state.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { expediteHealthCheck } from '../publishing/publication/health-schedule.ts';
import { enqueueDetach, tellingMs } from './detach.ts';
import { expediteCheck } from './schedule.ts';

/**
 * A domain moves when its deployment gets another primary platform, or the domain another deployment. The previous
 * place serves the names until their records point to the new one, and only then are they detached there. At the same
 * platform that is impossible: there a name belongs to one site at a time.
 */
type Place = { deploymentId: string; destinationId: string; platform: PlatformId };

/** Resolvers still send visitors to the previous place: platforms' records are cached for an hour. */
const CACHED_MS = HOUR_MS;

/** Returns the place that serves the domains of a deployment: its primary destination. */
export function placeOf(deployment: Pick<DeploymentRow, '_id' | 'primaryId' | 'destinations'>): Place {
  const { _id: destinationId, platform } = primaryOf(deployment);
  return { deploymentId: deployment._id, destinationId, platform };
}

/** Moves a domain; within the built-in host the records stay as they are. Throws `not_found`. */
export async function moveTo(
  session: ClientSession,
  domain: DomainDoc,
  { from, to, now }: { from: Place | null; to: Place; now: Date },
): Promise<DomainDoc> {
  const { _id: id, accountId, deploymentId, state } = domain;
  const isNowhereElse = domain.leaving.length === 0 && from !== null && isServedHere(from) && isServedHere(to);
  const leaving = isNowhereElse ? [] : await leave(session, domain, { from, to, now });
  const set = { deploymentId: to.deploymentId, quickFrom: now, ...(!isNowhereElse && atNewPlace(domain, leaving)) };
  const isUnsettled = !isNowhereElse && (state === 'active' || state === 'misconfigured');
  const moved = isUnsettled
    ? await moveDomain(session, { id, accountId, from: [state], to: 'pending_dns', set, when: { deploymentId } })
    : await DomainModel.findOneAndUpdate(
        { _id: id, accountId, deploymentId, state },
        { $set: set },
        { session, returnDocument: 'after' },
      );
  if (moved === null) throw notFound('domain');
  await expediteCheck(session, moved);
  await expediteHealthCheck(session, { accountId, deploymentId, now, isGone: true });
  await expediteHealthCheck(session, { accountId, deploymentId: to.deploymentId, now });
  return moved;
}

function isServedHere({ platform }: Pick<Place, 'platform'>): boolean {
  return PLATFORMS[platform].isServedHere === true;
}

/** Returns the fields at the new place, where nothing is known yet; the proof stays the same. */
function atNewPlace({ proof, records }: DomainDoc, leaving: readonly FormerPlace[]): Record<string, unknown> {
  return {
    ...{ attached: null, leaving, pointedNames: [], watchedNames: [], rightRecords: [], problem: null },
    ...{ activeSince: null, checkedAt: null, records: records.filter(({ name }) => name === proof.name) },
  };
}

/** Returns the places that keep serving. The names are detached from all others at once. */
async function leave(
  session: ClientSession,
  domain: DomainDoc,
  { from, to, now }: { from: Place | null; to: Place; now: Date },
): Promise<FormerPlace[]> {
  const last = from === null ? [] : [lastPlace(domain, from)];
  const former: readonly FormerPlace[] = domain.leaving;
  const before = [...former, ...last].filter(({ destinationId }) => destinationId !== to.destinationId);
  const kept: FormerPlace[] = [];
  for (const place of before) {
    const isSamePlatform = place.platform === to.platform && !isServedHere(to);
    const isEnding = place.isEnding || isSamePlatform;
    const { deploymentId, destinationId, platform, names } = place;
    if (isEnding || names.length > 0) kept.push({ deploymentId, destinationId, platform, names: [...names], isEnding });
    const isTold = !isServedHere(place) && !place.isEnding;
    const isOver = isEnding || place.names.length === 0;
    if (isTold && isOver) await enqueueDetach(session, domain, place, tellingMs(domain, place, now));
  }
  return kept;
}

/** Returns the place that has the names now, with the names that point there. */
function lastPlace({ attached, deploymentId, pointedNames }: DomainDoc, from: Place): FormerPlace {
  const { destinationId, platform } = attached ?? from;
  return { deploymentId, destinationId, platform, names: [...pointedNames], isEnding: false };
}

/**
 * Moves every domain of a deployment from its primary destination to the one that replaces it. Throws `conflict` when
 * that takes no domains.
 */
export async function moveDomains(
  session: ClientSession,
  deployment: DeploymentDoc,
  { to: { _id: destinationId, platform }, now }: { to: Pick<DestinationDoc, '_id' | 'platform'>; now: Date },
): Promise<void> {
  const { _id: deploymentId, accountId } = deployment;
  const domains = await DomainModel.find({ accountId, deploymentId, state: { $ne: 'removing' } }).session(session);
  const [first] = domains;
  const refusal = domainsRefusal(platform);
  if (first !== undefined && refusal !== null) {
    throw new AppError('conflict', refusal, {
      hint: `Remove ${first.name} or move it to another deployment first.`,
    });
  }
  const move = { from: placeOf(deployment), to: { deploymentId, destinationId, platform }, now };
  for (const domain of domains) await moveTo(session, domain, move);
}

/**
 * Detaches the names from previous places that no record points to any more; returns those places. Resolvers may have
 * the old records for a while.
 */
export async function endLeaving(
  session: ClientSession,
  domain: DomainDoc,
  hasLeft: (name: string) => boolean,
): Promise<FormerPlace[]> {
  const isOver = ({ names, isEnding }: FormerPlace) => !isEnding && hasLeft(domain.servedName) && names.every(hasLeft);
  const former: readonly FormerPlace[] = domain.leaving;
  const over = former.filter(isOver);
  for (const place of over) {
    if (!isServedHere(place)) await enqueueDetach(session, domain, place, CACHED_MS);
  }
  return over;
}
