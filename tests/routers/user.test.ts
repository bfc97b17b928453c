import { expect, test } from 'vitest';
import { UserModel } from '../../server/models/user.ts';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

test('the signed-in person is told who they are, without password or token', async () => {
  await using app = await createTestApp();
  const ada = await app.person({ username: 'Ada Lovelace', email: 'Ada@example.com' });

  const user = await ada.caller.user.get();

  expect(user).toEqual({
    id: ada.user.id,
    username: 'Ada Lovelace',
    email: 'Ada@example.com',
    emailConfirmed: false,
    disclaimerAccepted: false,
    deploymentCount: 0,
    isBetaTester: false,
    createdAt: expect.any(Date),
  });
});

test('nobody is signed in without a token, with an unknown one, or with one that is over', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const unknown = await app.callerFor(`fla_${'x'.repeat(43)}`);
  app.clock.advance(app.providers.limits.accessTokenSeconds * 1_000);
  const late = await app.callerFor(ada.accessToken);

  for (const caller of [app.anonymous(), unknown, late]) {
    expect(await refusalOf(caller.user.get())).toMatchObject({ code: 'unauthenticated', status: 401 });
  }
});

test('an unknown field is refused by its name', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const stray: unknown = { accountId: ada.user.id };

  // @ts-expect-error the procedure takes no input
  expect(await refusalOf(ada.caller.user.get(stray))).toMatchObject({ code: 'validation_failed', field: 'accountId' });
});

test('a session whose account is gone is nobody', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await UserModel.deleteOne({ _id: ada.user.id });

  expect(await refusalOf(ada.caller.user.get())).toMatchObject({ code: 'unauthenticated' });
});
