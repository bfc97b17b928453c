import { expect, test } from 'vitest';
import { PaymentModel } from '../../server/database/models/plans/payment.ts';
import { makeLicenses } from '../../server/plans/licenses/operate.ts';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

test('its browsers are told, its name and address are free at once, and its trial stays used', async () => {
  await using app = await createTestApp();
  const ada = await app.trialPerson();
  const { username, email } = ada.user;
  const cookie = ada.jar.cookies.get('refresh') ?? '';
  await ada.caller.account.delete({ username, currentPassword: ada.password });

  // Another browser of hers.
  ada.jar.write('refresh', cookie);
  expect(await refusalOf(app.anonymous(ada.jar).auth.refresh())).toMatchObject({ code: 'account_deleted' });
  expect(ada.jar.cookies.has('refresh')).toBe(false);

  const again = await app.newcomer({ username, email });

  expect(await again.caller.subscription.allowance()).toMatchObject({ isTrialAvailable: false });
  expect(await refusalOf(again.caller.subscription.startTrial())).toMatchObject({ code: 'trial_used' });
});

test('a call about the plan that comes while the account is being deleted is told so, and changes nothing', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { url } = await ada.caller.payments.checkout({ plan: 'PRO' });
  const paymentId = url.slice(-20);
  const [first = '', second = ''] = await makeLicenses(
    { plan: 'BASIC', months: 1, count: 2, redeemBy: null, note: '' },
    app.providers.now(),
  );
  const { id: licenseId } = await ada.caller.licenses.redeem({ key: first });
  const { id: deploymentId } = await ada.caller.deployments.create({ name: 'One', platform: 'built-in' });
  await ada.caller.account.delete({ username: ada.user.username, currentPassword: ada.password });
  // It was signed in when its call began.
  const late = app.callerOf(app.context({ kind: 'account', accountId: ada.user.id, sessionId: 'any' }));

  const calls = {
    allowance: () => late.subscription.allowance(),
    trial: () => late.subscription.startTrial(),
    cancel: () => late.subscription.cancel(),
    resume: () => late.subscription.resume(),
    change: () => late.subscription.change({ plan: 'BASIC' }),
    choose: () => late.subscription.chooseWritable({ deploymentIds: [deploymentId] }),
    checkout: () => late.payments.checkout({ plan: 'PRO' }),
    pay: () => late.payments.answerTest({ paymentId, answer: 'pay' }),
    decline: () => late.payments.answerTest({ paymentId, answer: 'decline' }),
    redeem: () => late.licenses.redeem({ key: second }),
    transfer: () => late.licenses.transfer({ licenseId }),
    revoke: () => late.licenses.revoke({ licenseId }),
    create: () => late.deployments.create({ name: 'Two', platform: 'built-in' }),
  };
  for (const [name, call] of Object.entries(calls)) {
    const { code, message } = await refusalOf(call());
    expect([name, code, message]).toEqual([
      name,
      'not_found',
      'This account is being deleted, so its plan can no longer change.',
    ]);
  }
  expect(await PaymentModel.find({ accountId: ada.user.id })).toMatchObject([{ state: 'pending' }]);
});

test('without the right name and the right password nothing happens', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { username } = ada.user;

  expect(
    await refusalOf(ada.caller.account.delete({ username: 'Somebody else', currentPassword: ada.password })),
  ).toMatchObject({ fieldErrors: { username: 'This is not your username' } });
  expect(await refusalOf(ada.caller.account.delete({ username, currentPassword: 'wrong one' }))).toMatchObject({
    fieldErrors: { currentPassword: 'The current password is not right' },
  });
  expect((await ada.caller.user.get()).username).toBe(username);
});
