import Stripe from 'stripe';
import { PaymentCustomerModel } from '../../server/database/models/plans/payment-customer.ts';
import { takePaymentNotice } from '../../server/plans/payments/customer.ts';
import { createTestApp, type Person, type TestAppOptions } from './app.ts';
import { runRecurring } from './run-recurring.ts';
import { startStripe } from './standins/stripe/index.ts';
import { make } from './standins/stripe/objects.ts';
import { SECRET_KEY, WEBHOOK_SECRET } from './standins/stripe/secrets.ts';
import { pay, seconds } from './standins/stripe/state.ts';
import { stripeOf } from './stripe-access.ts';

const signer = new Stripe(SECRET_KEY).webhooks;

export type StripeApp = Awaited<ReturnType<typeof createStripeApp>>;
export type Bought = Parameters<Person['caller']['payments']['checkout']>[0]['plan'];
/** The part of a Stripe object that a notice names. */
type Noticed = Record<string, unknown>;

type Signing = { ageSeconds?: number; secret?: string };

let told = 0;

/**
 * The whole application in process, which takes money by a stand-in of Stripe, whose clock is `aheadMs` before its own.
 * Dispose of it with `await using`.
 */
export async function createStripeApp({ aheadMs = 0, ...options }: TestAppOptions & { aheadMs?: number } = {}) {
  const app = await createTestApp(options);
  const atStripe = () => new Date(app.clock.now().getTime() + aheadMs);
  const stripe = await startStripe({ now: atStripe });
  const connect = () => stripeOf(app, stripe.apiUrl);
  app.providers.payments = connect();

  /** Returns a notice as Stripe sends it: its bytes, and the signature over them. */
  function signed(type: string, object: Noticed, { id = nextId(), ...how }: Signing & { id?: string } = {}) {
    return signedBody(JSON.stringify(make('event', { id, type, data: { object } })), how);
  }

  function signedBody(payload: string, { ageSeconds = 0, secret = WEBHOOK_SECRET }: Signing = {}) {
    const timestamp = seconds(atStripe()) - ageSeconds;
    return { body: Buffer.from(payload), signature: signer.generateTestHeaderString({ payload, secret, timestamp }) };
  }

  return {
    ...app,
    stripe,
    state: stripe.state,
    connect,
    signed,
    signedBody,
    /** Stripe tells of something, and the job that it asks for is done. */
    async tell(type: string, object: Noticed) {
      await takePaymentNotice(app.providers, signed(type, object));
      await app.jobs.drain();
    },
    /** Time goes by without any notice, and what is due by then is asked for. */
    passUntold: (ms: number) => runRecurring(app, 'reconcile-payments', ms),
    /** The stand-in's page behind an address that the person was led to. */
    pageOf: (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '',
    async customerOf({ user }: Person): Promise<string> {
      const customer = await PaymentCustomerModel.findOne({ accountId: user.id }).orFail();
      return customer.customerId;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await stripe[Symbol.asyncDispose]();
      // What the stand-in or the adapter said that the published description lacks.
      if (stripe.drift.length > 0) throw new Error(stripe.drift.join('\n'));
    },
  };
}

function nextId(): string {
  told += 1;
  return `evt_${process.pid}_${told}`;
}

/** Opens the checkout, and pays there; no notice is sent yet. */
export async function payUntold(app: StripeApp, person: Person, plan: Bought) {
  const { url } = await person.caller.payments.checkout({ plan });
  return pay(app.state, app.pageOf(url));
}

/** The same, told as Stripe tells of it. */
export async function buy(app: StripeApp, person: Person, plan: Bought) {
  const session = await payUntold(app, person, plan);
  await app.tell('checkout.session.completed', session);
  const [payment] = (await person.caller.payments.list()).items;
  if (payment === undefined) throw new Error(`${plan} was paid for and is not listed.`);
  return { session, payment };
}
