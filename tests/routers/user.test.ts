import { expect, test } from 'vitest';
import { UserModel } from '../../server/database/models/account/user.ts';
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
    pendingEmail: null,
    disclaimerAccepted: false,
    deploymentCount: 0,
    isBetaTester: false,
    createdAt: expect.any(Date),
  });
});

test('the number of deployments follows what is created and deleted', async () => {
  await using app = await createTestApp();
  const { caller } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({ name: 'Counted', platform: 'built-in' });
  expect((await caller.user.get()).deploymentCount).toBe(1);
  await caller.deployments.remove({ deploymentId });
  await app.jobs.drain();
  expect((await caller.user.get()).deploymentCount).toBe(0);
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

test('a session whose account is gone is nobody', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await UserModel.deleteOne({ _id: ada.user.id });

  expect(await refusalOf(ada.caller.user.get())).toMatchObject({ code: 'unauthenticated' });
});

test('the name can be changed and signs in from then on; a taken one is refused on its field', async () => {
  await using app = await createTestApp();
  const [ada, eve] = [await app.person(), await app.person()];

  expect(await ada.caller.user.update({ username: 'Ada   Byron' })).toMatchObject({ username: 'Ada Byron' });

  const { auth } = app.anonymous();
  expect((await auth.login({ username: 'ada byron', password: ada.password })).id).toBe(ada.user.id);
  expect(await refusalOf(eve.caller.user.update({ username: 'ADA BYRON' }))).toMatchObject({
    code: 'username_taken',
    field: 'username',
  });
  expect(await refusalOf(eve.caller.user.update({ username: 'a' }))).toMatchObject({
    fieldErrors: { username: 'Username must be at least 3 characters' },
  });
  // One's own name in other letters is no other name.
  expect(await ada.caller.user.update({ username: 'ADA BYRON' })).toMatchObject({ username: 'ADA BYRON' });
});

test('mail about failed releases is wanted until it is switched off', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  expect(await ada.caller.user.notifications()).toEqual({ releaseFailed: true, releaseLive: false });

  const wanted = { releaseFailed: false, releaseLive: true };
  expect(await ada.caller.user.updateNotifications(wanted)).toEqual(wanted);
  expect(await ada.caller.user.notifications()).toEqual(wanted);
});
