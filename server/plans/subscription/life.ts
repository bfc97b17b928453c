import type { ClientSession } from 'mongoose';
import { isAbove, PLANS } from '../../../routers/schemas/plans.ts';
import type { ChangePlanInput, Subscription } from '../../../routers/schemas/subscription.ts';
import { countAgainst } from '../../account/rate-limit.ts';
import type { AccountContext } from '../../context.ts';
import {
  activePlan,
  goesOnAtEnd,
  type SubscriptionDoc,
  SubscriptionModel,
  toSubscription,
} from '../../database/models/plans/subscription.ts';
import { transaction } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { requireLiveAccount } from './live-account.ts';
import { askAbout } from './renewal.ts';

/**
 * Lets a plan that renews end with its period; until then it stays. Repeating it is harmless. Throws `not_found`,
 * `conflict` when the plan ends by itself or has ended, and the errors of a payment service that renews it.
 */
export function cancelPlan(ctx: AccountContext): Promise<Subscription> {
  return changeEnd(ctx, ({ cancelAtEnd, canceledAt }) => ({
    cancelAtEnd: true,
    canceledAt: (cancelAtEnd ? canceledAt : null) ?? ctx.now(),
    nextPlan: null,
  }));
}

/** Takes back a cancellation, or the choice of a smaller plan, while the period runs. Throws as `cancelPlan` does. */
export function resumePlan(ctx: AccountContext): Promise<Subscription> {
  return changeEnd(ctx, () => ({ cancelAtEnd: false, canceledAt: null, nextPlan: null }));
}

/**
 * Chooses a smaller plan for the time after this period. Throws as `cancelPlan` does, and `conflict` for a plan that
 * is not below the present one: that is bought at once.
 */
export function changePlan(ctx: AccountContext, { plan }: ChangePlanInput): Promise<Subscription> {
  return changeEnd(ctx, (known) => {
    if (!isAbove(known.plan, plan)) {
      throw new AppError('conflict', `${PLANS[plan].title} is not a smaller plan than ${PLANS[known.plan].title}.`, {
        hint: 'A larger plan starts at once. Choose it under Pricing & Trial.',
      });
    }
    return { cancelAtEnd: false, canceledAt: null, nextPlan: plan };
  });
}

type End = Pick<SubscriptionDoc, 'cancelAtEnd' | 'canceledAt' | 'nextPlan'>;

/** Each change is sent to every open tab. */
const CHANGES_PER_HOUR = 30;

async function changeEnd(ctx: AccountContext, decide: (known: SubscriptionDoc) => End): Promise<Subscription> {
  const { accountId: key } = ctx.actor;
  await countAgainst({ name: 'plan-changes', key, limit: CHANGES_PER_HOUR, windowMs: HOUR_MS });
  await changeAtService(ctx, decide);
  return transaction(async (session) => {
    const known = await takeRenewing(session, ctx);
    known.set(decide(known));
    await known.save({ session });
    // A query to the payment service that began before the change would write its outdated state.
    if (typeof known.subscriptionId === 'string') await askAbout(session, ctx.actor.accountId);
    return toSubscription(known, ctx.now(), ctx.providers.payments);
  });
}

/** Changes the payment service first: a plan that is cancelled here alone would still be charged for. */
async function changeAtService(ctx: AccountContext, decide: (known: SubscriptionDoc) => End): Promise<void> {
  const { hosted } = ctx.providers.payments;
  const known = await SubscriptionModel.findOne({ accountId: ctx.actor.accountId });
  if (hosted === undefined || typeof known?.subscriptionId !== 'string') return;
  requireRenewing(known, ctx);
  const { cancelAtEnd, nextPlan } = decide(known);
  await hosted.changeSubscription(known.subscriptionId, { cancelAtEnd, plan: nextPlan ?? known.plan });
}

async function takeRenewing(session: ClientSession, ctx: AccountContext): Promise<SubscriptionDoc> {
  const { accountId } = ctx.actor;
  await requireLiveAccount(session, accountId);
  // This comes first: of this and a simultaneous renewal one conflicts on the account, and runs again.
  await publishEvent(session, accountId, { type: 'subscription_update' });
  const known = await SubscriptionModel.findOne({ accountId }).session(session);
  if (known === null) throw notFound('subscription');
  requireRenewing(known, ctx);
  return known;
}

function requireRenewing(known: SubscriptionDoc, { now, providers }: AccountContext): void {
  if (activePlan(known, now()) === 'free') throw new AppError('conflict', 'This plan has ended.');
  if (goesOnAtEnd(known, providers.payments)) return;
  throw new AppError('conflict', `${PLANS[known.plan].title} does not renew. It ends automatically.`, {
    hint: 'Choose another plan under Pricing & Trial when it has ended.',
  });
}
