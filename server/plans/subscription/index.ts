import type { ClientSession } from 'mongoose';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { TRIAL_DAYS } from '../../../routers/schemas/limits.ts';
import { deploymentLimit, mayUse, PLANS, remainingDeployments } from '../../../routers/schemas/plans.ts';
import type { Allowance, ChooseWritableInput, Subscription } from '../../../routers/schemas/subscription.ts';
import type { AccountContext } from '../../context.ts';
import { UserModel, type UserRow } from '../../database/models/account/user.ts';
import { PaymentModel, type PaymentRow } from '../../database/models/plans/payment.ts';
import {
  activePlan,
  SubscriptionModel,
  type SubscriptionRow,
  toSubscription,
} from '../../database/models/plans/subscription.ts';
import { DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { isDuplicateKey, newId, transaction } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { addMonths, DAY_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { accountEnded, requireLiveAccount } from './live-account.ts';
import { askAbout } from './renewal.ts';
import { hadTrial } from './used-trial.ts';
import {
  CANDIDATE_STAGES,
  CAPPED_PLANS,
  type Choice,
  hasChosen,
  isCounted,
  limitKept,
  readCandidates,
  type WritableCandidate,
  writableOf,
} from './writable.ts';

/**
 * Returns the account's subscription; one past its end reads as `expired`. Throws `not_found` when there never was
 * one.
 */
export async function getSubscription(ctx: AccountContext): Promise<Subscription> {
  const doc = await SubscriptionModel.findOne({ accountId: ctx.actor.accountId }).lean();
  if (doc === null) throw notFound('subscription');
  return toSubscription(doc, ctx.now(), ctx.providers.payments);
}

type UserWithSubscription = Pick<UserRow, 'deploymentCount' | 'emailKey'> & {
  subscription: SubscriptionRow[];
  comingPayments: Pick<PaymentRow, '_id' | 'plan'>[];
  /** The deployments of an account that has more than its plan allows; else empty. */
  deployments: WritableCandidate[];
};

/** Keeps the lookup from reading deployments: an account within its cap looks for an id that nobody has. */
const OVER_CAP_ID = {
  $cond: [
    {
      $or: CAPPED_PLANS.map(({ plan, limit }) => ({
        $and: [{ $eq: [{ $first: '$subscription.plan' }, plan] }, { $gt: ['$deploymentCount', limit] }],
      })),
    },
    '$_id',
    null,
  ],
};

/** Returns the account's allowance: plan, cap, how much of it is left, and whether the trial can still be started. */
export async function getAllowance(ctx: AccountContext): Promise<Allowance> {
  const { accountId } = ctx.actor;
  const [user] = await UserModel.aggregate<UserWithSubscription>([
    { $match: { _id: accountId, deletedAt: null } },
    { $project: { deploymentCount: 1, emailKey: 1 } },
    {
      $lookup: {
        from: SubscriptionModel.collection.name,
        localField: '_id',
        foreignField: 'accountId',
        as: 'subscription',
      },
    },
    {
      $lookup: {
        from: PaymentModel.collection.name,
        localField: '_id',
        foreignField: 'accountId',
        pipeline: [{ $match: { state: 'pending', isProcessing: true } }, { $project: { plan: 1 } }],
        as: 'comingPayments',
      },
    },
    { $addFields: { overCapId: OVER_CAP_ID } },
    {
      $lookup: {
        from: DeploymentModel.collection.name,
        localField: 'overCapId',
        foreignField: 'accountId',
        pipeline: CANDIDATE_STAGES,
        as: 'deployments',
      },
    },
  ]);
  if (user === undefined) throw accountEnded();
  const subscription = user.subscription[0] ?? null;
  const [coming] = user.comingPayments;
  const plan = activePlan(subscription, ctx.now());
  const writableIds = writableOf(plan, subscription?.writableIds ?? [], user.deployments);
  return {
    plan,
    deploymentLimit: deploymentLimit(plan),
    deploymentCount: user.deploymentCount,
    remaining: remainingDeployments(plan, user.deploymentCount),
    // A plan that was bought needs no trial before it.
    isTrialAvailable: plan === 'free' && coming === undefined && !(await hadTrial(subscription, user.emailKey)),
    comingPayment: coming === undefined ? null : { id: coming._id, plan: coming.plan },
    writableIds,
    mayChooseWritable:
      plan !== 'free' &&
      writableIds !== null &&
      !hasChosen(deploymentChoice(subscription, user.deployments), deploymentLimit(plan) ?? 0, ctx.now()),
    customDomains: PLANS[plan].customDomains,
    severalPlatforms: mayUse(plan, 'severalPlatforms'),
    earlyAccess: mayUse(plan, 'earlyAccess'),
  };
}

function deploymentChoice(subscription: SubscriptionRow | null, deployments: readonly WritableCandidate[]): Choice {
  const { writableIds = [], writableChosenFor, writableChosenLimit } = subscription ?? {};
  const count = deployments.filter(({ _id }) => writableIds.includes(_id)).length;
  return { until: writableChosenFor ?? null, limit: writableChosenLimit ?? 0, count };
}

/** Returns the end of the plan's month at `now`; a plan may be paid for many months ahead. */
function endOfMonth({ startedAt, endsAt }: SubscriptionRow, now: Date): Date {
  let months = 1;
  while (addMonths(startedAt, months) <= now) months += 1;
  const end = addMonths(startedAt, months);
  return end < endsAt ? end : endsAt;
}

/**
 * Chooses which deployments can be changed when the plan allows fewer than there are, once a month of the plan, and
 * returns the new allowance. Throws `not_found`, `plan_required`, and `conflict` when all of them can be changed, when
 * more are named than the plan allows, and for a second choice in one month.
 */
export async function chooseWritable(ctx: AccountContext, { deploymentIds }: ChooseWritableInput): Promise<Allowance> {
  await transaction((session) => saveChoice(session, ctx, [...new Set(deploymentIds)]));
  return getAllowance(ctx);
}

async function saveChoice(session: ClientSession, ctx: AccountContext, deploymentIds: string[]): Promise<void> {
  const { accountId } = ctx.actor;
  await requireLiveAccount(session, accountId);
  // This comes first: of two simultaneous choices one conflicts on the account, runs again and sees the other.
  await publishEvent(session, accountId, { type: 'subscription_update' });
  const counted = (await readCandidates(session, accountId)).filter(isCounted);
  if (!deploymentIds.every((id) => counted.some(({ _id }) => _id === id))) throw notFound('deployment');
  const subscription = await SubscriptionModel.findOne({ accountId }).session(session);
  const plan = activePlan(subscription, ctx.now());
  if (subscription === null || plan === 'free') throw new AppError('plan_required', 'No plan is active.');
  const limit = deploymentLimit(plan);
  const { title } = PLANS[plan];
  if (limit === null || counted.length <= limit) {
    throw new AppError('conflict', `${title} covers all of your deployments, so you can change each of them.`);
  }
  if (deploymentIds.length > limit)
    throw new AppError('conflict', `${title} allows ${formatCount(limit, 'deployment')}.`);
  const choice = deploymentChoice(subscription, counted);
  if (hasChosen(choice, limit, ctx.now())) {
    throw new AppError('conflict', 'You have already chosen the deployments for this month.', {
      hint: 'Choose again next month, or choose a larger plan under Pricing & Trial.',
    });
  }
  const writableChosenFor = endOfMonth(subscription, ctx.now());
  const writableChosenLimit = limitKept(choice, limit, ctx.now());
  subscription.set({ writableIds: deploymentIds, writableChosenFor, writableChosenLimit });
  await subscription.save({ session });
}

/**
 * Starts the 14-day PRO trial: once an account, without a card. Throws `trial_used`, or `conflict` while a plan is
 * active.
 */
export async function startTrial(ctx: AccountContext): Promise<Subscription> {
  try {
    return await transaction((session) => beginTrial(session, ctx));
  } catch (error) {
    // Of two simultaneous starts the unique index on the account lets one through.
    if (isDuplicateKey(error)) throw trialUsed();
    throw error;
  }
}

async function beginTrial(session: ClientSession, ctx: AccountContext): Promise<Subscription> {
  const { accountId } = ctx.actor;
  const now = ctx.now();
  const known = await SubscriptionModel.findOne({ accountId }).session(session);
  const user = await UserModel.findOne({ _id: accountId, deletedAt: null }, { emailKey: 1 }).session(session);
  if (user === null) throw accountEnded();
  if (await hadTrial(known, user.emailKey, session)) throw trialUsed();
  if (activePlan(known, now) !== 'free')
    throw new AppError('conflict', 'A plan is already active, so there is no trial to start.');
  const doc = known ?? new SubscriptionModel({ _id: newId(), accountId });
  // A failed renewal is not tried any longer: if it were paid after all, it would be for a plan that the trial has
  // replaced.
  if (typeof doc.subscriptionId === 'string') await askAbout(session, accountId);
  doc.set({
    plan: 'PRO',
    status: 'trialing',
    startedAt: now,
    endsAt: new Date(now.getTime() + TRIAL_DAYS * DAY_MS),
    trialStartedAt: now,
    source: 'trial',
    renews: false,
    cancelAtEnd: false,
    canceledAt: null,
    nextPlan: null,
    subscriptionId: null,
    pastDueSince: null,
    graceUntil: null,
  });
  await doc.save({ session });
  await publishEvent(session, accountId, { type: 'subscription_update' });
  return toSubscription(doc, now, ctx.providers.payments);
}

function trialUsed(): AppError {
  return new AppError('trial_used', 'The free trial was already used with this account or email address.', {
    hint: 'Choose a plan under Pricing & Trial.',
  });
}
