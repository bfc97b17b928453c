import type { ClientSession } from 'mongoose';
import type { Providers } from '../../context.ts';
import { type CertificateDoc, CertificateModel } from '../../database/models/domains/certificate.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import { moveCertificate } from '../../database/move-state.ts';
import { JobDeferred } from '../../lib/errors.ts';
import { openAccount, savePersistIssuers } from './account.ts';
import { type AuthorityCall, AuthorityError, LOCAL_AUTHORITY, type Order } from './authority/authority.ts';
import { ownProblem, type Problem } from './authority/problems.ts';
import { openKey, sealKey } from './authority/sealed-key.ts';
import { createRequest, makeKey } from './authority/x509.ts';
import { countAuthorityUse, renewedBy, requireWithinLimits } from './authority-use.ts';
import { authorizeNames } from './challenges/authorize.ts';
import { solverOf } from './challenges/solver.ts';
import { forgetProblem, LAST_DAYS_MS, namesAtFault, storeIssued, storeProblem } from './outcome.ts';
import { type Challenge, type PreflightCheck, runPreflight } from './preflight.ts';
import { uncoveredNames } from './read.ts';
import { subjectOf } from './rehearse.ts';

export type IssueRun = {
  providers: Providers;
  accountId: string;
  certificateId: string;
  signal: AbortSignal;
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
};

type StoredOrder = NonNullable<CertificateDoc['order']>;

/**
 * Brings a certificate to its wanted state: ordered, proved, signed and served. The certificate's key is stored before
 * the order is placed, and the order's address before it is proved, so that a run after a crash continues the same
 * order. A problem of the authority is stored with the time of the next try, and names that are not at fault are
 * ordered without those that are. Throws JobDeferred until then.
 */
export async function runOrder(run: IssueRun): Promise<void> {
  const { accountId, certificateId } = run;
  const doc = await findDue(run);
  if (doc === null) return;
  const domain = await DomainModel.findOne({ _id: doc.domainId, accountId }, { servedName: 1 }).lean();
  const servedName = domain?.servedName ?? '';
  for (let names = [...doc.names]; ; ) {
    const problem = await tryOrder(run, doc, { names, servedName });
    if (problem === null) break;
    const rest = restOf(run, doc, { servedName, failed: namesAtFault(problem, names), names });
    const deferred = await storeProblem(run, problem, { goesOn: rest.length > 0 });
    if (rest.length === 0 && deferred !== null) throw deferred;
    if (rest.length === 0) return;
    names = rest;
  }
  const left = await CertificateModel.findOne({ _id: certificateId, accountId }, { nextTryAt: 1 }).lean();
  if (!left?.nextTryAt) return;
  const waitMs = left.nextTryAt.getTime() - run.providers.now().getTime();
  throw new JobDeferred('The next try for the other names is later', Math.max(0, waitMs));
}

type Asked = { names: string[]; servedName: string };

/**
 * Returns the names that can have a certificate while others fail: the served one must be among them, and what is
 * covered already is ordered again only when it is due. A name that has a certificate keeps it almost to its end.
 */
function restOf(
  { providers }: IssueRun,
  { issued, renewAt, isWanted }: CertificateDoc,
  { names, servedName, failed }: Asked & { failed: readonly string[] },
): string[] {
  const rest = names.filter((name) => !failed.includes(name));
  if (rest.length === names.length || !rest.includes(servedName)) return [];
  if (!issued) return rest;
  const now = providers.now();
  const isLasting = issued.notAfter.getTime() - now.getTime() > LAST_DAYS_MS && issued.authorityId !== LOCAL_AUTHORITY;
  if (isLasting && failed.some((name) => issued.names.includes(name))) return [];
  const isDue = isWanted || (renewAt instanceof Date && renewAt <= now);
  return isDue || rest.some((name) => !issued.names.includes(name)) ? rest : [];
}

/** Returns the problem of the authority; null when the certificate is issued for these names. */
async function tryOrder(run: IssueRun, doc: CertificateDoc, { names, servedName }: Asked): Promise<Problem | null> {
  const { providers, accountId, certificateId, signal } = run;
  const { authority } = providers;
  try {
    const call = await openAccount(providers, signal);
    const begun = names.length < doc.names.length ? null : await continueOrder(run, call, doc);
    const { stored, order } = begun ?? (await placeOrder(run, call, doc, names));
    const solver = solverOf(providers, stored.challenge, { accountId, certificateId });
    await authorizeNames(providers, call, solver, order, servedName);
    await providers.faults?.at('certificate:proved');
    const key = openKey(providers.secrets, doc, stored.key);
    const chain = await authority.finish(call, order.url, await createRequest(stored.names, key));
    await providers.faults?.at('certificate:signed');
    const { challenge, leftOut } = stored;
    const renews = renewedBy(providers, doc.issued, stored.names);
    const signed = { names: stored.names, leftOut, key, chain, challenge, accountUrl: call.accountUrl, renews };
    await storeIssued(run, signed);
    await providers.faults?.at('certificate:stored');
    return null;
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error;
    return error.problem;
  }
}

/** Reads the state again, now that nobody else works on it. */
async function findDue(run: IssueRun): Promise<CertificateDoc | null> {
  const { providers, accountId, certificateId } = run;
  const doc = await CertificateModel.findOne({ _id: certificateId, accountId });
  if (doc === null || doc.names.length === 0) return null;
  // A revoked certificate is only ordered again by hand.
  if (doc.state === 'revoked' && !doc.isWanted) return null;
  const now = providers.now();
  const isDue = doc.renewAt instanceof Date && doc.renewAt <= now;
  if (doc.order === null && uncoveredNames(doc).length === 0 && !isDue && !doc.isWanted) {
    // The problem was that of a name which need not be covered any more.
    if (doc.problem) await forgetProblem(run);
    return null;
  }
  if (doc.nextTryAt instanceof Date && doc.nextTryAt > now) {
    throw new JobDeferred('The next try is later', doc.nextTryAt.getTime() - now.getTime());
  }
  return doc;
}

type Begun = { stored: StoredOrder; order: Order };

/** Returns the order of an earlier run; null when there is none, or none that is useful. */
async function continueOrder(run: IssueRun, call: AuthorityCall, doc: CertificateDoc): Promise<Begun | null> {
  const { providers } = run;
  const { order: stored, names } = doc;
  if (!stored) return null;
  const isForThese = [...stored.names, ...stored.leftOut].sort().join() === names.join();
  if (stored.authorityId !== providers.authority.id || !isForThese) return null;
  // It may have been placed although its address never came, or was not stored.
  const url = stored.url ?? (await providers.authority.openOrder?.(call, stored.names)) ?? null;
  const order = url === null ? null : await providers.authority.read(call, url);
  if (order === null || order.status === 'invalid') return null;
  // A failed try has left it where it was before.
  await run.transaction((session) => moveOn(session, run));
  if (stored.url !== order.url) {
    await storeUrl(run, order.url);
    await savePersistIssuers(providers.authority.id, order);
  }
  return { stored, order };
}

async function placeOrder(run: IssueRun, call: AuthorityCall, doc: CertificateDoc, names: string[]): Promise<Begun> {
  const { providers } = run;
  const { authority } = providers;
  // It must be the same authority: another does not know the order.
  const replaces = doc.issued?.authorityId === authority.id ? doc.issued.chain : undefined;
  // An automatic retry after a failure no longer counts as by hand.
  const isByHand = doc.isWanted && !(doc.nextTryAt instanceof Date);
  const renews = renewedBy(providers, doc.issued, names);
  const use = { accountUrl: call.accountUrl, accountId: run.accountId, names, isByHand, renews };
  // A renewal ahead of its time observes the limits: the authority's exemption is for due ones.
  const isEarly = isByHand && doc.renewAt instanceof Date && doc.renewAt > providers.now();
  const isExempt = replaces !== undefined && !isEarly && names.every((name) => doc.issued?.names.includes(name));
  if (!isExempt) await requireWithinLimits(providers, use);
  const count = () => countAuthorityUse(providers, use, ['orders', 'share']);
  // The authority may not know the certificate to replace, and then counts this order like any other.
  const beforeNewOrder = async () => {
    if (!isExempt) return;
    await requireWithinLimits(providers, use);
    await count();
  };
  const challenge = await requirePreflight(run, call, doc, names);
  const leftOut = doc.names.filter((name) => !names.includes(name));
  const stored = await beginOrder(run, { names, leftOut, challenge });
  await providers.faults?.at('certificate:begun');
  if (!isExempt) await count();
  const url = await authority.order(call, { names, replaces, beforeNewOrder });
  await providers.faults?.at('certificate:placed');
  await storeUrl(run, url);
  const order = await authority.read(call, url);
  if (order === null) throw new AuthorityError(ownProblem('orderNotReady', 'The order is gone.'));
  await savePersistIssuers(authority.id, order);
  return { stored: { ...stored, url }, order };
}

async function storeUrl(
  { providers, accountId, certificateId: _id, transaction }: IssueRun,
  url: string,
): Promise<void> {
  const set = { $set: { 'order.url': url } };
  await transaction((session) => CertificateModel.updateOne({ _id, accountId }, set, { session }));
  await providers.faults?.at('certificate:ordered');
}

/** Throws `AuthorityError` when an order is sure to fail: it would count at the authority, and this check does not. */
async function requirePreflight(
  { providers }: IssueRun,
  { accountUrl, signal }: AuthorityCall,
  { accountId, domainId, problem }: CertificateDoc,
  names: string[],
): Promise<Challenge> {
  const subject = await subjectOf({ accountId, domainId, names, problem: problem ?? null }, accountUrl);
  const { challenge, checks } = await runPreflight(providers, subject, signal);
  const failures = checks.filter(({ verdict }) => verdict === 'fail');
  const [failed] = failures;
  if (failed === undefined) return challenge;
  const typeOf = ({ id }: PreflightCheck) => {
    if (id === 'caa') return 'caa';
    return challenge === 'dns-01' ? 'dnsConnection' : 'rehearsal';
  };
  const subproblems = failures.flatMap((check) =>
    check.name === undefined ? [] : [{ name: check.name, type: typeOf(check), detail: check.message }],
  );
  throw new AuthorityError({ ...ownProblem(typeOf(failed), failed.message), subproblems });
}

/** Moves a served certificate to renewing, and any other to validating. */
async function moveOn(session: ClientSession, { certificateId: id, accountId }: IssueRun): Promise<void> {
  await moveCertificate(session, { id, accountId, from: ['issued'], to: 'renewing' });
  await moveCertificate(session, { id, accountId, from: ['pending', 'failed', 'expired'], to: 'validating' });
  // This happens only by hand, and the revoked certificate goes: an older version may have kept it.
  const when = { isWanted: true };
  await moveCertificate(session, { id, accountId, from: ['revoked'], to: 'validating', when, set: { issued: null } });
}

async function beginOrder(
  run: IssueRun,
  { names, leftOut, challenge }: { names: string[]; leftOut: string[]; challenge: Challenge },
) {
  const { providers, accountId, certificateId } = run;
  const { pem } = await makeKey();
  const order = {
    names,
    leftOut,
    key: sealKey(providers.secrets, { _id: certificateId, accountId }, pem),
    authorityId: providers.authority.id,
    url: null,
    challenge,
    startedAt: providers.now(),
  };
  await run.transaction(async (session) => {
    await moveOn(session, run);
    await CertificateModel.updateOne({ _id: certificateId, accountId }, { $set: { order } }, { session });
  });
  return order;
}
