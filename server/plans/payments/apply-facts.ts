import type { ClientSession } from 'mongoose';
import { type PaidPlan, PLANS } from '../../../routers/schemas/plans.ts';
import { mayMove, PAYMENT_MOVES } from '../../../routers/schemas/states.ts';
import { queueMail } from '../../account/mail/queue-mail.ts';
import type { AccountContext } from '../../context.ts';
import { NO_ACCOUNT } from '../../database/models/account-scope.ts';
import { type PaymentDoc, PaymentModel } from '../../database/models/plans/payment.ts';
import { newId } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { endPlan } from '../subscription/grant.ts';
import { fulfil } from './apply-event.ts';
import type { ChargeFacts, CheckoutFacts, PaidFacts } from './payments.ts';

type Taken = { paid: PaidFacts; checkoutId: string | null };

/**
 * Grants the plan that was paid for, once, in the caller's transaction: to the requested payment, or to a new one for
 * a renewal, which nobody requested. Throws `conflict` when the plan would give less than the present one.
 */
export async function takePaid(session: ClientSession, ctx: AccountContext, taken: Taken): Promise<void> {
  const payment = await paymentFor(session, ctx, taken);
  if (payment !== null) await fulfil(session, payment, ctx.now(), taken.paid);
}

/** Records that money was refunded at once. */
export async function giveBack(session: ClientSession, ctx: AccountContext, taken: Taken): Promise<void> {
  const payment = await paymentFor(session, ctx, taken);
  if (payment === null) return;
  const { amountCents, taxCents, currency, chargeId, paidAt } = taken.paid;
  payment.set({ amountCents, taxCents, currency, chargeId, paidAt, refundedCents: amountCents });
  payment.set({ state: 'refunded', isProcessing: false, forgetAt: null });
  await payment.save({ session });
  await publishEvent(session, payment.accountId, {
    type: 'notification',
    title: 'Your payment was refunded',
    message: `A plan that includes ${PLANS[payment.plan].title} is already running.`,
  });
}

async function paymentFor(
  session: ClientSession,
  ctx: AccountContext,
  { paid, checkoutId }: Taken,
): Promise<PaymentDoc | null> {
  const { accountId } = ctx.actor;
  if ((await PaymentModel.exists({ accountId, paidId: paid.id }).session(session)) !== null) return null;
  const asked = checkoutId === null ? null : await PaymentModel.findOne({ accountId, checkoutId }).session(session);
  const plan = asked?.plan ?? paid.plan;
  // Nobody here has requested it, and it names nothing that is sold here.
  if (plan === null) return null;
  const pending = asked?.state === 'pending' ? asked : await pendingChange(session, accountId, paid);
  const payment = pending ?? newPayment(accountId, { plan, paid, now: ctx.now() });
  payment.set({ paidId: paid.id, chargeId: paid.chargeId, subscriptionId: paid.subscriptionId });
  return payment;
}

/** Returns the waiting upgrade, which is requested on a page without a checkout. */
async function pendingChange(session: ClientSession, accountId: string, { reason, plan, paidAt }: PaidFacts) {
  if (reason !== 'change' || plan === null) return null;
  const asked = { accountId, state: 'pending', isTest: false, checkoutId: null, plan } as const;
  const payment = await PaymentModel.findOne(asked).session(session);
  return payment !== null && payment.createdAt <= endOfSecond(paidAt) ? payment : null;
}

/** Rounds up to the end of the second: the service's times have whole seconds. */
function endOfSecond(date: Date): Date {
  return new Date(date.getTime() + 999);
}

function newPayment(
  accountId: string,
  { plan, paid, now }: { plan: PaidPlan; paid: PaidFacts; now: Date },
): PaymentDoc {
  return new PaymentModel({
    _id: newId(),
    accountId,
    plan,
    months: PLANS[plan].months,
    amountCents: paid.amountCents,
    creditCents: paid.creditCents,
    state: 'pending',
    isRenewal: paid.reason === 'renewal',
    isTest: false,
    expiresAt: now,
    createdAt: now,
  });
}

/** Ends a checkout without payment, or records that its money is on its way. */
export async function endCheckout(
  session: ClientSession,
  { actor: { accountId }, now }: AccountContext,
  { checkoutId, state }: { checkoutId: string; state: CheckoutFacts['state'] },
): Promise<void> {
  if (state === 'open' || state === 'paid') return;
  const payment = await PaymentModel.findOne({ accountId, checkoutId }).session(session);
  if (payment === null || (state === 'processing' && payment.isProcessing)) return;
  if (payment.state !== 'pending') {
    // It was abandoned here long ago, and has ended there by now: nobody needs to ask again.
    if (state !== 'processing') await payment.set({ checkoutId: null }).save({ session });
    return;
  }
  payment.set(
    state === 'processing'
      ? { isProcessing: true, confirmedAt: now(), forgetAt: null }
      : { state, isProcessing: false },
  );
  await payment.save({ session });
  await publishEvent(session, accountId, { type: 'subscription_update' });
}

/**
 * Records changes to money that was taken. A full refund, or a lost dispute, ends the plan that it paid for; a partial
 * refund is only recorded. The operator is notified of a dispute, and of a failed refund, whose plan stays ended.
 */
export async function applyCharge(
  session: ClientSession,
  ctx: AccountContext,
  { chargeId, refundedCents, isRefunded, dispute }: ChargeFacts,
): Promise<void> {
  const { accountId } = ctx.actor;
  const payment = await PaymentModel.findOne({ accountId, chargeId }).session(session);
  if (payment === null) return;
  const isGone = isRefunded || dispute === 'lost';
  const isOver = isGone && mayMove(PAYMENT_MOVES, payment.state, 'refunded');
  const isBack = !isGone && payment.state === 'refunded';
  const isKnown = payment.refundedCents === refundedCents && (payment.dispute ?? null) === dispute;
  if (isKnown && !isOver && !isBack) return;
  if (dispute === 'open' && payment.dispute !== 'open') await notifyOperator(session, ctx, 'payment-disputed', payment);
  if (isBack) await notifyOperator(session, ctx, 'refund-failed', payment);
  payment.set({ refundedCents, dispute, ...(isBack && { state: 'paid' }) });
  if (isOver) payment.set({ state: 'refunded' });
  await payment.save({ session });
  if (isOver) await endPaid(session, ctx, payment);
  else await publishEvent(session, accountId, { type: 'subscription_update' });
}

async function endPaid(session: ClientSession, { now }: AccountContext, payment: PaymentDoc): Promise<void> {
  const { accountId, plan, startsAt, endsAt, subscriptionId, replacedAt } = payment;
  if (!startsAt || !endsAt || replacedAt) {
    // The receipt has changed all the same.
    await publishEvent(session, accountId, { type: 'subscription_update' });
    return;
  }
  await endPlan(session, { accountId, plan, period: { startsAt, endsAt }, subscriptionId, now: now() });
}

async function notifyOperator(
  session: ClientSession,
  { providers }: AccountContext,
  kind: 'payment-disputed' | 'refund-failed',
  payment: PaymentDoc,
): Promise<void> {
  await queueMail(session, providers, {
    accountId: NO_ACCOUNT,
    to: providers.addresses.operatorEmail,
    values: { kind, paymentId: payment._id, chargeId: payment.chargeId ?? '' },
  });
}
