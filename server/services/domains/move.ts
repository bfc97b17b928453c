import type { ClientSession } from 'mongoose';
import { domainsRefusal } from '../../../routers/schemas/platforms/domains-refusal.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { type DeploymentRow, primaryOf } from '../../database/models/deployment.ts';
import { type DomainDoc, DomainModel, type FormerPlace } from '../../database/models/domain.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { moveDomain } from '../move-state.ts';
import { enqueueDetach, tellingMs } from './detach.ts';
import { hastenCheck } from './schedule.ts';

/**
 * A domain moves: its deployment gets another primary platform, or the domain another deployment. The place before goes on
 * serving the names until their records lead to the new one, and only then is told that they are gone. At the same
 * platform that cannot be: there a name is of one site at a time.
 */
type Place = { deploymentId: string; destinationId: string; platform: PlatformId };

/** Resolvers go on leading visitors to the place before: the records of platforms are kept for an hour. */
const CACHED_MS = HOUR_MS;

/** Returns where the domains of a deployment are served: at its primary destination. */
export function placeOf({ _id: deploymentId, destinations }: Pick<DeploymentRow, '_id' | 'destinations'>): Place {
  const { _id: destinationId, platform } = primaryOf({ destinations });
  return { deploymentId, destinationId, platform };
}

/** Moves a domain; of one that stays on the built-in host the records stay as they are. Throws `not_found`. */
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
  await hastenCheck(session, moved);
  return moved;
}

function isServedHere({ platform }: Pick<Place, 'platform'>): boolean {
  return PLATFORMS[platform].isServedHere === true;
}

/** Nothing is known of the new place yet; the proof is the same. */
function atNewPlace({ proof, records }: DomainDoc, leaving: readonly FormerPlace[]): Record<string, unknown> {
  return {
    ...{ attached: null, leaving, pointedNames: [], watchedNames: [], rightRecords: [], problem: null },
    ...{ activeSince: null, checkedAt: null, records: records.filter(({ name }) => name === proof.name) },
  };
}

/** Returns the places that go on serving. All others are told at once that the names are gone. */
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

/** The place that has the names now, with those that lead there. */
function lastPlace({ attached, deploymentId, pointedNames }: DomainDoc, from: Place): FormerPlace {
  const { destinationId, platform } = attached ?? from;
  return { deploymentId, destinationId, platform, names: [...pointedNames], isEnding: false };
}

/** Moves every domain of a deployment whose primary destination has changed. Throws `conflict` where it takes none. */
export async function moveDomains(
  session: ClientSession,
  accountId: string,
  { from, to, now }: { from: Place; to: Place; now: Date },
): Promise<void> {
  const { deploymentId } = from;
  const domains = await DomainModel.find({ accountId, deploymentId, state: { $ne: 'removing' } }).session(session);
  const [first] = domains;
  const refusal = domainsRefusal(to.platform);
  if (first !== undefined && refusal !== null) {
    throw new AppError('conflict', refusal, {
      hint: `Remove ${first.name} or move it to another deployment first.`,
    });
  }
  for (const domain of domains) await moveTo(session, domain, { from, to, now });
}

/**
 * Has the names taken off the places before that no record leads to any more; returns those places. Resolvers may know
 * the old records for a while yet.
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

/** Throws `conflict` while the records of a domain still lead to a destination that is to be taken away. */
export async function requireNobodyLedTo(
  session: ClientSession,
  accountId: string,
  { destinationId, platform }: Pick<Place, 'destinationId' | 'platform'>,
): Promise<void> {
  const leaving = { $elemMatch: { destinationId, isEnding: false } };
  const led = await DomainModel.findOne({ accountId, leaving, state: { $ne: 'removing' } }).session(session);
  if (led === null) return;
  const { title } = PLATFORMS[platform];
  throw new AppError(
    'conflict',
    `The records of ${led.name} still lead to ${title}: its visitors would find nothing.`,
    {
      hint: 'Change them as the page of the domain shows, or remove the domain, then try again.',
    },
  );
}

/** Forgets a place that is gone: with the site the names are free there. */
export async function forgetPlace(
  session: ClientSession,
  accountId: string,
  place: Pick<Place, 'deploymentId'> & Partial<Pick<Place, 'destinationId'>>,
): Promise<void> {
  await DomainModel.updateMany(
    { accountId, leaving: { $elemMatch: place } },
    { $pull: { leaving: place } },
    { session },
  );
}
