import type { ClientSession } from 'mongoose';
import { daysFor, PAID_PLANS } from '../../../routers/schemas/plans.ts';
import { type PaymentDoc, PaymentModel } from '../../database/models/plans/payment.ts';
import { PaymentEventModel } from '../../database/models/plans/payment-event.ts';
import { publishEvent } from '../../events/publish.ts';
import { DAY_MS } from '../../lib/durations.ts';
import { notFound } from '../../lib/errors.ts';
import { creditedTime } from '../subscription/credited-time.ts';
import { type GrantedPeriod, grantPlan } from '../subscription/grant.ts';
import { unreplacedPayments, unusedMs } from './credit.ts';
import type { PaidFacts, PaymentEvent } from './payments.ts';

/**
 * Applies an event of the payment service, in the caller's transaction: the event, the state of the payment and the
 * plan are written together or not at all, so that nobody pays without a plan and nobody gets one twice. A repeated
 * event changes nothing, nor does one that no longer fits the state of the payment. Throws `not_found` for a payment
 * that the account does not have, and `conflict` when the plan would give less than the present one: then nothing is
 * written.
 */
export async function applyPaymentEvent(session: ClientSession, event: PaymentEvent, now: Date): Promise<void> {
  const { id, accountId, paymentId, type } = event;
  if ((await PaymentEventModel.exists({ _id: id }).session(session)) !== null) return;
  const payment = await PaymentModel.findOne({ _id: paymentId, accountId }).session(session);
  if (payment === null) throw notFound('payment');
  await PaymentEventModel.create([{ _id: id, accountId, at: now }], { session });
  if (type === 'paid') await fulfil(session, payment, now);
  else await note(session, payment, type, now);
}

/**
 * Grants the plan that a payment is for, once, in the caller's transaction. `paid` is the payment service's record of
 * the money, whose amounts and period then count. Throws `conflict` when the plan would give less than the present
 * one.
 */
export async function fulfil(session: ClientSession, payment: PaymentDoc, now: Date, paid?: PaidFacts): Promise<void> {
  if (payment.state !== 'pending') return;
  if (paid !== undefined) {
    const { amountCents, taxCents, creditCents, currency } = paid;
    payment.set({ amountCents, taxCents, creditCents, currency });
  }
  const { startsAt, endsAt } = await grantPaid(session, payment, now, paid);
  const paidAt = paid?.paidAt ?? now;
  payment.set({ state: 'paid', isProcessing: false, paidAt, startsAt, endsAt, forgetAt: null });
  await payment.save({ session });
}

async function grantPaid(
  session: ClientSession,
  payment: PaymentDoc,
  now: Date,
  paid: PaidFacts | undefined,
): Promise<GrantedPeriod> {
  const { accountId, plan, months, isTest, confirmedAt: askedAt } = payment;
  const { period = null, subscriptionId = null } = paid ?? {};
  // The news came when the period was over: there is nothing to give.
  if (period !== null && period.endsAt <= now) return period;
  // Monthly plans go on, by the test checkout or by a subscription; Beta is paid once.
  const renews = paid === undefined ? isTest && plan !== 'BETA' : subscriptionId !== null;
  const restMs = daysFor(plan, payment.surplusCents) * DAY_MS;
  const keptMs = await notCredited(session, payment, now);
  const time = { months, period, restMs, keptMs, now };
  return grantPlan(session, { accountId, plan, source: 'payment', renews, subscriptionId, askedAt, ...time });
}

/** Returns the time of the lower plan that no payment gave, and that was therefore not credited: that of a license. */
async function notCredited(session: ClientSession, payment: PaymentDoc, now: Date) {
  const { accountId, plan, creditCents } = payment;
  // A renewal costs its whole price, even that of a smaller plan.
  if (payment.isRenewal) return creditedTime(session, { accountId, by: plan, now });
  const others = PAID_PLANS.filter((other) => other !== plan);
  const earlier = await unreplacedPayments(session, { accountId, plan: { $in: others } }, now);
  const creditedMs = unusedMs(earlier, now);
  // Another plan has replaced it since, and has kept the time that was credited here.
  if (creditCents > 0 && creditedMs === 0) return 0;
  return creditedTime(session, { accountId, by: plan, now, creditedMs });
}

async function note(
  session: ClientSession,
  payment: PaymentDoc,
  type: 'processing' | 'failed',
  now: Date,
): Promise<void> {
  if (payment.state !== 'pending') return;
  payment.set(
    type === 'processing'
      ? { isProcessing: true, confirmedAt: now, forgetAt: null }
      : { state: 'failed', isProcessing: false },
  );
  await payment.save({ session });
  await publishEvent(session, payment.accountId, { type: 'subscription_update' });
}
