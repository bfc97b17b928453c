import type { ClientSession } from 'mongoose';
import type { AddDomainInput, CheckDomainNameInput, Domain, DomainNameCheck } from '../../routers/schemas/domains.ts';
import { DOMAIN_CLAIM_DAYS, DOMAINS_MAX, UNPROVED_DOMAINS_MAX } from '../../routers/schemas/limits.ts';
import { PLANS } from '../../routers/schemas/plans.ts';
import { domainsRefusal } from '../../routers/schemas/platforms/domains-refusal.ts';
import { countAgainst } from '../account/rate-limit.ts';
import type { AccountContext } from '../context.ts';
import { findDeployment } from '../database/find-deployment.ts';
import { MAINTENANCE } from '../database/models/account-scope.ts';
import { type DomainDoc, DomainModel, namesOf } from '../database/models/domains/domain.ts';
import { type DeploymentDoc, DeploymentModel, primaryOf } from '../database/models/publishing/deployment.ts';
import { isDuplicateKey, newId, transaction } from '../database/mongo.ts';
import { publishEvent } from '../events/publish.ts';
import { DAY_MS, HOUR_MS } from '../lib/durations.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { errorForPerson } from '../lib/remedies.ts';
import { currentPlan } from '../plans/quota.ts';
import { upgradeHint } from '../plans/subscription/upgrade-hint.ts';
import { requireWritable } from '../plans/subscription/writable.ts';
import { ATTACH_MS, type Attaching, attachAtPlatform, attachingOf } from './attach.ts';
import { detachEverywhere } from './detach.ts';
import { showDomain } from './read.ts';
import { removeRecordPlans } from './record-plan/stored-record-plan.ts';
import { noAnswers } from './records/dns-answers.ts';
import { nameRefused, requireUsableName, unitOf, unusableName } from './records/names.ts';
import { recordStates } from './records/record-states.ts';
import { type DomainTarget, domainTargetOf, requiredRecords } from './records/required-records.ts';
import { enqueueCheck } from './schedule.ts';

const ADDITIONS_PER_HOUR = 200;
const NEVER = new AbortController().signal;

/**
 * Returns the known reasons against a name before a deployment is made for it: the rules of names, the account's own
 * domains and how many it may have. The question reserves nothing, and the answer does not reveal whether another
 * account has the name.
 */
export async function checkDomainName(ctx: AccountContext, { name }: CheckDomainNameInput): Promise<DomainNameCheck> {
  const problem = await nameProblem(ctx, name);
  return { name, counterpart: unitOf(name).counterpart, problem: problem?.message ?? null };
}

/** Returns the refusal that `checkDomainName` reports; null when nothing is known against the name. */
export async function nameProblem(ctx: AccountContext, name: string): Promise<AppError | null> {
  const { accountId } = ctx.actor;
  const refused = unusableName(ctx.providers.addresses, name);
  if (refused !== null) return refused;
  // A lost claim makes room for a new one.
  const own = await DomainModel.exists({ accountId, unit: unitOf(name).unit, lostAt: null });
  if (own !== null) return alreadyAdded(ctx, name);
  return (await instanceQuotaProblem(ctx)) ?? accountQuotaProblem(null, accountId);
}

/**
 * Claims a name, with its counterpart, for a deployment, under the cap of the plan, and returns the records that prove
 * it and point it there. The answer does not reveal whether another account has the name. Throws `not_found`,
 * `plan_required`, `domain_limit_reached`, `validation_failed` on `name`, and the errors of the deployment's platform.
 */
export async function addDomain(ctx: AccountContext, { deploymentId, name }: AddDomainInput): Promise<Domain> {
  const { providers, actor } = ctx;
  const deployment = await findDeployment(ctx, deploymentId);
  await requireWritable(null, ctx, deploymentId);
  requireUsableName(providers.addresses, name);
  requireTakesDomains(deployment);
  await countAgainst({ name: 'added-domains', key: actor.accountId, limit: ADDITIONS_PER_HOUR, windowMs: HOUR_MS });
  const isFull = await instanceQuotaProblem(ctx);
  if (isFull !== null) throw isFull;
  const target = await domainTargetOf(providers, deployment);
  const inTime = AbortSignal.timeout(ATTACH_MS);
  const attaching = attachingOf(providers, deployment);
  const doc = await transaction((session) =>
    insertDomain(session, ctx, { deploymentId, name, target, attaching }),
  ).catch(async (error: unknown) => {
    throw isDuplicateKey(error) ? await alreadyAdded(ctx, name) : error;
  });
  const isAttaching = attaching !== null && doc.attached !== null;
  return showDomain(ctx, isAttaching ? await notifyAdded(ctx, deployment, doc, { target, inTime }) : doc);
}

type NewDomain = { deploymentId: string; name: string; target: DomainTarget; attaching: Attaching | null };

async function insertDomain(
  session: ClientSession,
  ctx: AccountContext,
  { deploymentId, name, target, attaching }: NewDomain,
): Promise<DomainDoc> {
  const { accountId } = ctx.actor;
  // This comes first: of two simultaneous additions one conflicts on the account, runs again and counts the other's.
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
  await requireWritable(session, ctx, deploymentId);
  const unit = unitOf(name);
  // A lost claim makes room for a new one.
  const isLost = { accountId, unit: unit.unit, state: 'unverified' as const, lostAt: { $ne: null } };
  const lost = await DomainModel.findOneAndDelete(isLost, { session });
  if (lost !== null) {
    await removeRecordPlans(session, { accountId, domainId: lost._id });
    await detachEverywhere(session, ctx.now(), lost);
  }
  await requireDomainQuota(session, ctx, deploymentId);
  const problem = await accountQuotaProblem(session, accountId);
  if (problem !== null) throw problem;
  const now = ctx.now();
  const proof = { name: `_fairlead.${unit.unit}`, value: `fairlead-proof=${newId()}${newId()}` };
  const named = { name, ...unit, proof, attached: attaching };
  const fields = {
    ...{ _id: newId(), accountId, deploymentId, ...named, servedName: name, state: 'unverified' as const },
    records: uncheckedRecords(named, target),
    ...{ nextCheckAt: now, quickFrom: now, expiresAt: new Date(now.getTime() + DOMAIN_CLAIM_DAYS * DAY_MS) },
  };
  const [doc] = await DomainModel.create([fields], { session });
  if (doc === undefined) throw new Error('An insert gave no document.');
  await enqueueCheck(session, doc);
  return doc;
}

/** Takes one of the names that the plan allows for a deployment, in the transaction that gives it to the deployment. */
export async function requireDomainQuota(
  session: ClientSession,
  ctx: AccountContext,
  deploymentId: string,
): Promise<void> {
  const { accountId } = ctx.actor;
  const deployment = await DeploymentModel.exists({ _id: deploymentId, accountId, state: { $ne: 'deleting' } }).session(
    session,
  );
  if (deployment === null) throw notFound('deployment');
  const plan = await currentPlan(ctx, session);
  const { title, customDomains } = PLANS[plan];
  const held = DomainModel.countDocuments({ accountId, deploymentId, state: { $ne: 'removing' } }).session(session);
  if (customDomains !== null && (await held) >= customDomains) {
    const allowed = customDomains === 1 ? '1 custom domain' : `${customDomains} custom domains`;
    const hint = await upgradeHint(accountId, plan, session);
    throw new AppError('domain_limit_reached', `The ${title} plan allows ${allowed} for a deployment. ${hint}`, {
      hint,
    });
  }
}

/**
 * Returns the limit that keeps an account from another domain, whatever its plan is; moving one within the account
 * does not count.
 */
async function accountQuotaProblem(session: ClientSession | null, accountId: string): Promise<AppError | null> {
  const count = (filter: Record<string, unknown>) =>
    DomainModel.countDocuments({ accountId, ...filter }).session(session);
  if ((await count({ state: 'unverified' })) >= UNPROVED_DOMAINS_MAX) {
    return tooMany(
      `${UNPROVED_DOMAINS_MAX} domains that you have not proved to be yours`,
      'First prove that some of them are yours, or remove some.',
    );
  }
  return (await count({})) >= DOMAINS_MAX ? tooMany(`${DOMAINS_MAX} domains`, 'Remove some of them first.') : null;
}

/**
 * Returns the limit of the whole instance: the proved domains that the processes can hold in memory. Unproved claims
 * keep nobody out. The count is rough: a few more, added at the same time, do no harm.
 */
async function instanceQuotaProblem({ providers }: AccountContext): Promise<AppError | null> {
  const { domainsInAll } = providers.limits;
  if ((await DomainModel.estimatedDocumentCount()) < domainsInAll) return null;
  const proved = DomainModel.countDocuments({ heldNames: { $gt: '' } }).hint('held_name_unique');
  if ((await proved.setOptions(MAINTENANCE)) < domainsInAll) return null;
  const hint = 'Ask the operator for more room.';
  return new AppError('domain_limit_reached', `This Fairlead has no room for more domains. ${hint}`, { hint });
}

function tooMany(what: string, hint: string): AppError {
  return new AppError('domain_limit_reached', `An account can have ${what}. ${hint}`, { hint });
}

/** Refuses a platform that takes names only on its own pages, or none. Throws `validation_failed` on `name`. */
export function requireTakesDomains(deployment: DeploymentDoc): void {
  const refusal = domainsRefusal(primaryOf(deployment).platform);
  if (refusal !== null) throw nameRefused(refusal);
}

/** Attaches the name at the platform. A platform that refuses it ends the claim; one that is down gets it later. */
async function notifyAdded(
  ctx: AccountContext,
  deployment: DeploymentDoc,
  doc: DomainDoc,
  { target, inTime }: { target: DomainTarget; inTime: AbortSignal },
): Promise<DomainDoc> {
  const { _id, accountId } = doc;
  try {
    const checked = await attachAtPlatform(ctx.providers, deployment, doc, { signal: NEVER, inTime });
    checked.set('records', uncheckedRecords(checked, target));
    await DomainModel.updateOne({ _id, accountId, checkedAt: null }, { $set: { records: checked.records } });
    return checked;
  } catch (error) {
    if (!(error instanceof AppError) || !['domain_taken', 'plan_limit', 'credentials_invalid'].includes(error.code)) {
      return doc;
    }
    await transaction(async (session) => {
      const refused = await DomainModel.findOneAndDelete({ _id, accountId, state: 'unverified' }, { session });
      if (refused === null) return;
      await removeRecordPlans(session, { accountId, domainId: _id });
      await detachEverywhere(session, ctx.now(), refused);
    });
    const shown = errorForPerson(error);
    throw error.code === 'domain_taken' ? nameRefused(error.message, error.hint) : shown;
  }
}

/** Returns the records before their first check. */
function uncheckedRecords(domain: Parameters<typeof requiredRecords>[0], target: DomainTarget) {
  return recordStates(requiredRecords(domain, target), noAnswers(), target);
}

async function alreadyAdded(ctx: AccountContext, name: string): Promise<AppError> {
  const { accountId } = ctx.actor;
  const own = await DomainModel.findOne({ accountId, unit: unitOf(name).unit });
  const deployment = await DeploymentModel.findOne({ _id: own?.deploymentId ?? '', accountId }, { name: 1 });
  const where = deployment === null ? '' : ` for ${deployment.name}`;
  const both = own === null ? name : namesOf(own).join(' and ');
  return nameRefused(`You have already added ${both}${where}.`, 'A domain can be moved to another deployment.');
}
