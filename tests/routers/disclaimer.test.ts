import { expect, test } from 'vitest';
import { DISCLAIMER_VERSION } from '../../routers/schemas/disclaimer.ts';
import { DisclaimerAcceptanceModel } from '../../server/database/models/account/disclaimer-acceptance.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { createJar, createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

const NOT_ACCEPTED = { version: DISCLAIMER_VERSION, accepted: false, acceptedAt: null };

test('signed out, acceptance is stored with time and version under a random id in a cookie', async () => {
  await using app = await createTestApp();
  const jar = createJar();
  const { disclaimer } = app.anonymous(jar);
  expect(await disclaimer.status()).toEqual(NOT_ACCEPTED);

  const accepted = await disclaimer.accept();

  expect(accepted).toEqual({ version: DISCLAIMER_VERSION, accepted: true, acceptedAt: expect.any(Date) });
  const id = jar.cookies.get('disclaimer') ?? '';
  expect(id).toMatch(/^[0-9a-z]{20}$/);
  expect(await DisclaimerAcceptanceModel.findById(id).lean()).toMatchObject({
    version: DISCLAIMER_VERSION,
    acceptedAt: accepted.acceptedAt,
    accountId: null,
  });
  expect(await disclaimer.status()).toEqual(accepted);
  expect(await disclaimer.accept()).toEqual(accepted);
});

test('an address accepts so often in an hour signed out; who is signed in always can', async () => {
  await using app = await createTestApp({ limits: { acceptancesPerHour: 1, isAddressCounted: true } });
  await app.anonymous(createJar()).disclaimer.accept();
  expect(await refusalOf(app.anonymous(createJar()).disclaimer.accept())).toMatchObject({
    code: 'rate_limited',
    message: expect.stringMatching(
      /^The disclaimer can be accepted 1 time an hour from one IP address\. .* Try again in /,
    ),
  });
  expect(await (await app.person()).caller.disclaimer.accept()).toMatchObject({ accepted: true });
});

test('registration joins it to the account', async () => {
  await using app = await createTestApp();
  const jar = createJar();
  const { acceptedAt } = await app.anonymous(jar).disclaimer.accept();

  const user = await app
    .anonymous(jar)
    .auth.register({ username: 'joined by registration', email: 'joined@example.com', password: 'Correct horse 1' });

  expect(user.disclaimerAccepted).toBe(true);
  expect(await (await app.callerFor(user.accessToken)).disclaimer.status()).toMatchObject({
    accepted: true,
    acceptedAt,
  });
});

test('login joins it to an account that had not accepted, and only to the first one on that browser', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const jar = createJar();
  await app.anonymous(jar).disclaimer.accept();
  const signIn = ({ user, password }: typeof ada) =>
    app.anonymous(jar).auth.login({ username: user.username, password });

  expect((await signIn(ada)).disclaimerAccepted).toBe(true);
  expect((await signIn(bob)).disclaimerAccepted).toBe(false);
});

test('signed in, it is recorded on the account and keeps its first time', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  expect(await ada.caller.disclaimer.status()).toEqual(NOT_ACCEPTED);

  const first = await ada.caller.disclaimer.accept();
  app.clock.advance(60_000);
  const second = await ada.caller.disclaimer.accept();

  expect(first.accepted).toBe(true);
  expect(second).toEqual(first);
  expect(await ada.caller.user.get()).toMatchObject({ disclaimerAccepted: true });
});

test('acceptance of an older version counts for nothing', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const older = { version: DISCLAIMER_VERSION - 1, acceptedAt: new Date() };
  await UserModel.updateOne({ _id: ada.user.id }, { $set: { disclaimer: older } });
  const jar = createJar();
  await DisclaimerAcceptanceModel.create({ _id: 'a'.repeat(20), ...older });
  jar.write('disclaimer', 'a'.repeat(20));

  expect(await ada.caller.disclaimer.status()).toEqual(NOT_ACCEPTED);
  expect(await ada.caller.user.get()).toMatchObject({ disclaimerAccepted: false });
  expect(await app.anonymous(jar).disclaimer.status()).toEqual(NOT_ACCEPTED);
});

test('a cookie that nobody gave out is nothing', async () => {
  await using app = await createTestApp();
  for (const value of ['b'.repeat(20), '', '{"$ne":null}']) {
    const jar = createJar();
    jar.write('disclaimer', value);
    expect(await app.anonymous(jar).disclaimer.status()).toEqual(NOT_ACCEPTED);
  }
});
