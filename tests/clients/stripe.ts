import { deepEqual, equal } from 'node:assert/strict';
import Stripe from 'stripe';
import * as z from 'zod/mini';
import type { Egress } from '../../server/lib/egress/egress.ts';
import { createStripePayments } from '../../server/plans/payments/stripe/index.ts';
import { testEgress } from '../support/platforms.ts';
import type { Client } from './run.ts';
import { startStripeMock } from './stripe-mock.ts';

const SECRET_KEY = 'sk_test_1234567890';
const WEBHOOK_SECRET = 'whsec_1234567890';

/** Every request that is made of Stripe, with the parameters away. */
const REQUESTS = [
  'DELETE /v1/subscriptions/{}',
  'GET /v1/billing_portal/configurations',
  'GET /v1/charges',
  'GET /v1/checkout/sessions/{}',
  'GET /v1/disputes',
  'GET /v1/invoices',
  'GET /v1/prices',
  'GET /v1/subscriptions',
  'GET /v1/subscriptions/{}',
  'GET /v1/tax/settings',
  'POST /v1/billing_portal/configurations',
  'POST /v1/billing_portal/sessions',
  'POST /v1/checkout/sessions',
  'POST /v1/checkout/sessions/{}/expire',
  'POST /v1/coupons',
  'POST /v1/customers',
  'POST /v1/prices',
  'POST /v1/products',
  'POST /v1/refunds',
  'POST /v1/subscriptions/{}',
];

/** Our adapter asks Stripe's own mock for everything that it ever asks for: a wrong parameter is refused there. */
export const stripeMock: Client = {
  name: 'stripe-mock',
  packages: [],
  async publish() {
    await using mock = await startStripeMock();
    const seen = new Map<string, number[]>();
    const egress = recording(seen);
    const own = { webhookSecret: WEBHOOK_SECRET, publicUrl: 'https://fairlead.example', now: () => new Date() };
    const payments = createStripePayments({
      ...own,
      secretKey: SECRET_KEY,
      apiUrl: mock.apiUrl,
      egress,
    });
    const { hosted } = payments;
    if (hosted === undefined) throw new Error('Stripe has pages of its own.');
    await hosted.prepare();
    const customerId = await hosted.createCustomer({ accountId: 'ada', email: 'ada@example.com', key: 'ada' });
    const order = { accountId: 'ada', amountCents: 2800, creditCents: 100, customerId, upgrades: null };
    await payments.openCheckout({ ...order, paymentId: 'one', plan: 'PRO' });
    await payments.openCheckout({ ...order, paymentId: 'two', plan: 'BETA' });
    await payments.openCheckout({ ...order, paymentId: 'three', plan: 'PRO', upgrades: 'sub_1' });
    await hosted.openPortal(customerId);
    await hosted.checkout('cs_1');
    await hosted.expireCheckout('cs_1');
    await hosted.readCustomer(customerId, ['cs_1']);
    await hosted.changeSubscription('sub_1', { cancelAtEnd: true, plan: 'BASIC' });
    await hosted.endSubscription('sub_1');
    await hosted.refund('pi_1', 'one');
    // Asked for where a charge is disputed, as none of the examples is.
    const stripe = new Stripe(SECRET_KEY, hostOf(mock.apiUrl));
    seen.set('GET /v1/disputes', [
      (await stripe.disputes.list({ charge: 'ch_1', limit: 100 })).lastResponse.statusCode,
    ]);
    deepEqual([...seen.keys()].sort(), REQUESTS);
    for (const [request, statuses] of seen) deepEqual([request, new Set(statuses)], [request, new Set([200])]);
    await replayEvent(stripe, (body, signature) => hosted.readNotice(body, signature, new Date()));
  },
};

const eventSchema = z.object({ id: z.string() });

/** The vendor's own example of an event, as a webhook would send it. */
async function replayEvent(
  stripe: Stripe,
  read: (body: Uint8Array, signature: string) => Promise<{ id: string }>,
): Promise<void> {
  const event = await stripe.events.retrieve('evt_1');
  const payload = JSON.stringify(event);
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET });
  equal((await read(Buffer.from(payload), signature)).id, eventSchema.parse(event).id);
}

function hostOf(apiUrl: string): Stripe.StripeConfig {
  const { hostname, port } = new URL(apiUrl);
  return { host: hostname, port: Number(port), protocol: 'http', telemetry: false };
}

/** Keeps the status of each answer by its request. */
function recording(seen: Map<string, number[]>): Egress {
  const egress = testEgress();
  return {
    request: (url, request, read) =>
      egress.request(url, request, (answer) => {
        const path = new URL(url).pathname.replace(/\/(sub|cs)_\w+/, '/{}');
        const key = `${request.method} ${path}`;
        seen.set(key, [...(seen.get(key) ?? []), answer.status]);
        return read(answer);
      }),
  };
}
