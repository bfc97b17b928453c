import mongoose, { type ClientSession } from 'mongoose';
import type { CheckedRecord } from '../../routers/schemas/domains.ts';
import type { DomainState } from '../../routers/schemas/state-names.ts';
import type { ZoneHolder } from '../connections/challenge-zones.ts';
import type { Providers } from '../context.ts';
import { type DomainDoc, DomainModel, type FormerDestination, namesOf } from '../database/models/domains/domain.ts';
import { moveDomain } from '../database/move-state.ts';
import { publishEvent } from '../events/publish.ts';
import { expediteHealthCheck } from '../publishing/publication/health-schedule.ts';
import type { WatchedCertificate } from './certificate-watch.ts';
import {
  ensureCertificate,
  isServedElsewhere,
  removeCertificates,
  retryFailed,
  retryForbidden,
} from './certificates/ensure.ts';
import { publishStatus } from './certificates/notify-owner.ts';
import { answerClaim } from './claim.ts';
import { endLeaving } from './move.ts';
import { notifyOwner } from './notify-owner.ts';
import { type Concern, concernOf, isConfirmed, isDead } from './records/concern.ts';
import type { DnsAnswers } from './records/dns-answers.ts';
import {
  changeOf,
  hasOtherServers,
  isSilent,
  type Problem,
  problemOf,
  recordKey,
  SERVERS_CHANGED,
} from './records/problem.ts';
import { boundedAnswers, leadsNowhere, type PointsTo, pointsToOf } from './records/record-states.ts';
import type { DomainTarget } from './records/required-records.ts';
import { nextCheckAt } from './schedule.ts';

/** A domain with its last check. */
export type DomainCheck = {
  domain: DomainDoc;
  answers: DnsAnswers;
  records: readonly CheckedRecord[];
  target: DomainTarget;
  zoneHolder: ZoneHolder | null;
  tookMs: number;
  /** The problem of CAA records with our authority; undefined when they could not be judged. */
  caa?: Problem | null | undefined;
  certificate?: Problem | null;
  watchedCertificate?: WatchedCertificate | null;
  /** The sets that the account itself has put back. */
  undone?: ReadonlySet<string> | undefined;
};

/**
 * Stores the result of a check, and moves the domain on by it, each move with its event, in one transaction. Returns
 * null and writes nothing when somebody else has checked or changed it meanwhile: that result is as fresh.
 */
export async function saveCheck(
  session: ClientSession,
  providers: Providers,
  found: DomainCheck,
): Promise<DomainDoc | null> {
  const { domain, records } = found;
  const { _id, accountId, state, servedName, quickFrom } = domain;
  const now = providers.now();
  if (!(await storeSeen(session, found, now))) return null;
  const claim = state === 'unverified' ? await answerClaim(session, providers, found) : { state, problem: null };
  const claimed = claim.state;
  const pointsTo = new Map(
    namesOf(domain).map((name) => [name, pointsToOf(name, records, found.answers, found.target)]),
  );
  const concern =
    claimed === 'active'
      ? concernOf(domain, problemOf({ ...found, leaving: domain.leaving }), found.answers, now)
      : null;
  const reached = await moveByRecords(session, providers, found, claimed, { pointsTo, concern });
  const over = await endLeaving(session, domain, (name) => hasLeft(name, found, pointsTo));
  const former: readonly FormerDestination[] = domain.leaving;
  const leaving = former.filter((destination) => !over.includes(destination));
  const concernNow =
    reached === 'active' ? await notifyProblem(session, providers, { ...found, leaving }, concern) : null;
  const isDoubted = concernNow !== null && concernNow.toldAt === null;
  // The owner of a domain that was broken until now was notified of its problem.
  const notified = (state === 'active' ? concern : domain.problem)?.code;
  const isKnown = !hasOtherServers(domain, found.answers) || notified === SERVERS_CHANGED;
  const fields = checkedFields({ ...found, leaving, cap: claim.problem }, reached, pointsTo, now);
  const moved = {
    ...{ state: reached, problem: fields.problem, quickFrom, attached: domain.attached ?? null },
    ...{ servedName, pointedNames: fields.pointedNames, records },
    ...{ isSilent: isSilent(found), isDoubted, tookMs: found.tookMs },
  };
  const $set = {
    ...fields,
    concern: concernNow,
    ...(reached === 'active' && !isDoubted && isKnown && serversOf(found)),
    // The owner was notified just now.
    ...(concernNow !== concern && { changedAt: mongoose.now() }),
    nextCheckAt: nextCheckAt(moved, now),
  };
  const settled = await DomainModel.findOneAndUpdate(
    { _id, accountId },
    {
      $set,
      $pull: {
        leaving: { destinationId: { $in: over.map((destination) => destination.destinationId) }, isEnding: false },
      },
    },
    { session, returnDocument: 'after' },
  );
  if (settled === null) return null;
  await settleCertificates(session, providers, found, settled);
  return settled;
}

/** Stores the answers; returns false when the domain was checked or changed meanwhile. */
async function storeSeen(session: ClientSession, found: DomainCheck, now: Date): Promise<boolean> {
  const { domain, records, answers, zoneHolder, caa, watchedCertificate = null } = found;
  const { _id, accountId, state, checkedAt, servedName, quickFrom } = domain;
  const $set = {
    ...{ checkedAt: now, records: boundedAnswers(records), zoneHolder, watchedCertificate },
    ...(answers.zone !== null && { zone: answers.zone.apex }),
    ...(caa !== undefined && { isForbiddenByCaa: caa !== null }),
  };
  const known = { _id, accountId, state, servedName, quickFrom, checkedAt: checkedAt ?? null };
  return (await DomainModel.updateOne(known, { $set }, { session })).matchedCount > 0;
}

async function settleCertificates(
  session: ClientSession,
  providers: Providers,
  { domain, target, caa }: DomainCheck,
  settled: DomainDoc,
): Promise<void> {
  if (target.isServedHere) {
    await ensureCertificate(session, providers, settled);
    if (caa === null) await retryForbidden(session, providers, domain);
    const isBack = settled.state === 'active' && domain.state !== 'active';
    const isMore = settled.pointedNames.some((name) => !domain.pointedNames.includes(name));
    if (isBack || isMore) await retryFailed(session, providers, domain);
  } else if (isServedElsewhere(settled)) {
    // It would be renewed in vain, and its owner notified of a failure although the site is well.
    await removeCertificates(session, { accountId: settled.accountId, domainId: settled._id });
  }
}

/**
 * Returns whether no record of a name can point to a previous place: it points here, or nowhere if another name
 * serves.
 */
function hasLeft(name: string, { domain, records, answers }: DomainCheck, pointsTo: ReadonlyMap<string, PointsTo>) {
  if (name === domain.servedName || pointsTo.get(name) === 'here') return pointsTo.get(name) === 'here';
  const isAskedFor = records.some((record) => record.name === name && record.purpose === 'route');
  return !isAskedFor || leadsNowhere(name, answers);
}

/**
 * Moves between waiting for the records, active and misconfigured. A silent name server moves nothing; a domain that
 * nobody can find is lost when that is seen twice.
 */
async function moveByRecords(
  session: ClientSession,
  providers: Providers,
  found: DomainCheck,
  state: DomainState,
  { pointsTo, concern }: { pointsTo: ReadonlyMap<string, PointsTo>; concern: Concern | null },
): Promise<DomainState> {
  const { _id: id, accountId, servedName, watchedNames, deploymentId, unit } = found.domain;
  const isFound = !isDead(unit, found.answers);
  const pointsHere = isFound && pointsTo.get(servedName) === 'here';
  const seenTwice = concern !== null && isConfirmed(concern, providers.now()) ? concern.code : null;
  const isGone = !isFound && seenTwice !== null;
  // An active domain is left alone until this was seen twice, since any answer may be wrong once.
  const isRefused = [found.caa, found.certificate].some(
    (problem) => problem != null && (state !== 'active' || seenTwice === problem.code),
  );
  const isLost = isGone || isRefused || watchedNames.some((name) => pointsTo.get(name) === 'elsewhere');
  const move = async (from: DomainState, to: DomainState, set: Record<string, unknown>) => {
    await moveDomain(session, { id, accountId, from: [from], to, set });
    await expediteHealthCheck(session, { accountId, deploymentId, now: providers.now() });
  };
  if (state === 'active' && isLost) {
    const { code, message } = changeOf(found);
    await move('active', 'misconfigured', {});
    const isPointed = code !== found.caa?.code && code !== found.certificate?.code;
    const kind = isPointed ? 'domain-misconfigured' : 'domain-problem';
    await notifyOwner(session, providers, found.domain, { kind, message });
    if (code === found.certificate?.code)
      await publishStatus(session, { accountId, names: [servedName] }, { sslStatus: 'replaced', isValid: false });
    return 'misconfigured';
  }
  if (pointsHere && !isLost && (state === 'pending_dns' || state === 'misconfigured')) {
    await move(state, 'active', { activeSince: providers.now() });
    const message = `${servedName} points to your deployment.`;
    await publishEvent(session, accountId, { type: 'notification', title: 'Domain active', message, deploymentId });
    return 'active';
  }
  return state;
}

/** Returns the concern to store, and notifies the owner once, when it is seen a second time. */
async function notifyProblem(
  session: ClientSession,
  providers: Providers,
  found: DomainCheck & { leaving: readonly FormerDestination[] },
  concern: Concern | null,
): Promise<Concern | null> {
  const problem = problemOf(found);
  const now = providers.now();
  if (concern === null || problem === null || concern.toldAt || !isConfirmed(concern, now)) return concern;
  await notifyOwner(session, providers, found.domain, { kind: 'domain-problem', message: problem.message });
  return { ...concern, toldAt: now };
}

function checkedFields(
  found: DomainCheck & { leaving: readonly FormerDestination[]; cap: Problem | null },
  state: DomainState,
  pointsTo: ReadonlyMap<string, PointsTo>,
  now: Date,
): Record<string, unknown> & { pointedNames: string[]; problem: (Problem & { since: Date }) | null } {
  const { domain } = found;
  const pointedNames = namesOf(domain).filter((name) => {
    const where = pointsTo.get(name);
    return where === 'here' || (where === 'unknown' && domain.pointedNames.includes(name));
  });
  const problem = found.cap ?? (state === 'misconfigured' ? changeOf(found) : problemOf(found));
  const isActive = state === 'active';
  return {
    pointedNames,
    problem: problem === null ? null : { ...problem, since: sinceOf(domain, problem, now) },
    ...(isActive && { watchedNames: [...new Set([...domain.watchedNames, ...pointedNames])] }),
    // The last right records are remembered until they are right again, so that the change can be named.
    ...(isActive && { rightRecords: rightRecords(found.records) }),
  };
}

/** Others are only kept once the owner was notified of them, whatever else comes first. */
function serversOf({ answers: { zone } }: DomainCheck): { nameServers: string[] } | null {
  return zone && { nameServers: zone.servers.map(({ name }) => name) };
}

function rightRecords(records: readonly CheckedRecord[]): string[] {
  return records.flatMap(({ type, name, value, state }) => (state === 'ok' ? [recordKey({ type, name, value })] : []));
}

function sinceOf({ problem: before }: DomainDoc, { code, message }: Problem, now: Date): Date {
  return before && before.code === code && before.message === message ? before.since : now;
}
