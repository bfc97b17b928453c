import { expect, test } from 'vitest';
import { PaymentModel } from '../../../server/database/models/plans/payment.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../server/lib/durations.ts';
import { takePaymentNotice } from '../../../server/plans/payments/customer.ts';
import { refusalOf } from '../../support/refusal.ts';
import { get, pay, refund, renew } from '../../support/standins/stripe/state.ts';
import { buy, createStripeApp, payUntold } from '../../support/stripe-app.ts';

test('a payment of which no notice came is found within minutes', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await payUntold(app, ada, 'PRO');
  await app.passUntold(MINUTE_MS);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });

  await app.passUntold(6 * MINUTE_MS);

  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'PRO' });
  expect(await PaymentModel.countDocuments({ accountId: ada.user.id, state: 'paid' })).toBe(1);
});

test('while no notice gets through for an hour, whoever pays in it has the plan, once', async () => {
  await using app = await createStripeApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const { url } = await ada.caller.payments.checkout({ plan: 'PRO' });
  await app.passUntold(20 * MINUTE_MS);
  const late = pay(app.state, app.pageOf(url));
  await payUntold(app, bob, 'BETA');

  for (let passed = 0; passed < 8; passed += 1) await app.passUntold(5 * MINUTE_MS);

  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'PRO', status: 'active' });
  expect(await bob.caller.subscription.get()).toMatchObject({ plan: 'BETA', status: 'active' });
  await app.tell('checkout.session.completed', late);
  expect(await PaymentModel.countDocuments({ accountId: ada.user.id })).toBe(1);
});

test.each([1, -1])(
  'with a clock that is off by %i day a payment is found, and its plan is a month of Stripe’s',
  async (days) => {
    await using app = await createStripeApp({ aheadMs: days * DAY_MS });
    const ada = await app.person();
    const session = await payUntold(app, ada, 'PRO');
    const notice = app.signed('checkout.session.completed', session);
    // Here it is a day old; one of tomorrow is taken.
    if (days < 0)
      expect(await refusalOf(takePaymentNotice(app.providers, notice))).toMatchObject({ code: 'bad_request' });

    await app.passUntold(6 * MINUTE_MS);

    const { endsAt, ...subscription } = await ada.caller.subscription.get();
    expect(subscription).toMatchObject({ plan: 'PRO', status: 'active' });
    const [{ id = '', end = 0 } = {}] = app.state.subscriptions.values();
    expect(endsAt.getTime()).toBe(end * 1000);
    app.clock.advance(endsAt.getTime() - app.clock.now().getTime() - days * DAY_MS + HOUR_MS);
    renew(app.state, id);
    await app.passUntold(DAY_MS + HOUR_MS);
    expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'PRO', status: 'active' });
    const { items } = await ada.caller.payments.list();
    expect(items.map(({ isRenewal }) => isRenewal)).toEqual([true, false]);
    expect(app.state.charges.size).toBe(2);
  },
);

test('months of which nobody was told are found together, in their order', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { payment } = await buy(app, ada, 'BASIC');
  const [{ id = '' } = {}] = app.state.subscriptions.values();
  app.clock.advance((payment.period?.endsAt.getTime() ?? 0) - app.clock.now().getTime() + 40 * DAY_MS);
  renew(app.state, id);
  renew(app.state, id);

  await app.passUntold(HOUR_MS);

  const { items } = await ada.caller.payments.list();
  expect(items.map(({ isRenewal }) => isRenewal)).toEqual([true, true, false]);
  const { endsAt, status } = await ada.caller.subscription.get();
  expect(status).toBe('active');
  const end = get(app.state.subscriptions, id).end * 1000;
  expect(Math.abs(endsAt.getTime() - end)).toBeLessThan(DAY_MS);
});

test('money that was given back while nobody listened ends the plan within a day', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const session = await payUntold(app, ada, 'BETA');
  await app.tell('checkout.session.completed', session);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'BETA' });
  refund(app.state, session.payment_intent ?? '');

  await app.passUntold(DAY_MS + HOUR_MS);

  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
});

test('an account with which nothing can happen any more is left alone', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await ada.caller.payments.checkout({ plan: 'PRO' });
  const { state } = app.stripe;
  for (const session of state.sessions.values()) session.status = 'expired';
  await app.passUntold(DAY_MS);
  await app.passUntold(DAY_MS);
  const before = app.stripe.requests.length;

  await app.passUntold(DAY_MS);

  expect(app.stripe.requests.length).toBe(before);
  expect(await PaymentModel.findOne({ accountId: ada.user.id })).toMatchObject({ state: 'expired' });
});
