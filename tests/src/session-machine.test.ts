// @vitest-environment node
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SESSION_TEXTS, SessionEndedError } from '../../src/api/session/session-errors.ts';
import { SessionMachine, type SessionMessage } from '../../src/api/session/session-machine.ts';
import { createTokenStore } from '../../src/api/session/token-store.ts';
import { LOCAL_KEYS, SESSION_KEYS } from '../../src/lib/storage/storage.ts';
import { atFreePort } from '../support/at-free-port.ts';
import { requestHandler } from '../support/request-handler.ts';

type Answer = { status: number; body?: unknown; headers?: Record<string, string> };
type Call = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

const HOUR_MS = 3_600_000;
const refused: Answer = { status: 401, body: { message: 'Log in to do this.', code: 'unauthenticated' } };

/** A browser's storage as far as the session uses it. */
class MemoryStorage extends Map<string, string> {
  getItem = (key: string): string | null => this.get(key) ?? null;
  setItem = (key: string, value: string): void => void this.set(key, value);
  removeItem = (key: string): void => void this.delete(key);
  key = (): null => null;
  get length(): number {
    return this.size;
  }
}

/** A real server that answers as told, and a session that talks to it; time passes only where a test says so. */
async function arrange(answer: (call: Call) => Answer | null) {
  const calls: Call[] = [];
  const responses: Response[] = [];
  const server = createServer(requestHandler(serve));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const call = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    calls.push(call);
    const given = answer(call);
    if (given === null) return void request.socket.destroy();
    response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers });
    response.end(JSON.stringify(given.body ?? {}));
  }
  const listening = await atFreePort(server);

  const local = new MemoryStorage();
  const perTab = new MemoryStorage();
  const page = { path: '/deployments?state=live', isAuth: false, clockAheadMs: 0, slept: [] as number[] };
  const told: string[] = [];
  const messages: SessionMessage[] = [];
  const now = (): number => Date.now() + page.clockAheadMs;
  const open = (): SessionMachine =>
    new SessionMachine({
      fetch: async (path, init) => {
        const response = await fetch(listening.url + path, init);
        responses.push(response);
        return response;
      },
      store: createTokenStore(local, perTab, now),
      now,
      sleep: async (ms) => {
        page.slept.push(ms);
        page.clockAheadMs += ms;
      },
      exclusively: (work) => work(),
      currentPath: () => page.path,
      isOnAuthScreen: () => page.isAuth,
      notify: (message) => told.push(`notice: ${message}`),
      redirect: (path) => told.push(`redirect: ${path}`),
      notifyOtherTabs: (message) => messages.push(message),
    });
  const hold = (token: string, expiresAt: number): void => {
    local.setItem(LOCAL_KEYS.accessToken, token);
    local.setItem(LOCAL_KEYS.accessExpiresAt, String(expiresAt));
    local.setItem(LOCAL_KEYS.sessionHeld, 'true');
  };
  return {
    ...listening,
    calls,
    responses,
    local,
    perTab,
    page,
    told,
    messages,
    open,
    hold,
    paths: () => calls.map(({ url }) => url),
  };
}

const fresh = (token = 'new'): Answer => ({
  status: 200,
  body: { accessToken: token, expiresAt: new Date(Date.now() + HOUR_MS).toISOString() },
});
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('every call but login, register and refresh carries the three headers', async () => {
  await using at = await arrange(() => ({ status: 200 }));
  at.hold('held', Date.now() + HOUR_MS);
  const session = at.open();
  for (const path of [
    '/api/subscription',
    '/api/trpc/deployments.list?batch=1',
    '/api/logout',
    '/api/login',
    '/api/trpc/auth.register',
    '/api/trpc/auth.login',
  ]) {
    await session.fetch(path, { method: 'POST' });
  }
  expect(
    at.calls.map(({ headers }) => [headers.authorization, headers['x-auth-token'], headers['x-requested-with']]),
  ).toEqual([
    ['Bearer held', 'held', 'XMLHttpRequest'],
    ['Bearer held', 'held', 'XMLHttpRequest'],
    ['Bearer held', 'held', 'XMLHttpRequest'],
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
  ]);
});

test('an expired token is refreshed before the call, once for many calls, with cookies only', async () => {
  await using at = await arrange(({ url }) => (url === '/api/refresh-token' ? fresh() : { status: 200 }));
  at.hold('old', Date.now() - 1);
  const session = at.open();
  await Promise.all([session.fetch('/api/a'), session.fetch('/api/b'), session.fetch('/api/c')]);
  const [first, ...others] = at.calls;
  expect(first).toMatchObject({ method: 'POST', url: '/api/refresh-token', body: '' });
  expect(first?.headers).not.toHaveProperty('authorization');
  expect(first?.headers).not.toHaveProperty('x-requested-with');
  expect(others.map(({ url }) => url).sort()).toEqual(['/api/a', '/api/b', '/api/c']);
  expect(others.every(({ headers }) => headers.authorization === 'Bearer new')).toBe(true);
});

test('a token that is missing while a session was held is refreshed too', async () => {
  await using at = await arrange(({ url }) => (url === '/api/refresh-token' ? fresh() : { status: 200 }));
  at.local.setItem(LOCAL_KEYS.sessionHeld, 'true');
  await at.open().fetch('/api/a');
  expect(at.paths()).toEqual(['/api/refresh-token', '/api/a']);
});

test('after a 401 the session is refreshed once, however many calls were refused, and each is made again once', async () => {
  await using at = await arrange(({ url, headers }) => {
    if (url === '/api/refresh-token') return fresh();
    return headers.authorization === 'Bearer new' ? { status: 200, body: { fine: true } } : refused;
  });
  at.hold('revoked', Date.now() + HOUR_MS);
  const response = await at.open().fetch('/api/a', { method: 'POST', body: '{"x":1}' });
  expect(response.status).toBe(200);
  expect(at.calls.map(({ url, body }) => url + body)).toEqual(['/api/a{"x":1}', '/api/refresh-token', '/api/a{"x":1}']);

  const session = at.open();
  at.calls.length = 0;
  at.hold('revoked', Date.now() + HOUR_MS);
  at.page.clockAheadMs += 10_000;
  await Promise.all([session.fetch('/api/a'), session.fetch('/api/b')]);
  expect(at.paths().sort()).toEqual(['/api/a', '/api/a', '/api/b', '/api/b', '/api/refresh-token']);
});

test('the refused call in a batch of several answers is found', async () => {
  const one = { result: { data: { json: 1 } } };
  const other = { error: { json: { message: 'Sign in', data: { code: 'unauthenticated' } } } };
  await using at = await arrange(({ url, headers }) => {
    if (url === '/api/refresh-token') return fresh();
    return headers.authorization === 'Bearer new'
      ? { status: 200, body: [one, one] }
      : { status: 207, body: [one, other] };
  });
  at.hold('revoked', Date.now() + HOUR_MS);
  const response = await at.open().fetch('/api/trpc/disclaimer.status,deployments.list?batch=1');
  expect(response.status).toBe(200);
  expect(at.paths()).toHaveLength(3);
});

test('a wrong password is a 401 that refreshes and ends nothing', async () => {
  const body = { error: { json: { message: 'That is not your password.', data: { code: 'credentials_wrong' } } } };
  await using at = await arrange(() => ({ status: 401, body }));
  at.hold('held', Date.now() + HOUR_MS);
  const session = at.open();
  expect((await session.fetch('/api/trpc/auth.changePassword', { method: 'POST' })).status).toBe(401);
  expect(at.paths()).toEqual(['/api/trpc/auth.changePassword']);
  expect(session.hasToken()).toBe(true);
});

test('the answer to a refresh is read, also a refusal: unread it would keep its connection for 15 s', async () => {
  await using at = await arrange(() => refused);
  await at.open().whenReady();
  expect(at.responses.map(({ url, bodyUsed }) => [new URL(url).pathname, bodyUsed])).toEqual([
    ['/api/refresh-token', true],
  ]);
});

test('a refused refresh ends the session: cleared, remembered, told after 100 ms, led away after 1.5 s', async () => {
  await using at = await arrange(() => refused);
  at.hold('old', Date.now() - 1);
  const session = at.open();
  await expect(session.fetch('/api/a')).rejects.toThrow(SESSION_TEXTS.expired);
  expect(session.state()).toBe('ending');
  expect(at.told).toEqual([]);
  expect(at.local.getItem(LOCAL_KEYS.accessToken)).toBeNull();
  expect(at.perTab.getItem(SESSION_KEYS.lastPath)).toBe('/deployments?state=live');
  expect(at.messages).toEqual([{ kind: 'ended', reason: SESSION_TEXTS.expired }]);
  await pass(99);
  expect(at.told).toEqual([]);
  await pass(1);
  expect(at.told).toEqual(['notice: Session expired. Please log in again.']);
  await pass(1_399);
  expect(at.told).toEqual(['notice: Session expired. Please log in again.']);
  await pass(1);
  expect(at.told).toEqual(['notice: Session expired. Please log in again.', 'redirect: /deployments?state=live']);
  expect(session.state()).toBe('anonymous');
  expect(JSON.parse(at.perTab.getItem(SESSION_KEYS.expiryMarker) ?? '{}')).toMatchObject({
    reason: SESSION_TEXTS.expired,
  });
});

test('a retry that is refused as well ends the session with the other text', async () => {
  await using at = await arrange(({ url }) => (url === '/api/refresh-token' ? fresh() : refused));
  at.hold('revoked', Date.now() + HOUR_MS);
  await expect(at.open().fetch('/api/a')).rejects.toThrow(SESSION_TEXTS.failed);
  expect(at.paths()).toEqual(['/api/a', '/api/refresh-token', '/api/a']);
});

test.each([
  ['no answer', null],
  ['408', { status: 408 }],
  ['429', { status: 429, headers: { 'retry-after': '30' } }],
  ['503', { status: 503 }],
] satisfies [string, Answer | null][])('%s to a refresh ends nothing', async (_name, answer) => {
  await using at = await arrange(({ url }) => (url === '/api/refresh-token' ? answer : { status: 200 }));
  at.hold('old', Date.now() - 1);
  const session = at.open();
  const failure: unknown = await session.fetch('/api/a').catch((error: unknown) => error);
  expect(failure).not.toBeInstanceOf(SessionEndedError);
  expect(failure).toMatchObject({ name: 'SessionUnavailableError' });
  expect(at.local.getItem(LOCAL_KEYS.accessToken)).toBe('old');
  expect(at.told).toEqual([]);
});

test('the next attempt waits two seconds, and a Retry-After that is longer is not run into', async () => {
  let answer: Answer = { status: 503 };
  await using at = await arrange(({ url }) => (url === '/api/refresh-token' ? answer : { status: 200 }));
  at.hold('old', Date.now() - 1);
  const session = at.open();
  await expect(session.fetch('/api/a')).rejects.toThrow(SESSION_TEXTS.unavailable);
  answer = { status: 503, headers: { 'retry-after': '60' } };
  await expect(session.fetch('/api/a')).rejects.toThrow(SESSION_TEXTS.unavailable);
  expect(at.page.slept).toHaveLength(1);
  expect(at.page.slept[0]).toBeGreaterThan(1_000);
  expect(at.page.slept[0]).toBeLessThanOrEqual(2_000);
  await expect(session.fetch('/api/a')).rejects.toThrow(SESSION_TEXTS.unavailable);
  expect(at.paths()).toEqual(['/api/refresh-token', '/api/refresh-token']);
  answer = fresh();
  at.page.clockAheadMs += 61_000;
  expect((await session.fetch('/api/a')).status).toBe(200);
});

test('a visitor who never held a session asks once, silently, and a 401 is nothing more', async () => {
  await using at = await arrange(() => refused);
  const session = at.open();
  const answers = await Promise.all([session.fetch('/api/a'), session.whenReady().then(() => session.fetch('/api/b'))]);
  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  await pass(10_000);
  at.page.clockAheadMs += 10_000;
  await session.fetch('/api/c');
  expect(at.paths().filter((url) => url === '/api/refresh-token')).toHaveLength(1);
  expect(at.told).toEqual([]);
  expect(session.state()).toBe('anonymous');
});

test('a visitor whose cookie is still good is signed in silently', async () => {
  await using at = await arrange(({ url }) => (url === '/api/refresh-token' ? fresh() : { status: 200 }));
  const session = at.open();
  expect(await session.whenReady()).toBe(true);
  expect(session.state()).toBe('held');
});

test('a silent refresh that a reload cut off is made again, one that was refused a moment ago is not', async () => {
  await using at = await arrange(({ url }) => (url === '/api/refresh-token' ? fresh() : { status: 200 }));
  at.local.setItem(LOCAL_KEYS.lastRefreshAt, String(Date.now()));
  expect(await at.open().whenReady()).toBe(true);
  // The rest of the two seconds since the attempt that was cut off.
  expect(at.page.slept).toHaveLength(1);

  await using refusing = await arrange(() => refused);
  expect(await refusing.open().whenReady()).toBe(false);
  expect(await refusing.open().whenReady()).toBe(false);
  expect(refusing.paths()).toEqual(['/api/refresh-token']);
});

test('the current user ends a session without notice and redirect', async () => {
  await using at = await arrange(() => refused);
  at.hold('old', Date.now() - 1);
  const session = at.open();
  await expect(session.fetch('/api/trpc/user.get?batch=1')).rejects.toThrow(SESSION_TEXTS.expired);
  await pass(10_000);
  expect(at.told).toEqual([]);
  expect(session.state()).toBe('anonymous');
});

test('on the sign-in screen, and a second time, nobody is led anywhere', async () => {
  await using at = await arrange(() => refused);
  at.hold('old', Date.now() - 1);
  at.page.isAuth = true;
  await expect(at.open().fetch('/api/a')).rejects.toThrow(SESSION_TEXTS.expired);
  expect(at.perTab.getItem(SESSION_KEYS.expiryMarker)).toBeNull();
  at.page.isAuth = false;
  at.page.clockAheadMs += 10_000;
  at.perTab.setItem(SESSION_KEYS.expiredRedirectDone, 'true');
  at.hold('old', Date.now() - 1);
  await expect(at.open().fetch('/api/a')).rejects.toThrow(SESSION_TEXTS.expired);
  await pass(10_000);
  expect(at.told).toEqual([]);
});

test('logout is sent with the token as it is, and nothing follows from its answer', async () => {
  await using at = await arrange(() => refused);
  at.hold('old', Date.now() - 1);
  const session = at.open();
  expect((await session.fetch('/api/trpc/auth.logout', { method: 'POST' })).status).toBe(401);
  expect(at.paths()).toEqual(['/api/trpc/auth.logout']);
  session.signOut();
  expect(session.hasToken()).toBe(false);
  expect(at.messages).toEqual([{ kind: 'ended', reason: SESSION_TEXTS.loggedOut }]);
  expect(await at.open().whenReady()).toBe(false);
  expect(at.paths()).toHaveLength(1);
});

test('a socket that the server ends during a logout, here or in another tab, is no expired session', async () => {
  await using at = await arrange(() => refused);
  at.hold('held', Date.now() + HOUR_MS);
  const here = at.open();
  here.startSignOut();
  await here.distrustToken();
  const otherTab = at.open();
  otherTab.hear({ kind: 'leaving' });
  await otherTab.distrustToken();
  expect(at.paths()).toEqual([]);
  here.signOut();
  const [, told] = at.messages;
  otherTab.hear(told ?? expect.fail('The other tab is not told.'));
  expect([here.state(), otherTab.state()]).toEqual(['anonymous', 'anonymous']);
  expect(at.perTab.getItem(SESSION_KEYS.expiryMarker), 'why its files are gone').toContain(SESSION_TEXTS.loggedOut);
  expect(at.told).toEqual([]);
});

test('a tab in which nobody was logged in says nothing of a logout in another', async () => {
  await using at = await arrange(() => refused);
  const tab = at.open();
  expect(await tab.whenReady()).toBe(false);
  tab.hear({ kind: 'ended', reason: SESSION_TEXTS.loggedOut });
  expect(tab.state()).toBe('anonymous');
  expect(at.perTab.getItem(SESSION_KEYS.expiryMarker)).toBeNull();
});

test('a socket that the server ends for good asks at once whether the session is over', async () => {
  await using at = await arrange(() => refused);
  at.hold('held', Date.now() + HOUR_MS);
  const session = at.open();
  await expect(session.distrustToken()).rejects.toThrow(SESSION_TEXTS.expired);
  expect(session.state()).toBe('ending');
  await pass(100);
  expect(at.told).toEqual(['notice: Session expired. Please log in again.']);
});

test('where the account was deleted, other tabs and other browsers say so', async () => {
  const deleted: Answer = { status: 401, body: { message: 'Your account was deleted.', code: 'account_deleted' } };
  let answer = deleted;
  await using at = await arrange(() => answer);
  const reasonIn = () => at.perTab.getItem(SESSION_KEYS.expiryMarker);
  at.hold('held', Date.now() + HOUR_MS);
  await expect(at.open().distrustToken()).rejects.toThrow(SESSION_TEXTS.accountDeleted);
  expect(reasonIn()).toContain(SESSION_TEXTS.accountDeleted);

  // The cookie is gone before the tab that deleted the account has its answer.
  answer = refused;
  at.page.clockAheadMs += HOUR_MS;
  at.perTab.clear();
  at.hold('held', Date.now() + 2 * HOUR_MS);
  const [otherTab, here] = [at.open(), at.open()];
  await expect(otherTab.distrustToken()).rejects.toThrow(SESSION_TEXTS.expired);
  here.signOut(SESSION_TEXTS.accountDeleted);
  otherTab.hear(at.messages.at(-1) ?? expect.fail('The other tab is not told.'));
  expect(reasonIn()).toContain(SESSION_TEXTS.accountDeleted);
});

test('both headers of a new token replace it; one alone does not', async () => {
  let headers: Record<string, string> = { 'x-new-access-token': 'newer' };
  await using at = await arrange(() => ({ status: 200, headers }));
  at.hold('held', Date.now() + 60_000);
  const session = at.open();
  await session.fetch('/api/a');
  expect(at.local.getItem(LOCAL_KEYS.accessToken)).toBe('held');
  headers = { ...headers, 'x-token-expiry': new Date(Date.now() + HOUR_MS).toISOString() };
  await session.fetch('/api/a');
  expect(at.local.getItem(LOCAL_KEYS.accessToken)).toBe('newer');
});

test('a clock that is twenty minutes ahead does not refresh before every call', async () => {
  await using at = await arrange(({ url }) =>
    url === '/api/refresh-token'
      ? { status: 200, body: { accessToken: 'new', expiresAt: new Date(Date.now() + 900_000).toISOString() } }
      : { status: 200 },
  );
  at.page.clockAheadMs = 20 * 60_000;
  at.hold('old', 1);
  const session = at.open();
  for (const path of ['/api/a', '/api/b', '/api/c']) await session.fetch(path);
  expect(at.paths()).toEqual(['/api/refresh-token', '/api/a', '/api/b', '/api/c']);
});

test('an answer to a refresh that holds no token ends the session with its own text', async () => {
  await using at = await arrange(() => ({ status: 200, body: { hello: 'from the hotel' } }));
  at.hold('old', Date.now() - 1);
  await expect(at.open().fetch('/api/a')).rejects.toThrow('Authentication error: the answer held no access token');
});

test('a storage that throws ends in the text for faults', async () => {
  await using at = await arrange(() => ({ status: 200 }));
  at.hold('held', Date.now() + HOUR_MS);
  const session = at.open();
  at.local.getItem = () => {
    throw new Error('The storage is gone');
  };
  await expect(session.fetch('/api/a')).rejects.toThrow(SESSION_TEXTS.failedByError);
});

test('a network that fails is no word about the session', async () => {
  await using at = await arrange(() => null);
  at.hold('held', Date.now() + HOUR_MS);
  const session = at.open();
  await expect(session.fetch('/api/a')).rejects.toThrow(TypeError);
  expect(session.state()).toBe('held');
});

test('a token that another tab has refreshed meanwhile is taken without asking', async () => {
  await using at = await arrange(({ headers }) => {
    if (headers.authorization === 'Bearer theirs') return { status: 200 };
    at.hold('theirs', Date.now() + HOUR_MS);
    return refused;
  });
  at.hold('mine', Date.now() + HOUR_MS);
  expect((await at.open().fetch('/api/a')).status).toBe(200);
  expect(at.paths()).toEqual(['/api/a', '/api/a']);
});

test('why a session ended is told for less than 5 minutes, in general words where there are none', () => {
  let now = 1;
  const store = createTokenStore(new MemoryStorage(), new MemoryStorage(), () => now);
  store.writeMarker(SESSION_TEXTS.failed);
  now += 299_999;
  expect(store.recentReason()).toBe(SESSION_TEXTS.failed);
  now += 1;
  expect(store.recentReason()).toBeNull();
  store.writeMarker('');
  expect(store.recentReason()).toBe('Your session has expired. Please log in again.');
});
