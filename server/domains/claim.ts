import mongoose, { type ClientSession } from 'mongoose';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { PLANS } from '../../routers/schemas/plans.ts';
import { type DomainState, lostText } from '../../routers/schemas/state-names.ts';
import type { Providers } from '../context.ts';
import { type DomainDoc, DomainModel, namesOf } from '../database/models/domains/domain.ts';
import { activePlan, SubscriptionModel } from '../database/models/plans/subscription.ts';
import { moveDomain } from '../database/move-state.ts';
import { publishEvent } from '../events/publish.ts';
import { DAY_MS } from '../lib/durations.ts';
import { upgradeHint } from '../plans/subscription/upgrade-hint.ts';
import { expediteHealthCheck } from '../publishing/publication/health-schedule.ts';
import { removeCertificates } from './certificates/ensure.ts';
import { detachEverywhere } from './detach.ts';
import { notifyOwner } from './notify-owner.ts';
import type { Problem } from './records/name-server-problem.ts';
import { proofValues } from './records/record-states.ts';
import type { DomainCheck } from './save-check.ts';
import { enqueueCheck } from './schedule.ts';

const PROVED_STATES = ['pending_dns', 'active', 'misconfigured'] as const;

/** For this long, an account sees that another account has taken its name. */
const LOST_SHOWN_DAYS = 30;

/** The result of a claim; `problem`: its proof is there, but the plan has no room for it. */
type Claimed = { state: DomainState; problem: Problem | null };

const UNPROVED: Claimed = { state: 'unverified', problem: null };

/**
 * Decides an unproved claim by its check. The account whose proof is in DNS has the name: the one that has proved it
 * keeps it while its proof is there, and otherwise loses it to an account that can write there, as after a sale.
 * Nothing about that account is revealed before its proof is seen, which everybody can see.
 */
export async function answerClaim(session: ClientSession, providers: Providers, found: DomainCheck): Promise<Claimed> {
  const { domain, answers, records } = found;
  const { _id: id, accountId, deploymentId } = domain;
  const values = proofValues(domain.proof.name, answers);
  const provedDomain = await DomainModel.findOne({ heldNames: { $in: namesOf(domain) }, _id: { $ne: id } })
    .setOptions({ acrossAccounts: 'unique-name' })
    .session(session);
  const now = providers.now();
  if (provedDomain !== null && values.has(provedDomain.proof.value)) {
    if (domain.lostAt instanceof Date) return UNPROVED;
    await DomainModel.updateOne(
      { _id: id, accountId },
      { $set: { lostAt: now, changedAt: mongoose.now() } },
      { session },
    );
    await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
    return UNPROVED;
  }
  // All answering name servers have it: somebody who can write to only one of several is not the owner of the zone.
  const isProved = records.some(
    ({ purpose, name, state }) => purpose === 'proof' && name === domain.proof.name && state === 'ok',
  );
  if (!isProved) return UNPROVED;
  const problem = await capProblem(session, domain, now);
  if (problem !== null) return { state: 'unverified', problem };
  if (provedDomain !== null) await takeFrom(session, providers, provedDomain);
  const set = { heldNames: namesOf(domain), provedAt: now, lostAt: null, expiresAt: null, quickFrom: now };
  await moveDomain(session, { id, accountId, from: ['unverified'], to: 'pending_dns', set });
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
  return { state: 'pending_dns', problem: null };
}

/**
 * Counts again how many domains the plan allows a deployment: the name may have been claimed under a larger plan. Of
 * two simultaneous proofs one conflicts on the account in what follows, runs again and counts the other.
 */
async function capProblem(
  session: ClientSession,
  { accountId, deploymentId, name }: DomainDoc,
  now: Date,
): Promise<Problem | null> {
  const plan = activePlan(await SubscriptionModel.findOne({ accountId }).session(session), now);
  const { title, customDomains } = PLANS[plan];
  if (customDomains === null) return null;
  const proved = { accountId, deploymentId, state: { $in: PROVED_STATES } };
  if ((await DomainModel.countDocuments(proved).session(session)) < customDomains) return null;
  const why = plan === 'free' ? 'no plan is active' : `${title} allows ${formatCount(customDomains, 'custom domain')}`;
  const hint = await upgradeHint(accountId, plan, session);
  const message = `${name} is proved to be yours, but ${why}${plan === 'free' ? '' : ' for a deployment'}.`;
  return { code: 'domain_limit_reached', message, hint };
}

async function takeFrom(session: ClientSession, providers: Providers, provedDomain: DomainDoc): Promise<void> {
  const now = providers.now();
  const set = {
    ...{ heldNames: [], provedAt: null, activeSince: null, pointedNames: [], watchedNames: [], lostAt: now },
    ...{ attached: null, leaving: [] },
    expiresAt: new Date(now.getTime() + LOST_SHOWN_DAYS * DAY_MS),
  };
  const { _id: id, accountId } = provedDomain;
  const lost = await moveDomain(session, {
    ...{ id, accountId, to: 'unverified', set },
    from: [...PROVED_STATES],
  });
  if (lost === null) return;
  await detachEverywhere(session, now, provedDomain);
  await removeCertificates(session, { accountId, domainId: id });
  await expediteHealthCheck(session, { accountId, deploymentId: provedDomain.deploymentId, now, isGone: true });
  const message = `${lostText(provedDomain.name)}. Your own proof is no longer in the DNS.`;
  await notifyOwner(session, providers, provedDomain, { kind: 'domain-lost', message });
  await enqueueCheck(session, provedDomain);
}
