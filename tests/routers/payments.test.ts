import { expect, test } from 'vitest';
import { JobModel } from '../../server/database/models/job.ts';
import { PaymentModel } from '../../server/database/models/plans/payment.ts';
import { PaymentEventModel } from '../../server/database/models/plans/payment-event.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { transaction } from '../../server/database/mongo.ts';
import { addMonths, DAY_MS } from '../../server/lib/durations.ts';
import { applyPaymentEvent } from '../../server/plans/payments/apply-event.ts';
import type { PaymentService } from '../../server/plans/payments/payments.ts';
import { createTestApp, type Person } from '../support/app.ts';
import { makeDue } from '../support/make-due.ts';
import { grantLicense } from '../support/plans.ts';
import { refusalOf } from '../support/refusal.ts';
import { retryUntilAvailable } from '../support/retry-until-available.ts';
import { IS_FULL } from '../support/size.ts';

type Bought = Parameters<Person['caller']['payments']['checkout']>[0]['plan'];

/** Returns the id of the payment whose page the checkout leads to. */
async function checkoutOf(person: Person, plan: Bought): Promise<string> {
  const { url } = await person.caller.payments.checkout({ plan });
  expect(url).toMatch(/^http:\/\/localhost:3000\/checkout\/test\/[0-9a-z]{20}$/);
  return url.slice(-20);
}

async function buy(person: Person, plan: Bought) {
  return person.caller.payments.answerTest({ paymentId: await checkoutOf(person, plan), answer: 'pay' });
}

test.each([
  ['BASIC', 500, 1, 1],
  ['STANDARD', 1200, 1, 3],
  ['PRO', 2900, 1, null],
  ['BETA', 1000, 6, null],
] as const)('%s is paid with %i cents for %i months, and starts at once', async (plan, amountCents, months, cap) => {
  await using app = await createTestApp();
  const ada = await app.person();

  const payment = await buy(ada, plan);

  expect(payment).toMatchObject({ plan, amountCents, creditCents: 0, state: 'paid', isTest: true });
  const { period } = payment;
  expect(period?.endsAt).toEqual(addMonths(period?.startsAt ?? new Date(0), months));
  expect(await ada.caller.subscription.get()).toMatchObject({ plan, status: 'active', endsAt: period?.endsAt });
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan, deploymentLimit: cap });
  expect(await ada.caller.user.get()).toMatchObject({ isBetaTester: plan === 'BETA' });
  expect(await ada.caller.payments.list()).toEqual({ items: [payment], hasPortal: false });
});

test('the badge of Beta ends with it, to the day', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await buy(ada, 'BETA');
  app.clock.advance(180 * DAY_MS);
  expect(await ada.caller.user.get()).toMatchObject({ isBetaTester: true });
  app.clock.advance(5 * DAY_MS);
  expect(await ada.caller.user.get()).toMatchObject({ isBetaTester: false });
  expect(await ada.caller.subscription.get()).toMatchObject({ status: 'expired', plan: 'BETA' });
});

/** Another payment service, which takes money: its checkout is at an address of its own. */
const REAL: PaymentService = {
  isTest: false,
  openCheckout: async ({ paymentId }) => ({ url: `https://pay.example/${paymentId}` }),
};

test('what was paid in the test checkout is no credit for money, and what was paid with money is', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await buy(ada, 'BASIC');
  app.providers.payments = REAL;

  const { url } = await ada.caller.payments.checkout({ plan: 'PRO' });
  const paymentId = url.slice(-20);
  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ amountCents: 2900, creditCents: 0 });

  await PaymentModel.updateOne({ accountId: ada.user.id, state: 'paid' }, { $set: { isTest: false } });
  const { url: credited } = await ada.caller.payments.checkout({ plan: 'PRO' });
  const payment = await ada.caller.payments.get({ paymentId: credited.slice(-20) });
  expect(payment.creditCents).toBeGreaterThan(450);
});

test('an open test checkout is not handed to a service that takes money, and is answered by nobody else', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const tested = await checkoutOf(ada, 'BASIC');
  const { payments } = app.providers;
  app.providers.payments = REAL;

  const paymentId = (await ada.caller.payments.checkout({ plan: 'BASIC' })).url.slice(-20);

  expect(paymentId).not.toBe(tested);
  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ isTest: false, state: 'pending' });
  expect(await ada.caller.payments.get({ paymentId: tested })).toMatchObject({ isTest: true, state: 'expired' });
  app.providers.payments = payments;
  const answered = ada.caller.payments.answerTest({ paymentId, answer: 'pay' });
  expect(await refusalOf(answered)).toMatchObject({ code: 'not_found' });
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
});

const AT_ONCE = IS_FULL ? 20 : 8;

test(`paying ${AT_ONCE} times at once is paying once`, async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await checkoutOf(ada, 'BASIC');

  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () =>
      retryUntilAvailable(() => ada.caller.payments.answerTest({ paymentId, answer: 'pay' })),
    ),
  );

  expect(new Set(answers.map(({ period }) => period?.endsAt.getTime())).size).toBe(1);
  expect(await PaymentEventModel.countDocuments({ accountId: ada.user.id })).toBe(1);
  expect(await ada.caller.subscription.get()).toMatchObject({ endsAt: answers[0]?.period?.endsAt });
});

test('an event that is told again, or too late, changes nothing', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { id: paymentId } = await buy(ada, 'BASIC');
  const before = await ada.caller.subscription.get();
  const tell = (id: string, type: 'paid' | 'failed' | 'processing') =>
    transaction((session) =>
      applyPaymentEvent(session, { id, paymentId, accountId: ada.user.id, type }, app.providers.now()),
    );

  await tell(`test ${paymentId} pay`, 'paid');
  await tell('another', 'paid');
  await tell('late', 'failed');
  await tell('later still', 'processing');

  expect(await ada.caller.subscription.get()).toEqual(before);
  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ state: 'paid', isProcessing: false });
});

test('two clicks lead to one checkout, another plan to its own, and the one before is over', async () => {
  await using app = await createTestApp();
  const ada = await app.person();

  const ids = await Promise.all(Array.from({ length: 5 }, () => retryUntilAvailable(() => checkoutOf(ada, 'BASIC'))));
  expect(new Set(ids).size).toBe(1);
  const [first = ''] = ids;
  const other = await checkoutOf(ada, 'STANDARD');

  expect(other).not.toBe(first);
  expect(await ada.caller.payments.get({ paymentId: first })).toMatchObject({ state: 'expired' });
  expect(await refusalOf(ada.caller.payments.answerTest({ paymentId: first, answer: 'pay' }))).toMatchObject({
    code: 'conflict',
    message: 'This checkout has ended. Nothing was charged.',
  });
  expect(await refusalOf(ada.caller.subscription.get())).toMatchObject({ code: 'not_found' });
});

test('a declined payment charges nothing, and the plan can be chosen again', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await checkoutOf(ada, 'PRO');

  expect(await ada.caller.payments.answerTest({ paymentId, answer: 'decline' })).toMatchObject({ state: 'failed' });

  expect(await refusalOf(ada.caller.subscription.get())).toMatchObject({ code: 'not_found' });
  expect(await ada.caller.payments.list()).toEqual({ items: [], hasPortal: false });
  expect(await buy(ada, 'PRO')).toMatchObject({ state: 'paid' });
});

test('a checkout ends after a day', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await checkoutOf(ada, 'PRO');
  app.clock.advance(DAY_MS);

  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ state: 'expired' });
  expect(await refusalOf(ada.caller.payments.answerTest({ paymentId, answer: 'pay' }))).toMatchObject({
    code: 'conflict',
    message: 'This checkout has ended. Nothing was charged.',
  });
  expect(await checkoutOf(ada, 'PRO')).not.toBe(paymentId);
});

test('what is paid later is pending until the money is there, and nothing else is sold meanwhile', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await checkoutOf(ada, 'STANDARD');

  const answered = await ada.caller.payments.answerTest({ paymentId, answer: 'later' });
  expect(answered).toMatchObject({ state: 'pending', isProcessing: true });
  expect(await ada.caller.payments.answerTest({ paymentId, answer: 'decline' })).toEqual(answered);
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'PRO' }))).toMatchObject({
    code: 'conflict',
    message: 'Your payment for Standard is on its way.',
  });
  const comingPayment = { id: paymentId, plan: 'STANDARD' };
  expect(await ada.caller.subscription.allowance()).toMatchObject({ comingPayment, isTrialAvailable: false });
  await makeDue();
  await app.jobs.drain();

  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ state: 'paid', isProcessing: false });
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'STANDARD', status: 'active' });
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'STANDARD', comingPayment: null });
});

test('what is paid later and cannot be granted then has failed, and another plan can be bought', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await checkoutOf(ada, 'BASIC');
  await ada.caller.payments.answerTest({ paymentId, answer: 'later' });
  await grantLicense(app, ada, 'STANDARD');
  await makeDue();
  await app.jobs.drain();

  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ state: 'failed', isProcessing: false });
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'STANDARD', status: 'active' });
  expect(await buy(ada, 'PRO')).toMatchObject({ state: 'paid' });
});

test('what is paid later of an account that was deleted comes to nothing', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await checkoutOf(ada, 'BASIC');
  await ada.caller.payments.answerTest({ paymentId, answer: 'later' });
  await PaymentModel.deleteOne({ _id: paymentId, accountId: ada.user.id });
  await makeDue();
  await app.jobs.drain();
  expect(await JobModel.find({ accountId: ada.user.id, status: { $ne: 'done' } })).toEqual([]);
});

test('a plan that a license has replaced is credited to no upgrade', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await buy(ada, 'BASIC');
  await grantLicense(app, ada, 'STANDARD');
  expect(await PaymentModel.findOne({ accountId: ada.user.id, plan: 'BASIC' })).toMatchObject({
    replacedAt: expect.any(Date),
  });
});

test('an upgrade starts at once and is credited what is left of the lower plan', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { period } = await buy(ada, 'BASIC');
  const halfMs = ((period?.endsAt.getTime() ?? 0) - (period?.startsAt.getTime() ?? 0)) / 2;
  app.clock.advance(halfMs);

  const paymentId = await checkoutOf(ada, 'STANDARD');
  const open = await ada.caller.payments.get({ paymentId });
  // Half of five dollars, but for the moments that the test takes.
  expect(open.creditCents).toBeGreaterThan(248);
  expect(open.creditCents).toBeLessThanOrEqual(250);
  expect(open.amountCents).toBe(1200 - open.creditCents);
  await ada.caller.payments.answerTest({ paymentId, answer: 'pay' });

  const subscription = await ada.caller.subscription.get();
  expect(subscription).toMatchObject({ plan: 'STANDARD', status: 'active' });
  expect(subscription.endsAt).toEqual(addMonths(subscription.startedAt, 1));
});

test('what was left of a plan is credited to one upgrade alone', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  for (let months = 0; months < 6; months += 1) await buy(ada, 'BASIC');
  expect(await buy(ada, 'PRO')).toMatchObject({ amountCents: 0, creditCents: 2900, extraDays: 2 });
  app.clock.advance(34 * DAY_MS);
  await buy(ada, 'BASIC');
  const next = await ada.caller.payments.get({ paymentId: await checkoutOf(ada, 'PRO') });
  expect(next).toMatchObject({ amountCents: 2400, creditCents: 500 });
});

test('a plan is paid for two years ahead and not more, and checkouts are counted', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { period } = await buy(ada, 'BASIC');
  const endsAt = addMonths(period?.startsAt ?? new Date(0), 24);
  await SubscriptionModel.updateOne({ accountId: ada.user.id }, { $set: { endsAt } });
  await buy(ada, 'BASIC');
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'BASIC' }))).toMatchObject({
    code: 'conflict',
    message: 'Basic is already paid up more than 24 months ahead.',
  });
  app.providers.limits.checkoutsPerHour = 3;
  expect(await refusalOf(ada.caller.payments.checkout({ plan: 'PRO' }))).toMatchObject({ code: 'rate_limited' });
});

test('the same plan goes on from its end, at its whole price', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const first = await buy(ada, 'PRO');
  const second = await buy(ada, 'PRO');
  expect(second).toMatchObject({ amountCents: 2900, creditCents: 0, period: { startsAt: first.period?.endsAt } });
});

test.each([
  ['PRO', 'BASIC', 'Your Pro plan includes all of Basic'],
  ['PRO', 'BETA', 'Your Pro plan allows the same as Beta'],
  ['BETA', 'BETA', 'You already have Beta.'],
] as const)('while %s runs, %s cannot be bought', async (running, plan, message) => {
  await using app = await createTestApp();
  const ada = await app.person();
  await buy(ada, running);
  expect(await refusalOf(ada.caller.payments.checkout({ plan }))).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(message),
  });
});

test('a plan that runs since the checkout was opened is not paid down, and the payment stays open', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await checkoutOf(ada, 'BASIC');
  await grantLicense(app, ada, 'PRO');

  expect(await refusalOf(ada.caller.payments.answerTest({ paymentId, answer: 'pay' }))).toMatchObject({
    code: 'conflict',
  });
  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ state: 'pending', paidAt: null });
  expect(await PaymentEventModel.countDocuments({ accountId: ada.user.id })).toBe(0);
});

test('a payment is its own account’s, and so is every event of it', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const paymentId = await checkoutOf(ada, 'PRO');
  for (const call of [
    () => bob.caller.payments.get({ paymentId }),
    () => bob.caller.payments.answerTest({ paymentId, answer: 'pay' }),
    () => ada.caller.payments.get({ paymentId: '0'.repeat(20) }),
  ]) {
    expect(await refusalOf(call())).toMatchObject({ code: 'not_found' });
  }
  const event = { id: 'foreign', paymentId, accountId: bob.user.id, type: 'paid' as const };
  const told = transaction((session) => applyPaymentEvent(session, event, app.providers.now()));
  await expect(told).rejects.toMatchObject({ code: 'not_found' });
  expect(await PaymentModel.findOne({ _id: paymentId, accountId: ada.user.id })).toMatchObject({ state: 'pending' });
});

test('where somebody else takes the money there is no test checkout', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await checkoutOf(ada, 'PRO');
  app.providers.payments = { isTest: false, openCheckout: async () => ({ url: 'https://pay.example' }) };

  const refusal = await refusalOf(ada.caller.payments.answerTest({ paymentId, answer: 'pay' }));

  expect(refusal).toMatchObject({ code: 'not_found' });
  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ state: 'pending' });
});

test('what prepaid months are worth beyond the price of an upgrade makes it longer, and is credited once more later', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  for (let months = 0; months < 12; months += 1) await buy(ada, 'BASIC');

  const standard = await buy(ada, 'STANDARD');

  // Sixty dollars: twelve for the month, and forty-eight for four more.
  expect(standard).toMatchObject({ amountCents: 0, creditCents: 1200, extraDays: 124 });
  const startsAt = standard.period?.startsAt ?? new Date(0);
  const endsAt = new Date(addMonths(startsAt, 1).getTime() + 124 * DAY_MS);
  expect(standard.period?.endsAt).toEqual(endsAt);
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'STANDARD', endsAt });
  expect(await buy(ada, 'PRO')).toMatchObject({ amountCents: 0, creditCents: 2900, extraDays: 34 });
});

test('months of a license are no money, and make an upgrade longer all the same', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await buy(ada, 'STANDARD');
  const license = await grantLicense(app, ada, 'STANDARD', 12);
  const licensedMs = license.endsAt.getTime() - license.startsAt.getTime();

  const pro = await buy(ada, 'PRO');

  expect(pro).toMatchObject({ extraDays: 0 });
  expect(pro.creditCents).toBeLessThanOrEqual(1200);
  const endsAt = pro.period?.endsAt ?? new Date(0);
  const { endsAt: until } = await ada.caller.subscription.get();
  expect(until.getTime() - endsAt.getTime()).toBe(Math.ceil((licensedMs * 1200) / 2900));
});

test.each([
  ['a plan that is cancelled while money is on its way stays cancelled when it arrives', false],
  ['an upgrade that is paid later goes on although the smaller plan was cancelled before', true],
] as const)('%s', async (_what, isBefore) => {
  await using app = await createTestApp();
  const ada = await app.person();
  await buy(ada, 'BASIC');
  if (isBefore) await ada.caller.subscription.cancel();
  app.clock.advance(1000);
  const paymentId = await checkoutOf(ada, 'STANDARD');
  await ada.caller.payments.answerTest({ paymentId, answer: 'later' });
  app.clock.advance(1000);
  if (!isBefore) await ada.caller.subscription.cancel();
  await makeDue();
  await app.jobs.drain();

  const cancelAtEnd = !isBefore;
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'STANDARD', status: 'active', cancelAtEnd });
});
