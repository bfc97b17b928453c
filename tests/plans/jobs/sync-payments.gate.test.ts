import { expect, test } from 'vitest';
import { UserModel } from '../../../server/database/models/account/user.ts';
import { EventModel } from '../../../server/database/models/event.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { PaymentModel } from '../../../server/database/models/plans/payment.ts';
import { DAY_MS, HOUR_MS } from '../../../server/lib/durations.ts';
import { makeLicenses } from '../../../server/plans/licenses/operate.ts';
import { takePaymentNotice } from '../../../server/plans/payments/customer.ts';
import { dispute, failRefund, get, refund, renew } from '../../support/standins/stripe/state.ts';
import { buy, createStripeApp, payUntold } from '../../support/stripe-app.ts';

test('while Stripe does not answer the job comes back, and takes the money in once it does', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const session = await payUntold(app, ada, 'BASIC');
  app.stripe.fail('look', { how: 'status', status: 503 });

  await app.tell('checkout.session.completed', session);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  await JobModel.updateMany({ status: 'queued' }, { $set: { runAt: new Date(0) } }).setOptions({
    acrossAccounts: 'jobs',
  });
  await app.jobs.drain();

  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'BASIC' });
});

test('notices that come together ask for one look more, and not for one each', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const session = await payUntold(app, ada, 'BASIC');
  for (const type of ['checkout.session.completed', 'invoice.paid', 'customer.subscription.created']) {
    await takePaymentNotice(app.providers, app.signed(type, { customer: session.customer }));
  }
  expect(await JobModel.countDocuments({ accountId: ada.user.id, name: 'sync-payments', status: 'queued' })).toBe(1);
  await app.jobs.drain();
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'BASIC' });
});

test('of a dispute the operator is told once, one that is won changes nothing, and one that is lost ends the plan', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { session } = await buy(app, ada, 'PRO');
  const intent = get(app.state.invoices, session.invoice ?? '').intent ?? '';
  const told = () => app.outbox.filter(({ kind }) => kind === 'payment-disputed');

  await app.tell('charge.dispute.created', dispute(app.state, intent, 'needs_response'));
  await app.tell('charge.dispute.updated', dispute(app.state, intent, 'needs_response'));
  expect(told()).toMatchObject([{ to: 'operator@localhost', text: expect.stringContaining(intent) }]);
  await app.tell('charge.dispute.closed', dispute(app.state, intent, 'won'));
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'PRO' });
  await app.tell('charge.dispute.closed', dispute(app.state, intent, 'lost'));

  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  expect((await ada.caller.payments.list()).items).toMatchObject([{ state: 'refunded' }]);
  expect([...app.state.subscriptions.values()]).toMatchObject([{ status: 'canceled' }]);
  expect(told()).toHaveLength(1);
});

test('a refund that fails is none on the receipt, and the operator is told once', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { session } = await buy(app, ada, 'BETA');
  const intent = session.payment_intent ?? '';
  await app.tell('charge.refunded', refund(app.state, intent));
  expect((await ada.caller.payments.list()).items).toMatchObject([{ state: 'refunded', refundedCents: 1000 }]);

  await app.tell('refund.failed', { ...failRefund(app.state, intent), object: 'charge' });
  await app.tell('charge.refund.updated', { ...failRefund(app.state, intent), object: 'charge' });

  expect((await ada.caller.payments.list()).items).toMatchObject([{ state: 'paid', refundedCents: 0 }]);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  const told = app.outbox.filter(({ kind }) => kind === 'refund-failed');
  expect(told).toMatchObject([{ to: 'operator@localhost', text: expect.stringContaining(intent) }]);
});

test('what a key gave behind money that is given back begins at once, and the receipt of what was replaced is told', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { session } = await buy(app, ada, 'BASIC');
  const intentOf = ({ invoice }: typeof session) => get(app.state.invoices, invoice ?? '').intent ?? '';
  const keyFor = (plan: 'BASIC' | 'PRO') =>
    makeLicenses({ plan, months: 2, count: 1, redeemBy: null, note: '' }, app.providers.now());
  const [key = ''] = await keyFor('BASIC');
  const before = await ada.caller.licenses.redeem({ key });

  await app.tell('charge.refunded', refund(app.state, intentOf(session)));

  const [license] = (await ada.caller.licenses.list()).items;
  expect(license).toMatchObject({ status: 'running', endsAt: (await ada.caller.subscription.get()).endsAt });
  const lengthOf = ({ startsAt, endsAt }: typeof before) => endsAt.getTime() - startsAt.getTime();
  expect(license && lengthOf(license)).toBe(lengthOf(before));

  const again = await buy(app, ada, 'BASIC');
  const [larger = ''] = await keyFor('PRO');
  await ada.caller.licenses.redeem({ key: larger });
  await app.jobs.drain();
  const updates = () => EventModel.countDocuments({ accountId: ada.user.id, type: 'subscription_update' });
  const count = await updates();
  await app.tell('charge.refunded', refund(app.state, intentOf(again.session)));
  expect(await updates()).toBe(count + 1);
});

test('all that was ever paid is read, however many pages it takes', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await payUntold(app, ada, 'BASIC');
  const [{ id = '', customer = '' } = {}] = app.state.subscriptions.values();
  for (let month = 0; month < 230; month += 1) renew(app.state, id);

  const facts = await app.providers.payments.hosted?.readCustomer(customer, []);

  expect(facts?.paid).toHaveLength(231);
  expect(facts?.charges).toHaveLength(231);
});

test('a renewal that fails is told by mail, once', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await UserModel.updateOne({ _id: ada.user.id }, { $set: { emailConfirmedAt: new Date() } });
  const { payment } = await buy(app, ada, 'PRO');
  const [{ id = '' } = {}] = app.state.subscriptions.values();
  app.clock.advance((payment.period?.endsAt.getTime() ?? 0) - app.clock.now().getTime() + HOUR_MS);
  const failed = renew(app.state, id, { fails: true });
  await app.tell('invoice.payment_failed', failed);
  app.clock.advance(DAY_MS);
  await app.tell('invoice.payment_failed', failed);

  const mails = app.outbox.filter(({ kind }) => kind === 'payment-failed');
  expect(mails).toMatchObject([{ subject: 'The payment for your Pro plan failed', to: ada.user.email }]);
});

test('a trial that begins after a renewal failed is a trial, and ends what would be charged for', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { payment } = await buy(app, ada, 'BASIC');
  const [{ id = '' } = {}] = app.state.subscriptions.values();
  app.clock.advance((payment.period?.endsAt.getTime() ?? 0) - app.clock.now().getTime() + HOUR_MS);
  await app.tell('invoice.payment_failed', renew(app.state, id, { fails: true }));
  app.clock.advance(8 * DAY_MS);

  await ada.caller.subscription.startTrial();
  await app.jobs.drain();

  expect(get(app.state.subscriptions, id).status).toBe('canceled');
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'PRO', status: 'trialing', renews: false });
});

test('once the grace of a renewal that failed is over a plan is bought anew, and the subscription before ends', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  const { payment } = await buy(app, ada, 'STANDARD');
  const [{ id = '' } = {}] = app.state.subscriptions.values();
  app.clock.advance((payment.period?.endsAt.getTime() ?? 0) - app.clock.now().getTime() + HOUR_MS);
  await app.tell('invoice.payment_failed', renew(app.state, id, { fails: true }));
  app.clock.advance(8 * DAY_MS);

  await buy(app, ada, 'BASIC');

  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'BASIC', status: 'active', renews: true });
  expect([...app.state.subscriptions.values()]).toMatchObject([{ status: 'canceled' }, { status: 'active' }]);
});

test('an account that is deleted is charged no more', async () => {
  await using app = await createStripeApp();
  const ada = await app.person();
  await buy(app, ada, 'BASIC');
  const { url } = await ada.caller.payments.checkout({ plan: 'BETA' });
  const { username } = ada.user;
  await ada.caller.account.delete({ username, currentPassword: ada.password });
  await app.jobs.drain();
  expect([...app.state.subscriptions.values()]).toMatchObject([{ status: 'canceled' }]);
  expect(get(app.state.sessions, app.pageOf(url)).status, 'a page that was left open').toBe('expired');
  expect(await PaymentModel.countDocuments({ accountId: ada.user.id })).toBe(0);
});
