import type { ClientSession } from 'mongoose';
import type {
  AnswerTestInput,
  Checkout,
  CheckoutInput,
  GetPaymentInput,
  Payment,
  PaymentList,
} from '../../../routers/schemas/payments.ts';
import { type PaidPlan, PLANS, type Plan } from '../../../routers/schemas/plans.ts';
import { countAgainst } from '../../account/rate-limit.ts';
import type { AccountContext } from '../../context.ts';
import { hasExpired, PaymentModel, type PaymentRow, toPayment } from '../../database/models/plans/payment.ts';
import { PaymentCustomerModel } from '../../database/models/plans/payment-customer.ts';
import { activePlan, SubscriptionModel, type SubscriptionRow } from '../../database/models/plans/subscription.ts';
import { isDuplicateKey, newId, transaction } from '../../database/mongo.ts';
import { addMonths, DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { enqueueJob } from '../../queue/queue.ts';
import { refusePlan } from '../subscription/grant.ts';
import { requireLiveAccount } from '../subscription/live-account.ts';
import { applyPaymentEvent } from './apply-event.ts';
import { unreplacedPayments, unusedCents } from './credit.ts';
import { type OpenedPayment, openHosted } from './open-hosted.ts';
import type { PaymentEvent, PaymentService, Price } from './payments.ts';

/**
 * Equals the time that Stripe keeps a checkout open by default (https://docs.stripe.com/api/checkout/sessions/create,
 * `expires_at`).
 */
const OPEN_MS = DAY_MS;
/** An unpaid payment is soon of no use. */
const FORGET_MS = 30 * DAY_MS;
/** Equals the size of one page. */
const LISTED = 100;
/** Nobody loses more than this when prices or plans change. */
const MONTHS_AHEAD_MAX = 24;
/** Long enough to see that a payment is on its way, short enough to wait for. */
const ARRIVES_AFTER_MS = 60_000;

/**
 * Returns the page for paying the plan. A second call for the same plan returns the same checkout while it is open;
 * one for another plan replaces it. Throws `conflict` when the plan would give less than the present one, for a second
 * Beta, and while a payment is on its way.
 */
export async function checkout(ctx: AccountContext, { plan }: CheckoutInput): Promise<Checkout> {
  const { accountId: key } = ctx.actor;
  const { payments, limits } = ctx.providers;
  await countAgainst({ name: 'checkouts', key, limit: limits.checkoutsPerHour, windowMs: HOUR_MS });
  const price = (await payments.hosted?.priceOf(plan)) ?? { cents: PLANS[plan].dollars * 100, currency: 'usd' };
  const open = () => transaction((session) => openPayment(session, ctx, { plan, price }));
  const opened = await open().catch((error: unknown) => {
    // After two simultaneous clicks the unique index lets one through, and the other finds its checkout.
    if (isDuplicateKey(error)) return open();
    throw error;
  });
  if (payments.hosted !== undefined) return openHosted(ctx, payments.hosted, opened);
  const { _id: paymentId, accountId, amountCents, creditCents } = opened.payment;
  const { url } = await payments.openCheckout({ paymentId, accountId, plan, amountCents, creditCents });
  return { url };
}

/** Returns one payment of the account. Throws `not_found`. */
export async function getPayment(ctx: AccountContext, { paymentId }: GetPaymentInput): Promise<Payment> {
  const doc = await PaymentModel.findOne({ _id: paymentId, accountId: ctx.actor.accountId }).lean();
  if (doc === null) throw notFound('payment');
  return toPayment(doc, ctx.now());
}

/** Returns the account's payments, including those on their way, newest first. */
export async function listPayments(ctx: AccountContext): Promise<PaymentList> {
  const { accountId } = ctx.actor;
  const docs = await PaymentModel.find({ accountId })
    .or([{ state: 'paid' }, { state: 'refunded' }, { isProcessing: true }])
    .sort({ createdAt: -1 })
    .limit(LISTED)
    .lean();
  const { hosted } = ctx.providers.payments;
  const hasPortal = hosted !== undefined && (await PaymentCustomerModel.exists({ accountId })) !== null;
  return { items: docs.map((doc) => toPayment(doc, ctx.now())), hasPortal };
}

/**
 * Applies the person's choice on the page of the test checkout, in the same way as every other payment. The money of
 * `later` arrives in a minute. Throws `not_found` when there is a hosted payment service, `conflict` once the checkout
 * is over.
 */
export async function answerTest(ctx: AccountContext, { paymentId, answer }: AnswerTestInput): Promise<Payment> {
  const { accountId } = ctx.actor;
  const testEvent = requireTest(ctx.providers.payments);
  await transaction(async (session) => {
    await requireLiveAccount(session, accountId);
    const payment = await PaymentModel.findOne({ _id: paymentId, accountId }).session(session);
    // Only the payment service itself reports a payment that it took.
    if (payment === null || !payment.isTest) throw notFound('payment');
    if (payment.state === 'expired' || hasExpired(payment, ctx.now())) throw checkoutOver();
    if (payment.state !== 'pending' || payment.isProcessing) return;
    await applyPaymentEvent(session, testEvent({ paymentId, accountId }, answer), ctx.now());
    if (answer !== 'later') return;
    const key = `settle-test-payment ${paymentId}`;
    await enqueueJob(session, {
      name: 'settle-test-payment',
      payload: { paymentId },
      accountId,
      key,
      dedupeKey: key,
      delayMs: ARRIVES_AFTER_MS,
    });
  });
  return getPayment(ctx, { paymentId });
}

/**
 * Completes a test payment that was confirmed for later, in the job's transaction. After the account was deleted there
 * is none.
 */
export async function settleTestPayment(session: ClientSession, ctx: AccountContext, paymentId: string): Promise<void> {
  const event = requireTest(ctx.providers.payments)({ paymentId, accountId: ctx.actor.accountId }, 'arrived');
  if (await isThere(session, event)) await applyPaymentEvent(session, event, ctx.now());
}

/**
 * Ends a payment whose money cannot be used any more, since a plan that includes more runs meanwhile: while it is on
 * its way the account can buy nothing else.
 */
export async function failLatePayment(session: ClientSession, ctx: AccountContext, paymentId: string): Promise<void> {
  const event = { id: `late ${paymentId}`, paymentId, accountId: ctx.actor.accountId, type: 'failed' } as const;
  if (await isThere(session, event)) await applyPaymentEvent(session, event, ctx.now());
}

async function isThere(session: ClientSession, { paymentId, accountId }: PaymentEvent): Promise<boolean> {
  return (await PaymentModel.exists({ _id: paymentId, accountId }).session(session)) !== null;
}

function requireTest({ testEvent }: PaymentService): NonNullable<PaymentService['testEvent']> {
  if (testEvent === undefined) throw notFound('payment');
  return testEvent;
}

async function openPayment(
  session: ClientSession,
  ctx: AccountContext,
  { plan, price }: { plan: PaidPlan; price: Price },
): Promise<OpenedPayment> {
  const { accountId } = ctx.actor;
  const { isTest } = ctx.providers.payments;
  const now = ctx.now();
  await requireLiveAccount(session, accountId);
  const pending = await PaymentModel.findOne({ accountId, state: 'pending' }).session(session);
  if (pending?.isProcessing) {
    throw new AppError('conflict', `Your payment for ${PLANS[pending.plan].title} is on its way.`, {
      hint: 'Wait until it has arrived.',
    });
  }
  const subscription = await SubscriptionModel.findOne({ accountId }).session(session);
  const upgrades = refuseRepeated(subscription, { plan, isTest, now });
  const running = activePlan(subscription, now);
  const by = { accountId, isTest, running, plan, currency: price.currency };
  const amounts = { ...amountsOf(price, await creditOf(session, by, now)), currency: price.currency };
  if (pending !== null && isSameOrder(pending, { ...amounts, plan, isTest }) && !hasExpired(pending, now)) {
    return { payment: pending, replacedCheckoutId: null, upgrades };
  }
  if (pending !== null) await pending.set({ state: 'expired' }).save({ session });
  const expiresAt = new Date(now.getTime() + OPEN_MS);
  const [payment] = await PaymentModel.create(
    [
      {
        _id: newId(),
        accountId,
        plan,
        months: PLANS[plan].months,
        ...amounts,
        state: 'pending',
        isTest,
        expiresAt,
        forgetAt: new Date(expiresAt.getTime() + FORGET_MS),
        createdAt: now,
      },
    ],
    { session },
  );
  if (payment === undefined) throw new Error('A payment was created and not returned.');
  return { payment, replacedCheckoutId: pending?.checkoutId ?? null, upgrades };
}

/**
 * Returns the subscription at the payment service that changes to the plan; null when the plan is bought anew. Throws
 * `conflict` for a plan that would give less than the present one, or charge for it twice.
 */
function refuseRepeated(
  subscription: SubscriptionRow | null,
  { plan, isTest, now }: { plan: PaidPlan; isTest: boolean; now: Date },
): string | null {
  refusePlan(subscription, plan, now);
  const running = activePlan(subscription, now);
  const { title } = PLANS[plan];
  if (plan === 'BETA' && running === 'BETA') throw new AppError('conflict', 'You already have Beta.');
  const isSamePlan = subscription !== null && running === plan;
  if (isSamePlan && subscription.endsAt > addMonths(now, MONTHS_AHEAD_MAX)) {
    throw new AppError('conflict', `${title} is already paid up more than ${MONTHS_AHEAD_MAX} months ahead.`);
  }
  if (isTest || typeof subscription?.subscriptionId !== 'string') return null;
  if (subscription.status === 'past_due') {
    // Nothing is left of it: the new purchase replaces it, and ends it at the service.
    if (running === 'free') return null;
    throw new AppError('conflict', `The payment that renews your ${PLANS[subscription.plan].title} plan failed.`, {
      hint: 'Pay it first: choose Manage payment in Account.',
    });
  }
  if (isSamePlan) {
    throw new AppError('conflict', `Your ${title} plan renews automatically.`, {
      hint: 'Change its card or cancel it in Account.',
    });
  }
  if (plan === 'BETA') return null;
  // At the service a larger plan would end with the period as well: nobody who cancelled is charged again unasked.
  if (subscription.cancelAtEnd) {
    throw new AppError('conflict', `You have cancelled ${PLANS[subscription.plan].title}.`, {
      hint: `First choose “Keep ${PLANS[subscription.plan].title}” in Account, then upgrade: the larger plan will renew automatically.`,
    });
  }
  // The service credits the present plan of its subscription, and that is the smaller one.
  if (subscription.nextPlan) {
    throw new AppError(
      'conflict',
      `Your plan changes to ${PLANS[subscription.nextPlan].title} when your paid period ends.`,
      {
        hint: `First choose “Keep ${PLANS[subscription.plan].title}” in Account. The unused time of that plan is then deducted from the price of the larger one.`,
      },
    );
  }
  return subscription.subscriptionId;
}

function amountsOf({ cents }: Price, creditCents: number) {
  return {
    amountCents: Math.max(0, cents - creditCents),
    creditCents: Math.min(creditCents, cents),
    surplusCents: Math.max(0, creditCents - cents),
  };
}

type Order = Pick<PaymentRow, 'plan' | 'isTest' | 'amountCents' | 'surplusCents' | 'currency'>;

/**
 * Returns whether an open payment is for the same order. Its price may have fallen since, by the days that have
 * passed. A test checkout never matches a payment service's, and vice versa.
 */
function isSameOrder(pending: PaymentRow, { plan, isTest, amountCents, surplusCents, currency }: Order): boolean {
  const isSameAmount = pending.amountCents === amountCents && pending.surplusCents === surplusCents;
  return pending.plan === plan && pending.isTest === isTest && isSameAmount && pending.currency === currency;
}

type Bought = Pick<PaymentRow, 'accountId' | 'isTest' | 'plan' | 'currency'> & { running: Plan };

/** Returns the credit. Test payments, where no money moves, are no credit for money. */
async function creditOf(
  session: ClientSession,
  { accountId, isTest, running, plan, currency }: Bought,
  now: Date,
): Promise<number> {
  if (running === 'free' || running === plan) return 0;
  return unusedCents(await unreplacedPayments(session, { accountId, isTest, plan: running, currency }, now), now);
}

function checkoutOver(): AppError {
  return new AppError('conflict', 'This checkout has ended. Nothing was charged.', {
    hint: 'Choose the plan again under Pricing & Trial.',
  });
}
