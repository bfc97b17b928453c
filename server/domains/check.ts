import type { Domain, GetDomainInput } from '../../routers/schemas/domains.ts';
import { withAskingSlots } from '../account/asking-slots.ts';
import { countAgainst } from '../account/rate-limit.ts';
import { type ZoneHolder, zoneHolderOf } from '../connections/challenge-zones.ts';
import type { AccountContext, Providers } from '../context.ts';
import { type DomainDoc, DomainModel, namesOf } from '../database/models/domains/domain.ts';
import { type DeploymentDoc, DeploymentModel } from '../database/models/publishing/deployment.ts';
import { transaction } from '../database/mongo.ts';
import { publishEvent } from '../events/publish.ts';
import { MINUTE_MS } from '../lib/durations.ts';
import { AppError } from '../lib/errors.ts';
import { askPlatform } from './ask-platform.ts';
import { attachNames } from './attach.ts';
import { findForbiddingCaa } from './caa-watch.ts';
import { watchCertificate } from './certificate-watch.ts';
import { persistentRecords } from './certificates/persistent-records.ts';
import { detachEverywhere } from './detach.ts';
import { findDomain, showDomain } from './read.ts';
import { removeRecordPlans } from './record-plan/stored-record-plan.ts';
import { undoneSets } from './record-plan/written-records.ts';
import { type DnsAnswers, gatherDnsAnswers } from './records/dns-answers.ts';
import { pointsToOf, proofValues, recordStates } from './records/record-states.ts';
import { type DomainTarget, domainTargetOf, requiredRecords } from './records/required-records.ts';
import { type DomainCheck, saveCheck } from './save-check.ts';
import { expediteCheck, isAtRest } from './schedule.ts';

/** A check asks some dozens of questions of name servers that somebody else runs. */
const CHECKS_PER_MINUTE = 120;
/** A repeated request within this time gets the last result. */
const FRESH_MS = 1_000;
/** The time that the name servers are asked. */
const ZONE_MS = 8_000;

/**
 * Checks now, and returns the result; from then on it is checked often again. A refusal of the deployment's platform
 * is shown as its problem. Throws `not_found`, `rate_limited`.
 */
export async function checkDomain(ctx: AccountContext, { domainId }: GetDomainInput): Promise<Domain> {
  const { providers } = ctx;
  const { accountId } = ctx.actor;
  const before = await findDomain(ctx, domainId);
  const isFresh = before.checkedAt instanceof Date && ctx.now().getTime() - before.checkedAt.getTime() < FRESH_MS;
  if (isFresh || before.state === 'removing') return showDomain(ctx, before);
  await countAgainst({ name: 'domain-checks', key: accountId, limit: CHECKS_PER_MINUTE, windowMs: MINUTE_MS });
  await withAskingSlots(ctx, { whom: 'name servers', one: `domain ${domainId}` }, async () => {
    const doc = await findDomain(ctx, domainId);
    if (doc.checkedAt?.getTime() !== before.checkedAt?.getTime()) return;
    await DomainModel.updateOne({ _id: domainId, accountId }, { $set: { quickFrom: ctx.now() } });
    const found = await runCheck(providers, await findDomain(ctx, domainId), new AbortController().signal);
    if (found !== null) await transaction((session) => settleAndGoOn(session, providers, found));
  });
  return showDomain(ctx, await findDomain(ctx, domainId));
}

async function settleAndGoOn(
  session: Parameters<typeof saveCheck>[0],
  providers: Providers,
  found: DomainCheck,
): Promise<void> {
  const settled = await saveCheck(session, providers, found);
  if (settled !== null && !isAtRest(settled, providers.now())) await expediteCheck(session, settled);
}

/**
 * Attaches the domain at its platform, then asks the name servers and the platform for the records that it needs; null
 * when its deployment is gone. Each has a time limit: silent name servers are given no more time, and are no error.
 */
export async function runCheck(providers: Providers, doc: DomainDoc, signal: AbortSignal): Promise<DomainCheck | null> {
  const { accountId, deploymentId } = doc;
  const begunAt = providers.now();
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId });
  if (deployment === null || deployment.state === 'deleting') return null;
  const target = await domainTargetOf(providers, deployment);
  const attached = target.isServedHere ? doc : await attachIfTaken(providers, deployment, doc, signal);
  const optional = target.isServedHere ? await persistentRecords(providers, attached) : [];
  const wanted = [...requiredRecords(attached, target), ...optional];
  const asking = gatherDnsAnswers(providers.dns, attached.unit, wanted, signal);
  const [answers, zoneHolder, caa] = await Promise.all([
    asking,
    findZoneHolder(providers, attached, { target, answers: asking }, signal),
    findForbiddingCaa(providers, attached, target, signal),
  ]);
  const records = recordStates(wanted, answers, target);
  const isSet = records.every(({ purpose, state }) => purpose !== 'route' || state === 'ok');
  // Of other states no change by anybody is told.
  const isWatched = attached.state === 'active' || attached.state === 'misconfigured';
  const undone = isSet || !isWatched ? undefined : await undoneSets(attached);
  const pointedNames = namesOf(attached).filter((name) => pointsToOf(name, records, answers, target) === 'here');
  const asked = { pointedNames, signal };
  const domain = target.isServedHere ? attached : await askPlatform(providers, deployment, attached, asked);
  const seen = target.isServedHere ? await watchCertificate(providers, domain, answers, signal) : null;
  const tookMs = providers.now().getTime() - begunAt.getTime();
  const watch = { certificate: seen?.problem ?? null, watchedCertificate: seen?.watched ?? null };
  return { domain, answers, records, target, zoneHolder, caa, undone, ...watch, tookMs };
}

/**
 * Finds the connection that could prove names which do not point here yet; the next check asks again after a failure.
 */
async function findZoneHolder(
  providers: Providers,
  domain: DomainDoc,
  seen: { target: DomainTarget; answers: Promise<DnsAnswers> },
  signal: AbortSignal,
): Promise<ZoneHolder | null> {
  const { accountId } = domain;
  const known = domain.zoneHolder ?? null;
  if (!seen.target.isServedHere || !providers.authority.isPublic || !(await isElsewhere(domain, seen))) return known;
  const within = AbortSignal.any([signal, AbortSignal.timeout(ZONE_MS)]);
  return zoneHolderOf(providers, { accountId, names: namesOf(domain), known }, within).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!(error instanceof AppError) && !within.aborted) throw error;
    return known;
  });
}

/**
 * Returns whether a proved name pointed elsewhere when last seen. For a claim whose proof has just appeared, the
 * present answers count, since its certificate is ordered by this check.
 */
async function isElsewhere(
  domain: DomainDoc,
  { target, answers }: { target: DomainTarget; answers: Promise<DnsAnswers> },
): Promise<boolean> {
  const { heldNames, pointedNames, proof } = domain;
  if (heldNames.length > 0) return heldNames.some((held) => !pointedNames.includes(held));
  const seen = await answers;
  const isProved = proofValues(proof.name, seen).has(proof.value);
  return isProved && namesOf(domain).some((name) => pointsToOf(name, [], seen, target) !== 'here');
}

/** Attaches the domain, and keeps a refusal with it: its records are checked all the same. */
async function attachIfTaken(
  providers: Providers,
  deployment: DeploymentDoc,
  domain: DomainDoc,
  signal: AbortSignal,
): Promise<DomainDoc> {
  try {
    return await attachNames(providers, deployment, domain, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    const { _id, accountId } = domain;
    return (await DomainModel.findOne({ _id, accountId })) ?? domain;
  }
}

/** Returns a domain to check; null when it is gone or is being removed. */
export function findToCheck(accountId: string, domainId: string): Promise<DomainDoc | null> {
  return DomainModel.findOne({ _id: domainId, accountId, state: { $ne: 'removing' } });
}

/** Ends a claim that was never proved, or was lost long ago. */
export async function endClaim(
  session: Parameters<typeof saveCheck>[0],
  { now }: Pick<Providers, 'now'>,
  { _id, accountId, deploymentId }: DomainDoc,
): Promise<void> {
  const ended = await DomainModel.findOneAndDelete({ _id, accountId, state: 'unverified' }, { session });
  if (ended === null) return;
  await removeRecordPlans(session, { accountId, domainId: _id });
  await detachEverywhere(session, now(), ended);
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
}
