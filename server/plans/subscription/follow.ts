import type { ClientSession } from 'mongoose';
import { isAbove, PLANS } from '../../../routers/schemas/plans.ts';
import { mailOwner } from '../../account/mail/queue-mail.ts';
import type { AccountContext } from '../../context.ts';
import { type SubscriptionDoc, SubscriptionModel } from '../../database/models/plans/subscription.ts';
import { publishEvent } from '../../events/publish.ts';
import { DAY_MS, dayInWords } from '../../lib/durations.ts';
import type { SubscriptionFacts } from '../payments/payments.ts';
import { graceAfter } from './renewal.ts';

/** Counted from the first failed renewal: long enough to find another card. */
const PAST_DUE_GRACE_MS = 7 * DAY_MS;

/**
 * Records how the plan goes on by its subscription at the payment service, in the caller's transaction: paid time
 * stays (grantPlan has given it), and only this decides what comes after. Does nothing when all is known.
 */
export async function followSubscription(
  session: ClientSession,
  ctx: AccountContext,
  subscriptions: readonly SubscriptionFacts[],
): Promise<void> {
  const { accountId } = ctx.actor;
  const known = await SubscriptionModel.findOne({ accountId }).session(session);
  if (known === null || typeof known.subscriptionId !== 'string') return;
  const facts = subscriptions.find(({ id }) => id === known.subscriptionId);
  const hadFailed = known.pastDueSince instanceof Date;
  known.set(facts === undefined || facts.state === 'ended' ? ended(known) : goesOn(known, facts, ctx.now()));
  if (!known.isModified()) return;
  // This is written first: of two simultaneous changes one conflicts on the account, runs again and sees the other.
  await publishEvent(session, accountId, { type: 'subscription_update' });
  await known.save({ session });
  if (known.pastDueSince instanceof Date && !hadFailed) await notifyFailed(session, ctx, known);
}

/** Handles a subscription that was cancelled there, or ended after failed renewals: the paid time runs to its end. */
function ended({ status }: SubscriptionDoc) {
  return {
    subscriptionId: null,
    renews: false,
    cancelAtEnd: false,
    nextPlan: null,
    pastDueSince: null,
    graceUntil: null,
    ...(status === 'past_due' && { status: 'canceled' }),
  };
}

function goesOn(known: SubscriptionDoc, facts: SubscriptionFacts, now: Date) {
  const { state, plan, cancelAtEnd, renewsAt, pastDueSince } = facts;
  const nextPlan = plan !== null && isAbove(known.plan, plan) ? plan : null;
  const end = {
    cancelAtEnd,
    canceledAt: cancelAtEnd ? (known.canceledAt ?? now) : null,
    nextPlan: cancelAtEnd ? null : nextPlan,
    renewsAt,
  };
  if (state !== 'past_due') {
    // A renewal that was paid after all makes it active (grantPlan); one that is not past due has no failure.
    return {
      ...end,
      renews: true,
      status: 'active',
      pastDueSince: null,
      graceUntil: cancelAtEnd ? null : graceAfter(known.endsAt),
    };
  }
  const since = known.pastDueSince ?? pastDueSince ?? now;
  return {
    ...end,
    renews: true,
    status: 'past_due',
    pastDueSince: since,
    graceUntil: new Date(since.getTime() + PAST_DUE_GRACE_MS),
  };
}

async function notifyFailed(
  session: ClientSession,
  { providers }: AccountContext,
  known: SubscriptionDoc,
): Promise<void> {
  const { title } = PLANS[known.plan];
  const until = known.graceUntil instanceof Date && known.graceUntil > known.endsAt ? known.graceUntil : known.endsAt;
  await mailOwner(session, providers, known.accountId, {
    kind: 'payment-failed',
    name: title,
    message: `The payment that renews your ${title} plan failed. It will be tried again over the next few days. Nothing changes until ${dayInWords(until)}. After that, what you published stays live but is read-only until the payment succeeds.`,
    page: '/account',
  });
}
