import { expect, test } from 'vitest';
import { PaymentModel } from '../../../server/database/models/plans/payment.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { settleTestPayment } from '../../../server/plans/payments/index.ts';
import { createTestApp, type Person } from '../../support/app.ts';
import { makeDue } from '../../support/make-due.ts';

async function payLater(person: Person): Promise<string> {
  const { url } = await person.caller.payments.checkout({ plan: 'BASIC' });
  const paymentId = url.slice(-20);
  await person.caller.payments.answerTest({ paymentId, answer: 'later' });
  return paymentId;
}

test('the money does not arrive before its minute is over', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await payLater(ada);
  await app.jobs.drain();
  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ state: 'pending', isProcessing: true });
});

test('money of the test checkout does not arrive any more once a service takes it, and keeps nobody from paying there', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await payLater(ada);
  app.providers.payments = { isTest: false, openCheckout: async () => ({ url: 'https://pay.example' }) };

  await makeDue();
  await app.jobs.drain();

  expect(await ada.caller.payments.get({ paymentId })).toMatchObject({ state: 'failed' });
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  expect(await ada.caller.payments.checkout({ plan: 'BASIC' })).toEqual({ url: 'https://pay.example' });
});

test('a job that runs twice lets the money arrive once', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const paymentId = await payLater(ada);
  const ctx = app.context({ kind: 'job', name: 'settle-test-payment', accountId: ada.user.id });
  if (ctx.actor.kind === 'anonymous') throw new Error('A job has an account.');
  const account = { ...ctx, actor: ctx.actor };

  await transaction((session) => settleTestPayment(session, account, paymentId));
  const once = await ada.caller.subscription.get();
  await makeDue();
  await app.jobs.drain();

  expect(await ada.caller.subscription.get()).toEqual(once);
  expect(await PaymentModel.countDocuments({ accountId: ada.user.id, state: 'paid' })).toBe(1);
});
