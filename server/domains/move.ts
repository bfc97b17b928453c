import type { ClientSession } from 'mongoose';
import { domainsRefusal } from '../../routers/schemas/platforms/domains-refusal.ts';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { type DomainDoc, DomainModel, type FormerDestination } from '../database/models/domains/domain.ts';
import { type DeploymentDoc, type DeploymentRow, primaryOf } from '../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../database/models/publishing/destination.ts';
import { moveDomain } from '../database/move-state.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { expediteHealthCheck } from '../publishing/publication/health-schedule.ts';
import { attachingMs, enqueueDetach } from './detach.ts';
import { expediteCheck } from './schedule.ts';

/**
 * A domain moves when its deployment gets another primary platform, or the domain another deployment. The previous
 * destination serves the names until their records point to the new one, and only then are they detached there. At the
 * same platform that is impossible: there a name belongs to one site at a time.
 */
type DomainDestination = { deploymentId: string; destinationId: string; platform: PlatformId };

/** Resolvers still send visitors to the previous destination: platforms' records are cached for an hour. */
const CACHED_MS = HOUR_MS;

/** Returns the destination that serves the domains of a deployment: its primary destination. */
export function destinationOf(
  deployment: Pick<DeploymentRow, '_id' | 'primaryId' | 'destinations'>,
): DomainDestination {
  const { _id: destinationId, platform } = primaryOf(deployment);
  return { deploymentId: deployment._id, destinationId, platform };
}

/** Moves a domain; within the built-in host the records stay as they are. Throws `not_found`. */
export async function moveTo(
  session: ClientSession,
  domain: DomainDoc,
  { from, to, now }: { from: DomainDestination | null; to: DomainDestination; now: Date },
): Promise<DomainDoc> {
  const { _id: id, accountId, deploymentId, state } = domain;
  const isNowhereElse = domain.leaving.length === 0 && from !== null && isServedHere(from) && isServedHere(to);
  const leaving = isNowhereElse ? [] : await leave(session, domain, { from, to, now });
  const set = {
    deploymentId: to.deploymentId,
    quickFrom: now,
    ...(!isNowhereElse && atNewDestination(domain, leaving)),
  };
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

function isServedHere({ platform }: Pick<DomainDestination, 'platform'>): boolean {
  return PLATFORMS[platform].isServedHere === true;
}

/** Returns the fields at the new destination, where nothing is known yet; the proof stays the same. */
function atNewDestination(
  { proof, records }: DomainDoc,
  leaving: readonly FormerDestination[],
): Record<string, unknown> {
  return {
    ...{ attached: null, leaving, pointedNames: [], watchedNames: [], rightRecords: [], problem: null },
    ...{ activeSince: null, checkedAt: null, records: records.filter(({ name }) => name === proof.name) },
  };
}

/** Returns the destinations that keep serving. The names are detached from all others at once. */
async function leave(
  session: ClientSession,
  domain: DomainDoc,
  { from, to, now }: { from: DomainDestination | null; to: DomainDestination; now: Date },
): Promise<FormerDestination[]> {
  const last = from === null ? [] : [formerDestination(domain, from)];
  const former: readonly FormerDestination[] = domain.leaving;
  const before = [...former, ...last].filter(({ destinationId }) => destinationId !== to.destinationId);
  const stillServing: FormerDestination[] = [];
  for (const destination of before) {
    const isSamePlatform = destination.platform === to.platform && !isServedHere(to);
    const isEnding = destination.isEnding || isSamePlatform;
    const { deploymentId, destinationId, platform, names } = destination;
    if (isEnding || names.length > 0)
      stillServing.push({ deploymentId, destinationId, platform, names: [...names], isEnding });
    const isAttached = !isServedHere(destination) && !destination.isEnding;
    const isOver = isEnding || destination.names.length === 0;
    if (isAttached && isOver) await enqueueDetach(session, domain, destination, attachingMs(domain, destination, now));
  }
  return stillServing;
}

/** Returns the destination that has the names now, with the names that point there. */
function formerDestination(
  { attached, deploymentId, pointedNames }: DomainDoc,
  from: DomainDestination,
): FormerDestination {
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
  const move = { from: destinationOf(deployment), to: { deploymentId, destinationId, platform }, now };
  for (const domain of domains) await moveTo(session, domain, move);
}

/**
 * Detaches the names from previous destinations that no record points to any more, and returns those. Resolvers may
 * have the old records for a while.
 */
export async function endLeaving(
  session: ClientSession,
  domain: DomainDoc,
  hasLeft: (name: string) => boolean,
): Promise<FormerDestination[]> {
  const isOver = ({ names, isEnding }: FormerDestination) =>
    !isEnding && hasLeft(domain.servedName) && names.every(hasLeft);
  const former: readonly FormerDestination[] = domain.leaving;
  const over = former.filter(isOver);
  for (const destination of over) {
    if (!isServedHere(destination)) await enqueueDetach(session, domain, destination, CACHED_MS);
  }
  return over;
}
