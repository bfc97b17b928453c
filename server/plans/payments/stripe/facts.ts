import type Stripe from 'stripe';
import type { ChargeFacts, CheckoutFacts, Dispute, PaidFacts, SubscriptionFacts } from '../payments.ts';
import { type Catalog, idOf } from './catalog.ts';

// These functions translate answers of Stripe into our terms. They are pure and send no requests.

export function checkoutFacts(session: Stripe.Checkout.Session): CheckoutFacts {
  const { id, status, url, mode, invoice } = session;
  const state = status === 'complete' ? completeState(session) : status === 'expired' ? 'expired' : 'open';
  const paidId = mode === 'payment' ? id : invoice === null ? null : idOf(invoice);
  return { id, state, url: state === 'open' ? (url ?? null) : null, paidId: state === 'paid' ? paidId : null };
}

/**
 * Sorts a completed session. With payment methods that take days it stays `unpaid`, whether the money is on its way or
 * did not arrive after all.
 */
function completeState({ payment_status: payment, payment_intent: intent, invoice }: Stripe.Checkout.Session) {
  if (payment !== 'unpaid') return 'paid';
  const charge = intent !== null && typeof intent === 'object' ? intent.status : null;
  if (charge === 'canceled' || charge === 'requires_payment_method') return 'failed';
  const bill = invoice !== null && typeof invoice === 'object' ? invoice.status : null;
  return bill === 'void' || bill === 'uncollectible' ? 'failed' : 'processing';
}

/** Returns the money of a single payment, which has no invoice; null for every other session. */
export function paidOnce(session: Stripe.Checkout.Session): PaidFacts | null {
  const { id, mode, status, payment_status: payment, created, currency, payment_intent: intent } = session;
  if (mode !== 'payment' || status !== 'complete' || payment === 'unpaid') return null;
  const { amount_discount: creditCents = 0, amount_tax: taxCents = 0 } = session.total_details ?? {};
  return {
    id,
    plan: null,
    reason: 'first',
    // The page may have been open for a day by then.
    paidAt: dateOf(intent !== null && typeof intent === 'object' ? intent.created : created),
    amountCents: session.amount_total ?? 0,
    taxCents,
    creditCents,
    currency: currency ?? 'usd',
    period: null,
    subscriptionId: null,
    chargeId: intent === null ? null : idOf(intent),
  };
}

/** Returns the money of a subscription; null for an invoice about anything else. */
export function paidInvoice(invoice: Stripe.Invoice, planOf: Catalog['planOf']): PaidFacts | null {
  const subscription = invoice.parent?.subscription_details?.subscription;
  const lines = invoice.lines.data;
  // The plan of the last positive line was paid for: the credit for the previous one is negative.
  const sold = lines.filter(({ amount }) => amount >= 0).sort((one, other) => rank(other) - rank(one));
  const line = sold.find((one) => planOf(productOf(one)) !== null);
  if (subscription === undefined || subscription === null || line === undefined) return null;
  const credits = lines.reduce((sum, { amount }) => sum + Math.min(0, amount), 0);
  const discounts = (invoice.total_discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
  return {
    id: invoice.id,
    plan: planOf(productOf(line)),
    reason: REASONS[invoice.billing_reason ?? ''] ?? 'first',
    paidAt: dateOf(invoice.status_transitions.paid_at ?? invoice.created),
    amountCents: invoice.amount_paid,
    taxCents: (invoice.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0),
    creditCents: discounts - credits,
    currency: invoice.currency,
    period: { startsAt: dateOf(line.period.start), endsAt: dateOf(line.period.end) },
    subscriptionId: idOf(subscription),
    chargeId: chargeOf(invoice),
  };
}

const REASONS: Partial<Record<string, PaidFacts['reason']>> = {
  subscription_create: 'first',
  subscription_cycle: 'renewal',
  subscription_update: 'change',
};

const rank = ({ period, amount }: Stripe.InvoiceLineItem): number => period.end * 1e6 + Math.min(amount, 1e6 - 1);

function productOf({ pricing }: Stripe.InvoiceLineItem): string {
  return pricing?.price_details?.product ?? '';
}

function chargeOf({ payments }: Stripe.Invoice): string | null {
  const made = payments?.data.find(({ status }) => status === 'paid');
  const intent = made?.payment.payment_intent;
  return intent === undefined || intent === null ? null : idOf(intent);
}

/** `disputes` are those of this charge. */
export function chargeFacts(charge: Stripe.Charge, disputes: readonly Stripe.Dispute[]): ChargeFacts | null {
  if (charge.payment_intent === null || !charge.paid) return null;
  return {
    chargeId: idOf(charge.payment_intent),
    refundedCents: charge.amount_refunded,
    isRefunded: charge.refunded,
    dispute: disputeOf(disputes),
  };
}

function disputeOf(disputes: readonly Stripe.Dispute[]): Dispute | null {
  if (disputes.length === 0) return null;
  if (disputes.some(({ status }) => status === 'lost')) return 'lost';
  const isOver = disputes.every(({ status }) => OVER.has(status));
  return isOver ? 'won' : 'open';
}

const OVER: ReadonlySet<string> = new Set(['won', 'warning_closed', 'prevented']);

export function subscriptionFacts(subscription: Stripe.Subscription, planOf: Catalog['planOf']): SubscriptionFacts {
  const { id, status, cancel_at_period_end: atEnd, cancel_at: at, created, items, latest_invoice: last } = subscription;
  const [item] = items.data;
  const product = item?.price.product;
  const tried = last !== null && typeof last === 'object' ? last.status_transitions.finalized_at : null;
  const state = STATES[status] ?? 'past_due';
  return {
    id,
    plan: product === undefined ? null : planOf(idOf(product)),
    state,
    cancelAtEnd: atEnd || at !== null,
    createdAt: dateOf(created),
    renewsAt: item === undefined ? null : dateOf(item.current_period_end),
    pastDueSince: state === 'past_due' && tried !== null ? dateOf(tried) : null,
  };
}

const STATES: Partial<Record<string, SubscriptionFacts['state']>> = {
  active: 'running',
  trialing: 'running',
  past_due: 'past_due',
  unpaid: 'past_due',
  paused: 'past_due',
  incomplete: 'incomplete',
  incomplete_expired: 'ended',
  canceled: 'ended',
};

function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}
