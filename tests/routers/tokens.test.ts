import { expect, test } from 'vitest';
import { authenticate } from '../../server/account/auth/index.ts';
import { ApiTokenModel } from '../../server/database/models/account/api-token.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { newId } from '../../server/database/mongo.ts';
import { afterNextPasswordCheck } from '../support/after-password-check.ts';
import { createTestApp, type Person, tokenOf } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

const DAY_MS = 86_400_000;

test('an API token is shown once, works, and is kept as a hash', async () => {
  await using app = await createTestApp();
  const ada = await app.person();

  const { secret, ...token } = await tokenOf(ada, ['write', 'write'], ' CI ');

  expect(secret).toMatch(/^flt_[A-Za-z0-9_-]{49}$/);
  expect(token).toMatchObject({ name: 'CI', scopes: ['write'], prefix: secret.slice(0, 8), expiresAt: null });
  expect(await (await app.callerFor(secret)).user.get()).toMatchObject({ id: ada.user.id });
  const { items } = await ada.caller.tokens.list();
  expect(items).toEqual([{ ...token, lastUsedAt: expect.any(Date) }]);
  expect(JSON.stringify(await ApiTokenModel.find({ accountId: ada.user.id }))).not.toContain(secret.slice(8));
});

test('a revoked token and one past its end are nobody at once', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const revoked = await tokenOf(ada, ['read'], 'revoked');
  const dated = await ada.caller.tokens.create({
    name: 'dated',
    scopes: ['read'],
    expiresInDays: 2,
    currentPassword: ada.password,
  });

  await ada.caller.tokens.revoke({ tokenId: revoked.id });
  expect((await authenticate(app.providers, revoked.secret)).actor).toEqual({ kind: 'anonymous' });
  expect((await authenticate(app.providers, dated.secret)).actor).toMatchObject({ kind: 'token' });
  app.clock.advance(2 * DAY_MS);
  expect((await authenticate(app.providers, dated.secret)).actor).toEqual({ kind: 'anonymous' });
});

test('a token with a wrong checksum, and a good-looking one that nobody made, are nobody', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { secret } = await tokenOf(ada, ['read'], 'CI');
  const last = secret.endsWith('A') ? 'B' : 'A';

  for (const bearer of [`${secret.slice(0, -1)}${last}`, `flt_${'a'.repeat(49)}`, 'flt_', secret.toUpperCase()]) {
    expect((await authenticate(app.providers, bearer)).actor).toEqual({ kind: 'anonymous' });
  }
});

test('the last use is written at most once a minute', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { secret } = await tokenOf(ada, ['read'], 'CI');
  const lastUse = async () => (await ada.caller.tokens.list()).items[0]?.lastUsedAt?.getTime();

  await authenticate(app.providers, secret);
  const first = await lastUse();
  app.clock.advance(50_000);
  await authenticate(app.providers, secret);
  expect(await lastUse()).toBe(first);
  app.clock.advance(15_000);
  await authenticate(app.providers, secret);
  expect(await lastUse()).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY);
});

test('an account has a hundred tokens at most, also when many are made at once', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { id, accountId } = { id: 'a'.repeat(18), accountId: ada.user.id };
  await ApiTokenModel.insertMany(
    Array.from({ length: 98 }, (_, count) => ({
      _id: `${id}${String(count).padStart(2, '0')}`,
      accountId,
      name: 'old',
      hash: `hash ${count}`,
      prefix: 'flt_aaaa',
      scopes: ['read'],
    })),
  );

  const made = await Promise.allSettled(
    Array.from({ length: 5 }, (_, count) => tokenOf(ada, ['read'], `new ${count}`)),
  );

  expect(await ApiTokenModel.countDocuments({ accountId })).toBe(100);
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  for (const outcome of made) {
    if (outcome.status === 'rejected') expect(outcome.reason.cause).toMatchObject({ code: 'conflict' });
  }
});

test('bad input is named by its field', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const { tokens } = ada.caller;
  const currentPassword = ada.password;
  const stray: unknown = { name: 'CI', scopes: ['read'], currentPassword, accountId: 'x' };

  expect(await refusalOf(tokens.create({ name: ' ', scopes: ['read'], currentPassword }))).toMatchObject({
    code: 'validation_failed',
    fieldErrors: { name: 'Give the token a name' },
  });
  for (const name of ['a\u0000b', '\u202eevil', 'x\u200by', '\ud800']) {
    expect(await refusalOf(tokens.create({ name, scopes: ['read'], currentPassword }))).toMatchObject({
      field: 'name',
    });
  }
  expect(await refusalOf(tokens.create({ name: 'CI', scopes: [], currentPassword }))).toMatchObject({
    fieldErrors: { scopes: 'Choose what the token may do' },
  });
  expect(
    await refusalOf(tokens.create({ name: 'CI', scopes: ['read'], expiresInDays: 0, currentPassword })),
  ).toMatchObject({
    field: 'expiresInDays',
  });
  // @ts-expect-error the field is unknown
  expect(await refusalOf(tokens.create(stray))).toMatchObject({ field: 'accountId' });
  expect(await refusalOf(tokens.create({ name: 'CI', scopes: ['read'], currentPassword: '' }))).toMatchObject({
    fieldErrors: { currentPassword: 'Enter your current password' },
  });
  expect(await refusalOf(tokens.revoke({ tokenId: '../x' }))).toMatchObject({ field: 'tokenId' });
});

test('a token is made for who knows the password, and a mail tells', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const make = (currentPassword: string) =>
    ada.caller.tokens.create({ name: 'CI', scopes: ['read', 'write'], currentPassword });
  await app.jobs.drain();
  app.outbox.length = 0;

  expect(await refusalOf(make('Wrong horse 9'))).toMatchObject({
    code: 'validation_failed',
    fieldErrors: { currentPassword: 'The current password is not right' },
  });
  await app.jobs.drain();
  expect((await ada.caller.tokens.list()).items).toEqual([]);
  expect(app.outbox).toEqual([]);

  const { secret } = await make(ada.password);
  await app.jobs.drain();
  expect(app.outbox).toMatchObject([{ kind: 'token-made', to: ada.user.email }]);
  expect(app.outbox[0]?.text).toContain('"CI"');
  expect(JSON.stringify(app.outbox)).not.toContain(secret.slice(8));
});

test('a mailbox that nobody confirmed is told so often and no more, whatever happens under its address', async () => {
  await using app = await createTestApp({ limits: { confirmationsPerRecipientPerHour: 3 } });
  const victim = `victim.${newId()}@example.com`;
  const ada = await app.person({ email: victim });
  const other = await app.person({ email: victim.replace('@', '+1@') });
  const make = (someone: Person) => tokenOf(someone, ['read'], 'CI');
  const kindsTold = async (act: () => Promise<unknown>): Promise<string[]> => {
    await app.jobs.drain();
    app.outbox.length = 0;
    await act();
    await app.jobs.drain();
    return app.outbox.map(({ kind }) => kind);
  };
  expect(await kindsTold(() => make(ada))).toEqual(['token-made']);
  expect(await kindsTold(() => make(other))).toEqual(['token-made']);
  const renew = { currentPassword: other.password, newPassword: 'Another horse 2' };
  expect(await kindsTold(() => other.caller.auth.changePassword(renew))).toEqual(['password-changed']);
  const { username } = other.user;
  const end = { username, currentPassword: renew.newPassword };
  expect(await kindsTold(() => Promise.all([make(ada), other.caller.account.delete(end)]))).toEqual([]);

  await UserModel.updateOne({ _id: ada.user.id }, { $set: { emailConfirmedAt: new Date() } });
  expect(await kindsTold(() => make(ada))).toEqual(['token-made']);
});

test('a token that is asked for while its account is deleted is not made', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const other = await app.callerFor(ada.accessToken);
  const { username } = ada.user;
  afterNextPasswordCheck(app, () => other.account.delete({ username, currentPassword: ada.password }));

  const making = tokenOf(ada, ['read'], 'CI');

  expect(await refusalOf(making)).toMatchObject({ code: 'validation_failed', field: 'currentPassword' });
  expect(await ApiTokenModel.countDocuments({ accountId: ada.user.id })).toBe(0);
});
