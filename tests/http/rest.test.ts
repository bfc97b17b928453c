import { randomBytes } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { JSON_BODY_MAX_BYTES } from '../../routers/schemas/limits.ts';
import { SessionModel } from '../../server/database/models/account/session.ts';
import { REST_CALLS } from '../../server/http/rest.ts';
import { clientAddress } from '../../server/lib/client-address.ts';
import { createTestApp } from '../support/app.ts';
import { type Listening, listen, shareApp } from '../support/listen.ts';

const PASSWORD = 'Correct horse 1';

type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

async function call(
  { url }: Listening,
  method: string,
  path: string,
  options: { body?: unknown; token?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(options.body !== undefined && { 'Content-Type': 'application/json' }),
      ...(options.token !== undefined && { Authorization: `Bearer ${options.token}`, 'X-Auth-Token': options.token }),
      ...options.headers,
    },
    ...(options.body !== undefined && {
      body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body),
    }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** The tests of a file share their database: everybody has a name of their own. */
function newName(): string {
  return `ada ${randomBytes(5).toString('hex')}`;
}

function register(listener: Listening, username = newName()): Promise<Answer> {
  const email = `${username.replaceAll(' ', '.')}@example.com`.toLowerCase();
  return call(listener, 'POST', '/api/register', { body: { username, email, password: PASSWORD } });
}

function cookieOf({ headers }: Answer, name: string): string {
  const cookie = headers.getSetCookie().find((one) => one.startsWith(`${name}=`));
  return cookie ?? '';
}

const theApp = shareApp();

test('registration answers the user, an access token and its end, and no password', async () => {
  const { listener } = await theApp();

  const username = newName();
  const answer = await register(listener, username);

  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ username, disclaimerAccepted: false, deploymentCount: 0 });
  expect(answer.body.accessToken).toMatch(/^fla_/);
  expect(new Date(String(answer.body.expiresAt)).toISOString()).toBe(answer.body.expiresAt);
  expect(JSON.stringify(answer.body)).not.toMatch(/password|hash/i);
  const cookie = cookieOf(answer, 'fairlead_refresh');
  expect(cookie).toContain('Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict');
  expect(cookie).not.toContain('Secure');
});

test('over https the refresh cookie is secure and bound to its host', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app);
  app.providers.addresses = { ...app.providers.addresses, publicUrl: 'https://fairlead.test' };

  const cookie = cookieOf(await register(listener), '__Host-fairlead_refresh');

  expect(cookie).toContain('Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Strict');
  expect(cookie).not.toContain('Domain');
});

test('login takes the same password and refuses another with a message', async () => {
  const { listener } = await theApp();
  const username = newName();
  await register(listener, username);

  const good = await call(listener, 'POST', '/api/login', { body: { username, password: PASSWORD } });
  const wrong = await call(listener, 'POST', '/api/login', { body: { username, password: 'Wrong horse 1' } });

  expect(good.status).toBe(200);
  expect(good.body).toMatchObject({ username, accessToken: expect.any(String), expiresAt: expect.any(String) });
  expect(wrong.status).toBe(401);
  expect(wrong.body).toMatchObject({
    code: 'credentials_wrong',
    message: expect.any(String),
    requestId: wrong.headers.get('X-Request-Id'),
  });
});

test('a bad registration is a 400 that names each field', async () => {
  const { listener } = await theApp();

  const answer = await call(listener, 'POST', '/api/register', {
    body: { username: 'a', email: 'nobody', password: 'short', isBetaTester: true },
  });

  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({
    code: 'validation_failed',
    message: 'Username must be at least 3 characters',
    field: 'username',
    fieldErrors: {
      username: 'Username must be at least 3 characters',
      email: 'Please enter a valid email address',
      password: 'Password must be at least 8 characters',
      isBetaTester: 'This field is not known.',
    },
  });
});

test('a username that is in use is a 409 on its field', async () => {
  const { listener } = await theApp();
  const username = newName();
  await register(listener, username);

  const body = { username, email: 'somebody.else@example.com', password: PASSWORD };
  const answer = await call(listener, 'POST', '/api/register', { body });

  expect(answer.status).toBe(409);
  expect(answer.body).toMatchObject({ code: 'username_taken', field: 'username' });
});

test('the current user is answered to a good token and a 401 to none or a wrong one', async () => {
  const { listener } = await theApp();
  const username = newName();
  const token = String((await register(listener, username)).body.accessToken);

  const mine = await call(listener, 'GET', '/api/user', { token });
  const nobody = await call(listener, 'GET', '/api/user');
  const wrong = await call(listener, 'GET', '/api/user', { token: 'fla_wrong' });
  const unknown = [];
  for (const bad of ['flt_unknown', 'nonsense']) unknown.push(await call(listener, 'GET', '/api/user', { token: bad }));

  expect(mine.status).toBe(200);
  expect(mine.body).toMatchObject({ username, disclaimerAccepted: false, deploymentCount: 0 });
  expect(mine.body).not.toHaveProperty('accessToken');
  expect([nobody.status, nobody.body.code]).toEqual([401, 'unauthenticated']);
  expect([wrong.status, wrong.body.code]).toEqual([401, 'unauthenticated']);
  // A script has no login: only who has no token, or one of a session, is asked for it.
  expect([nobody.body.message, wrong.body.message]).toEqual(['Log in to do this.', 'Log in to do this.']);
  for (const { status, body } of unknown)
    expect([status, body.message]).toEqual([401, 'This API token is unknown, expired or revoked.']);
});

test('two different tokens in one call are a 400', async () => {
  const { listener } = await theApp();
  const token = String((await register(listener)).body.accessToken);

  const answer = await call(listener, 'GET', '/api/user', { token, headers: { 'X-Auth-Token': `${token}x` } });

  expect([answer.status, answer.body.code]).toEqual([400, 'bad_request']);
});

test('refresh works by its cookie alone, and no other call does', async () => {
  const { listener } = await theApp();
  const cookie = cookieOf(await register(listener), 'fairlead_refresh').split(';')[0] ?? '';

  const refreshed = await call(listener, 'POST', '/api/refresh-token', { headers: { Cookie: cookie } });
  const user = await call(listener, 'GET', '/api/user', { headers: { Cookie: cookie } });
  const none = await call(listener, 'POST', '/api/refresh-token');

  expect(refreshed.status).toBe(200);
  expect(Object.keys(refreshed.body).sort()).toEqual(['accessToken', 'expiresAt']);
  expect(cookieOf(refreshed, 'fairlead_refresh')).toContain('HttpOnly');
  expect(user.status).toBe(401);
  expect(none.status).toBe(401);
});

test('over tRPC the refresh cookie is in reach of a call on its own, and not in a batch', async () => {
  const { listener } = await theApp();
  const cookie = cookieOf(await register(listener), 'fairlead_refresh').split(';')[0] ?? '';
  const headers = { Cookie: cookie };
  const body = JSON.stringify({ json: null, meta: { values: ['undefined'] } });

  const alone = await call(listener, 'POST', '/api/trpc/auth.refresh', { headers, body });
  const batched = await call(listener, 'POST', '/api/trpc/auth.refresh?batch=1', { headers, body: `{"0":${body}}` });

  expect(alone.status).toBe(200);
  expect(batched.status).toBe(401);
});

test('logout ends the session, and is a 200 whoever calls', async () => {
  const { listener } = await theApp();
  const token = String((await register(listener)).body.accessToken);

  expect((await call(listener, 'POST', '/api/logout', { token })).status).toBe(200);
  expect((await call(listener, 'GET', '/api/user', { token })).status).toBe(401);
  expect((await call(listener, 'POST', '/api/logout', { token })).status).toBe(200);
  expect((await call(listener, 'POST', '/api/logout')).status).toBe(200);
});

test.each([
  ['/api/logout', '{}', 401],
  ['/api/trpc/auth.logout', '{}', 401],
  ['/api/trpc/auth.logout?batch=1', '{"0":{}}', 200],
])(
  'POST %s with the refresh cookie and an unknown token, body %s: refreshing is a %d then',
  async (path, body, status) => {
    const { listener } = await theApp();
    const headers = { Cookie: cookieOf(await register(listener), 'fairlead_refresh').split(';')[0] ?? '' };
    const token = `fla_${'a'.repeat(43)}`;
    const foreign = { ...headers, Origin: 'https://evil.example' };

    expect((await call(listener, 'POST', path, { token, body, headers: foreign })).status).toBe(403);
    expect((await call(listener, 'POST', '/api/refresh-token', { headers })).status).toBe(200);
    expect((await call(listener, 'POST', path, { token, body, headers })).status).toBe(200);
    expect((await call(listener, 'POST', '/api/refresh-token', { headers })).status).toBe(status);
  },
);

test('the subscription is a 404 while there is none, and the trial once it runs', async () => {
  const { app, listener } = await theApp();
  const token = String((await register(listener)).body.accessToken);

  const none = await call(listener, 'GET', '/api/subscription', { token });
  await (await app.callerFor(token)).subscription.startTrial();
  const trial = await call(listener, 'GET', '/api/subscription', { token });
  const nobody = await call(listener, 'GET', '/api/subscription');

  expect([none.status, none.body.code]).toEqual([404, 'not_found']);
  expect(none.body.message).toEqual(expect.any(String));
  expect([trial.status, trial.body.status, trial.body.plan]).toEqual([200, 'trialing', 'PRO']);
  expect(nobody.status).toBe(401);
});

test('feedback is stored, and a rating out of range is named', async () => {
  const { listener } = await theApp();
  const token = String((await register(listener)).body.accessToken);
  const feedback = { rating: 5, comment: 'Fine', deploymentId: 'main-app' };

  const good = await call(listener, 'POST', '/api/feedback', { token, body: feedback });
  const bad = await call(listener, 'POST', '/api/feedback', { token, body: { ...feedback, rating: 6 } });

  expect(good.status).toBe(200);
  expect([bad.status, bad.body.code, bad.body.field]).toEqual([400, 'validation_failed', 'rating']);
});

test('the disclaimer is accepted signed out, remembered by a cookie that no script reads', async () => {
  const { listener } = await theApp();

  const answer = await call(listener, 'POST', '/api/accept-disclaimer');

  expect(answer.status).toBe(200);
  expect(cookieOf(answer, 'fairlead_disclaimer')).toContain('Max-Age=31536000; Path=/; HttpOnly; SameSite=Strict');
});

test('a token near its end is replaced in the headers of the answer', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app);
  const token = String((await register(listener)).body.accessToken);
  app.clock.advance(13 * 60_000);

  const answer = await call(listener, 'GET', '/api/user', { token });

  const fresh = answer.headers.get('X-New-Access-Token') ?? '';
  expect(fresh).toMatch(/^fla_/);
  expect(Date.parse(answer.headers.get('X-Token-Expiry') ?? '')).toBeGreaterThan(
    app.clock.now().getTime() + 10 * 60_000,
  );
  expect((await call(listener, 'GET', '/api/user', { token: fresh })).status).toBe(200);
});

test.each(REST_CALLS)('$path refuses another method with what it takes', async ({ method, path }) => {
  const { listener } = await theApp();

  const answer = await call(listener, method === 'get' ? 'POST' : 'GET', path);

  expect([answer.status, answer.body.code]).toEqual([405, 'method_not_allowed']);
  expect(answer.headers.get('Allow')).toBe(method === 'get' ? 'GET, HEAD' : 'POST');
});

test('what is no call, no JSON, too large or of another type is told apart', async () => {
  const { listener } = await theApp();
  const type = (contentType: string): { headers: Record<string, string> } => ({
    headers: { 'Content-Type': contentType },
  });
  const large = { body: { username: 'x'.repeat(JSON_BODY_MAX_BYTES), password: 'y' } };

  const answers = await Promise.all([
    call(listener, 'GET', '/api/nothing'),
    call(listener, 'POST', '/api/login', { body: '{"username":' }),
    call(listener, 'POST', '/api/login', large),
    call(listener, 'POST', '/api/login', { body: '{}', ...type('text/plain') }),
    call(listener, 'POST', '/api/login', { body: 'username=a', ...type('application/x-www-form-urlencoded') }),
    call(listener, 'POST', '/api/accept-disclaimer', { body: '{}', ...type('text/plain') }),
  ]);

  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    [404, 'not_found'],
    [400, 'bad_request'],
    [413, 'body_too_large'],
    [415, 'body_type_unsupported'],
    [415, 'body_type_unsupported'],
    [415, 'body_type_unsupported'],
  ]);
  for (const { body, headers } of answers) {
    expect(body.message).toEqual(expect.any(String));
    expect(body.requestId).toBe(headers.get('X-Request-Id'));
  }
});

test('tRPC tells the same apart, in its own shape', async () => {
  const { listener } = await theApp();
  const large = JSON.stringify({ json: { username: 'x'.repeat(JSON_BODY_MAX_BYTES), password: 'y' } });

  const answers = await Promise.all([
    call(listener, 'GET', '/api/trpc/nothing.here'),
    call(listener, 'POST', '/api/trpc/auth.login', { body: '{"json":' }),
    call(listener, 'POST', '/api/trpc/auth.login', { body: large }),
    call(listener, 'POST', '/api/trpc/auth.login', { body: '{}', headers: { 'Content-Type': 'text/plain' } }),
    call(listener, 'POST', '/api/trpc/auth.login', {
      body: 'a',
      headers: { 'Content-Type': 'application/octet-stream' },
    }),
    call(listener, 'GET', '/api/trpc/auth.login'),
    call(listener, 'GET', '/api/trpc/user.get'),
    call(listener, 'GET', '/api/trpc/events.stream'),
    call(listener, 'POST', '/api/trpc/auth.login', { body: { json: { username: 'a', password: 'abcdef' } } }),
  ]);

  const seen = answers.map(({ status, body }) => [status, dataOf(body).code]);
  expect(seen).toEqual([
    [404, 'procedure_unknown'],
    [400, 'bad_request'],
    [413, 'body_too_large'],
    [415, 'body_type_unsupported'],
    [415, 'body_type_unsupported'],
    [405, 'method_not_allowed'],
    [401, 'unauthenticated'],
    [405, 'method_not_allowed'],
    [400, 'validation_failed'],
  ]);
  for (const { body, headers } of answers) expect(dataOf(body).requestId).toBe(headers.get('X-Request-Id'));
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toMatch(/stack|node_modules|Unexpected end/);
});

/** The place of the error's data in tRPC's answer, under superjson. */
function dataOf(body: Record<string, unknown>): Record<string, unknown> {
  const { error } = body as { error: { json: { data: Record<string, unknown> } } };
  return error.json.data;
}

test('ten calls to a request are taken, eleven are not', async () => {
  const { listener } = await theApp();
  const batch = (count: number): string => Array.from({ length: count }, () => 'disclaimer.status').join(',');

  expect((await call(listener, 'GET', `/api/trpc/${batch(10)}?batch=1`)).status).toBe(200);
  expect((await call(listener, 'GET', `/api/trpc/${batch(11)}?batch=1`)).status).toBe(400);
});

test('each call of a batch counts against the calls of a minute', async () => {
  await using app = await createTestApp({ limits: { callsPerMinute: 20 } });
  await using listener = await listen(app);
  const token = String((await register(listener)).body.accessToken);
  const path = `/api/trpc/${Array.from({ length: 10 }, () => 'user.get').join(',')}?batch=1`;

  expect((await call(listener, 'GET', path, { token })).status).toBe(200);
  expect((await call(listener, 'GET', path, { token })).status).toBe(200);
  const third = await call(listener, 'GET', '/api/user', { token });
  const other = await register(listener);
  const asking = vi.spyOn(SessionModel, 'findOne');
  const overTrpc = await call(listener, 'GET', path, { token });
  expect(asking, 'whose token it is was known').not.toHaveBeenCalled();
  asking.mockRestore();

  expect([third.status, third.body.code]).toEqual([429, 'rate_limited']);
  expect(Number(third.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(overTrpc.status).toBe(429);
  expect(Number(overTrpc.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect((await call(listener, 'GET', '/api/user', { token: String(other.body.accessToken) })).status).toBe(200);
});

test('sessions and tokens of an account are counted together, but not what each has too many', async () => {
  await using app = await createTestApp({ limits: { callsPerMinute: 15, accountCallsPerMinute: 25 } });
  await using listener = await listen(app);
  const username = newName();
  const session = String((await register(listener, username)).body.accessToken);
  const login = await call(listener, 'POST', '/api/login', { body: { username, password: PASSWORD } });
  const caller = await app.callerFor(session);
  const apiToken = await caller.tokens.create({ name: 'script', scopes: ['read'], currentPassword: PASSWORD });
  const other = await register(listener);
  const path = `/api/trpc/${Array.from({ length: 10 }, () => 'user.get').join(',')}?batch=1`;
  const statusOf = async (token: unknown): Promise<number> =>
    (await call(listener, 'GET', path, { token: String(token) })).status;

  expect([await statusOf(session), await statusOf(session)]).toEqual([200, 429]);
  expect(await statusOf(apiToken.secret)).toBe(200);
  const over = await call(listener, 'GET', path, { token: String(login.body.accessToken) });
  expect([over.status, Number(over.headers.get('Retry-After')) > 0]).toEqual([429, true]);
  expect(await statusOf(other.body.accessToken)).toBe(200);
});

test('the anonymous are counted by the address that the trusted proxy names', async () => {
  await using app = await createTestApp({ limits: { anonymousCallsPerMinute: 2, isAddressCounted: true } });
  await using listener = await listen(app);
  app.providers.addresses = { ...app.providers.addresses, trustedProxies: 1 };
  const from = (address: string): Promise<Answer> =>
    call(listener, 'GET', '/api/user', { headers: { 'X-Forwarded-For': `203.0.113.99, ${address}` } });

  const first = [await from('192.0.2.1'), await from('::ffff:192.0.2.1'), await from('192.0.2.1')];
  const network = [await from('2001:db8:1:2::1'), await from('2001:db8:1:2::2'), await from('2001:db8:1:2:3::')];
  const other = await from('2001:db8:1:3::1');

  expect(first.map(({ status }) => status)).toEqual([401, 401, 429]);
  expect(network.map(({ status }) => status)).toEqual([401, 401, 429]);
  expect(other.status).toBe(401);
});

test.each([
  ['203.0.113.99, 192.0.2.7:4711', '192.0.2.7'],
  ['203.0.113.99, [2001:db8:1:2::1]:4711', '2001:db8:1:2::/64'],
  ['203.0.113.99, [2001:db8:1:2::1]', '2001:db8:1:2::/64'],
  ['203.0.113.99, 2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['203.0.113.99, unknown', '127.0.0.1'],
  ['203.0.113.99, ', '127.0.0.1'],
])('behind one proxy that writes "%s" the address is %s, and never the claimed one', (header, address) => {
  const request = new IncomingMessage(new Socket());
  Object.defineProperty(request.socket, 'remoteAddress', { value: '127.0.0.1' });
  request.headers['x-forwarded-for'] = header;

  expect(clientAddress(request, 1)).toBe(address);
});

test('an address that cannot be decoded is a 400, and nothing to log', async () => {
  const lines: string[] = [];
  const keep = (message: string): void => void lines.push(message);
  await using app = await createTestApp({ log: { debug: keep, info: keep, warn: keep, error: keep } });
  await using listener = await listen(app);

  for (const [method, path] of [
    ['PUT', '/api/uploads/%E0%A4%A/manifest'],
    ['GET', '/api/trpc/%E0%A4%A'],
    ['POST', '/api/trpc/auth.logout,%E0%A4%A?batch=1'],
  ] as const) {
    const answer = await call(listener, method, path);
    expect(answer.status, path).toBe(400);
    expect(JSON.stringify(answer.body), path).toContain('"code":"bad_request"');
  }
  expect(lines).toEqual([]);
});

test.each(['events.stream', 'events%2Estream', '%65vents.stream'])(
  'GET /api/trpc/%s is no way to subscribe',
  async (path) => {
    const { listener } = await theApp();

    const answer = await call(listener, 'GET', `/api/trpc/${path}`);

    expect(answer.status).toBe(405);
    expect(answer.headers.get('content-type')).toContain('application/json');
  },
);

test('an unknown error is logged with its stack and answered without its text', async () => {
  const lines: string[] = [];
  const keep = (message: string, fields?: object): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: keep, info: keep, warn: keep, error: keep };
  await using app = await createTestApp({ log });
  await using listener = await listen(app);
  app.providers.hasher = {
    ...app.providers.hasher,
    hash: () => Promise.reject(new Error('canary in the mine')),
    verify: () => Promise.reject(new Error('canary in the mine')),
  };

  const rest = await register(listener);
  const overTrpc = await call(listener, 'POST', '/api/trpc/auth.login', {
    body: { json: { username: newName(), password: PASSWORD } },
  });

  expect([rest.status, rest.body.code]).toEqual([500, 'internal']);
  expect(overTrpc.status).toBe(500);
  expect(JSON.stringify([rest.body, overTrpc.body])).not.toContain('canary');
  const told = lines.filter((line) => line.includes('canary in the mine'));
  expect(told.some((line) => line.includes(String(rest.body.requestId)))).toBe(true);
});
