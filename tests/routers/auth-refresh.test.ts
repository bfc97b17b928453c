import { expect, test } from 'vitest';
import { authenticate } from '../../server/account/auth/index.ts';
import { SessionModel } from '../../server/database/models/account/session.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { createSecrets, newKeys } from '../../server/lib/crypto/secrets.ts';
import { createJar, createTestApp, type Person, type TestApp } from '../support/app.ts';
import { databaseLoadOf } from '../support/database-load.ts';
import { refusalOf } from '../support/refusal.ts';
import { withoutDatabase } from '../support/without-database.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Returns a browser that holds this refresh cookie, and what it then holds. */
async function refreshWith(app: TestApp, cookie: string) {
  const jar = createJar();
  jar.write('refresh', cookie);
  const access = await app.anonymous(jar).auth.refresh();
  return { ...access, cookie: jar.cookies.get('refresh') ?? '' };
}

const cookieOf = (person: Person) => person.jar.cookies.get('refresh') ?? '';
const generationOf = (cookie: string) => Number(cookie.split('.')[1]);

test('a refresh gives a new access token and rotates at most once in 30 seconds', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const soon = await refreshWith(app, cookieOf(ada));
  expect(soon.cookie).toBe(cookieOf(ada));
  expect(soon.accessToken).not.toBe(ada.accessToken);

  app.clock.advance(30 * SECOND_MS);
  const rotated = await refreshWith(app, soon.cookie);
  expect(generationOf(rotated.cookie)).toBe(generationOf(soon.cookie) + 1);
  app.clock.advance(29 * SECOND_MS);
  expect((await refreshWith(app, rotated.cookie)).cookie).toBe(rotated.cookie);
  for (const token of [ada.accessToken, soon.accessToken, rotated.accessToken]) {
    expect((await authenticate(app.providers, token)).actor).toMatchObject({ accountId: ada.user.id });
  }
});

/** A clock that stands where it is put, or goes on by a millisecond at every look. */
function createHandClock() {
  let atMs = Date.now();
  let stepMs = 0;
  return {
    now: () => {
      atMs += stepMs;
      return new Date(atMs);
    },
    stand: (ms: number) => {
      atMs = ms;
      stepMs = 0;
    },
    tickFrom: (ms: number) => {
      atMs = ms;
      stepMs = 1;
    },
  };
}

async function sessionOf(person: Person) {
  return SessionModel.findOne({ accountId: person.user.id }).orFail();
}

test('the 30 seconds end at 30,000 ms, and not at 29,999', async () => {
  const clock = createHandClock();
  await using app = await createTestApp({ providers: { now: clock.now } });
  const ada = await app.person();
  const rotatedMs = (await sessionOf(ada)).rotatedAt.getTime();

  clock.stand(rotatedMs + 29_999);
  expect((await refreshWith(app, cookieOf(ada))).cookie).toBe(cookieOf(ada));
  clock.stand(rotatedMs + 30_000);
  const rotated = await refreshWith(app, cookieOf(ada));
  expect(generationOf(rotated.cookie)).toBe(generationOf(cookieOf(ada)) + 1);
});

test('a replaced token has its 60 seconds to the millisecond', async () => {
  const clock = createHandClock();
  await using app = await createTestApp({ providers: { now: clock.now } });
  const ada = await app.person();
  const replacedMs = (await sessionOf(ada)).rotatedAt.getTime() + 30_000;
  clock.stand(replacedMs);
  const { cookie } = await refreshWith(app, cookieOf(ada));

  clock.stand(replacedMs + 60_000);
  expect((await refreshWith(app, cookieOf(ada))).cookie).toBe(cookie);
  clock.stand(replacedMs + 60_001);
  expect(await refusalOf(refreshWith(app, cookieOf(ada)))).toMatchObject({ code: 'session_ended' });
});

test('fifty refreshes during which the 30 seconds run out end no session', async () => {
  const clock = createHandClock();
  await using app = await createTestApp({ providers: { now: clock.now } });
  const ada = await app.person();
  let cookie = cookieOf(ada);
  for (let round = 0; round < 50; round += 1) {
    const { rotatedAt } = await sessionOf(ada);
    clock.tickFrom(rotatedAt.getTime() + 29_999 - (round % 5));
    const answers = await Promise.all([cookie, cookie].map((held) => refreshWith(app, held)));
    cookie = answers.map((answer) => answer.cookie).sort((a, b) => generationOf(b) - generationOf(a))[0] ?? '';
  }
  expect((await sessionOf(ada)).revokedAt).toBeNull();
  expect(await EventModel.countDocuments({ accountId: ada.user.id, type: 'notification' })).toBe(0);
});

test('a stolen token that is used ten times at once ends the session once, with one warning', async () => {
  const warnings: string[] = [];
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: (text: string) => void warnings.push(text), error: quiet };
  await using app = await createTestApp({ log });
  const ada = await app.person();
  app.clock.advance(31 * SECOND_MS);
  await refreshWith(app, cookieOf(ada));
  app.clock.advance(61 * SECOND_MS);

  const refusals = await Promise.all(Array.from({ length: 10 }, () => refusalOf(refreshWith(app, cookieOf(ada)))));

  expect(new Set(refusals.map((refusal) => refusal?.code))).toEqual(new Set(['session_ended']));
  expect(warnings.filter((text) => text.includes('refresh token'))).toHaveLength(1);
  expect(await EventModel.countDocuments({ accountId: ada.user.id, type: 'notification' })).toBe(1);
});

test('a token newer than what is stored, as after a restored backup, ends nothing', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  app.clock.advance(31 * SECOND_MS);
  const newer = await refreshWith(app, cookieOf(ada));
  await SessionModel.updateOne({ accountId: ada.user.id }, { $inc: { generation: -1 } });

  expect(await refusalOf(refreshWith(app, newer.cookie))).toMatchObject({ code: 'session_ended' });
  expect((await sessionOf(ada)).revokedAt).toBeNull();
});

test('two tabs that refresh at once, fifty times, both stay in', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  let tabs = [cookieOf(ada), cookieOf(ada)];
  for (let round = 0; round < 50; round += 1) {
    app.clock.advance(15 * 60 * SECOND_MS);
    const answers = await Promise.all(tabs.map((cookie) => refreshWith(app, cookie)));
    expect(new Set(answers.map((answer) => answer.cookie)).size).toBe(1);
    tabs = answers.map((answer) => answer.cookie);
  }
  expect(generationOf(tabs[0] ?? '')).toBe(generationOf(cookieOf(ada)) + 50);
});

test('an answer that was lost is repaired by the retry within the grace of 60 seconds', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  app.clock.advance(60 * SECOND_MS);
  const lost = await refreshWith(app, cookieOf(ada));
  app.clock.advance(30 * SECOND_MS);
  const retried = await refreshWith(app, cookieOf(ada));
  expect(retried.cookie).toBe(lost.cookie);
  app.clock.advance(29 * SECOND_MS);
  expect((await refreshWith(app, cookieOf(ada))).cookie).toBe(lost.cookie);
});

test('a token two generations old ends the session, and its owner is told by event and mail', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const second = await app.anonymous().auth.login({ username: ada.user.username, password: ada.password });
  app.clock.advance(40 * SECOND_MS);
  const next = await refreshWith(app, cookieOf(ada));
  app.clock.advance(40 * SECOND_MS);
  const newest = await refreshWith(app, next.cookie);
  await app.jobs.drain();
  app.outbox.length = 0;

  expect(await refusalOf(refreshWith(app, cookieOf(ada)))).toMatchObject({ code: 'session_ended', status: 401 });

  expect((await authenticate(app.providers, newest.accessToken)).actor).toEqual({ kind: 'anonymous' });
  expect(await refusalOf(refreshWith(app, newest.cookie))).toMatchObject({ code: 'session_ended' });
  expect((await authenticate(app.providers, second.accessToken)).actor).toMatchObject({ kind: 'account' });
  const events = await EventModel.find({ accountId: ada.user.id, seq: { $gt: 0 } });
  expect(events).toMatchObject([{ type: 'notification', payload: { variant: 'destructive' } }]);
  await app.jobs.drain();
  expect(app.outbox).toMatchObject([{ kind: 'session-reused', to: ada.user.email }]);
});

test('a copied cookie that is used 61 seconds after it was replaced puts both out', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  app.clock.advance(31 * SECOND_MS);
  const owner = await refreshWith(app, cookieOf(ada));
  app.clock.advance(61 * SECOND_MS);

  expect(await refusalOf(refreshWith(app, cookieOf(ada)))).toMatchObject({ code: 'session_ended' });
  expect(await refusalOf(refreshWith(app, owner.cookie))).toMatchObject({ code: 'session_ended' });
  expect((await authenticate(app.providers, owner.accessToken)).actor).toEqual({ kind: 'anonymous' });
});

test('a cookie that was changed, made by others, or of another installation is refused without asking the database', async () => {
  await using app = await createTestApp();
  await using elsewhere = await createTestApp({ providers: { secrets: createSecrets(newKeys()) } });
  const ada = await app.person();
  const [sessionId, generation, mac = ''] = cookieOf(ada).split('.');
  const flipped = mac.endsWith('A') ? `${mac.slice(0, -1)}B` : `${mac.slice(0, -1)}A`;
  const foreign = cookieOf(await elsewhere.person());
  const cookies = [
    `${sessionId}.${generation}.${flipped}`,
    `${sessionId}.${Number(generation) + 1}.${mac}`,
    `${'a'.repeat(20)}.${generation}.${mac}`,
    `${sessionId}.${generation}`,
    `${sessionId}.${generation}.`,
    'nonsense',
    foreign,
  ];

  const load = await databaseLoadOf(async () => {
    for (const cookie of cookies) {
      const jar = createJar();
      jar.write('refresh', cookie);
      expect(await refusalOf(app.anonymous(jar).auth.refresh())).toMatchObject({ code: 'session_ended' });
      expect(jar.cookies.has('refresh')).toBe(false);
    }
  });

  expect(load).toEqual(new Map());
  expect((await refreshWith(app, cookieOf(ada))).cookie).toBe(cookieOf(ada));
});

test('without a cookie there is no session to refresh', async () => {
  await using app = await createTestApp();
  expect(await refusalOf(app.anonymous().auth.refresh())).toMatchObject({ code: 'unauthenticated', status: 401 });
});

test('a session ends after 30 days without use, and after 90 days in any case', async () => {
  await using app = await createTestApp();
  const [idle, busy] = [await app.person(), await app.person()];
  let cookie = cookieOf(busy);
  for (let days = 0; days < 87; days += 29) {
    app.clock.advance(29 * DAY_MS);
    cookie = (await refreshWith(app, cookie)).cookie;
  }
  expect(await refusalOf(refreshWith(app, cookieOf(idle)))).toMatchObject({ code: 'session_ended' });
  app.clock.advance(3 * DAY_MS);
  expect(await refusalOf(refreshWith(app, cookie))).toMatchObject({ code: 'session_ended' });
});

test('all tokens that are not over work, and at most fifty hashes are kept', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const tokens = [];
  for (let count = 0; count < 55; count += 1) tokens.push((await refreshWith(app, cookieOf(ada))).accessToken);

  expect((await SessionModel.findOne({ accountId: ada.user.id }))?.access).toHaveLength(50);
  const actors = await Promise.all(tokens.slice(-50).map((token) => authenticate(app.providers, token)));
  expect(actors.every(({ actor }) => actor.kind === 'account')).toBe(true);
});

test('a token near its end brings a fresh one, once a minute a session however many calls come', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  expect(await authenticate(app.providers, ada.accessToken)).not.toHaveProperty('freshAccess');
  app.clock.advance(12 * 60 * SECOND_MS + SECOND_MS);

  const answers = await Promise.all(Array.from({ length: 10 }, () => authenticate(app.providers, ada.accessToken)));

  const fresh = answers.flatMap((answer) => (answer.freshAccess === undefined ? [] : [answer.freshAccess]));
  expect(fresh).toHaveLength(1);
  expect(fresh[0]?.expiresAt.getTime()).toBeGreaterThan(app.clock.now().getTime() + 14 * 60 * SECOND_MS);
  expect((await authenticate(app.providers, fresh[0]?.accessToken)).actor).toMatchObject({ accountId: ada.user.id });
  app.clock.advance(61 * SECOND_MS);
  expect(await authenticate(app.providers, ada.accessToken)).toHaveProperty('freshAccess');
  app.clock.advance(2 * 60 * SECOND_MS);
  expect((await authenticate(app.providers, ada.accessToken)).actor, 'it has ended').toEqual({ kind: 'anonymous' });
  expect((await authenticate(app.providers, fresh[0]?.accessToken)).actor).toMatchObject({ accountId: ada.user.id });
});

test('a session that lives on fresh tokens alone is in use, and ends 30 days after the last one', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  app.clock.advance(12 * 60 * SECOND_MS + SECOND_MS);
  expect(await authenticate(app.providers, ada.accessToken)).toHaveProperty('freshAccess');

  app.clock.advance(30 * DAY_MS - 10 * 60 * SECOND_MS);
  expect((await refreshWith(app, cookieOf(ada))).accessToken).toMatch(/^fla_/);
});

test('a session that was left idle for too long is nobody, whatever its access token says', async () => {
  await using app = await createTestApp({ limits: { accessTokenSeconds: (40 * DAY_MS) / SECOND_MS } });
  const ada = await app.person();
  app.clock.advance(29 * DAY_MS);
  expect((await authenticate(app.providers, ada.accessToken)).actor).toMatchObject({ accountId: ada.user.id });
  app.clock.advance(DAY_MS);
  expect((await authenticate(app.providers, ada.accessToken)).actor).toEqual({ kind: 'anonymous' });
});

test('without the database a refresh is trouble of ours, and the session is there when it comes back', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const jar = createJar();
  jar.write('refresh', cookieOf(ada));

  const refusals = await withoutDatabase(async () => [
    await refusalOf(app.anonymous(jar).auth.refresh()),
    await refusalOf(authenticate(app.providers, ada.accessToken)),
  ]);

  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'database_unavailable', status: 503 });
  expect(refusals[0]?.retryAfterMs).toBeGreaterThan(0);
  expect(jar.cookies.get('refresh')).toBe(cookieOf(ada));
  expect((await refreshWith(app, cookieOf(ada))).accessToken).toMatch(/^fla_/);
});
