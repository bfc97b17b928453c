import type { ClientSession } from 'mongoose';
import { deploymentLimit, mayUse, PLANS, type Plan } from '../../routers/schemas/plans.ts';
import type { ShownError } from '../../routers/schemas/platforms/destination.ts';
import type { AccountContext } from '../context.ts';
import { UserModel } from '../database/models/account/user.ts';
import { activePlan, SubscriptionModel } from '../database/models/plans/subscription.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { publishEvent } from '../events/publish.ts';
import { AppError } from '../lib/errors.ts';
import { requireLiveAccount } from './subscription/live-account.ts';
import { upgradeHint } from './subscription/upgrade-hint.ts';

/**
 * Takes one of the deployments that the plan allows, inside the transaction that creates the deployment. The filter is
 * evaluated under the write lock: of two simultaneous creations, one conflicts, runs again and sees the other's count.
 * The plan is read in the same transaction, since it may have been lowered meanwhile. Throws
 * `deployment_limit_reached`.
 */
export async function claimDeploymentSlot(session: ClientSession, ctx: AccountContext): Promise<void> {
  const { accountId } = ctx.actor;
  const plan = await currentPlan(ctx, session);
  const limit = deploymentLimit(plan) ?? Number.POSITIVE_INFINITY;
  const reached = async () => {
    await requireLiveAccount(session, accountId);
    return limitReached(plan, limit, await upgradeHint(accountId, plan, session));
  };
  // It is read first: a refused call writes nothing, and so holds nobody else up.
  if ((await countInTransaction(session, accountId)) >= limit) throw await reached();
  const claimed = await UserModel.updateOne(
    { _id: accountId, deletedAt: null, deploymentCount: { $lt: limit } },
    { $inc: { deploymentCount: 1 } },
    { session },
  );
  if (claimed.matchedCount === 0) throw await reached();
}

/** Gives the deployment back, in the transaction that removes it and runs once for it. */
export async function releaseDeploymentSlot(session: ClientSession, accountId: string): Promise<void> {
  await UserModel.updateOne(
    { _id: accountId, deploymentCount: { $gt: 0 } },
    { $inc: { deploymentCount: -1 } },
    { session },
  );
}

type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/**
 * Corrects wrong numbers of deployments, and returns how many accounts had one: the number is stored beside the
 * deployments, so that a manual write or a restored backup may separate the two. One query finds the accounts; each is
 * counted again in its own transaction, which conflicts with simultaneous creations and removals.
 */
export async function recountDeployments(signal: AbortSignal, inTransaction: InTransaction): Promise<number> {
  const accounts = UserModel.aggregate<{ _id: string; deploymentCount: number; counted: { there: number }[] }>([
    {
      $lookup: {
        from: DeploymentModel.collection.name,
        localField: '_id',
        foreignField: 'accountId',
        pipeline: [{ $count: 'there' }],
        as: 'counted',
      },
    },
    { $project: { deploymentCount: 1, counted: 1 } },
  ])
    .hint({ _id: 1 })
    .cursor();
  let corrected = 0;
  for await (const { _id, deploymentCount, counted } of accounts) {
    signal.throwIfAborted();
    if (deploymentCount !== (counted[0]?.there ?? 0) && (await inTransaction((session) => recount(session, _id))))
      corrected += 1;
  }
  return corrected;
}

async function recount(session: ClientSession, accountId: string): Promise<boolean> {
  const deploymentCount = await DeploymentModel.countDocuments({ accountId }).session(session);
  const { modifiedCount } = await UserModel.updateOne(
    { _id: accountId, deploymentCount: { $ne: deploymentCount } },
    { $set: { deploymentCount } },
    { session },
  );
  if (modifiedCount > 0) await publishEvent(session, accountId, { type: 'analytics_update' });
  return modifiedCount > 0;
}

/** Refuses a further platform for one deployment when the plan allows only one. */
export async function requireSeveralPlatforms(
  ctx: AccountContext,
  session: ClientSession | null = null,
): Promise<void> {
  const plan = await currentPlan(ctx, session);
  if (mayUse(plan, 'severalPlatforms')) return;
  const hint = await upgradeHint(ctx.actor.accountId, plan, session);
  throw new AppError('plan_required', oneAtATime(plan), { hint });
}

/** Explains why a further platform of a deployment gets nothing; null when the plan allows several. */
export async function furtherPlatformsRefusal(
  session: ClientSession,
  { accountId, now }: { accountId: string; now: Date },
): Promise<ShownError | null> {
  const plan = activePlan(await SubscriptionModel.findOne({ accountId }).session(session), now);
  if (mayUse(plan, 'severalPlatforms')) return null;
  const hint = await upgradeHint(accountId, plan, session);
  return { code: 'plan_required', message: oneAtATime(plan), hint, raw: null };
}

function oneAtATime(plan: Plan): string {
  if (plan === 'free') return 'Your plan has ended, so a deployment cannot be published on another platform.';
  return `${PLANS[plan].title} publishes a deployment on one platform at a time. Several at once need Pro or Beta.`;
}

/** Returns the present plan: `free` for an account without one. */
export async function currentPlan(ctx: AccountContext, session: ClientSession | null = null): Promise<Plan> {
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
