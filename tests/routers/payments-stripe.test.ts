import { expect, test } from 'vitest';
import { PaymentModel } from '../../server/database/models/plans/payment.ts';
import { PaymentEventModel } from '../../server/database/models/plans/payment-event.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { transaction } from '../../server/database/mongo.ts';
import { addMonths, DAY_MS, HOUR_MS } from '../../server/lib/durations.ts';
import { takePaymentNotice } from '../../server/plans/payments/customer.ts';
import { grantLicense } from '../support/plans.ts';
import { refusalOf } from '../support/refusal.ts';
import { retryUntilAvailable } from '../support/retry-until-available.ts';
import {
  cancelInPortal,
  chargeOf,
  confirmUpgrade,
  get,
  pay,
  payBill,
  refund,
  renew,
  settle,
} from '../support/standins/stripe/state.ts';
import { buy, createStripeApp, payUntold } from '../support/stripe-app.ts';

// One that renews and the one that does not; what each costs is held by payments.test.ts.
test.each([
  ['BASIC', 500, 1, 1, true],
  ['BETA', 1000, 6, null, false],
] as const)('%s is paid with %i cents at Stripe for %i months, and starts when it says so', async (...row) => {
  const [plan, amountCents, months, cap, renews] = row;
  await using app = await createStripeApp();
  const ada = await app.person();
  const session = await payUntold(app, ada, plan);
  const paymentId = session.success_url;
  expect(paymentId).toMatch(/^http:\/\/localhost:3000\/subscription\/success\?session_id=[0-9a-z]{20}$/);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });

  await app.tell('checkout.session.completed', session);

  const { items, hasPortal } = await ada.caller.payments.list();
  expect(items).toMatchObject([{ plan, amountCents, creditCents: 0, taxCents: 0, state: 'paid', isTest: false }]);
  expect(hasPortal).toBe(true);
  const [payment] = items;
  expect(String(paymentId).endsWith(payment?.id ?? '-')).toBe(true);
  const { startsAt, endsAt } = payment?.period ?? {};
  const inWholeSeconds = (date?: Date) => Math.round((date?.getTime() ?? 0) / 1000);
  expect(Math.abs(inWholeSeconds(endsAt) - inWholeSeconds(addMonths(startsAt ?? new Date(0), months)))).toBeLessThan(3);
  expect(await ada.caller.subscription.get()).toMatchObject({ plan, status: 'active', endsAt, renews });
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan, deploymentLimit: cap });
});

test('a notice that comes twenty times, at several instances at once, is done once', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const session = await payUntold(app, ada, 'BASIC');
  const notice = app.signed('checkout.session.completed', session);

  const told = () => retryUntilAvailable(() => takePaymentNotice(app.providers, notice));
  await Promise.all(Array.from({ length: 20 }, told));
  await app.jobs.drain();
  await app.tell('invoice.paid', { object: 'invoice', id: session.invoice, customer: session.customer });

  expect(await PaymentModel.countDocuments({ accountId: ada.user.id, state: 'paid' })).toBe(1);
  expect(await PaymentEventModel.countDocuments({ accountId: ada.user.id })).toBe(2);
  expect(await SubscriptionModel.countDocuments({ accountId: ada.user.id })).toBe(1);
});

test('of two instances that look after one account at once, one takes the money in', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await payUntold(app, ada, 'PRO');
  const { syncPayments } = await import('../../server/plans/payments/sync.ts');
  const job = app.context({ kind: 'job', name: 'sync-payments', accountId: ada.user.id });
  if (job.actor.kind !== 'job') throw new Error('A job has an account.');
  const ctx = { ...job, actor: job.actor };

  await Promise.all([1, 2, 3].map(() => retryUntilAvailable(() => syncPayments(ctx, transaction))));

  expect(await PaymentModel.countDocuments({ accountId: ada.user.id })).toBe(1);
  const { endsAt, startedAt } = await ada.caller.subscription.get();
  expect(endsAt.getTime() - startedAt.getTime()).toBeLessThan(32 * DAY_MS);
});

test('whatever order it is told in, what was paid and given back ends the same', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const session = await payUntold(app, ada, 'STANDARD');
  const intent = get(app.state.invoices, session.invoice ?? '').intent ?? '';
  const { customer } = session;
  refund(app.state, intent);

  await app.tell('charge.refunded', { object: 'charge', customer, payment_intent: intent });
  await app.tell('customer.subscription.deleted', { object: 'subscription', customer });
  await app.tell('checkout.session.completed', session);

  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  expect((await ada.caller.payments.list()).items).toMatchObject([{ state: 'refunded', refundedCents: 1200 }]);
  const [subscription] = app.state.subscriptions.values();
  expect(subscription?.status, 'nobody is charged again').toBe('canceled');
});

test('forged, old and altered notices are refused, and change nothing', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const session = await payUntold(app, ada, 'PRO');
  const good = app.signed('checkout.session.completed', session);
  const forged = [
    app.signed('checkout.session.completed', session, { secret: 'whsec_another12345678' }),
    app.signed('checkout.session.completed', session, { ageSeconds: 301 }),
    { ...good, body: Buffer.from(JSON.stringify(JSON.parse(good.body.toString()), null, 1)) },
    { ...good, signature: '' },
    { ...good, signature: 't=1,v1=0' },
    { ...good, body: Buffer.alloc(0) },
    app.signedBody('null'),
    app.signedBody(JSON.stringify({ data: { object: { customer: session.customer } } })),
  ];
  for (const notice of forged) {
    expect(await refusalOf(takePaymentNotice(app.providers, notice))).toMatchObject({ code: 'bad_request' });
  }
  await app.jobs.drain();
  expect(await PaymentEventModel.countDocuments({ accountId: ada.user.id })).toBe(0);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });

  await takePaymentNotice(app.providers, good);
  await takePaymentNotice(app.providers, good);
  await app.jobs.drain();
  expect(await PaymentModel.countDocuments({ accountId: ada.user.id, state: 'paid' })).toBe(1);
});

test('a notice of somebody else’s customer, or one whose metadata names this account, does nothing here', async () => {
  await using app = await createStripeApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const session = await payUntold(app, ada, 'PRO');
  const metadata = { paymentId: 'x', accountId: bob.user.id, plan: 'PRO' };

  await app.tell('checkout.session.completed', { ...session, metadata, client_reference_id: bob.user.id });
  await app.tell('checkout.session.completed', { ...session, customer: 'cus_of_another_shop' });
  await app.tell('product.created', { object: 'product', id: 'prod_1' });

  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'PRO' });
  expect(await bob.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  const paymentId = String(session.success_url).slice(-20);
  expect(await refusalOf(bob.caller.payments.get({ paymentId }))).toMatchObject({ code: 'not_found' });
});

test('two clicks lead to one page, another plan to its own, and nobody can pay on the one before', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const open = (plan: 'BASIC' | 'PRO') => retryUntilAvailable(() => ada.caller.payments.checkout({ plan }));

  const urls = await Promise.all(Array.from({ length: 5 }, () => open('BASIC')));
  expect(new Set(urls.map(({ url }) => url)).size).toBe(1);
  expect(await open('BASIC')).toEqual(urls[0]);
  const other = await open('PRO');

  expect(other).not.toEqual(urls[0]);
  expect(app.state.customers.size).toBe(1);
  expect(get(app.state.sessions, app.pageOf(urls[0]?.url ?? '')).status).toBe('expired');
});

test('a page that is paid while another plan is chosen charges once, and its plan starts', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const session = await payUntold(app, ada, 'BASIC');
  await ada.caller.payments.checkout({ plan: 'PRO' });

  await app.tell('checkout.session.completed', session);

  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'BASIC', status: 'active' });
  expect((await ada.caller.payments.list()).items).toMatchObject([{ plan: 'BASIC', state: 'paid' }]);
});

test('Stripe that does not answer is told as that, nothing is charged, and the next click gets through', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  app.stripe.fail('any', { how: 'reset' }, 5);
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'PRO' }))).toMatchObject({
    code: 'payments_unavailable',
    message: 'The payment service cannot be reached right now.',
  });
  app.stripe.heal();
  app.stripe.fail('change', { how: 'status', status: 500 }, 5);
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'PRO' }))).toMatchObject({
    code: 'payments_unavailable',
  });
  app.stripe.heal();
  await ada.caller.payments.checkout({ plan: 'PRO' });
  app.stripe.revoke();
  const refusal = await refusalOf(ada.caller.payments.checkout({ plan: 'BASIC' }));
  expect(refusal).toMatchObject({ code: 'payments_unavailable' });
  expect(JSON.stringify(refusal)).not.toContain('sk_test');
});

test('prices are found by their key, made once, and replaced where the plan costs something else by now', async () => {
  await using app = await createStripeApp();
  const [ada, bob] = [await app.person(), await app.person()];
  await Promise.all([app.providers.payments.hosted?.prepare(), app.connect().hosted?.prepare()]);
  expect(app.state.prices.size).toBe(4);
  const { session } = await buy(app, ada, 'BASIC');
  const price = get(app.state.prices, session.price);
  price.unit_amount = 400;
  const eur = [...app.state.prices.values()].find(({ lookup_key: key }) => key === 'fairlead_pro');
  Object.assign(eur ?? {}, { currency: 'eur', unit_amount: 2700 });

  app.providers.payments = app.connect();
  const dearer = await buy(app, bob, 'BASIC');

  expect(dearer.session.price).not.toBe(session.price);
  expect(dearer.payment).toMatchObject({ amountCents: 500 });
  const [subscription] = app.state.subscriptions.values();
  await app.tell('invoice.paid', renew(app.state, subscription?.id ?? ''));
  expect((await ada.caller.payments.list()).items[0]).toMatchObject({ amountCents: 400, isRenewal: true });
  expect(await app.providers.payments.hosted?.priceOf('PRO')).toEqual({ cents: 2700, currency: 'eur' });
  const known = app.providers.payments.hosted?.knownPrices();
  expect(known).toContainEqual({ plan: 'PRO', cents: 2700, currency: 'eur' });
});

test('taxes are added where Stripe Tax is set up, and are no credit later', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  app.state.computesTax = true;
  const { payment } = await buy(app, ada, 'STANDARD');
  expect(payment).toMatchObject({ amountCents: 1320, taxCents: 120, currency: 'usd' });
  const { url } = await ada.caller.payments.checkout({ plan: 'BETA' });
  expect(get(app.state.sessions, app.pageOf(url)).coupon).not.toBeNull();
  const [pending] = await PaymentModel.find({ accountId: ada.user.id, state: 'pending' });
  // Of twelve dollars without the tax ten are the price.
  expect(pending?.creditCents).toBe(1000);
  expect(pending?.surplusCents).toBeLessThanOrEqual(200);
});

test('a renewal goes on without a gap, and a month whose notice never came is found', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { payment } = await buy(app, ada, 'PRO');
  const [subscription] = app.state.subscriptions.values();
  const end = payment.period?.endsAt ?? new Date(0);
  app.clock.advance(end.getTime() - app.clock.now().getTime() + HOUR_MS / 2);
  expect(await ada.caller.subscription.get(), 'Stripe takes the money an hour later').toMatchObject({
    status: 'active',
  });
  renew(app.state, subscription?.id ?? '');

  await app.passUntold(DAY_MS / 2);

  expect(await ada.caller.subscription.get()).toMatchObject({ status: 'active', plan: 'PRO', renews: true });
  const { items } = await ada.caller.payments.list();
  expect(items).toMatchObject([
    { isRenewal: true, amountCents: 2900, period: { startsAt: end } },
    { isRenewal: false },
  ]);
});

test('a renewal that fails leaves a week of grace, and is over when it is paid', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { payment } = await buy(app, ada, 'STANDARD');
  const [{ id = '' } = {}] = app.state.subscriptions.values();
  const end = payment.period?.endsAt ?? new Date(0);
  app.clock.advance(end.getTime() - app.clock.now().getTime() + HOUR_MS);
  const failed = renew(app.state, id, { fails: true });

  await app.tell('invoice.payment_failed', failed);

  expect(await ada.caller.subscription.get()).toMatchObject({ status: 'past_due', plan: 'STANDARD' });
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'PRO' }))).toMatchObject({
    code: 'conflict',
    message: 'The payment that renews your Standard plan failed.',
  });
  app.clock.advance(6.9 * DAY_MS);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'STANDARD' });
  app.clock.advance(0.2 * DAY_MS);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  payBill(app.state, id);
  await app.tell('invoice.paid', failed);

  const { endsAt, ...subscription } = await ada.caller.subscription.get();
  expect(subscription).toMatchObject({ status: 'active', plan: 'STANDARD' });
  expect(Math.abs(endsAt.getTime() - addMonths(end, 1).getTime()), 'and not a month from now').toBeLessThan(DAY_MS);
});

test('an upgrade is confirmed on a page that shows the difference, and starts at once', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { payment } = await buy(app, ada, 'BASIC');
  app.clock.advance(15 * DAY_MS);
  const { url } = await ada.caller.payments.checkout({ plan: 'PRO' });
  expect(url).toMatch(/^https:\/\/billing\.stripe\.com\//);
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'BASIC' });

  await app.tell('customer.subscription.updated', confirmUpgrade(app.state, app.pageOf(url)));

  const { endsAt, ...subscription } = await ada.caller.subscription.get();
  expect(subscription).toMatchObject({ plan: 'PRO', status: 'active', renews: true });
  expect(endsAt).toEqual(payment.period?.endsAt);
  const [upgrade] = (await ada.caller.payments.list()).items;
  expect(upgrade).toMatchObject({ plan: 'PRO', state: 'paid', isRenewal: false });
  expect(upgrade?.amountCents).toBeLessThan(1400);
  expect(await PaymentModel.countDocuments({ accountId: ada.user.id })).toBe(2);
});

test('an upgrade is credited what was paid and renews, also after a smaller plan was chosen for later or the plan canceled', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await buy(app, ada, 'STANDARD');
  await ada.caller.subscription.cancel();
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'PRO' }))).toMatchObject({
    code: 'conflict',
    message: 'You have cancelled Standard.',
  });
  await ada.caller.subscription.resume();
  await ada.caller.subscription.change({ plan: 'BASIC' });
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'PRO' }))).toMatchObject({
    code: 'conflict',
    message: 'Your plan changes to Basic when your paid period ends.',
  });
  await ada.caller.subscription.resume();
  const { url } = await ada.caller.payments.checkout({ plan: 'PRO' });

  await app.tell('customer.subscription.updated', confirmUpgrade(app.state, app.pageOf(url)));

  expect((await ada.caller.payments.list()).items[0]).toMatchObject({ plan: 'PRO', amountCents: 1700 });
});

test('a smaller plan follows at the next renewal, a cancelled one ends with its period, and both can be taken back', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { payment } = await buy(app, ada, 'PRO');
  const [subscription] = app.state.subscriptions.values();
  const id = subscription?.id ?? '';
  await ada.caller.subscription.cancel();
  expect(subscription).toMatchObject({ cancel_at_period_end: true });
  await ada.caller.subscription.resume();
  expect(subscription).toMatchObject({ cancel_at_period_end: false });
  await app.tell('customer.subscription.updated', cancelInPortal(app.state, id));
  expect(await ada.caller.subscription.get()).toMatchObject({ cancelAtEnd: true });
  await ada.caller.subscription.resume();
  await app.jobs.drain();
  expect(await ada.caller.subscription.get(), 'cancelled in the portal').toMatchObject({ cancelAtEnd: false });
  expect(await ada.caller.subscription.change({ plan: 'BASIC' })).toMatchObject({ plan: 'PRO', nextPlan: 'BASIC' });
  await app.tell('customer.subscription.updated', get(app.state.subscriptions, id));
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'PRO', nextPlan: 'BASIC' });
  const end = payment.period?.endsAt ?? new Date(0);
  app.clock.advance(end.getTime() - app.clock.now().getTime() + HOUR_MS);

  await app.tell('invoice.paid', renew(app.state, id));

  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'BASIC', status: 'active', nextPlan: null });
  await ada.caller.subscription.cancel();
  app.clock.advance(32 * DAY_MS);
  await app.tell('customer.subscription.deleted', renew(app.state, id));
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'BASIC', status: 'expired', renews: false });
});

test('cancelling is refused where Stripe does not hear of it', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await buy(app, ada, 'PRO');
  app.stripe.fail('any', { how: 'reset' }, 5);
  expect(await refusalOf(ada.caller.subscription.cancel())).toMatchObject({ code: 'payments_unavailable' });
  expect(await ada.caller.subscription.get()).toMatchObject({ cancelAtEnd: false });
  app.stripe.heal();
});

test('money that is given back in part is noted, and all of it ends the plan and the subscription', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { session } = await buy(app, ada, 'PRO');
  const intent = get(app.state.invoices, session.invoice ?? '').intent ?? '';
  await app.tell('charge.refunded', refund(app.state, intent, 900));
  expect((await ada.caller.payments.list()).items).toMatchObject([{ state: 'paid', refundedCents: 900 }]);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'PRO' });

  await app.tell('charge.refunded', refund(app.state, intent));

  expect((await ada.caller.payments.list()).items).toMatchObject([{ state: 'refunded', refundedCents: 2900 }]);
  expect(await ada.caller.subscription.get()).toMatchObject({ status: 'canceled', renews: false });
  expect([...app.state.subscriptions.values()]).toMatchObject([{ status: 'canceled' }]);
});

test('what is paid by a way that takes days is on its way, and starts or fails when Stripe says so', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  for (const arrives of [false, true]) {
    const { url } = await ada.caller.payments.checkout({ plan: 'BETA' });
    app.clock.advance(HOUR_MS);
    const session = pay(app.state, app.pageOf(url), { delayed: true });
    const paidAt = new Date(Math.floor(app.clock.now().getTime() / 1000) * 1000);
    await app.tell('checkout.session.completed', session);
    expect((await ada.caller.payments.list()).items[0]).toMatchObject({ state: 'pending', isProcessing: true });
    await app.tell('checkout.session.async_payment_succeeded', settle(app.state, session.id, arrives));
    expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: arrives ? 'BETA' : 'free' });
    if (arrives) expect((await ada.caller.payments.list()).items[0]).toMatchObject({ paidAt });
  }
  expect(chargeOf(app.state, [...app.state.intents.keys()].at(-1) ?? '').amount).toBe(1000);
});

test('a transfer on a page that was given up for another plan is not lost', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { url } = await ada.caller.payments.checkout({ plan: 'BETA' });
  const session = pay(app.state, app.pageOf(url), { delayed: true });
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'BETA' }))).toMatchObject({
    code: 'conflict',
    message: 'Your payment for Beta is on its way.',
  });
  await ada.caller.payments.checkout({ plan: 'PRO' });
  app.clock.advance(5 * DAY_MS);

  await app.tell('checkout.session.async_payment_succeeded', settle(app.state, session.id, true));

  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'BETA', status: 'active' });
});

test('money for less than what runs meanwhile is given back, and its subscription ends', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const session = await payUntold(app, ada, 'BASIC');
  await grantLicense(app, ada, 'PRO');

  await app.tell('checkout.session.completed', session);

  expect((await ada.caller.payments.list()).items).toMatchObject([{ state: 'refunded', refundedCents: 500 }]);
  expect([...app.state.charges.values()]).toMatchObject([{ refunded: true }]);
  expect([...app.state.subscriptions.values()]).toMatchObject([{ status: 'canceled' }]);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'PRO' });
});

test('a license for a higher plan ends the subscription that it takes the place of, and keeps its time', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await buy(app, ada, 'BASIC');
  await grantLicense(app, ada, 'PRO');
  await app.jobs.drain();
  expect([...app.state.subscriptions.values()]).toMatchObject([{ status: 'canceled' }]);
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'PRO', renews: false });
});

test('a key makes a plan longer, and the next payment is said to come when it does', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await buy(app, ada, 'STANDARD');
  const { endsAt: renewsAt } = await ada.caller.subscription.get();
  const { endsAt } = await grantLicense(app, ada, 'STANDARD', 2);

  expect(await ada.caller.subscription.get()).toMatchObject({ renews: true, renewsAt, endsAt });
  const [{ id = '' } = {}] = app.state.subscriptions.values();
  app.clock.advance(renewsAt.getTime() - app.clock.now().getTime() + HOUR_MS);
  await app.tell('invoice.paid', renew(app.state, id));

  const renewed = await ada.caller.subscription.get();
  expect(renewed.renewsAt).toEqual(addMonths(renewsAt, 1));
  expect(renewed.endsAt.getTime()).toBeGreaterThan(endsAt.getTime() + 27 * DAY_MS);
  expect(await ada.caller.subscription.cancel()).not.toHaveProperty('renewsAt');
});

test('a plan that renews at Stripe is not sold a second time, and the test checkout is out of reach', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await buy(app, ada, 'BASIC');
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'BASIC' }))).toMatchObject({
    code: 'conflict',
    message: 'Your Basic plan renews automatically.',
  });
  const { url } = await ada.caller.payments.checkout({ plan: 'BETA' });
  const pending = await PaymentModel.findOne({ accountId: ada.user.id, state: 'pending' }).orFail();
  expect(url).not.toContain('/checkout/test/');
  const answered = ada.caller.payments.answerTest({ paymentId: pending._id, answer: 'pay' });
  expect(await refusalOf(answered)).toMatchObject({ code: 'not_found' });
});

test('the portal is for whoever has paid there', async () => {
  await using app = await createStripeApp();
  const [ada, bob] = [await app.person(), await app.person()];
  await buy(app, ada, 'BASIC');
  const { url } = await ada.caller.payments.portal();
  expect(url).toMatch(/^https:\/\/billing\.stripe\.com\/p\/session\/bps_/);
  expect(await refusalOf(bob.caller.payments.portal())).toMatchObject({ code: 'not_found' });
  expect(await bob.caller.payments.list()).toEqual({ items: [], hasPortal: false });
});

test('after a change of the account at Stripe a person becomes a new customer there', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await ada.caller.payments.checkout({ plan: 'BASIC' });
  const before = await app.customerOf(ada);
  app.state.customers.delete(before);
  for (const known of [app.state.sessions, app.state.answered]) known.clear();
  await buy(app, ada, 'BASIC');
  expect(await app.customerOf(ada)).not.toBe(before);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'BASIC' });
});
