import { expect, test, vi } from 'vitest';
import { authenticate } from '../../server/account/auth/index.ts';
import { SessionModel } from '../../server/database/models/account/session.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { newId } from '../../server/database/mongo.ts';
import { createPasswordHasher } from '../../server/lib/crypto/password-hasher.ts';
import type { PasswordHasher } from '../../server/lib/crypto/secrets.ts';
import { createJar, createTestApp, type Person } from '../support/app.ts';
import { databaseLoadOf } from '../support/database-load.ts';
import { refusalOf } from '../support/refusal.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const password = 'Correct horse 1';

test('registration signs in, with the fields of the user and never a password', async () => {
  await using app = await createTestApp();
  const jar = createJar();

  const signedIn = await app
    .anonymous(jar)
    .auth.register({ username: '  Grace   Hopper ', email: ' Grace@Example.com ', password });

  expect(signedIn).toMatchObject({ username: 'Grace Hopper', email: 'Grace@Example.com', deploymentCount: 0 });
  expect(signedIn.accessToken).toMatch(/^fla_[A-Za-z0-9_-]{43}$/);
  expect(signedIn.expiresAt.getTime()).toBeGreaterThan(app.clock.now().getTime() + 14 * MINUTE_MS);
  expect(Object.keys(signedIn).filter((key) => /pass|hash|key/i.test(key))).toEqual([]);
  expect([...jar.cookies.keys()].sort()).toEqual(['device', 'refresh']);
  expect((await UserModel.findById(signedIn.id))?.passwordHash).toMatch(/^\$argon2id\$/);
  expect(await (await app.callerFor(signedIn.accessToken)).user.get()).toMatchObject({ id: signedIn.id });
});

type Names = { username: string; email: string };
test.each<[string, Names, Names]>([
  [
    'username',
    { username: 'RACE  winner', email: 'a@race.example' },
    { username: 'race winner', email: 'b@race.example' },
  ],
  ['email', { username: 'race one', email: 'Same@race.example' }, { username: 'race two', email: 'same@race.example' }],
])('of two registrations at once with one %s one wins, and the other is told by field', async (field, one, other) => {
  await using app = await createTestApp();

  const outcomes = await Promise.allSettled(
    [one, other].map((names) => app.anonymous().auth.register({ ...names, password })),
  );

  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  const refused = outcomes.find((outcome) => outcome.status === 'rejected');
  expect(refused?.reason.cause).toMatchObject({ code: `${field}_taken`, status: 409, field });
  expect(Object.keys(refused?.reason.cause.fieldErrors)).toEqual([field]);
});

test('an account whose first answer was lost is there for who registers again, for nobody else, and not for long', async () => {
  await using app = await createTestApp({ limits: { registrationsPerHour: 100 } });
  const mine = { username: 'Hopper', email: 'hopper@example.com', password };
  const { auth } = app.anonymous(createJar(), { address: '198.51.100.51' });
  const register = (other: Partial<typeof mine> = {}) => auth.register({ ...mine, ...other });
  // The second one comes while the first is under way.
  using slots = vi.spyOn(app.providers.rateCounters, 'takeSlot');
  const slot = ['passwords of hopper', { limit: 1, queueLength: 32 }] as const;
  const free = await app.providers.rateCounters.takeSlot(...slot);
  const both = Promise.all([register(), register()]);
  await vi.waitFor(() => expect(slots.mock.calls.filter(([key]) => key === slot[0])).toHaveLength(3));
  free?.();
  const [{ id }, again] = await both;

  expect(again.id).toBe(id);
  expect(await register({ username: ' hopper', email: 'Hopper@example.com' })).toMatchObject({
    id,
    username: 'Hopper',
  });
  expect(await refusalOf(register({ email: 'other.hopper@example.com' }))).toMatchObject({ code: 'username_taken' });
  for (let guess = 0; guess < 6; guess += 1) {
    expect(await refusalOf(register({ password: `Guess number ${guess}` }))).toMatchObject({ code: 'username_taken' });
  }
  expect(await refusalOf(register())).toMatchObject({ code: 'rate_limited' });
  app.clock.advance(11 * MINUTE_MS);
  expect(await refusalOf(register())).toMatchObject({ code: 'username_taken' });
});

test('a taken name is refused in any case and spacing, without a half-made account', async () => {
  await using app = await createTestApp();
  await app.person({ username: 'Taken Name', email: 'taken@example.com' });
  const { auth } = app.anonymous();

  const byName = auth.register({ username: 'tAKEN   nAME', email: 'free@example.com', password });
  expect(await refusalOf(byName)).toMatchObject({ code: 'username_taken', field: 'username' });
  const byEmail = auth.register({ username: 'free name', email: 'TAKEN@example.com', password });
  expect(await refusalOf(byEmail)).toMatchObject({ code: 'email_taken', field: 'email' });
  expect(await UserModel.countDocuments({ usernameKey: 'free name' })).toBe(0);
});

test('login takes the name in any case and with spaces around it', async () => {
  await using app = await createTestApp();
  const ada = await app.person({ username: 'Ada of Login' });

  const signedIn = await app.anonymous().auth.login({ username: '  ADA  of login ', password: ada.password });

  expect(signedIn).toMatchObject({ id: ada.user.id, username: 'Ada of Login' });
  expect(signedIn.accessToken).not.toBe(ada.accessToken);
});

test('login takes the address of the account, also before it is confirmed, and none that an account only asks for', async () => {
  await using app = await createTestApp();
  const ada = await app.person({ email: 'Ada.Login@example.com' });
  const signIn = (username: string) => app.anonymous().auth.login({ username, password: ada.password });

  expect(await signIn(' ada.login@EXAMPLE.com ')).toMatchObject({ id: ada.user.id, emailConfirmed: false });

  await ada.caller.auth.changeEmail({ email: 'waiting@example.com', currentPassword: ada.password });
  expect(await refusalOf(signIn('waiting@example.com'))).toMatchObject({ code: 'credentials_wrong' });
});

test('passwords are taken as they are: no trimming, no other case, no other Unicode form', async () => {
  await using app = await createTestApp();
  const exact = ' Ünïcode Pass 1 ';
  const ada = await app.person({ password: exact });
  const signIn = (typed: string) => app.anonymous().auth.login({ username: ada.user.username, password: typed });

  for (const other of [exact.trim(), exact.toLowerCase(), exact.normalize('NFD')]) {
    expect(await refusalOf(signIn(other))).toMatchObject({ code: 'credentials_wrong' });
  }
  expect(await signIn(exact)).toMatchObject({ id: ada.user.id });
});

test('an unknown user and a wrong password get the same answer for the same work', async () => {
  const verified: (string | undefined)[] = [];
  const real = createPasswordHasher({ memoryKiB: 1024, iterations: 1 });
  const hasher: PasswordHasher = {
    ...real,
    verify: (typed, phc) => {
      verified.push(phc?.split('$')[3]);
      return real.verify(typed, phc);
    },
  };
  await using app = await createTestApp({ providers: { hasher } });
  const ada = await app.person();
  const refusals: unknown[] = [];
  const signIn = async (username: string): Promise<void> => {
    refusals.push(await refusalOf(app.anonymous().auth.login({ username, password: 'Wrong horse 1' })));
  };

  const ofAda = await databaseLoadOf(() => signIn(ada.user.username));
  const others = [];
  for (const typed of ['nobody has this name', ada.user.email, 'nobody@example.com']) {
    others.push(await databaseLoadOf(() => signIn(typed)));
  }

  expect(refusals[0]).toMatchObject({ code: 'credentials_wrong', status: 401 });
  expect(refusals).toEqual(refusals.map(() => refusals[0]));
  expect(ofAda.get('users.queries')).toBeGreaterThan(0);
  expect(others).toEqual(others.map(() => ofAda));
  expect(verified).toHaveLength(4);
});

test('a password kept under older parameters is hashed anew at sign-in', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const older = await createPasswordHasher({ memoryKiB: 512, iterations: 2 }).hash(ada.password);
  await UserModel.updateOne({ _id: ada.user.id }, { $set: { passwordHash: older } });
  const signIn = () => app.anonymous().auth.login({ username: ada.user.username, password: ada.password });

  await signIn();

  expect((await UserModel.findById(ada.user.id))?.passwordHash).toContain('$m=1024,t=1,p=1$');
  expect(await signIn()).toMatchObject({ id: ada.user.id });
});

test('logout ends the session, also with a token that is over, and is never an error', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const refreshCookie = ada.jar.cookies.get('refresh') ?? '';
  app.clock.advance(30 * MINUTE_MS);
  const late = await app.callerFor(ada.accessToken, ada.jar);

  expect(await late.auth.logout()).toEqual({ done: true });

  expect(ada.jar.cookies.has('refresh')).toBe(false);
  ada.jar.write('refresh', refreshCookie);
  expect(await refusalOf(app.anonymous(ada.jar).auth.refresh())).toMatchObject({ code: 'session_ended', status: 401 });
  expect(await late.auth.logout()).toEqual({ done: true });
  expect(await app.anonymous().auth.logout()).toEqual({ done: true });
});

test('logout ends a session by its cookie when its first token is no longer kept', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const refreshCookie = ada.jar.cookies.get('refresh') ?? '';
  for (let count = 0; count < 60; count += 1) await app.anonymous(ada.jar).auth.refresh();
  const first = await app.callerFor(ada.accessToken, ada.jar);

  expect(await first.auth.logout()).toEqual({ done: true });

  ada.jar.write('refresh', refreshCookie);
  expect(await refusalOf(app.anonymous(ada.jar).auth.refresh())).toMatchObject({ code: 'session_ended', status: 401 });
});

test('the list shows browsers in words, which is the current one, and nothing that signs in', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  app.clock.advance(1_000);
  await app
    .anonymous(createJar(), { userAgent: FIREFOX, address: '198.51.100.9' })
    .auth.login({ username: ada.user.username, password: ada.password });

  const { items } = await ada.caller.auth.sessions();

  expect(items).toMatchObject([
    { device: 'Firefox on Windows', address: '198.51.100.9', isCurrent: false },
    { device: 'Unknown device', address: '127.0.0.1', isCurrent: true },
  ]);
  expect(JSON.stringify(items)).not.toContain('fla_');
});

test('a revoked browser is nobody at once; that of another account is not found', async () => {
  await using app = await createTestApp();
  const [ada, eve] = [await app.person(), await app.person()];
  const second = await app.anonymous().auth.login({ username: ada.user.username, password: ada.password });
  const { items } = await ada.caller.auth.sessions();
  const other = items.find((item) => !item.isCurrent)?.id ?? '';

  expect(await refusalOf(eve.caller.auth.revokeSession({ sessionId: other }))).toMatchObject({ code: 'not_found' });
  expect((await authenticate(app.providers, second.accessToken)).actor).toMatchObject({ sessionId: other });
  expect(await ada.caller.auth.revokeSession({ sessionId: other })).toEqual({ done: true });

  expect((await authenticate(app.providers, second.accessToken)).actor).toEqual({ kind: 'anonymous' });
  expect((await ada.caller.auth.sessions()).items).toHaveLength(1);
  expect(await refusalOf(ada.caller.auth.revokeSession({ sessionId: other }))).toMatchObject({ code: 'not_found' });
});

/** Other browsers, as signing in on them would have left them. */
async function addSessions({ user: { id: accountId } }: Person, count: number): Promise<void> {
  const { _id, createdAt, ...row } = await SessionModel.findOne({ accountId }).orFail().lean();
  await SessionModel.insertMany(Array.from({ length: count }, () => ({ ...row, _id: newId(), access: [] })));
}

test('an account has at most twenty sessions: the oldest go', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const signIn = () => app.anonymous().auth.login({ username: ada.user.username, password: ada.password });
  await addSessions(ada, 19);
  const later = await Promise.all([1, 2, 3, 4, 5].map(signIn));

  expect(await SessionModel.countDocuments({ accountId: ada.user.id, revokedAt: null })).toBe(20);
  expect((await authenticate(app.providers, ada.accessToken)).actor).toEqual({ kind: 'anonymous' });
  expect((await authenticate(app.providers, later.at(-1)?.accessToken)).actor).toMatchObject({ kind: 'account' });
});

test('twenty browsers that were left idle for too long take no place from the one in use', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const signIn = () => app.anonymous().auth.login({ username: ada.user.username, password: ada.password });
  await addSessions(ada, 19);
  app.clock.advance(20 * DAY_MS);
  await app.anonymous(ada.jar).auth.refresh();
  app.clock.advance(11 * DAY_MS);

  await signIn();

  const { accessToken } = await app.anonymous(ada.jar).auth.refresh();
  expect((await authenticate(app.providers, accessToken)).actor).toMatchObject({ accountId: ada.user.id });
});

test('what is exactly as long as allowed is taken, and a user name loses the spaces around it', async () => {
  await using app = await createTestApp();
  const { auth } = app.anonymous();
  const longest = {
    username: `Grace ${'n'.repeat(44)}`,
    email: `grace@${'c'.repeat(55)}.${'b'.repeat(30)}.example`,
    password: `Aa1${'a'.repeat(97)}`,
  };
  expect(Object.values(longest).map(({ length }) => length)).toEqual([50, 100, 100]);
  expect(await auth.register(longest)).toMatchObject({ username: longest.username, email: longest.email });
  const shortest = { username: ' Joe ', email: 'joe.of.three@example.com', password: 'Abcdef12' };
  expect(await auth.register(shortest)).toMatchObject({ username: 'Joe' });
  expect(await auth.login({ username: '  Joe  ', password: shortest.password })).toMatchObject({ username: 'Joe' });
});

test('bad input is named by its field, in words for a person', async () => {
  await using app = await createTestApp();
  const { auth } = app.anonymous();
  const good = { username: 'good name', email: 'good@example.com', password };
  const cases = [
    [{ ...good, username: 'ab' }, 'username', 'Username must be at least 3 characters'],
    [{ ...good, username: 'x'.repeat(51) }, 'username', 'Username must be less than 50 characters'],
    [
      { ...good, username: 'ümlaut' },
      'username',
      'Username can only contain letters, numbers, spaces, underscores and hyphens',
    ],
    [{ ...good, username: '  ab  ' }, 'username', 'Username must be at least 3 characters'],
    [
      { ...good, username: 'sailor!' },
      'username',
      'Username can only contain letters, numbers, spaces, underscores and hyphens',
    ],
    [{ ...good, email: 'nonsense' }, 'email', 'Please enter a valid email address'],
    [{ ...good, email: 'sailor@' }, 'email', 'Please enter a valid email address'],
    [{ ...good, email: `${'x'.repeat(100)}@example.com` }, 'email', 'Email is too long'],
    [{ ...good, password: 'Short 1' }, 'password', 'Password must be at least 8 characters'],
    [{ ...good, password: `A1${'a'.repeat(99)}` }, 'password', 'Password is too long'],
    [{ ...good, password: 'all lower 1' }, 'password', 'Password must contain at least one uppercase letter'],
    [{ ...good, password: 'ALL UPPER 1' }, 'password', 'Password must contain at least one lowercase letter'],
    [{ ...good, password: 'No number' }, 'password', 'Password must contain at least one number'],
    [{ ...good, deploymentCount: -5 }, 'deploymentCount', 'This field is not known.'],
  ] as const;
  for (const [input, field, message] of cases) {
    const refusal = await refusalOf(auth.register(input));
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 400, fieldErrors: { [field]: message } });
  }
  expect(await refusalOf(auth.login({ username: 'ab', password: '12345' }))).toMatchObject({
    fieldErrors: {
      username: 'Username must be at least 3 characters',
      password: 'Password must be at least 6 characters',
    },
  });
  expect(await refusalOf(auth.login({ username: 'x'.repeat(51), password: 'x'.repeat(101) }))).toMatchObject({
    fieldErrors: { username: 'Username must be less than 50 characters', password: 'Password is too long' },
  });
  expect(await refusalOf(auth.forgotPassword({ email: 'x' }))).toMatchObject({ field: 'email' });
  expect(await refusalOf(auth.resetPassword({ token: 'x', password }))).toMatchObject({ field: 'token' });
  expect(await refusalOf(auth.confirmEmail({ token: '' }))).toMatchObject({ field: 'token' });
  const ada = await app.person();
  const change = ada.caller.auth.changePassword({ currentPassword: ada.password, newPassword: 'weak' });
  expect(await refusalOf(change)).toMatchObject({ field: 'newPassword' });
  const same = ada.caller.auth.changePassword({ currentPassword: ada.password, newPassword: ada.password });
  expect(await refusalOf(same)).toMatchObject({
    code: 'validation_failed',
    fieldErrors: { newPassword: 'Choose a password other than the current one' },
  });
  const nameless = ada.caller.auth.changePassword({ currentPassword: '', newPassword: 'Another horse 2' });
  expect(await refusalOf(nameless)).toMatchObject({
    fieldErrors: { currentPassword: 'Enter your current password' },
  });
  const move = ada.caller.auth.changeEmail({ email: 'x', currentPassword: ada.password });
  expect(await refusalOf(move)).toMatchObject({ field: 'email' });
  expect(await refusalOf(ada.caller.auth.revokeSession({ sessionId: 'x' }))).toMatchObject({ field: 'sessionId' });
});
