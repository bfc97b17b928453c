import type { ClientSession } from 'mongoose';
import { TRIAL_DAYS } from '../../routers/schemas/limits.ts';
import { deploymentLimit, type Plan, remainingDeployments } from '../../routers/schemas/plans.ts';
import type { Allowance, Subscription } from '../../routers/schemas/subscription.ts';
import { DAY_MS } from '../durations.ts';
import { AppError, notFound } from '../errors.ts';
import { publishEvent } from '../events/publish.ts';
import { activePlan, SubscriptionModel, type SubscriptionRow, toSubscription } from '../models/subscription.ts';
import { UserModel, type UserRow } from '../models/user.ts';
import { isDuplicateKey, newId, transaction } from '../mongo.ts';
import type { AccountContext } from '../service-context.ts';
import { wasTrialUsed } from './used-trial.ts';

/**
 * Returns the account's subscription; one past its end reads as `expired`. Throws `not_found` where there never was
 * one.
 */
export async function getSubscription(ctx: AccountContext): Promise<Subscription> {
  const doc = await SubscriptionModel.findOne({ accountId: ctx.actor.accountId }).lean();
  if (doc === null) throw notFound('subscription');
  return toSubscription(doc, ctx.now());
}

type UserWithSubscription = Pick<UserRow, 'deploymentCount' | 'emailKey'> & { subscription: SubscriptionRow[] };

/** What the account may do now: plan, cap, what is left of it, and whether the trial can still be started. */
export async function getAllowance(ctx: AccountContext): Promise<Allowance> {
  const { accountId } = ctx.actor;
  const [user] = await UserModel.aggregate<UserWithSubscription>([
    { $match: { _id: accountId } },
    { $project: { deploymentCount: 1, emailKey: 1 } },
    {
      $lookup: {
        from: SubscriptionModel.collection.name,
        localField: '_id',
        foreignField: 'accountId',
        as: 'subscription',
      },
    },
  ]);
  if (user === undefined) throw notFound('account');
  const subscription = user.subscription[0] ?? null;
  const plan = activePlan(subscription, ctx.now());
  return {
    plan,
    deploymentLimit: deploymentLimit(plan),
    deploymentCount: user.deploymentCount,
    remaining: remainingDeployments(plan, user.deploymentCount),
    isTrialAvailable: plan === 'free' && !(await hadTrial(subscription, user.emailKey)),
  };
}

/** Returns what to do where the plan does not allow it; `plan` is the one that is active now. */
export async function upgradeHint(
  accountId: string,
  plan: Plan,
  session: ClientSession | null = null,
): Promise<string> {
  if (plan !== 'free') return 'Choose a larger plan under Pricing & Trial.';
  const subscription = await SubscriptionModel.findOne({ accountId }).session(session);
  const user = await UserModel.findOne({ _id: accountId }, { emailKey: 1 }).session(session);
  const isUsed = user === null || (await hadTrial(subscription, user.emailKey, session));
  return isUsed
    ? 'Choose a plan under Pricing & Trial.'
    : `Start the free ${TRIAL_DAYS}-day trial of Pro under Pricing & Trial.`;
}

/**
 * Starts the 14-day PRO trial: once an account, without a card. Throws `trial_used`, or
 * `conflict` while a plan is active.
 */
export async function startTrial(ctx: AccountContext): Promise<Subscription> {
  try {
    return await transaction((session) => beginTrial(session, ctx));
  } catch (error) {
    // Two starts at once: the unique index on the account lets one through.
    if (isDuplicateKey(error)) throw trialUsed();
    throw error;
  }
}

async function beginTrial(session: ClientSession, ctx: AccountContext): Promise<Subscription> {
  const { accountId } = ctx.actor;
  const now = ctx.now();
  const known = await SubscriptionModel.findOne({ accountId }).session(session);
  const user = await UserModel.findOne({ _id: accountId }, { emailKey: 1 }).session(session).orFail();
  if (await hadTrial(known, user.emailKey, session)) throw trialUsed();
  if (activePlan(known, now) !== 'free')
    throw new AppError('conflict', 'A plan is already active: there is nothing to try out.');
  const doc = known ?? new SubscriptionModel({ _id: newId(), accountId });
  doc.set({
    plan: 'PRO',
    status: 'trialing',
    startedAt: now,
    endsAt: new Date(now.getTime() + TRIAL_DAYS * DAY_MS),
    trialStartedAt: now,
  });
  await doc.save({ session });
  await publishEvent(session, accountId, { type: 'subscription_update' });
  return toSubscription(doc, now);
}

/** This account, or a deleted one of the same address. */
async function hadTrial(
  subscription: SubscriptionRow | null,
  emailKey: string,
  session: ClientSession | null = null,
): Promise<boolean> {
  return subscription?.trialStartedAt instanceof Date || (await wasTrialUsed(emailKey, session));
}

function trialUsed(): AppError {
  return new AppError('trial_used', 'The free trial was already used on this account.', {
    hint: 'Choose a plan under Pricing & Trial.',
  });
}
