import type { Reply, Route, StandIn, StandInCall } from '../stand-in.ts';
import { startStandIn } from '../stand-in.ts';
import { decodeForm, isJson, type Json, list, make, pageOf } from './objects.ts';
import { SECRET_KEY } from './secrets.ts';
import { shownInvoice, shownSession, shownSubscription } from './shown.ts';
import { createState, newId, type StripeState, seconds, sell } from './state.ts';

/** Stripe's API, played (docs.stripe.com/api). The functions of `state.ts` replace its pages and the person on them. */
export function startStripe({ now }: { now(): Date }): Promise<StandIn<StripeState>> {
  return startStandIn<StripeState>({
    state: createState(now),
    description: 'stripe',
    token: SECRET_KEY,
    decodes: decodeForm,
    routes,
    refusals: {
      token: refused(401, 'Invalid API Key provided: sk_test_*****1234'),
      unknown: refused(404, 'Unrecognized request URL'),
      misfit: (what) => refused(400, `Received unknown parameter: ${what}`, 'parameter_unknown'),
    },
  });
}

function refused(status: number, message: string, code?: string): Reply {
  return { status, body: { error: { type: 'invalid_request_error', message, ...(code !== undefined && { code }) } } };
}

const missing = (what: string): Reply => refused(404, `No such thing: '${what}'`, 'resource_missing');

type Call = StandInCall<StripeState>;
type Asked = Call & { form: Json; id: string; expand: string[] };
type Answer = (asked: Asked) => Reply;

function route(method: string, path: string, answer: Answer): Route<StripeState> {
  return {
    method,
    path,
    step: method === 'GET' ? 'look' : 'change',
    answer: async (call) => {
      const form = decodeForm(call.body.toString());
      const expand = [...call.query].flatMap(([name, value]) => (name.startsWith('expand') ? [value] : []));
      const asked = { ...call, form, expand, id: call.parts[0] ?? '' };
      return method === 'POST' ? once(asked, path, answer) : answer(asked);
    },
  };
}

/** docs.stripe.com/api/idempotent_requests: the first answer again, and none for another request by the same key. */
function once(asked: Asked, path: string, answer: Answer): Reply {
  const key = asked.headers['idempotency-key'];
  if (typeof key !== 'string') return answer(asked);
  const request = `${path} ${asked.body.toString()}`;
  const known = asked.state.answered.get(key);
  if (known === undefined) {
    const reply = answer(asked);
    asked.state.answered.set(key, { request, reply: structuredClone(reply) });
    return reply;
  }
  if (known.request === request) return known.reply;
  return {
    status: 400,
    body: { error: { type: 'idempotency_error', message: 'Keys for idempotent requests can only be used once.' } },
  };
}

const ok = (body: unknown): Reply => ({ status: 200, body });
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>(
    (one, key) => (Array.isArray(one) ? one[Number(key)] : isJson(one) ? one[key] : undefined),
    value,
  );

const catalogRoutes = [
  route('GET', '/v1/prices', ({ state, query }) => {
    const keys = [...query].flatMap(([name, value]) => (name.startsWith('lookup_keys') ? [value] : []));
    return ok(
      list(
        '/v1/prices',
        [...state.prices.values()].filter((one) => keys.includes(one.lookup_key)),
      ),
    );
  }),
  route('POST', '/v1/prices', ({ state, form }) => {
    const made = { product: text(form.product), currency: text(form.currency), unit_amount: Number(form.unit_amount) };
    return ok(sell(state, { ...made, lookup_key: text(form.lookup_key), isMonthly: isJson(form.recurring) }));
  }),
  route('POST', '/v1/products', ({ state, form }) => {
    const id = text(form.id);
    if (state.products.has(id)) return refused(400, 'Product already exists.', 'resource_already_exists');
    const made = make('product', { id, name: text(form.name) });
    state.products.set(id, made);
    return ok(made);
  }),
  route('GET', '/v1/tax/settings', ({ state }) =>
    ok(make('tax.settings', { status: state.computesTax ? 'active' : 'pending' })),
  ),
  route('GET', '/v1/billing_portal/configurations', ({ state }) =>
    ok(list('/v1/billing_portal/configurations', [...state.configurations.values()])),
  ),
  route('POST', '/v1/billing_portal/configurations', ({ state, form }) => {
    const id = newId(state, 'bpc');
    const made = make('billing_portal.configuration', { id, metadata: form.metadata });
    state.configurations.set(id, made);
    return ok(made);
  }),
];

const checkoutRoutes = [
  route('POST', '/v1/customers', ({ state, form }) => {
    const id = newId(state, 'cus');
    const made = make('customer', { id, email: text(form.email), metadata: form.metadata });
    state.customers.set(id, made);
    return ok(made);
  }),
  route('POST', '/v1/coupons', ({ state, form }) => {
    const id = newId(state, 'coupon');
    const made = make('coupon', { id, amount_off: Number(form.amount_off) });
    state.coupons.set(id, made);
    return ok(made);
  }),
  route('POST', '/v1/checkout/sessions', ({ state, form }) => {
    const customer = text(form.customer);
    if (!state.customers.has(customer)) return missing(customer);
    if (at(form, 'automatic_tax', 'enabled') === 'true' && !state.computesTax) {
      return refused(400, 'You must have a valid origin address to enable automatic tax calculation in test mode.');
    }
    const expiresAt = seconds(state.now()) + 24 * 60 * 60;
    const id = newId(state, 'cs_test');
    const session = make('checkout.session', {
      ...{ id, customer, mode: text(form.mode), status: 'open', payment_status: 'unpaid', expires_at: expiresAt },
      ...{ invoice: null, payment_intent: null, subscription: null, created: seconds(state.now()) },
      client_reference_id: text(form.client_reference_id),
      metadata: form.metadata,
      success_url: text(form.success_url),
      price: text(at(form, 'line_items', '0', 'price')),
      coupon: text(at(form, 'discounts', '0', 'coupon')) || null,
    });
    state.sessions.set(id, session);
    return ok(shownSession(state, session, []));
  }),
  route('GET', '/v1/checkout/sessions/{session}', ({ state, id, expand }) => {
    const session = state.sessions.get(id);
    return session === undefined ? missing(id) : ok(shownSession(state, session, expand));
  }),
  route('POST', '/v1/checkout/sessions/{session}/expire', ({ state, id }) => {
    const session = state.sessions.get(id);
    if (session === undefined) return missing(id);
    if (session.status !== 'open') return refused(400, 'Only Checkout Sessions with a status of open can be expired.');
    session.status = 'expired';
    return ok(shownSession(state, session, []));
  }),
  route('POST', '/v1/billing_portal/sessions', ({ state, form }) => {
    const customer = text(form.customer);
    if (!state.customers.has(customer)) return missing(customer);
    const id = newId(state, 'bps');
    const confirm = at(form, 'flow_data', 'subscription_update_confirm');
    const flow = { subscription: text(at(confirm, 'subscription')), price: text(at(confirm, 'items', '0', 'price')) };
    state.portals.set(id, { flow: confirm === undefined ? null : flow });
    const url = `https://billing.stripe.com/p/session/${id}`;
    return ok(make('billing_portal.session', { id, customer, url, flow: null }));
  }),
];

const lifeRoutes = [
  route('GET', '/v1/subscriptions', ({ state, query, expand }) => {
    const customer = query.get('customer') ?? '';
    if (!state.customers.has(customer)) return missing(customer);
    const own = [...state.subscriptions.values()].filter((one) => one.customer === customer);
    const shown = own.map((one) => shownSubscription(state, one, expand));
    return ok(pageOf('/v1/subscriptions', shown, query));
  }),
  route('GET', '/v1/subscriptions/{subscription_exposed_id}', ({ state, id, expand }) => {
    const subscription = state.subscriptions.get(id);
    return subscription === undefined ? missing(id) : ok(shownSubscription(state, subscription, expand));
  }),
  route('POST', '/v1/subscriptions/{subscription_exposed_id}', ({ state, id, form }) => {
    const subscription = state.subscriptions.get(id);
    if (subscription === undefined) return missing(id);
    if ('cancel_at_period_end' in form) subscription.cancel_at_period_end = form.cancel_at_period_end === 'true';
    if (form.cancel_at === '') subscription.cancel_at = null;
    subscription.price = text(at(form, 'items', '0', 'price')) || subscription.price;
    return ok(shownSubscription(state, subscription, []));
  }),
  route('DELETE', '/v1/subscriptions/{subscription_exposed_id}', ({ state, id }) => {
    const subscription = state.subscriptions.get(id);
    if (subscription === undefined || subscription.status === 'canceled') return missing(id);
    subscription.status = 'canceled';
    return ok(shownSubscription(state, subscription, []));
  }),
  route('GET', '/v1/invoices', ({ state, query, expand }) => {
    const own = [...state.invoices.values()].filter(
      (one) => one.customer === query.get('customer') && one.status === query.get('status'),
    );
    const shown = own.reverse().map((one) => shownInvoice(state, one, expand));
    return ok(pageOf('/v1/invoices', shown, query));
  }),
  route('GET', '/v1/charges', ({ state, query }) =>
    ok(
      pageOf(
        '/v1/charges',
        [...state.charges.values()].filter((one) => one.customer === query.get('customer')),
        query,
      ),
    ),
  ),
  route('GET', '/v1/disputes', ({ state, query }) =>
    ok(
      list(
        '/v1/disputes',
        [...state.disputes.values()].filter((one) => one.charge === query.get('charge')),
      ),
    ),
  ),
  route('POST', '/v1/refunds', ({ state, form }) => {
    const intent = text(form.payment_intent);
    const charge = [...state.charges.values()].find((one) => one.payment_intent === intent);
    if (charge === undefined) return missing(intent);
    if (charge.refunded === true) return refused(400, 'Charge has already been refunded.', 'charge_already_refunded');
    Object.assign(charge, { refunded: true, amount_refunded: charge.amount });
    return ok(make('refund', { id: newId(state, 're'), amount: charge.amount, payment_intent: intent }));
  }),
];

const routes = [...catalogRoutes, ...checkoutRoutes, ...lifeRoutes];
