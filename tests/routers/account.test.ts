import { expect, test } from 'vitest';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

test('its name and address are free at once, and its trial stays used', async () => {
  await using app = await createTestApp();
  const ada = await app.trialPerson();
  const { username, email } = ada.user;
  await ada.caller.account.delete({ username, currentPassword: ada.password });

  const again = await app.person({ username, email });

  expect(await again.caller.subscription.allowance()).toMatchObject({ isTrialAvailable: false });
  expect(await refusalOf(again.caller.subscription.startTrial())).toMatchObject({ code: 'trial_used' });
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
