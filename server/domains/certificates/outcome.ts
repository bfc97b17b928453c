import type { ClientSession } from 'mongoose';
import type { Providers } from '../../context.ts';
import { type CertificateDoc, CertificateModel } from '../../database/models/domains/certificate.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import { moveCertificate } from '../../database/move-state.ts';
import { publishEvent } from '../../events/publish.ts';
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import { JobDeferred } from '../../lib/errors.ts';
import { expediteHealthCheck } from '../../publishing/publication/health-schedule.ts';
import { forgetAccount } from './account.ts';
import { AuthorityError } from './authority/authority.ts';
import { type ClassifiedProblem, classifyProblem, ownProblem, type Problem } from './authority/problems.ts';
import { renewAt, retryDelayMs } from './authority/renewal.ts';
import { sealKey } from './authority/sealed-key.ts';
import { type CertificateFacts, requireServable } from './authority/x509.ts';
import { type AuthorityUse, countAuthorityUse } from './authority-use.ts';
import { wakeIssue } from './ensure.ts';
import type { IssueRun } from './issue.ts';
import { isUsable, notifyExpiry, notifyFailure, notifyLoss, publishStatus } from './notify-owner.ts';
import type { Challenge } from './preflight.ts';

/** Until then a renewal is tried for all names that the certificate covers. */
export const LAST_DAYS_MS = 2 * DAY_MS;
const IN_ORDER = { problem: null, failures: 0, nextTryAt: null, notifiedCauses: [] };
const HISTORY_MAX = 50;
const SOON_MS = 1_000;
/**
 * A transient failure is reported after this many in a row, two hours after the first
 * (server/domains/certificates/authority/renewal.ts).
 */
const TRANSIENT_FAILURES = 4;
/** The order can be continued after these types; after any other a new one is made. */
const KEEPS_ORDER: ReadonlySet<string> = new Set([
  ...['unreachable', 'serverInternal', 'rateLimited', 'badNonce'],
  // The authority has not validated yet.
  ...['dnsConnection', 'dnsUnseen'],
]);

/** The account's own DNS provider, or its name servers, caused these. */
const OWN_PROVIDER: ReadonlySet<string> = new Set(['dnsConnection', 'dnsUnseen']);

/** The words for the proof of the names. */
const PROOFS: Readonly<Record<Challenge, string>> = {
  'http-01': '',
  'dns-01': ' The proof was written through your DNS connection.',
  'dns-persist-01': ' The persistent record of the domain was the proof.',
};

export type Signed = Pick<AuthorityUse, 'accountUrl' | 'renews'> & {
  names: string[];
  /** Names that were at fault, whose problem stays. */
  leftOut: readonly string[];
  key: string;
  chain: string;
  challenge: Challenge;
};

/**
 * Stores the signed certificate in place of the served one, and notifies the owner. A chain that cannot be served
 * replaces nothing.
 */
export async function storeIssued(run: IssueRun, signed: Signed): Promise<void> {
  const { names, leftOut, key, chain, challenge, accountUrl, renews } = signed;
  const { providers, accountId, certificateId } = run;
  const facts = readFacts(chain, key, names);
  const now = providers.now();
  const issued = { ...facts, names, chain, signedAt: now };
  const chosen = Math.random();
  const due = renewAt(issued, null, chosen);
  const isFirst = await run.transaction(async (session) => {
    const before = await CertificateModel.findOne({ _id: certificateId, accountId })
      .select({ 'issued.names': 1 })
      .session(session)
      .lean();
    const moved = await moveCertificate(session, {
      id: certificateId,
      accountId,
      from: ['validating', 'renewing'],
      to: 'issued',
      set: {
        issued: {
          ...issued,
          key: sealKey(providers.secrets, { _id: certificateId, accountId }, key),
          authorityId: providers.authority.id,
          chosen,
        },
        ...{ order: null, isWanted: false },
        ...(leftOut.length === 0 && IN_ORDER),
        renewAt: due,
        askAt: providers.authority.isPublic ? now : null,
        rehearseAt: providers.authority.isPublic ? now : null,
      },
    });
    if (moved === null) return false;
    await wakeIssue(session, { _id: certificateId, accountId }, due.getTime() - now.getTime());
    const detail = `Signed by ${facts.issuer}, serial ${facts.serial}.${PROOFS[challenge]}`;
    await addHistory(session, run, { what: 'issued', detail });
    await publishStatus(session, moved, { sslStatus: 'issued', isValid: true });
    const lost = leftOut.filter((name) => before?.issued?.names.includes(name));
    if (lost.length > 0) await notifyLoss(session, providers, moved, lost);
    const domain = await DomainModel.findOne({ _id: moved.domainId, accountId }, { deploymentId: 1 }).session(session);
    if (domain !== null) await expediteHealthCheck(session, { accountId, deploymentId: domain.deploymentId, now });
    return true;
  });
  const use = { accountUrl, accountId, names, isByHand: false, renews };
  if (isFirst) await countAuthorityUse(providers, use, ['names', 'domain']);
}

function readFacts(chain: string, key: string, names: readonly string[]): CertificateFacts {
  try {
    return requireServable(chain, key, names);
  } catch (error) {
    throw new AuthorityError(ownProblem('unusable', error instanceof Error ? error.message : String(error)), error);
  }
}

/**
 * Returns the names that a problem is about: those of its subproblems, or of its text when it is about one alone, as
 * Let's Encrypt quotes it. None when it may be about all, or passes by itself.
 */
export function namesAtFault(problem: Problem, names: readonly string[]): string[] {
  const { kind } = classifyProblem(problem, new Date(0));
  if (kind !== 'change' && kind !== 'final') return [];
  const { subproblems, detail } = problem;
  return names.filter((name) => subproblems.some((one) => one.name === name) || detail.includes(`"${name}"`));
}

/**
 * Stores the problem and the time of the next try. Returns JobDeferred until then; null when there is none. `goesOn`:
 * the other names are ordered now.
 */
export async function storeProblem(
  run: IssueRun,
  problem: Problem,
  { goesOn }: { goesOn: boolean },
): Promise<JobDeferred | null> {
  const { providers, accountId, certificateId } = run;
  const now = providers.now();
  const classified = classifyProblem(problem, now);
  if (classified.kind === 'new_account') await forgetAccount(providers.authority.id);
  const isValidation = problem.status > 0 && classified.kind === 'change';
  providers.log.warn('A certificate was not issued', { certificateId, type: problem.type, detail: problem.detail });
  const delayMs = await run.transaction(async (session) => {
    const doc = await CertificateModel.findOne({ _id: certificateId, accountId }).session(session);
    if (doc === null) return null;
    const failures = doc.failures + 1;
    // Registering again helps at once, or not at all.
    const isFirstLoss = classified.kind === 'new_account' && doc.problem?.type !== problem.type;
    const waitMs = isFirstLoss ? SOON_MS : delayAfter(classified, failures, isValidation);
    const nextTryAt = waitMs === null ? null : new Date(now.getTime() + waitMs);
    const { message } = classified;
    const shown = { type: problem.type, message, detail: problem.detail, link: problem.link, at: now };
    const cause = causeOf(problem);
    const notified = doc.notifiedCauses;
    const isNews = lasts(classified)
      ? !notified.includes(cause)
      : notified.length === 0 && failures >= TRANSIENT_FAILURES;
    await fail(session, providers, doc, {
      ...{ problem: shown, failures, nextTryAt, isWanted: doc.isWanted && (goesOn || nextTryAt !== null) },
      ...(isNews && { notifiedCauses: [...notified, cause] }),
      ...(!KEEPS_ORDER.has(problem.type) && { order: null }),
    });
    const detail = message === problem.detail ? message : `${message} ${problem.detail}`;
    await addHistory(session, run, { what: 'failed', detail });
    if (isNews) await notifyFailure(session, providers, doc, message);
    else await publishEvent(session, accountId, { type: 'analytics_update' });
    if (problem.type === 'dnsUnseen') await noteLostZone(session, run, doc.domainId);
    return waitMs;
  });
  if (isValidation || OWN_PROVIDER.has(problem.type)) await countFailures(run, problem);
  return delayMs === null ? null : new JobDeferred(classified.message, delayMs);
}

/** Forgets the problem of a certificate that has all that it needs. */
export async function forgetProblem(run: IssueRun): Promise<void> {
  const { accountId, certificateId } = run;
  await run.transaction(async (session) => {
    await CertificateModel.updateOne({ _id: certificateId, accountId }, { $set: IN_ORDER }, { session });
    await publishEvent(session, accountId, { type: 'analytics_update' });
  });
}

/**
 * Records that the connection's zone is not the one in public DNS. Names that point here are proved without it; a day
 * later it may have become the public one.
 */
async function noteLostZone(
  session: ClientSession,
  { providers, accountId }: IssueRun,
  domainId: string,
): Promise<void> {
  const askAgainAt = new Date(providers.now().getTime() + DAY_MS);
  const lost = { 'zoneHolder.connectionId': null, 'zoneHolder.askAgainAt': askAgainAt };
  await DomainModel.updateOne({ _id: domainId, accountId, zoneHolder: { $ne: null } }, { $set: lost }, { session });
}

/**
 * Returns the delay. A final refusal waits for a person; a fault in the operator's settings is tried once a day. The
 * authority's own wait is the minimum, and an authority that sets none is still not asked every second.
 */
export function delayAfter(
  { kind, retryAfterMs }: ClassifiedProblem,
  failures: number,
  isValidation: boolean,
): number | null {
  if (kind === 'final') return null;
  if (kind === 'operator') return retryDelayMs(Number.POSITIVE_INFINITY);
  const byTable = retryDelayMs(failures, { isValidation });
  return retryAfterMs === null ? byTable : Math.max(retryAfterMs, Math.min(byTable, HOUR_MS));
}

/** Returns whether the problem lasts until somebody acts. */
function lasts({ kind }: ClassifiedProblem): boolean {
  return kind === 'change' || kind === 'operator' || kind === 'final';
}

/**
 * Returns the cause. A problem that a rehearsal found weeks before counts as the same when it is found right before an
 * order.
 */
function causeOf({ type }: Problem): string {
  return type === 'rehearsal' || type === 'dnsConnection' ? 'challenge' : type;
}

/** Marks a failure; the previous certificate is served as long as it lasts. */
async function fail(
  session: ClientSession,
  providers: Providers,
  doc: CertificateDoc,
  set: Record<string, unknown>,
): Promise<void> {
  const { _id: id, accountId, state } = doc;
  const place = { id, accountId, set };
  if (state === 'pending' || state === 'validating') {
    await moveCertificate(session, { ...place, from: [state], to: 'failed' });
  } else if (state === 'renewing') {
    const isOver = !isUsable(doc, providers.now());
    await moveCertificate(session, { ...place, from: [state], to: isOver ? 'expired' : 'issued' });
    if (isOver) await notifyExpiry(session, providers, doc);
  } else {
    await CertificateModel.updateOne({ _id: id, accountId }, { $set: set }, { session });
  }
}

async function countFailures({ providers, accountId, certificateId }: IssueRun, problem: Problem): Promise<void> {
  const doc = await CertificateModel.findOne({ _id: certificateId, accountId }, { names: 1, order: 1 }).lean();
  // A problem that the preflight found has cost no order.
  if (OWN_PROVIDER.has(problem.type) && typeof doc?.order?.url !== 'string') return;
  const named = problem.subproblems.map(({ name }) => name).filter((name) => name !== '');
  const names = named.length > 0 ? named : (doc?.names ?? []);
  await countAuthorityUse(providers, { accountUrl: '', accountId, names, isByHand: false, renews: null }, ['failures']);
}

/** Adds to the history of a certificate, which keeps the latest entries. */
export async function addHistory(
  session: ClientSession,
  { providers, accountId, certificateId }: Pick<IssueRun, 'providers' | 'accountId' | 'certificateId'>,
  { what, detail }: { what: string; detail: string },
): Promise<void> {
  const entry = { at: providers.now(), what, detail };
  const filter = { _id: certificateId, accountId };
  await CertificateModel.updateOne(
    filter,
    { $push: { history: { $each: [entry], $slice: -HISTORY_MAX } } },
    { session },
  );
}
