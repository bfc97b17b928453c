import type { ClientSession } from 'mongoose';
import { daysFor, PAID_PLANS } from '../../../routers/schemas/plans.ts';
import { type PaymentDoc, PaymentModel } from '../../database/models/payment.ts';
import { PaymentEventModel } from '../../database/models/payment-event.ts';
import { publishEvent } from '../../events/publish.ts';
import { DAY_MS } from '../../lib/durations.ts';
import { notFound } from '../../lib/errors.ts';
import type { PaidFacts, PaymentEvent } from '../../payments/payments.ts';
import { type GrantedPeriod, grantPlan } from '../subscription/grant.ts';
import { keptTime } from '../subscription/kept-time.ts';
import { unreplacedPayments, unusedMs } from './credit.ts';

/**
 * Does what an event of the payment service says, in the caller's transaction: the event, the state of the payment and
 * the plan are written together or not at all, so that nobody pays without a plan and nobody gets one twice. An event that
 * was told before changes nothing, nor does one that no longer fits the state of the payment.
 * Throws `not_found` for a payment that the account does not have, and `conflict` where the plan would give less than
 * what runs meanwhile: then nothing is written.
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
 * Gives the plan that a payment is for, in the caller's transaction; does nothing where it has. `paid` is what a payment
 * service says of the money, whose amounts and period then count. Throws `conflict` where the plan would give less than
 * what runs.
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
  // Heard of when all of it is over: there is nothing to give.
  if (period !== null && period.endsAt <= now) return period;
  // What is paid by the month goes on, by the test checkout or by a subscription; Beta is paid once.
  const renews = paid === undefined ? isTest && plan !== 'BETA' : subscriptionId !== null;
  const restMs = daysFor(plan, payment.surplusCents) * DAY_MS;
  const keptMs = await notCredited(session, payment, now);
  const time = { months, period, restMs, keptMs, now };
  return grantPlan(session, { accountId, plan, source: 'payment', renews, subscriptionId, askedAt, ...time });
}

/** Time of the lower plan that no payment gave, and that so was not taken off the price: that of a license. */
async function notCredited(session: ClientSession, payment: PaymentDoc, now: Date) {
  const { accountId, plan, creditCents } = payment;
  // A renewal costs its whole price, also that of a smaller plan.
  if (payment.isRenewal) return keptTime(session, { accountId, by: plan, now });
  const others = PAID_PLANS.filter((other) => other !== plan);
  const earlier = await unreplacedPayments(session, { accountId, plan: { $in: others } }, now);
  const creditedMs = unusedMs(earlier, now);
  // Another plan has taken its place since, and has kept what was credited here.
  if (creditCents > 0 && creditedMs === 0) return 0;
  return keptTime(session, { accountId, by: plan, now, creditedMs });
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
