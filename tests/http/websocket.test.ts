import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Limits } from '../../server/context.ts';
import { type Change, type ChangeFeed, createChangeFeed } from '../../server/database/change-feed.ts';
import { transaction } from '../../server/database/mongo.ts';
import { publishEvent } from '../../server/events/publish.ts';
import type { Log } from '../../server/lib/log.ts';
import { createTestApp, type Person, type TestApp, tokenOf } from '../support/app.ts';
import { followEvents } from '../support/event-client.ts';
import { type Listening, listen } from '../support/listen.ts';
import { withoutDatabase } from '../support/without-database.ts';

const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const testApp = (limits: Partial<Limits> = {}): Promise<TestApp> =>
  createTestApp({ changes: createChangeFeed(SILENT), limits });

type Raw = { socket: WebSocket; messages: unknown[]; closed: Promise<number>; nextMessage(): Promise<unknown> };

/** Returns a bare socket that says what a test makes it say. */
function open(
  { url }: Listening,
  options: { path?: string; headers?: Record<string, string>; autoPong?: boolean } = {},
): Raw {
  const { path = '/api/trpc?connectionParams=1', headers = {}, autoPong = true } = options;
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers, autoPong });
  const messages: unknown[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  return {
    socket,
    messages,
    closed,
    async nextMessage() {
      const hasCome = new AbortController();
      const ended = closed.then((code) => {
        if (!hasCome.signal.aborted) throw new Error(`The socket closed with ${code} while a message was waited for.`);
      });
      await Promise.race([once(socket, 'message', { signal: hasCome.signal }), ended]);
      hasCome.abort();
      ended.catch(() => undefined);
      return messages.at(-1);
    },
  };
}

/** Returns the status of an upgrade that is refused. */
async function refusedWith(raw: Raw): Promise<number> {
  const [, response] = await once(raw.socket, 'unexpected-response');
  raw.socket.on('error', () => undefined);
  raw.socket.terminate();
  return response.statusCode;
}

async function hello(raw: Raw, token: string): Promise<void> {
  await once(raw.socket, 'open');
  raw.socket.send(JSON.stringify({ method: 'connectionParams', data: { token } }));
}

const NO_INPUT = { json: null, meta: { values: ['undefined'] } };

const subscribe = (id: number): string =>
  JSON.stringify({
    id,
    jsonrpc: '2.0',
    method: 'subscription',
    params: { path: 'events.stream', input: { json: {} } },
  });

/** Returns a socket with one subscription that has been taken. */
async function admitted(listener: Listening, person: Person): Promise<Raw> {
  const raw = open(listener, { headers: { origin: listener.origin } });
  await hello(raw, person.accessToken);
  raw.socket.send(subscribe(1));
  await raw.nextMessage();
  return raw;
}

test('an upgrade from another site, or at another path, is refused', async () => {
  await using app = await testApp();
  await using listener = await listen(app);

  expect(await refusedWith(open(listener, { headers: { origin: 'https://evil.test' } }))).toBe(403);
  expect(await refusedWith(open(listener, { headers: { origin: 'null' } }))).toBe(403);
  expect(await refusedWith(open(listener, { path: '/api/other' }))).toBe(404);
});

test('without an origin an API token may connect and a session may not', async () => {
  await using app = await testApp();
  await using listener = await listen(app);
  const person = await app.person();
  const { secret } = await tokenOf(person, ['read'], 'script');

  const browser = open(listener);
  await hello(browser, person.accessToken);
  await using script = followEvents({ url: listener.url, token: secret });
  await script.until(() => script.seen.length > 0);

  expect(await browser.closed).toBe(4403);
  expect(script.seen[0]?.data.type).toBe('ready');
});

test('without a good token a connection ends, cookies or not', async () => {
  await using app = await testApp();
  await using listener = await listen(app);
  await using other = await testApp();
  await using impatient = await listen(other, { socketTimes: { helloMs: 50 } });
  const headers = { origin: listener.origin, cookie: 'fairlead_refresh=anything' };

  const wrong = open(listener, { headers });
  await hello(wrong, 'fla_wrong');
  const none = open(listener, { headers, path: '/api/trpc' });
  const silent = open(impatient, { headers: { ...headers, origin: impatient.origin } });

  expect(await wrong.closed).toBe(4401);
  expect(await none.closed).toBe(4401);
  expect(await silent.closed).toBe(4408);
});

test('queries and mutations are refused with their code, and the connection goes on', async () => {
  await using app = await testApp();
  await using listener = await listen(app);
  const raw = await admitted(listener, await app.person());
  let id = 100;

  for (const [method, path] of [
    ['query', 'user.get'],
    ['mutation', 'auth.refresh'],
    ['mutation', 'auth.logout'],
  ]) {
    raw.socket.send(JSON.stringify({ id, jsonrpc: '2.0', method, params: { path, input: NO_INPUT } }));
    while (!JSON.stringify(raw.messages).includes(`"id":${id}`)) await raw.nextMessage();
    const refused = {
      json: expect.objectContaining({ data: expect.objectContaining({ code: 'method_not_allowed' }) }),
    };
    expect(raw.messages).toContainEqual(expect.objectContaining({ id, error: refused }));
    id += 1;
  }

  expect(raw.socket.readyState).toBe(WebSocket.OPEN);
  raw.socket.close();
});

test('a message above 64 KiB, too many messages or too many subscriptions end the connection', async () => {
  await using app = await testApp();
  await using listener = await listen(app);
  const person = await app.person();

  const large = await admitted(listener, person);
  large.socket.send('x'.repeat(65 * 1024));
  const chatty = await admitted(listener, person);
  for (let count = 0; count < 100; count += 1) chatty.socket.send('PONG');
  const pinging = await admitted(listener, person);
  // One after the other: `ws` itself ends a client that takes no pong.
  for (let count = 0; count < 101 && pinging.socket.readyState === WebSocket.OPEN; count += 1) {
    pinging.socket.ping();
    await Promise.race([once(pinging.socket, 'pong'), pinging.closed]);
  }
  const ponging = await admitted(listener, person);
  for (let count = 0; count < 101; count += 1) ponging.socket.pong();
  const greedy = await admitted(listener, person);
  for (let id = 2; id <= 21; id += 1) greedy.socket.send(subscribe(id));

  expect(await large.closed).toBe(1009);
  expect(await chatty.closed).toBe(1008);
  expect(await pinging.closed).toBe(1008);
  expect(await ponging.closed).toBe(1008);
  expect(await greedy.closed).toBe(1008);
});

test('what is said over one connection after the other counts as calls of its account', async () => {
  await using app = await testApp({ accountCallsPerMinute: 8 });
  await using listener = await listen(app);
  const person = await app.person();
  for (let connections = 0; connections < 4; connections += 1) {
    const { socket, closed } = await admitted(listener, person);
    socket.close();
    await closed;
  }
  const beyond = open(listener, { headers: { origin: listener.origin } });
  await hello(beyond, person.accessToken);
  beyond.socket.send(subscribe(1));
  expect(await Promise.race([beyond.closed, beyond.nextMessage()])).toBe(4429);
});

test('a ping counts as a call of its account, and the answer to one of ours does not', async () => {
  await using app = await testApp({ accountCallsPerMinute: 8 });
  await using listener = await listen(app, { socketTimes: { pingMs: 50 } });
  const quiet = await admitted(listener, await app.person());
  for (let pings = 0; pings < 9; pings += 1) await once(quiet.socket, 'ping');
  quiet.socket.send(subscribe(2));
  expect(await Promise.race([quiet.closed, quiet.nextMessage()])).toMatchObject({ id: 2 });
  for (const isPing of [true, false]) {
    const { socket, closed } = await admitted(listener, await app.person());
    for (let count = 0; count < 8; count += 1) isPing ? socket.ping() : socket.pong();
    expect(await closed).toBe(4429);
  }
});

test('subscriptions are counted where they run, under whatever ids they are asked for', async () => {
  await using app = await testApp();
  await using listener = await listen(app);
  const person = await app.person();

  // The error for an id that is in use must not make room for another: one is refused for each that is added.
  const repeating = await admitted(listener, person);
  for (let id = 2; id <= 21; id += 1) {
    repeating.socket.send(subscribe(id - 1));
    repeating.socket.send(subscribe(id));
  }
  expect(await repeating.closed).toBe(1008);

  const careful = await admitted(listener, person);
  const told = (type: string): number =>
    careful.messages.filter((message) => JSON.stringify(message).includes(`"type":"${type}"`)).length;
  for (let round = 1; round <= 30; round += 1) {
    careful.socket.send(subscribe(2));
    await expect.poll(() => told('started'), { interval: 5 }).toBe(round + 1);
    careful.socket.send(JSON.stringify({ id: 2, method: 'subscription.stop' }));
    await expect.poll(() => told('stopped'), { interval: 5 }).toBe(round);
  }
  expect(careful.socket.readyState).toBe(WebSocket.OPEN);

  const packed = await admitted(listener, person);
  packed.socket.send(JSON.stringify(Array.from({ length: 101 }, () => ({ id: 2, method: 'subscription.stop' }))));
  expect(await packed.closed).toBe(1008);
  careful.socket.close();
});

test('an account has ten connections at most, and an address as many as is set, at once and in a minute', async () => {
  await using app = await testApp({ isAddressCounted: true, socketsPerAddress: 12, socketsOpenedPerMinute: 14 });
  await using listener = await listen(app);
  const person = await app.person();
  const sockets = await Promise.all(Array.from({ length: 10 }, () => admitted(listener, person)));

  const eleventh = open(listener, { headers: { origin: listener.origin } });
  await hello(eleventh, person.accessToken);
  expect(await eleventh.closed).toBe(4429);

  const others = [await admitted(listener, await app.person()), await admitted(listener, await app.person())];
  expect(await refusedWith(open(listener, { headers: { origin: listener.origin } }))).toBe(429);
  for (const { socket, closed } of [...sockets, ...others]) {
    socket.close();
    await closed;
  }
  expect(await refusedWith(open(listener, { headers: { origin: listener.origin } }))).toBe(429);
});

test('a peer that answers no ping is let go, one that does stays', async () => {
  await using app = await testApp();
  await using listener = await listen(app, { socketTimes: { pingMs: 300 } });
  const person = await app.person();
  const awake = await admitted(listener, person);
  const dead = open(listener, { headers: { origin: listener.origin }, autoPong: false });
  await hello(dead, person.accessToken);

  expect(await dead.closed).toBe(1006);
  expect(awake.socket.readyState).toBe(WebSocket.OPEN);
  awake.socket.close();
});

test('a reader that takes nothing is let go, and resumes where it was', async () => {
  await using app = await testApp();
  await using listener = await listen(app, { socketTimes: { slowMs: 100 } });
  const person = await app.person();
  await using client = followEvents({ url: listener.url, origin: () => listener.origin, token: person.accessToken });
  await client.until(() => client.seen.length > 0);
  const count = 160;
  const padding = 'x'.repeat(60_000);

  client.socket().pause();
  for (let page = 0; page < 4; page += 1) {
    await transaction(async (session) => {
      for (let index = 0; index < count / 4; index += 1) {
        await publishEvent(session, person.user.id, {
          type: 'notification',
          title: padding,
          message: String(page * 40 + index),
        });
      }
    });
  }
  const broken = client.socket();
  const gone = once(broken, 'close');
  await serverLetGo(listener, 1);
  broken.resume();
  await gone;
  await client.until(() => client.messages().length >= count);

  expect(client.messages()).toEqual(Array.from({ length: count }, (_, index) => String(index)));
  expect(client.codes[0]).toBe(1006);
});

/** Resolves once the listener has fewer connections of this kind than it had. */
async function serverLetGo({ server }: Listening, had: number): Promise<void> {
  while (server.openSockets >= had) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('a session that ends closes its sockets on every instance, and no others', async () => {
  await using one = await testApp();
  await using two = await createTestApp({ changes: createChangeFeed(SILENT) });
  await using listener = await listen(one);
  await using other = await listen(two);
  const person = await one.person();
  const unaffected = await one.person();
  const here = await admitted(listener, person);
  const there = await admitted(other, person);
  const stays = await admitted(other, unaffected);

  await person.caller.auth.logout();

  expect(await here.closed).toBe(4401);
  expect(await there.closed).toBe(4401);
  expect(stays.socket.readyState).toBe(WebSocket.OPEN);
  stays.socket.close();
});

/** A socket that was accepted and subscribes to nothing: only the server ends it. */
async function acceptedSocket(listener: Listening, person: Person): Promise<Raw> {
  const raw = open(listener, { headers: { origin: listener.origin } });
  await hello(raw, person.accessToken);
  raw.socket.send(JSON.stringify({ id: 1, method: 'query', params: { path: 'user.get', input: NO_INPUT } }));
  await raw.nextMessage();
  return raw;
}

type HeldFeed = ChangeFeed & { told: Promise<void>; letGo(): void };

/** A feed that keeps back what it has to tell of sessions until the test lets it go, and says when the first has come. */
function holdSessions(): HeldFeed {
  const feed = createChangeFeed(SILENT);
  const held: (() => void)[] = [];
  let tell = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    ...feed,
    told,
    letGo: () => {
      for (const pass of held.splice(0)) pass();
    },
    subscribe(names, listener) {
      if (!names.includes('sessions')) return feed.subscribe(names, listener);
      const onChange = (change: Change): void => {
        held.push(() => listener.onChange(change));
        tell();
      };
      return feed.subscribe(names, { onChange, onReopened: () => undefined });
    },
  };
}

/** The open socket of a session that has ended, of which this process is told and hears nothing yet. */
async function endHeldBack(app: TestApp, listener: Listening, { told }: { told: Promise<void> }): Promise<Raw> {
  const person = await app.person();
  const raw = await acceptedSocket(listener, person);
  await person.caller.auth.logout();
  await told;
  return raw;
}

test('R7: what closes the socket of a session that ends is the change as it is told, and no timer', async () => {
  const changes = holdSessions();
  await using app = await createTestApp({ changes });
  await using listener = await listen(app);
  const raw = await endHeldBack(app, listener, changes);
  expect(raw.socket.readyState).toBe(WebSocket.OPEN);

  // From here on no clock of this process moves, so that code that waits for one never comes to the close.
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  try {
    changes.letGo();
    expect(await raw.closed).toBe(4401);
  } finally {
    vi.useRealTimers();
  }
});

test('a session that ends while the database does not answer loses its socket as soon as it does', async () => {
  const changes = holdSessions();
  await using app = await createTestApp({ changes });
  await using listener = await listen(app);
  const raw = await endHeldBack(app, listener, changes);

  await withoutDatabase(async () => changes.letGo());

  expect(await raw.closed).toBe(4401);
});

test('a session that ends while its connection is being accepted does not stay for long', async () => {
  await using app = await testApp();
  await using listener = await listen(app);
  for (let round = 0; round < 10; round += 1) {
    const person = await app.person();
    const raw = open(listener, { headers: { origin: listener.origin } });
    await hello(raw, person.accessToken);
    // Either it comes too late, or it is closed: which of them is a matter of moments, and another one each time.
    await person.caller.auth.logout();
    expect(await raw.closed).toBe(4401);
  }
});

test('whoever keeps its half of a refused connection open holds up no stop', async () => {
  await using app = await testApp();
  const listener = await listen(app);
  const stubborn = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
  stubborn.on('error', () => undefined);
  stubborn.write(
    'GET /api/trpc HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [answer] = await once(stubborn, 'data');
  expect(String(answer)).toContain('403');

  await listener.server.stop();

  stubborn.destroy();
  await app.providers.changes.stop();
});

test('an API token that is revoked closes its sockets', async () => {
  await using app = await testApp();
  await using listener = await listen(app);
  const person = await app.person();
  const { id, secret } = await tokenOf(person, ['read'], 'script');
  const raw = open(listener);
  await hello(raw, secret);
  raw.socket.send(subscribe(1));
  await raw.nextMessage();

  await person.caller.tokens.revoke({ tokenId: id });

  expect(await raw.closed).toBe(4401);
});

test('a change of password closes the sockets of the other sessions, not the own', async () => {
  await using app = await testApp();
  await using listener = await listen(app);
  const person = await app.person();
  const elsewhere = await app.anonymous().auth.login({ username: person.user.username, password: person.password });
  const mine = await admitted(listener, person);
  const theirs = await admitted(listener, { ...person, accessToken: elsewhere.accessToken });

  await person.caller.auth.changePassword({ currentPassword: person.password, newPassword: 'Correct horse 2' });

  expect(await theirs.closed).toBe(4401);
  expect(mine.socket.readyState).toBe(WebSocket.OPEN);
  mine.socket.close();
});

test('a session that was over before the event is sent nothing more, even when no close has come yet', async () => {
  const feed = createChangeFeed(SILENT);
  await using app = await createTestApp({
    changes: {
      ...feed,
      subscribe: (names, listener) =>
        feed.subscribe(
          names.filter((name) => name === 'events'),
          listener,
        ),
    },
  });
  await using listener = await listen(app);
  const person = await app.person();
  const raw = await admitted(listener, person);
  const stays = await app.anonymous().auth.login({ username: person.user.username, password: person.password });

  await person.caller.auth.logout();
  await (await app.callerFor(stays.accessToken)).events.sendTest({ message: 'secret' });

  expect(await raw.closed).toBe(4401);
  expect(JSON.stringify(raw.messages)).not.toContain('secret');
});

test('a stop tells everybody to come back, and takes no new connection', async () => {
  await using app = await testApp();
  const listener = await listen(app);
  const raw = await admitted(listener, await app.person());

  await listener.server.stop();

  expect(await raw.closed).toBe(1012);
  expect(raw.messages.at(-1)).toEqual({ id: null, method: 'reconnect' });
  await expect(once(open(listener).socket, 'open')).rejects.toThrow('ECONNREFUSED');
  await app.providers.changes.stop();
});
