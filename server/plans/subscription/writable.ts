import type { ClientSession, PipelineStage } from 'mongoose';
import { deploymentLimit, PAID_PLANS, PLANS, type Plan } from '../../../routers/schemas/plans.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { AccountContext } from '../../context.ts';
import { DomainModel, type DomainRow } from '../../database/models/domains/domain.ts';
import { activePlan, SubscriptionModel } from '../../database/models/plans/subscription.ts';
import { DeploymentModel, type DeploymentRow } from '../../database/models/publishing/deployment.ts';
import { ReleaseModel } from '../../database/models/publishing/release.ts';
import { addMonths } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { requireLiveAccount } from './live-account.ts';
import { upgradeHint } from './upgrade-hint.ts';

/** The fields of a deployment that the cap needs; one without a release counts as released when it was made. */
export type WritableCandidate = Pick<DeploymentRow, '_id' | 'platform'> & { releasedAt: Date };

/**
 * Returns the ids of the deployments that the plan lets change; null when all can. Over the cap these are the chosen
 * ones, then those with the most recent release. Simulations do not count.
 */
export function writableOf(
  plan: Plan,
  chosen: readonly string[],
  deployments: readonly WritableCandidate[],
): string[] | null {
  const limit = deploymentLimit(plan);
  if (plan === 'free') return [];
  const counted = deployments.filter(isCounted);
  if (limit === null || counted.length <= limit) return null;
  const newest = [...counted].sort((one, other) => other.releasedAt.getTime() - one.releasedAt.getTime());
  const isChosen = ({ _id }: WritableCandidate) => chosen.includes(_id);
  const first = [...newest.filter(isChosen), ...newest.filter((one) => !isChosen(one))].slice(0, limit);
  return [...first, ...deployments.filter((one) => !isCounted(one))].map(({ _id }) => _id);
}

/**
 * A person's choice of deployments that stay writable: it is valid until `until`, for a plan that allowed `limit`;
 * `count` of them still exist.
 */
export type Choice = { until: Date | null; limit: number; count: number };

/**
 * Returns whether the choice is used up. There is one a month, however the end of the plan moves since: keys that
 * extend it, or are transferred and taken back, open no further choice. A plan that allows more does, and so does a
 * smaller one after it, if more were chosen than it has room for.
 */
export function hasChosen(choice: Choice, allowed: number, now: Date): boolean {
  return isCurrent(choice, now) && allowed <= choice.limit && choice.count <= allowed;
}

/**
 * Returns the limit to store with a further choice: no plan of the same month that allows as little opens another one.
 */
export function limitKept(choice: Choice, allowed: number, now: Date): number {
  return isCurrent(choice, now) ? Math.max(choice.limit, allowed) : allowed;
}

function isCurrent({ until }: Choice, now: Date): boolean {
  return until !== null && until > now;
}

export function isCounted({ platform }: Pick<WritableCandidate, 'platform'>): boolean {
  return PLATFORMS[platform].isSimulated !== true;
}

/** The plans that cap the number of deployments at `limit`. */
export const CAPPED_PLANS = PAID_PLANS.flatMap((plan) => {
  const limit = deploymentLimit(plan);
  return limit === null ? [] : [{ plan, limit }];
});

/** Stages that turn deployments into candidates for a choice. Those that are being deleted are excluded. */
export const CANDIDATE_STAGES = [
  { $match: { state: { $ne: 'deleting' } } },
  {
    $lookup: {
      from: ReleaseModel.collection.name,
      localField: '_id',
      foreignField: 'deploymentId',
      pipeline: [{ $sort: { number: -1 } }, { $limit: 1 }, { $project: { createdAt: 1 } }],
      as: 'newest',
    },
  },
  { $project: { platform: 1, releasedAt: { $ifNull: [{ $first: '$newest.createdAt' }, '$createdAt'] } } },
] satisfies PipelineStage.Lookup['$lookup']['pipeline'];

/** Returns all candidates of the account. */
export function readCandidates(session: ClientSession | null, accountId: string): Promise<WritableCandidate[]> {
  return DeploymentModel.aggregate<WritableCandidate>([{ $match: { accountId } }, ...CANDIDATE_STAGES]).session(
    session,
  );
}

/**
 * Refuses to change a deployment that is read-only: no plan is active, or the plan allows fewer than there are and
 * this one is not among those. It stays live. Inside the transaction that changes it this sees the plan of that
 * moment; without a session it is the early refusal. Throws `plan_required`.
 */
export async function requireWritable(
  session: ClientSession | null,
  ctx: AccountContext,
  deploymentId: string,
): Promise<void> {
  const { accountId } = ctx.actor;
  const subscription = await SubscriptionModel.findOne({ accountId }).session(session).lean();
  const plan = activePlan(subscription, ctx.now());
  if (plan !== 'free') {
    if (deploymentLimit(plan) === null) return;
    const writable = writableOf(plan, subscription?.writableIds ?? [], await readCandidates(session, accountId));
    if (writable === null || writable.includes(deploymentId)) return;
  }
  throw await readOnly(session, accountId, plan);
}

/** Does the same for changes of a domain, by its deployment. Throws `not_found` as well. */
export async function requireWritableDomain(
  session: ClientSession | null,
  ctx: AccountContext,
  domainId: string,
): Promise<void> {
  const own = { _id: domainId, accountId: ctx.actor.accountId };
  const domain = await DomainModel.findOne(own, { deploymentId: 1 }).session(session).lean();
  if (domain === null) throw notFound('domain');
  const { deploymentId } = domain;
  await requireWritable(session, ctx, deploymentId);
  if (!(await domainsOverCap(session, ctx, [deploymentId])).has(domainId)) return;
  const { accountId } = ctx.actor;
  const plan = activePlan(await SubscriptionModel.findOne({ accountId }).session(session).lean(), ctx.now());
  const { title, customDomains } = PLANS[plan];
  const allowed = customDomains === 1 ? 'one domain' : `${customDomains} domains`;
  const message = `${title} lets you change ${allowed} of a deployment. This one is not included: it stays live and is read-only.`;
  throw new AppError('plan_required', message, { hint: await upgradeHint(accountId, plan, session) });
}

/**
 * Returns the ids of the domains of these deployments that the plan has no room for, and whether each may still be
 * chosen. Over the cap of each deployment the chosen ones can be changed, then those that were added first.
 */
export async function domainsOverCap(
  session: ClientSession | null,
  { actor: { accountId }, now }: AccountContext,
  deploymentIds: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const plan = activePlan(await SubscriptionModel.findOne({ accountId }).session(session).lean(), now());
  const { customDomains } = PLANS[plan];
  // Without a plan there is no other room: their deployments are read-only.
  if (customDomains === null || plan === 'free') return new Map();
  const of = { accountId, deploymentId: { $in: deploymentIds }, state: { $ne: 'removing' as const } };
  const fields = { deploymentId: 1, chosenAt: 1, chosenLimit: 1, createdAt: 1 };
  const domains = await DomainModel.find(of, fields).session(session).lean();
  const over = deploymentIds.flatMap((id) => {
    const own = domains.filter(({ deploymentId }) => deploymentId === id).sort(inTurn);
    const mayBeChosen = !hasChosen(domainChoice(own), customDomains, now());
    return own.slice(customDomains).map(({ _id }) => [_id, mayBeChosen] as const);
  });
  return new Map(over);
}

/** Returns the choice among the domains of one deployment, which each chosen one carries. */
export function domainChoice(own: readonly Pick<DomainRow, 'chosenAt' | 'chosenLimit'>[]): Choice {
  const chosen = own.filter(({ chosenAt }) => chosenAt instanceof Date);
  const { chosenAt, chosenLimit } = chosen[0] ?? {};
  return { until: chosenAt ? addMonths(chosenAt, 1) : null, limit: chosenLimit ?? 0, count: chosen.length };
}

type Candidate = Pick<DomainRow, 'chosenAt' | 'createdAt'>;

function inTurn(one: Candidate, other: Candidate): number {
  const isChosen = ({ chosenAt }: Candidate) => Number(chosenAt instanceof Date);
  return isChosen(other) - isChosen(one) || one.createdAt.getTime() - other.createdAt.getTime();
}

async function readOnly(session: ClientSession | null, accountId: string, plan: Plan): Promise<AppError> {
  await requireLiveAccount(session, accountId);
  const hint = await upgradeHint(accountId, plan, session);
  if (plan === 'free') {
    const message = 'Your plan has ended. Your deployments stay live, and cannot be changed until a plan is active.';
    return new AppError('plan_required', message, { hint });
  }
  const { title, deployments } = PLANS[plan];
  const allowed = deployments === 1 ? 'one deployment' : `${deployments} deployments`;
  const message = `${title} lets you change ${allowed}. This one is not included: it stays live and is read-only.`;
  return new AppError('plan_required', message, { hint });
}
