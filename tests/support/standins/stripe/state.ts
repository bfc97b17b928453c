import { randomBytes } from 'node:crypto';
import { addMonths } from '../../../../server/lib/durations.ts';
import { type Json, make } from './objects.ts';

/**
 * The state of one account at Stripe, and the events there without Fairlead: people pay, banks refuse, time goes by.
 */
export type StripeState = {
  now(): Date;
  customers: Map<string, Json>;
  products: Map<string, Json>;
  prices: Map<string, Price>;
  coupons: Map<string, Json & { amount_off: number }>;
  configurations: Map<string, Json>;
  sessions: Map<string, Session>;
  portals: Map<string, Json & { flow: Flow | null }>;
  subscriptions: Map<string, Subscription>;
  invoices: Map<string, Invoice>;
  intents: Map<string, Json & { id: string; status: string }>;
  charges: Map<string, Charge>;
  disputes: Map<string, Json & { charge: string; status: string }>;
  /** First answers by their idempotency key. */
  answered: Map<string, { request: string; reply: { status: number; body?: unknown } }>;
  /** True when Stripe Tax is set up; then a tenth is added. */
  computesTax: boolean;
  made: number;
  /** Ids are those of no other account. */
  run: string;
};

export type Price = Json & { id: string; product: string; unit_amount: number; currency: string; lookup_key: string };
export type Session = Json & {
  id: string;
  customer: string;
  mode: string;
  status: string;
  payment_status: string;
  price: string;
  coupon: string | null;
  invoice: string | null;
  payment_intent: string | null;
};
export type Flow = { subscription: string; price: string };
export type Subscription = Json & {
  id: string;
  customer: string;
  status: string;
  price: string;
  start: number;
  end: number;
  latest_invoice: string;
  cancel_at_period_end: boolean;
  /** The portal sets this in place of the other. */
  cancel_at?: number | null;
};
export type Invoice = Json & {
  id: string;
  customer: string;
  status: string;
  amount_due: number;
  intent: string | null;
};
export type Charge = Json & { id: string; customer: string; payment_intent: string; amount: number };

export function createState(now: () => Date): StripeState {
  return {
    now,
    customers: new Map(),
    products: new Map(),
    prices: new Map(),
    coupons: new Map(),
    configurations: new Map(),
    sessions: new Map(),
    portals: new Map(),
    subscriptions: new Map(),
    invoices: new Map(),
    intents: new Map(),
    charges: new Map(),
    disputes: new Map(),
    answered: new Map(),
    computesTax: false,
    made: 0,
    run: randomBytes(4).toString('hex'),
  };
}

export function newId(state: StripeState, prefix: string): string {
  state.made += 1;
  return `${prefix}_${state.run}${String(state.made).padStart(6, '0')}`;
}

export function get<T>(map: ReadonlyMap<string, T>, id: string): T {
  const found = map.get(id);
  if (found === undefined) throw new Error(`The stand-in of Stripe has no ${id}.`);
  return found;
}

export const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);
const monthAfter = (at: number): number => seconds(addMonths(new Date(at * 1000), 1));

type Sold = Pick<Price, 'product' | 'currency' | 'unit_amount' | 'lookup_key'> & { isMonthly: boolean };

/** Makes a price, which takes its key from the one that had it. */
export function sell(state: StripeState, { isMonthly, ...fields }: Sold): Price {
  const monthly = {
    interval: 'month',
    interval_count: 1,
    meter: null,
    usage_type: 'licensed',
    trial_period_days: null,
  };
  for (const one of state.prices.values()) if (one.lookup_key === fields.lookup_key) one.lookup_key = '';
  const made: Price = make('price', {
    id: newId(state, 'price'),
    ...fields,
    recurring: isMonthly ? monthly : null,
    type: isMonthly ? 'recurring' : 'one_time',
  });
  state.prices.set(made.id, made);
  return made;
}

/** The person pays on the page of the checkout; `delayed`: by a way that takes days. */
export function pay(state: StripeState, sessionId: string, { delayed = false } = {}): Session {
  const session = get(state.sessions, sessionId);
  if (session.status !== 'open') throw new Error('This page is over.');
  const { price, customer, mode } = session;
  const { unit_amount: full, product } = get(state.prices, price);
  const off = session.coupon === null ? 0 : get(state.coupons, session.coupon).amount_off;
  const tax = state.computesTax ? Math.round((full - off) / 10) : 0;
  const amount = full - off + tax;
  const isPaid = !delayed;
  Object.assign(session, {
    status: 'complete',
    payment_status: isPaid ? 'paid' : 'unpaid',
    amount_total: amount,
    currency: get(state.prices, price).currency,
    total_details: { amount_discount: off, amount_shipping: 0, amount_tax: tax },
  });
  if (mode === 'payment') {
    session.payment_intent = charge(state, customer, amount, isPaid);
    return session;
  }
  const start = seconds(state.now());
  const id = newId(state, 'sub');
  const subscription: Subscription = {
    ...{ id, customer, status: 'active', price, start, end: monthAfter(start), cancel_at_period_end: false },
    latest_invoice: '',
    created: start,
  };
  state.subscriptions.set(id, subscription);
  const period = { start, end: subscription.end };
  const lines = [{ amount: full, product, period }];
  const sum = { lines, off, tax, reason: 'subscription_create', isPaid };
  session.invoice = subscription.latest_invoice = bill(state, subscription, sum);
  return session;
}

/** The money of a delayed payment arrives, or does not. */
export function settle(state: StripeState, sessionId: string, arrives: boolean): Session {
  const session = get(state.sessions, sessionId);
  const intent = session.payment_intent ?? get(state.invoices, session.invoice ?? '').intent ?? '';
  get(state.intents, intent).status = arrives ? 'succeeded' : 'requires_payment_method';
  if (arrives) session.payment_status = 'paid';
  for (const one of state.charges.values()) if (one.payment_intent === intent) one.paid = arrives;
  const invoice = state.invoices.get(session.invoice ?? '');
  if (invoice !== undefined) Object.assign(invoice, { status: arrives ? 'paid' : 'void' });
  return session;
}

/** The person cancels on the portal's page. */
export function cancelInPortal(state: StripeState, id: string): Subscription {
  const subscription = get(state.subscriptions, id);
  return Object.assign(subscription, { cancel_at: subscription.end });
}

/** A period ends: the next one is charged for, or the card is refused. */
export function renew(state: StripeState, id: string, { fails = false } = {}): Subscription {
  const subscription = get(state.subscriptions, id);
  if (subscription.cancel_at_period_end || subscription.cancel_at)
    return Object.assign(subscription, { status: 'canceled' });
  const { unit_amount: amount, product } = get(state.prices, subscription.price);
  const period = { start: subscription.end, end: monthAfter(subscription.end) };
  const tax = state.computesTax ? Math.round(amount / 10) : 0;
  const sum = { lines: [{ amount, product, period }], off: 0, tax, reason: 'subscription_cycle', isPaid: !fails };
  const invoice = bill(state, subscription, sum);
  return Object.assign(subscription, {
    ...period,
    latest_invoice: invoice,
    status: fails ? 'past_due' : 'active',
  });
}

/** The bill that was refused is paid after all. */
export function payBill(state: StripeState, id: string): void {
  const subscription = get(state.subscriptions, id);
  const invoice = get(state.invoices, subscription.latest_invoice);
  invoice.intent = charge(state, invoice.customer, invoice.amount_due, true);
  invoice.status = 'paid';
  subscription.status = 'active';
}

/** The person confirms the change on the portal's page, and the difference is charged at once. */
export function confirmUpgrade(state: StripeState, portalId: string): Subscription {
  const { flow } = get(state.portals, portalId);
  if (flow === null) throw new Error('This page changes no plan.');
  const subscription = get(state.subscriptions, flow.subscription);
  const [old, wanted] = [get(state.prices, subscription.price), get(state.prices, flow.price)];
  const at = seconds(state.now());
  const left = (subscription.end - at) / (subscription.end - subscription.start);
  const period = { start: at, end: subscription.end };
  const lines = [
    { amount: -Math.round(old.unit_amount * left), product: old.product, period },
    { amount: Math.round(wanted.unit_amount * left), product: wanted.product, period },
  ];
  subscription.price = flow.price;
  const sum = { lines, off: 0, tax: 0, reason: 'subscription_update', isPaid: true };
  subscription.latest_invoice = bill(state, subscription, sum);
  return subscription;
}

/** The operator gives money back in the dashboard: all of it, or a part. */
export function refund(state: StripeState, intent: string, cents?: number): Charge {
  const one = chargeOf(state, intent);
  const amount = cents ?? one.amount;
  return Object.assign(one, { amount_refunded: amount, refunded: amount === one.amount });
}

/** The bank sends back what was to be returned. */
export function failRefund(state: StripeState, intent: string): Charge {
  return Object.assign(chargeOf(state, intent), { amount_refunded: 0, refunded: false });
}

/** A customer's bank asks for the money back. */
export function dispute(state: StripeState, intent: string, status: 'needs_response' | 'won' | 'lost'): Json {
  const one = chargeOf(state, intent);
  one.disputed = true;
  const id = `dp_${one.id}`;
  const made = make('dispute', { id, charge: one.id, payment_intent: intent, status, amount: one.amount });
  state.disputes.set(id, made);
  return made;
}

export function chargeOf(state: StripeState, intent: string): Charge {
  const found = [...state.charges.values()].find((one) => one.payment_intent === intent);
  if (found === undefined) throw new Error(`Nothing was charged by ${intent}.`);
  return found;
}

type Sum = {
  lines: { amount: number; product: string; period: { start: number; end: number } }[];
  off: number;
  tax: number;
  reason: string;
  isPaid: boolean;
};

function bill(state: StripeState, { id: subscription, customer, price }: Subscription, sum: Sum): string {
  const id = newId(state, 'in');
  const amount = sum.lines.reduce((all, line) => all + line.amount, 0) - sum.off + sum.tax;
  const at = seconds(state.now());
  const { isPaid } = sum;
  state.invoices.set(id, {
    ...{ id, customer, subscription, lines: sum.lines, off: sum.off, tax: sum.tax, billing_reason: sum.reason },
    currency: get(state.prices, price).currency,
    status: isPaid ? 'paid' : 'open',
    amount_due: amount,
    created: at,
    intent: charge(state, customer, amount, isPaid),
  });
  return id;
}

function charge(state: StripeState, customer: string, amount: number, isPaid: boolean): string | null {
  if (amount === 0) return null;
  const id = newId(state, 'pi');
  const made = make('payment_intent', {
    id,
    customer,
    amount,
    created: seconds(state.now()),
    status: isPaid ? 'succeeded' : 'processing',
    transfer_data: null,
  });
  state.intents.set(id, made);
  const chargeId = newId(state, 'ch');
  const fields = {
    id: chargeId,
    customer,
    payment_intent: id,
    amount,
    amount_captured: amount,
    amount_refunded: 0,
    transfer_data: null,
  };
  state.charges.set(chargeId, make('charge', { ...fields, refunded: false, disputed: false, paid: isPaid }));
  return id;
}
