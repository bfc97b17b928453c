import { expect, test } from 'vitest';
import { countCalls } from '../../routers/call-limit.ts';
import { toAppError } from '../../routers/error-shape.ts';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { AppError } from '../../server/lib/errors.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createJar, createTestApp, type Person, type TestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';
import { IS_FULL } from '../support/size.ts';
import { WIDE_LIMITS } from '../support/wide-limits.ts';

const wrong = 'Wrong horse 9';
const ADDRESSES = 50;
const ROUNDS = IS_FULL ? 20 : 1;

/** A sign-in from an address, by a browser that holds these cookies. */
function signIn(app: TestApp, username: string, password: string, address: string, jar = createJar()) {
  return app.anonymous(jar, { address }).auth.login({ username, password });
}

/** Lets the waits of paced counters pass, as time would. */
async function passWaits(): Promise<void> {
  await RateLimitModel.updateMany({}, { $set: { blockedUntil: new Date(0) } }).comment('test');
}

function deviceOf(person: Person) {
  const jar = createJar();
  jar.write('device', person.jar.cookies.get('device') ?? '');
  return jar;
}

test(`${ROUNDS * ADDRESSES} wrong passwords from fifty addresses do not keep the owner out of a known browser`, async () => {
  const here = '198.51.100.30';
  await using app = await createTestApp();
  const ada = await app.person();
  const codes = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const refusals = await Promise.all(
      Array.from({ length: ADDRESSES }, (_, n) =>
        refusalOf(signIn(app, ada.user.username, wrong, n === 0 ? here : `203.0.113.${n}`)),
      ),
    );
    for (const { code } of refusals) codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  // Twenty are free, then strangers share one attempt in two seconds.
  expect(codes.get('rate_limited')).toBeGreaterThan(ROUNDS * (ADDRESSES - 10) - 20);
  expect(codes.get('credentials_wrong')).toBeGreaterThanOrEqual(20);

  expect(await signIn(app, ada.user.username, ada.password, here, deviceOf(ada))).toMatchObject({ id: ada.user.id });
  // However long the above took: the next stranger has the shared attempt, so that the one after it has to wait.
  await passWaits();
  expect(await refusalOf(signIn(app, ada.user.username, wrong, '192.0.2.2'))).toMatchObject({
    code: 'credentials_wrong',
  });
  const stranger = await refusalOf(signIn(app, ada.user.username, ada.password, '192.0.2.1'));
  expect(stranger).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(stranger.retryAfterMs).toBeLessThanOrEqual(2_000);
  await passWaits();
  expect(await signIn(app, ada.user.username, ada.password, '192.0.2.1')).toMatchObject({ id: ada.user.id });
});

test('a device cookie of another account, or one that was changed, opens nothing', async () => {
  const here = '198.51.100.40';
  await using app = await createTestApp({ limits: { failuresPerUsername: { count: 1, windowMs: 900_000 } } });
  const [ada, eve] = [await app.person(), await app.person()];
  const forged = createJar();
  forged.write('device', (eve.jar.cookies.get('device') ?? '').replace(eve.user.id, ada.user.id));
  await refusalOf(signIn(app, ada.user.username, wrong, here));
  await refusalOf(signIn(app, ada.user.username, wrong, here));

  for (const jar of [forged, deviceOf(eve)]) {
    expect(await refusalOf(signIn(app, ada.user.username, ada.password, here, jar))).toMatchObject({
      code: 'rate_limited',
    });
  }
});

test('for a name and an address five failures are free, then 1, 2, 4 seconds pass, and a success forgets them', async () => {
  const here = '198.51.100.50';
  await using app = await createTestApp({ limits: { failuresPerUsername: { count: 1_000, windowMs: 900_000 } } });
  const ada = await app.person();
  const fail = () => refusalOf(signIn(app, ada.user.username, wrong, here));

  for (let count = 0; count < 5; count += 1) expect((await fail()).code).toBe('credentials_wrong');
  const waits: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    expect((await fail()).code).toBe('credentials_wrong');
    const refusal = await fail();
    expect(refusal.code).toBe('rate_limited');
    waits.push(Math.ceil((refusal.retryAfterMs ?? 0) / 1_000));
    await passWaits();
  }
  expect(waits).toEqual([1, 2, 4]);

  expect(await signIn(app, ada.user.username, ada.password, here)).toMatchObject({ id: ada.user.id });
  for (let count = 0; count < 6; count += 1) expect((await fail()).code).toBe('credentials_wrong');
});

test('the name and the address of an account have one count of failures, and an unknown address has its own', async () => {
  const here = '198.51.100.55';
  await using app = await createTestApp({ limits: { failuresPerUsername: { count: 1_000, windowMs: 900_000 } } });
  const { user, password } = await app.person();
  const fail = async (username: string) => (await refusalOf(signIn(app, username, wrong, here))).code;
  for (const typed of [user.username, user.email, user.username, user.email, user.username, user.email.toUpperCase()]) {
    expect(await fail(typed)).toBe('credentials_wrong');
  }
  for (const typed of [user.username, user.email]) expect(await fail(typed)).toBe('rate_limited');
  await passWaits();
  expect(await signIn(app, user.email, password, here)).toMatchObject({ id: user.id });
  expect(await fail(user.username)).toBe('credentials_wrong');

  for (let count = 0; count < 6; count += 1) expect(await fail('nobody@example.com')).toBe('credentials_wrong');
  expect(await fail('NOBODY@example.com')).toBe('rate_limited');
});

test('a known browser that guesses is slowed down by itself', async () => {
  const here = '198.51.100.60';
  await using app = await createTestApp();
  const ada = await app.person();
  const fail = () => refusalOf(signIn(app, ada.user.username, wrong, here, deviceOf(ada)));
  for (let count = 0; count < 6; count += 1) expect((await fail()).code).toBe('credentials_wrong');
  expect((await fail()).code).toBe('rate_limited');
});

test('an address has thirty failures in ten minutes over all names; what went well does not count', async () => {
  const here = '198.51.100.70';
  await using app = await createTestApp({ limits: { failuresPerAddress: { count: 6, windowMs: 600_000 } } });
  const ada = await app.person();
  for (let count = 0; count < 10; count += 1) await signIn(app, ada.user.username, ada.password, here);
  for (let count = 0; count < 6; count += 1) {
    expect((await refusalOf(signIn(app, `nobody ${count}`, wrong, here))).code).toBe('credentials_wrong');
  }

  const refusal = await refusalOf(signIn(app, 'nobody at all', wrong, here));

  expect(refusal).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(refusal.retryAfterMs).toBeGreaterThan(500_000);
  expect((await refusalOf(signIn(app, 'nobody at all', wrong, '198.51.100.71'))).code).toBe('credentials_wrong');
});

test('many wrong passwords at once are all counted', async () => {
  const here = '198.51.100.80';
  await using app = await createTestApp({ limits: { failuresPerUsername: { count: 1_000, windowMs: 900_000 } } });
  const ada = await app.person();

  const refusals = await Promise.all(
    Array.from({ length: 20 }, () => refusalOf(signIn(app, ada.user.username, wrong, here))),
  );

  expect(refusals.filter(({ code }) => code === 'credentials_wrong')).toHaveLength(6);
});

test('people at the machine itself are not counted by address, unless a proxy stands in front', async () => {
  await using app = await createTestApp({ limits: { registrationsPerHour: 1 } });
  await using behindProxy = await createTestApp({ limits: { registrationsPerHour: 1, isAddressCounted: true } });
  await app.newcomer();
  await app.newcomer();
  await behindProxy.newcomer();
  expect(await refusalOf(behindProxy.newcomer())).toMatchObject({ code: 'rate_limited' });
});

test('an address registers ten accounts an hour', async () => {
  const here = '198.51.100.90';
  await using app = await createTestApp({ limits: { registrationsPerHour: 2 } });
  const register = (n: number, address = here) =>
    app
      .anonymous(createJar(), { address })
      .auth.register({ username: `crowd ${n}`, email: `crowd${n}@example.com`, password: 'Correct horse 1' });
  await register(1);
  await register(2);

  const refusal = await refusalOf(register(3));

  expect(refusal).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(refusal.retryAfterMs).toBeLessThanOrEqual(3_600_000);
  expect(await register(3, '198.51.100.92')).toMatchObject({ username: 'crowd 3' });
});

test('an account asks for ten names and addresses an hour, wherever it calls from', async () => {
  await using app = await createTestApp({ limits: { registrationsPerHour: 2 } });
  const [ada, bob] = [await app.person(), await app.person()];
  const rename = (username: string) => ada.caller.user.update({ username });
  const move = (email: string) => ada.caller.auth.changeEmail({ email, currentPassword: ada.password });

  expect(await refusalOf(rename(bob.user.username))).toMatchObject({ code: 'username_taken' });
  expect(await refusalOf(move(bob.user.email))).toMatchObject({ code: 'email_taken' });

  expect(await refusalOf(rename(bob.user.username))).toMatchObject({ code: 'rate_limited' });
  expect(await refusalOf(move(bob.user.email))).toMatchObject({ code: 'rate_limited' });
  const elsewhere = await app.callerFor(ada.accessToken, ada.jar, { address: '198.51.100.95' });
  expect(await refusalOf(elsewhere.user.update({ username: 'a free name' }))).toMatchObject({ code: 'rate_limited' });
  expect(await bob.caller.user.update({ username: 'another free name' })).toMatchObject({ id: bob.user.id });
});

test('accounts of one address ask for ten names an hour between them', async () => {
  const address = '198.51.100.96';
  await using app = await createTestApp({ limits: { registrationsPerHour: 2 } });
  const rename = async (username: string) => {
    const { accessToken, jar } = await app.person();
    return (await app.callerFor(accessToken, jar, { address })).user.update({ username });
  };
  await rename('renamed one');
  await rename('renamed two');
  expect(await refusalOf(rename('renamed three'))).toMatchObject({ code: 'rate_limited' });
});

test('an attempt that a full queue turned away counts as none', async () => {
  const here = '198.51.100.100';
  await using app = await createTestApp();
  const ada = await app.person();
  const { hasher } = app.providers;
  const full = () => Promise.reject(new AppError('overloaded', 'The queue is full.'));
  app.providers.hasher = { ...hasher, verify: full };
  for (let count = 0; count < 12; count += 1) {
    const refusal = await refusalOf(signIn(app, ada.user.username, ada.password, here));
    expect(refusal).toMatchObject({ code: 'overloaded' });
  }

  app.providers.hasher = hasher;
  for (let count = 0; count < 5; count += 1) {
    expect((await refusalOf(signIn(app, ada.user.username, wrong, here))).code).toBe('credentials_wrong');
  }
});

/** Holds every check of a password until it is let go, and tells how many have begun. */
function holdChecks(app: TestApp) {
  const { hasher } = app.providers;
  const waiting: (() => void)[] = [];
  let begun = 0;
  app.providers.hasher = {
    ...hasher,
    async verify(...checked) {
      begun += 1;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return hasher.verify(...checked);
    },
  };
  return {
    begun: () => begun,
    letGo() {
      app.providers.hasher = hasher;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

test('an account, and an address, have one password checked at a time, and others are checked meanwhile', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const crowd = [];
  for (let count = 0; count < 4; count += 1) crowd.push(await app.person());
  const checks = holdChecks(app);
  const move = (count: number) =>
    ada.caller.auth.changeEmail({ email: `new${count}@example.com`, currentPassword: ada.password });
  const codeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'done',
      (error: unknown) => toAppError(error).code,
    );
  const ofAccount = Array.from({ length: 30 }, (_, count) => codeOf(move(count)));
  const ofAddress = crowd.map(({ user, password }) => signIn(app, user.username, password, '198.51.100.110'));
  await expect.poll(checks.begun).toBe(2);

  const others = signIn(app, bob.user.username, bob.password, '198.51.100.111');
  await expect.poll(checks.begun).toBe(3);
  checks.letGo();

  expect(await others).toMatchObject({ id: bob.user.id });
  expect(await Promise.all(ofAddress)).toHaveLength(crowd.length);
  // Of as many at once the pace of one session refuses most.
  const codes = await Promise.all(ofAccount);
  expect(codes.filter((code) => code === 'done').length).toBeGreaterThan(0);
});

test('a known browser stands in no line with the strangers who try a name', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const checks = holdChecks(app);
  const strangers = Array.from({ length: 15 }, (_, n) =>
    refusalOf(signIn(app, ada.user.username, wrong, `203.0.113.${n}`)),
  );
  await expect.poll(checks.begun).toBe(1);
  const known = signIn(app, ada.user.username, ada.password, '198.51.100.130', deviceOf(ada));
  await expect.poll(checks.begun).toBe(2);
  checks.letGo();
  expect(await known).toMatchObject({ id: ada.user.id });
  await Promise.all(strangers);
});

test('right passwords of an account are counted, whoever gives them', async () => {
  await using app = await createTestApp({ limits: { rightPasswordsPerTenMinutes: 3 } });
  const [ada, bob] = [await app.person(), await app.person()];
  const ask = (currentPassword: string) =>
    ada.caller.auth.changePassword({ currentPassword, newPassword: 'Another horse 2' });
  for (let count = 0; count < 4; count += 1)
    expect(await refusalOf(ask(wrong))).toMatchObject({ field: 'currentPassword' });
  for (let count = 0; count < 3; count += 1)
    await signIn(app, ada.user.username, ada.password, `198.51.100.12${count}`);

  expect(await refusalOf(ask(ada.password))).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(await signIn(app, bob.user.username, bob.password, '198.51.100.120')).toMatchObject({ id: bob.user.id });
});

test('an IPv6 address is counted by its /56 and its /48 as well, with four and sixteen times the limit', async () => {
  const counters = { limits: { ...WIDE_LIMITS, anonymousCallsPerMinute: 1 }, rateCounters: createRateCounters() };
  const isRefused = (network: string): Promise<boolean> =>
    countCalls(
      counters,
      { actor: { kind: 'anonymous' }, address: `2001:db8:1:${network}::/64`, isCounted: true },
      { calls: 1, bytes: 0 },
    ).then(
      () => false,
      () => true,
    );
  const ofOne56: boolean[] = [];
  for (let number = 0; number < 5; number += 1) ofOne56.push(await isRefused(`a0${number}`));
  expect(ofOne56).toEqual([false, false, false, false, true]);
  for (let number = 1; number <= 13; number += 1) expect(await isRefused(`${number}00`)).toBe(number === 13);
});
