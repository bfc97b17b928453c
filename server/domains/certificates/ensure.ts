import type { ClientSession } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { Providers } from '../../context.ts';
import { CertificateModel, type CertificateRow } from '../../database/models/domains/certificate.ts';
import type { DomainRow } from '../../database/models/domains/domain.ts';
import { newId } from '../../database/mongo.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { enqueueJob, expediteJob } from '../../queue/queue.ts';
import { mayBeOver } from './authority/problems.ts';

/** For anything that lasts longer, a few minutes do not matter. */
const WAKE_WITHIN_MS = HOUR_MS;
/** An order that keeps failing waits for its own time. */
const EARLY_MAX = 4;

type ForbiddenDomain = Pick<DomainRow, '_id' | 'accountId' | 'isForbiddenByCaa' | 'checkedAt'>;

export type CertifiedDomain = Pick<
  DomainRow,
  '_id' | 'accountId' | 'state' | 'heldNames' | 'pointedNames' | 'zoneHolder' | 'attached'
>;

/**
 * Ensures that a certificate covers the names of a domain, in the transaction that has changed them: a job orders what
 * is missing. A platform makes its own certificates.
 */
export async function ensureCertificate(
  session: ClientSession,
  providers: Pick<Providers, 'authority'>,
  domain: CertifiedDomain,
): Promise<void> {
  const names = namesToCover(providers, domain);
  if (names.length === 0) return;
  const { _id: domainId, accountId } = domain;
  const kind = { accountId, domainId, isWildcard: false };
  const known = await CertificateModel.findOne(kind, { names: 1 }).session(session).lean();
  if (known === null) {
    const _id = newId();
    await CertificateModel.create([{ ...kind, _id, names, history: [] }], { session });
    await enqueueIssue(session, { _id, accountId });
  } else if (known.names.join() !== names.join()) {
    // A failure with the previous names may well succeed with these.
    await CertificateModel.updateOne({ _id: known._id, accountId }, { $set: { names, nextTryAt: null } }, { session });
    await expediteIssue(session, { _id: known._id, accountId });
  }
}

/**
 * Makes orders of a domain due that CAA records forbade and now allow. If no check has seen them forbid, that is only
 * an order that this Fairlead itself refused `since` the last check. This is no retry by hand, which would have limits
 * of its own.
 */
export async function retryForbidden(
  session: ClientSession,
  { now }: Pick<Providers, 'now'>,
  { _id: domainId, accountId, isForbiddenByCaa, checkedAt }: ForbiddenDomain,
): Promise<void> {
  const unseen = { isWildcard: false, failures: { $lt: EARLY_MAX }, 'problem.at': { $gt: checkedAt ?? now() } };
  const forbidden = { accountId, domainId, 'problem.type': 'caa', ...(!isForbiddenByCaa && unseen) };
  for (const { _id, problem } of await CertificateModel.find(forbidden, { problem: 1 }).session(session).lean()) {
    // The authority's own words differ from the sentence for its owner.
    if (!isForbiddenByCaa && problem?.message !== problem?.detail) continue;
    await CertificateModel.updateOne({ _id, accountId }, { $set: { nextTryAt: now() } }, { session });
    await expediteIssue(session, { _id, accountId });
  }
}

/**
 * Makes orders of a domain due that failed before it pointed here: they need not wait for their next try. An order that
 * was kept for a proof by DNS goes, since the names may now be proved without it.
 */
export async function retryFailed(
  session: ClientSession,
  { now }: Pick<Providers, 'now'>,
  { _id: domainId, accountId }: Pick<DomainRow, '_id' | 'accountId'>,
): Promise<void> {
  const at = now();
  // An order that is under way goes on.
  const waiting = { accountId, domainId, nextTryAt: { $gt: at }, state: { $nin: ['validating', 'renewing'] as const } };
  for (const { _id, problem, failures } of await CertificateModel.find(waiting).session(session).lean()) {
    if (!problem || !mayBeOver(problem.type, failures)) continue;
    await CertificateModel.updateOne({ _id, accountId }, { $set: { nextTryAt: at, order: null } }, { session });
    await expediteIssue(session, { _id, accountId });
  }
}

/**
 * Returns the names to order. A public authority validates each name, so only names that point here are ordered; if a
 * DNS connection holds their zone, all are, even before they point here, so that a site that moves here has its
 * certificate when its visitors arrive.
 */
export function namesToCover({ authority }: Pick<Providers, 'authority'>, domain: CertifiedDomain): string[] {
  const { state, attached, heldNames, pointedNames, zoneHolder } = domain;
  if (attached || state === 'removing') return [];
  const isByDns = typeof zoneHolder?.connectionId === 'string';
  const names = authority.isPublic && !isByDns ? heldNames.filter((name) => pointedNames.includes(name)) : heldNames;
  return [...names].sort();
}

type CertificateIds = Pick<CertificateRow, '_id' | 'accountId'>;

/** One job runs at a time for a certificate, so there is one order for its names. */
const jobOf = ({ _id: certificateId, accountId }: CertificateIds) => ({
  name: 'issue-certificate' as const,
  payload: { certificateId },
  accountId,
  key: `certificate ${certificateId}`,
});

async function enqueueIssue(session: ClientSession, certificate: CertificateIds): Promise<void> {
  await enqueueJob(session, jobOf(certificate));
}

/** Wakes a renewal when it is due, where the maintenance, which runs every few minutes, could be too late. */
export async function wakeIssue(session: ClientSession, certificate: CertificateIds, delayMs: number): Promise<void> {
  if (delayMs < WAKE_WITHIN_MS) await enqueueJob(session, { ...jobOf(certificate), delayMs: Math.max(0, delayMs) });
}

/** Makes the job run now, even if its next try is far away. */
export async function expediteIssue(session: ClientSession, certificate: CertificateIds): Promise<void> {
  await expediteJob(session, jobOf(certificate));
}

type Served = Pick<DomainRow, 'attached' | 'leaving' | 'pointedNames'>;

/**
 * Returns the names that were last seen to point to the built-in host, including those of a domain that moves away
 * from it.
 */
export function namesHere({ attached, leaving, pointedNames }: Served): string[] {
  if (!attached) return [...new Set([...pointedNames, ...namesLeft({ leaving })])];
  return namesLeft({ leaving }).filter((name) => !pointedNames.includes(name));
}

function namesLeft({ leaving }: Pick<Served, 'leaving'>): string[] {
  return leaving.filter(isHere).flatMap(({ names }) => names);
}

function isHere({ platform }: Pick<Served['leaving'][number], 'platform'>): boolean {
  return PLATFORMS[platform].isServedHere === true;
}

/**
 * Returns whether a domain needs no certificate of ours any more: a platform serves its names, and the built-in host
 * none.
 */
export function isServedElsewhere({ attached, leaving }: Pick<Served, 'attached' | 'leaving'>): boolean {
  return Boolean(attached) && !leaving.some(isHere);
}

/** Removes the certificates of a domain that is removed or has moved to a platform. */
export async function removeCertificates(
  session: ClientSession,
  { accountId, domainId }: { accountId: string; domainId: string },
): Promise<void> {
  await CertificateModel.deleteMany({ accountId, domainId }, { session });
}
