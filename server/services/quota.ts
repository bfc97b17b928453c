import type { ClientSession } from 'mongoose';
import { deploymentLimit, PLANS, type Plan } from '../../routers/schemas/plans.ts';
import { AppError } from '../errors.ts';
import { activePlan, SubscriptionModel } from '../models/subscription.ts';
import { UserModel } from '../models/user.ts';
import type { AccountContext } from '../service-context.ts';
import { wayUp } from './subscription.ts';

/**
 * Takes one of the deployments that the plan allows, inside the transaction that creates the deployment. The filter is
 * evaluated under the write lock: of two creations at once, one conflicts, runs again and sees the other's count
 * (security facts, section 9). The plan is read in the same transaction, since it may have fallen meanwhile.
 * Throws `deployment_limit_reached`.
 */
export async function claimDeploymentSlot(session: ClientSession, ctx: AccountContext): Promise<void> {
  const { accountId } = ctx.actor;
  const plan = await currentPlan(ctx, session);
  const limit = deploymentLimit(plan);
  // Read first: who is refused writes nothing, and so keeps nobody else from the account.
  if (limit !== null && (await countInTransaction(session, accountId)) >= limit) {
    throw limitReached(plan, limit, await wayUp(accountId, plan, session));
  }
  const claimed = await UserModel.updateOne(
    { _id: accountId, ...(limit !== null && { deploymentCount: { $lt: limit } }) },
    { $inc: { deploymentCount: 1 } },
    { session },
  );
  if (claimed.matchedCount === 0) throw limitReached(plan, limit ?? 0, await wayUp(accountId, plan, session));
}

/** Gives the deployment back, in the transaction that removes it and that runs once for it. */
export async function releaseDeploymentSlot(session: ClientSession, accountId: string): Promise<void> {
  await UserModel.updateOne(
    { _id: accountId, deploymentCount: { $gt: 0 } },
    { $inc: { deploymentCount: -1 } },
    { session },
  );
}

/**
 * Refuses changes to deployments once no plan is active: what exists stays live and becomes read-only (product page,
 * section 4). Throws `plan_required`.
 */
export async function requireWritablePlan(ctx: AccountContext): Promise<void> {
  const plan = await currentPlan(ctx);
  if (plan !== 'free') return;
  throw new AppError(
    'plan_required',
    'Your plan has ended: your deployments stay live, and can be changed again with a plan.',
    { hint: await wayUp(ctx.actor.accountId, plan) },
  );
}

async function currentPlan(ctx: AccountContext, session: ClientSession | null = null): Promise<Plan> {
  const subscription = await SubscriptionModel.findOne({ accountId: ctx.actor.accountId }).session(session);
  return activePlan(subscription, ctx.now());
}

async function countInTransaction(session: ClientSession, accountId: string): Promise<number> {
  const user = await UserModel.findOne({ _id: accountId }, { deploymentCount: 1 }).session(session);
  return user?.deploymentCount ?? 0;
}

function limitReached(plan: Plan, limit: number, hint: string): AppError {
  const { title } = PLANS[plan];
  const allowed = limit === 0 ? 'no deployments' : limit === 1 ? '1 deployment' : `${limit} deployments`;
  return new AppError('deployment_limit_reached', `The ${title} plan allows ${allowed}. ${hint}`, { hint });
}
