import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import { PAID_PLANS, type PaidPlan, PLANS } from '../../../../routers/schemas/plans.ts';
import { HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts';
import { ask } from './client.ts';

/**
 * The catalog at Stripe: a product and a price for each plan, found by the price's lookup key and created where
 * missing; the pages of the customer portal; and whether taxes are computed. So an operator sets up nothing there.
 *
 * In dollars the plans' own prices apply: another amount is replaced, and running subscriptions keep theirs. A price
 * in another currency was made by the operator and stays.
 */
export type Catalog = {
  prices: ReadonlyMap<PaidPlan, Stripe.Price>;
  /** Returns null for a product that is not ours. */
  planOf(productId: string): PaidPlan | null;
  /** True when Stripe Tax is set up: without the seller's address it refuses each checkout that asks for it. */
  computesTax: boolean;
  /** Configurations of the portal: for managing a plan, and for a single upgrade. */
  portals: { manage: string; upgrade: string };
};

export type CatalogSource = {
  load(): Promise<Catalog>;
  /** Returns the last loaded catalog, and reloads it when it is old. Null when it was never loaded. */
  known(): Catalog | null;
};

/** Long enough to ask rarely, short enough for an operator who sets up taxes and tries it out. */
const KEPT_MS = HOUR_MS;

/** Returns the catalog, loaded within the last hour; a failure is tried again at the next call. */
export function createCatalog(stripe: Stripe, { publicUrl, now }: { publicUrl: string; now(): Date }): CatalogSource {
  let current: { catalog: Promise<Catalog>; until: number } | null = null;
  let last: Catalog | null = null;
  let askedAgainAt = 0;
  const isFresh = () => current !== null && now().getTime() < current.until;
  const load = () => {
    if (current !== null && isFresh()) return current.catalog;
    const loading = { catalog: ask(() => loadCatalog(stripe, publicUrl)), until: now().getTime() + KEPT_MS };
    current = loading;
    loading.catalog.then(
      (catalog) => {
        last = catalog;
      },
      () => {
        if (current === loading) current = null;
      },
    );
    return loading.catalog;
  };
  return {
    load,
    known() {
      if (!isFresh() && now().getTime() >= askedAgainAt) {
        askedAgainAt = now().getTime() + MINUTE_MS;
        load().catch(() => undefined);
      }
      return last;
    },
  };
}

export function isPaidOnce(plan: PaidPlan): boolean {
  return plan === 'BETA';
}

const keyOf = (plan: PaidPlan): string => `fairlead_${plan.toLowerCase()}`;

async function loadCatalog(stripe: Stripe, publicUrl: string): Promise<Catalog> {
  const lookupKeys = PAID_PLANS.map(keyOf);
  const found = await stripe.prices.list({ lookup_keys: lookupKeys, active: true, limit: lookupKeys.length });
  const prices = new Map<PaidPlan, Stripe.Price>();
  for (const plan of PAID_PLANS) {
    const price = found.data.find(({ lookup_key: key }) => key === keyOf(plan));
    prices.set(plan, price !== undefined && fits(price, plan) ? price : await makePrice(stripe, plan, price?.id));
  }
  const tax = await stripe.tax.settings.retrieve();
  const products = new Map<string, PaidPlan>(PAID_PLANS.map((plan) => [keyOf(plan), plan]));
  for (const [plan, { product }] of prices) products.set(idOf(product), plan);
  return {
    prices,
    planOf: (productId) => products.get(productId) ?? null,
    computesTax: tax.status === 'active',
    portals: await findPortals(stripe, publicUrl, prices),
  };
}

function fits(price: Stripe.Price, plan: PaidPlan): boolean {
  const { currency, unit_amount: cents, recurring } = price;
  const isRightKind = isPaidOnce(plan)
    ? recurring === null
    : recurring?.interval === 'month' && recurring.interval_count === PLANS[plan].months;
  return isRightKind && cents !== null && (currency !== 'usd' || cents === PLANS[plan].dollars * 100);
}

/**
 * Creates a price. The request's idempotency key says what it is for, so that two instances that start together make
 * one.
 */
async function makePrice(stripe: Stripe, plan: PaidPlan, replacedId = 'none'): Promise<Stripe.Price> {
  const { title, dollars, months } = PLANS[plan];
  const product = keyOf(plan);
  const metadata = { fairlead: plan };
  await stripe.products.create({ id: product, name: `Fairlead ${title}`, metadata }).catch(ignoreExisting);
  const unitAmount = dollars * 100;
  return stripe.prices.create(
    {
      product,
      currency: 'usd',
      unit_amount: unitAmount,
      ...(!isPaidOnce(plan) && { recurring: { interval: 'month', interval_count: months } }),
      lookup_key: keyOf(plan),
      transfer_lookup_key: true,
      metadata,
    },
    { idempotencyKey: `fairlead price ${product} ${unitAmount} after ${replacedId}` },
  );
}

function ignoreExisting(error: unknown): void {
  const isThere = error instanceof Stripe.errors.StripeError && error.code === 'resource_already_exists';
  if (!isThere) throw error;
}

type PortalParams = Stripe.BillingPortal.ConfigurationCreateParams;
type PortalUrls = Stripe.BillingPortal.ConfigurationCreateParams.BusinessProfile;

async function findPortals(stripe: Stripe, publicUrl: string, prices: Catalog['prices']): Promise<Catalog['portals']> {
  const known = await stripe.billingPortal.configurations.list({ active: true, limit: 100 });
  const find = async (kind: string, features: PortalParams['features']): Promise<string> => {
    const wanted = { business_profile: urlsOf(publicUrl), features };
    // Another version of the app, or another price, uses another lookup key; a price in use is never changed.
    const mark = `${kind} ${createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 16)}`;
    const there = known.data.find(({ metadata }) => metadata?.fairlead === mark);
    if (there !== undefined) return there.id;
    const params = { ...wanted, metadata: { fairlead: mark } };
    const made = await stripe.billingPortal.configurations.create(params, { idempotencyKey: `fairlead ${mark}` });
    return made.id;
  };
  return { manage: await find('manage', MANAGE), upgrade: await find('upgrade', upgradeTo(prices)) };
}

/** Returns the addresses of our pages. Stripe refuses addresses without TLS, which development and tests have. */
function urlsOf(publicUrl: string): PortalUrls {
  if (!publicUrl.startsWith('https:')) return {};
  return {
    privacy_policy_url: `${publicUrl}/subscription/privacy`,
    terms_of_service_url: `${publicUrl}/subscription/terms`,
  };
}

/** Plans are changed in the app, which knows what a smaller one makes read-only. */
const MANAGE: PortalParams['features'] = {
  customer_update: { enabled: true, allowed_updates: ['address', 'email', 'name', 'tax_id'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: true, mode: 'at_period_end' },
  subscription_update: { enabled: false },
};

function upgradeTo(prices: Catalog['prices']): PortalParams['features'] {
  const products = [...prices]
    .filter(([plan]) => !isPaidOnce(plan))
    .map(([, { id, product }]) => ({ product: idOf(product), prices: [id] }));
  return {
    payment_method_update: { enabled: true },
    subscription_update: {
      enabled: true,
      default_allowed_updates: ['price'],
      proration_behavior: 'always_invoice',
      products,
    },
  };
}

/** Returns an id, whether the answer names the object or contains it. */
export function idOf(one: string | { id: string }): string {
  return typeof one === 'string' ? one : one.id;
}
