import Stripe from 'stripe';
import * as z from 'zod/mini';
import { PLANS } from '../../../../routers/schemas/plans.ts';
import { AppError } from '../../../lib/errors.ts';
import type { CheckoutOrder, CustomerFacts, HostedPayments, HostedService, PaymentNotice } from '../payments.ts';
import { type Catalog, type CatalogSource, createCatalog, idOf, isPaidOnce } from './catalog.ts';
import { ask, createClient, isMissing, type StripeAccess } from './client.ts';
import { chargeFacts, checkoutFacts, paidInvoice, paidOnce, subscriptionFacts } from './facts.ts';

export type StripeOptions = StripeAccess & { webhookSecret: string; publicUrl: string; now(): Date };

/**
 * Stripe: monthly plans are its subscriptions, and the others are single payments; both are made on its Checkout page
 * (https://docs.stripe.com/payments/checkout). A running subscription is upgraded on a page of its customer portal,
 * which shows the difference before charging it. It is downgraded by changing its next price, without a charge: what
 * is paid stays paid (https://docs.stripe.com/billing/subscriptions/prorations). Cards, invoices and cancellation are
 * in the portal.
 *
 * Its webhooks are notices: signed over the bytes as sent, repeated for up to three days, and in no order
 * (https://docs.stripe.com/webhooks). Their content may be out of date, so the API is read again.
 */
export function createStripePayments(options: StripeOptions): HostedService {
  const stripe = createClient(options);
  const catalog = createCatalog(stripe, options);
  return {
    isTest: false,
    openCheckout: (order) => openCheckout({ stripe, catalog, ...options }, order),
    hosted: createHosted({ stripe, catalog, ...options }),
  };
}

type StripeDeps = StripeOptions & { stripe: Stripe; catalog: CatalogSource };

async function openCheckout(deps: StripeDeps, order: CheckoutOrder): Promise<{ url: string; checkoutId?: string }> {
  const catalog = await deps.catalog.load();
  if (order.upgrades) return ask(() => openUpgrade(deps, catalog, order, order.upgrades ?? ''));
  return ask(() => openSession(deps, catalog, order));
}

async function openSession({ stripe, publicUrl }: StripeDeps, catalog: Catalog, order: CheckoutOrder) {
  const { paymentId, accountId, plan, customerId = '' } = order;
  const metadata = { paymentId, plan };
  const coupon = await couponFor(stripe, catalog, order);
  const session = await stripe.checkout.sessions.create(
    {
      ...(isPaidOnce(plan)
        ? { mode: 'payment', payment_intent_data: { metadata } }
        : { mode: 'subscription', subscription_data: { metadata } }),
      customer: customerId,
      client_reference_id: accountId,
      line_items: [{ price: priceOf(catalog, plan).id, quantity: 1 }],
      ...(coupon !== null && { discounts: [{ coupon }] }),
      ...(catalog.computesTax && {
        automatic_tax: { enabled: true },
        tax_id_collection: { enabled: true },
        customer_update: { address: 'auto', name: 'auto' },
      }),
      success_url: successUrl(publicUrl, paymentId),
      cancel_url: cancelUrl(publicUrl, paymentId),
      metadata,
    },
    { idempotencyKey: `fairlead checkout ${paymentId} ${customerId}` },
  );
  if (session.url === null || session.url === undefined)
    throw new AppError('payments_failed', 'This checkout has ended.');
  return { url: session.url, checkoutId: session.id };
}

/** Stripe charges nothing below half a unit (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). */
const CHARGE_MIN_CENTS = 50;

/** Creates the credit as a discount of this one order, so that Stripe's receipt shows it. */
async function couponFor(stripe: Stripe, catalog: Catalog, order: CheckoutOrder): Promise<string | null> {
  const { paymentId, plan, creditCents } = order;
  if (creditCents === 0) return null;
  const { unit_amount: price, currency } = priceOf(catalog, plan);
  const whole = price ?? 0;
  const { id } = await stripe.coupons.create(
    {
      amount_off: whole - creditCents < CHARGE_MIN_CENTS ? whole : creditCents,
      currency,
      duration: 'once',
      max_redemptions: 1,
      name: 'Unused time of your plan',
    },
    { idempotencyKey: `fairlead coupon ${paymentId}` },
  );
  return id;
}

async function openUpgrade(
  { stripe, publicUrl }: StripeDeps,
  catalog: Catalog,
  order: CheckoutOrder,
  subscription: string,
) {
  const { paymentId, plan, customerId = '' } = order;
  const { id } = itemOf(await stripe.subscriptions.retrieve(subscription));
  const { url } = await stripe.billingPortal.sessions.create({
    customer: customerId,
    configuration: catalog.portals.upgrade,
    return_url: cancelUrl(publicUrl, paymentId),
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: {
        subscription,
        items: [{ id, price: priceOf(catalog, plan).id, quantity: 1 }],
      },
      after_completion: { type: 'redirect', redirect: { return_url: successUrl(publicUrl, paymentId) } },
    },
  });
  return { url };
}

/**
 * Changes the plan of a subscription. Continuing with the same plan keeps its original price; only another plan has a
 * new one.
 */
async function changePlan(
  stripe: Stripe,
  catalog: Catalog,
  { id, cancelAtEnd, plan }: { id: string; cancelAtEnd: boolean; plan: CheckoutOrder['plan'] },
): Promise<void> {
  const subscription = await stripe.subscriptions.retrieve(id);
  const item = itemOf(subscription);
  const isSame = catalog.planOf(idOf(item.price.product)) === plan;
  // The portal cancels at a time of its own, which the other field does not revoke
  // (https://docs.stripe.com/billing/subscriptions/billing-mode/compare).
  const hasOwnEnd = subscription.cancel_at !== null && !subscription.cancel_at_period_end;
  await stripe.subscriptions.update(id, {
    ...(!cancelAtEnd && hasOwnEnd ? { cancel_at: '' } : { cancel_at_period_end: cancelAtEnd }),
    ...(!isSame && { items: [{ id: item.id, price: priceOf(catalog, plan).id }], proration_behavior: 'none' }),
  });
}

/** Returns the item of a subscription; ours have exactly one. */
function itemOf({ items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data;
  if (item === undefined) throw new AppError('payments_failed', 'The subscription at the payment service is empty.');
  return item;
}

function successUrl(publicUrl: string, paymentId: string): string {
  return `${publicUrl}/subscription/success?session_id=${paymentId}`;
}

function cancelUrl(publicUrl: string, paymentId: string): string {
  return `${publicUrl}/subscription/cancel?session_id=${paymentId}`;
}

function priceOf({ prices }: Catalog, plan: CheckoutOrder['plan']): Stripe.Price {
  const price = prices.get(plan);
  if (price === undefined) throw new Error(`The catalog has no price for ${PLANS[plan].title}.`);
  return price;
}

function createHosted(deps: StripeDeps): HostedPayments {
  const { stripe, catalog, publicUrl, webhookSecret } = deps;
  return {
    async priceOf(plan) {
      const { unit_amount: cents, currency } = priceOf(await catalog.load(), plan);
      return { cents: cents ?? 0, currency };
    },
    knownPrices() {
      const prices = catalog.known()?.prices ?? new Map<CheckoutOrder['plan'], Stripe.Price>();
      return [...prices].map(([plan, { unit_amount: cents, currency }]) => ({ plan, cents: cents ?? 0, currency }));
    },
    async createCustomer({ accountId, email, key }) {
      const params = { email, metadata: { accountId } };
      const { id } = await ask(() => stripe.customers.create(params, { idempotencyKey: `fairlead customer ${key}` }));
      return id;
    },
    checkout: async (id) => checkoutFacts(await ask(() => retrieveSession(stripe, id))),
    async expireCheckout(id) {
      // Only an open one can be expired.
      await ask(() => stripe.checkout.sessions.expire(id).catch(ignoreRefusal));
    },
    async openPortal(customer) {
      const { portals } = await catalog.load();
      const params = { customer, configuration: portals.manage, return_url: `${publicUrl}/account` };
      const { url } = await ask(() => stripe.billingPortal.sessions.create(params));
      return { url };
    },
    readNotice: async (body, signature, now) => readNotice(deps, { body, signature, now, secret: webhookSecret }),
    async readCustomer(customerId, checkoutIds) {
      const { planOf } = await catalog.load();
      return ask(() => readCustomer(stripe, planOf, { customerId, checkoutIds }));
    },
    async changeSubscription(id, { cancelAtEnd, plan }) {
      const known = await catalog.load();
      await ask(() => changePlan(stripe, known, { id, cancelAtEnd, plan }));
    },
    async endSubscription(id) {
      await ask(() => stripe.subscriptions.cancel(id, { invoice_now: false, prorate: false }).catch(ignoreMissing));
    },
    async refund(chargeId, key) {
      const params = { payment_intent: chargeId };
      await ask(() =>
        stripe.refunds.create(params, { idempotencyKey: `fairlead refund ${key}` }).catch(ignoreRefunded),
      );
    },
    async prepare() {
      await catalog.load();
    },
  };
}

type Sent = { body: Uint8Array; signature: string; now: Date; secret: string };

function readNotice({ stripe }: StripeDeps, { body, signature, now, secret }: Sent): PaymentNotice {
  const { DEFAULT_TOLERANCE: seconds } = stripe.webhooks;
  let event: z.infer<typeof eventSchema>;
  try {
    event = eventSchema.parse(
      stripe.webhooks.constructEvent(body, signature, secret, seconds, undefined, now.getTime()),
    );
  } catch (error) {
    throw new AppError('bad_request', 'This is not signed by the payment service, or is too old.', { cause: error });
  }
  const { object } = event.data;
  return {
    id: event.id,
    customerId: (object.object === 'customer' ? object.id : object.customer) ?? null,
    chargeId: object.payment_intent ?? null,
  };
}

const noticedId = z.catch(z.nullish(z.string()), null);
/**
 * Events concern about a hundred kinds of objects, most of which name their customer; a dispute names the payment
 * alone.
 */
const noticedSchema = z.catch(
  z.object({ object: z.object({ object: noticedId, id: noticedId, customer: noticedId, payment_intent: noticedId }) }),
  { object: {} },
);
const eventSchema = z.object({ id: z.string(), data: noticedSchema });

/** The largest page that Stripe returns. */
const PAGE = 100;
/** Payments are monthly: this covers many years. */
const LISTED = { limit: 1_000 };

async function readCustomer(
  stripe: Stripe,
  planOf: Catalog['planOf'],
  { customerId: customer, checkoutIds }: { customerId: string; checkoutIds: readonly string[] },
): Promise<CustomerFacts> {
  const sessions: Stripe.Checkout.Session[] = [];
  for (const id of checkoutIds) sessions.push(await retrieveSession(stripe, id));
  const bounds = { customer, limit: PAGE };
  const subscriptions = await stripe.subscriptions
    .list({ ...bounds, status: 'all', expand: ['data.latest_invoice'] })
    .autoPagingToArray(LISTED);
  const invoices = await stripe.invoices
    .list({ ...bounds, status: 'paid', expand: ['data.payments'] })
    .autoPagingToArray(LISTED);
  const charges = await stripe.charges.list(bounds).autoPagingToArray(LISTED);
  const paid = [...sessions.map(paidOnce), ...invoices.map((invoice) => paidInvoice(invoice, planOf))].filter(
    (one) => one !== null,
  );
  return {
    checkouts: sessions.map(checkoutFacts),
    paid: paid.sort((one, other) => startOf(one) - startOf(other)),
    charges: (await Promise.all(charges.map((charge) => withDisputes(stripe, charge)))).filter((one) => one !== null),
    subscriptions: subscriptions.map((one) => subscriptionFacts(one, planOf)),
  };
}

const startOf = ({ period, paidAt }: CustomerFacts['paid'][number]): number => (period?.startsAt ?? paidAt).getTime();

async function withDisputes(stripe: Stripe, charge: Stripe.Charge) {
  if (!charge.disputed) return chargeFacts(charge, []);
  const { data } = await stripe.disputes.list({ charge: charge.id, limit: PAGE });
  return chargeFacts(charge, data);
}

function retrieveSession(stripe: Stripe, id: string): Promise<Stripe.Checkout.Session> {
  return stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent', 'invoice'] });
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

function ignoreRefunded(error: unknown): void {
  const isGone = error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded';
  if (!isGone) throw error;
}
