import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { createSecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { queryObjects } from 'node:v8';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WebRequest } from '../../../server/http/transport/http2.ts';
import type { WebResponse } from '../../../server/http/transport/http2-response.ts';
import { createListener, type ListenerTimeouts } from '../../../server/http/transport/listener.ts';
import { createRateCounters } from '../../../server/lib/rate-counters.ts';
import { selfSigned } from '../../support/certificate.ts';
import { closeOf } from '../../support/close-of.ts';
import { TLS_ADDRESSES } from '../../support/tls-addresses.ts';
import { askHttp2, handshake, openHttp2 } from '../../support/tls-visitor.ts';
import { WIDE_LIMITS } from '../../support/wide-limits.ts';

const HOST = 'harbour.localhost';
const HOUR_MS = 60 * 60_000;
const CONTEXT = createSecureContext(selfSigned(new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS), HOST));
const REQUESTS_PER_SESSION = 1_000;
const PER_ADDRESS = 100;

type Handle = (request: WebRequest, response: WebResponse) => unknown;
const hello: Handle = (_request, response) =>
  response.writeHead(200, ['Content-Type', 'text/plain']).end(Buffer.from('hello'));

async function listening(handle: Handle, timeouts: ListenerTimeouts = {}, isAddressCounted = false) {
  const onError = (_request: unknown, response: WebResponse): void => void response.writeHead(500, []).end();
  const listener = createListener(
    { addresses: TLS_ADDRESSES, limits: { ...WIDE_LIMITS, isAddressCounted }, rateCounters: createRateCounters() },
    {
      name: 'a port',
      port: 0,
      host: '127.0.0.1',
      requestTimeout: 30_000,
      handle,
      onError,
      tls: { contextFor: () => CONTEXT, handle, onError },
      timeouts,
    },
  );
  await listener.start();
  return {
    port: listener.address.port,
    connections: () => promisify(listener.server.getConnections.bind(listener.server))(),
    [Symbol.asyncDispose]: () => listener.stop(),
  };
}

/** Sends many requests and takes each back at once. */
async function resetMany(session: ClientHttp2Session, count: number): Promise<void> {
  for (let n = 0; n < count && !session.closed && !session.destroyed; n += 1) {
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    stream.close(constants.NGHTTP2_CANCEL);
    if (n % 50 === 49) await new Promise(setImmediate);
  }
}

test('a session ends after a thousand requests, also where each is reset', async () => {
  let handled = 0;
  const handle: Handle = (request, response) => {
    handled += 1;
    return hello(request, response);
  };
  // None is closed because it is idle.
  await using server = await listening(handle, { keepAliveTimeout: HOUR_MS });
  const session = await openHttp2(server.port, HOST);
  const closed = closeOf(session);
  await resetMany(session, 3 * REQUESTS_PER_SESSION);
  await closed;
  expect(handled).toBeLessThanOrEqual(REQUESTS_PER_SESSION);
  const polite = await openHttp2(server.port, HOST);
  const ended = closeOf(polite);
  for (let n = 0; n < REQUESTS_PER_SESSION; n += 100) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => askHttp2(polite, '/')));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['hello']));
  }
  await ended;
});

test('a request that comes with the goodbye of its client is answered, and the session ends after it', async () => {
  await using server = await listening(hello, { keepAliveTimeout: HOUR_MS });
  const session = await openHttp2(server.port, HOST);
  session.goaway();
  const answers = [askHttp2(session, '/'), askHttp2(session, '/')];
  expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(['hello', 'hello']);
  await closeOf(session);
});

test('a session without requests is closed, and one over which nothing moves is cut', async () => {
  await using server = await listening(() => undefined, {
    keepAliveTimeout: 50,
    silentMs: 400,
    connectionsCheckingInterval: 20,
  });
  const idle = await openHttp2(server.port, HOST);
  await closeOf(idle);
  const silent = await openHttp2(server.port, HOST);
  const stream = silent.request({ ':path': '/' });
  stream.on('error', () => undefined);
  await closeOf(silent);
  expect(stream.destroyed).toBe(true);
});

/** A session whose reader has no room for any byte of a body. */
async function openWithoutWindow(port: number): Promise<ClientHttp2Session> {
  const session = await openHttp2(port, HOST);
  session.settings({ initialWindowSize: 0 });
  await once(session, 'localSettings');
  return session;
}

function request(session: ClientHttp2Session): ClientHttp2Stream {
  return session.request({ ':path': '/' }).on('error', () => undefined);
}

const megabyte: Handle = (_request, response) => response.writeHead(200, []).end(Buffer.alloc(1024 * 1024));

test.each([
  ['a file', megabyte],
  ['a piece', (_request, response) => response.writeHead(200, []).write(Buffer.alloc(256 * 1024))],
] satisfies [string, Handle][])(
  'a session that takes nothing of %s is cut, whatever else it sends',
  async (_, handle) => {
    await using server = await listening(handle, { silentMs: 400, connectionsCheckingInterval: 20 });
    const session = await openWithoutWindow(server.port);
    const closed = closeOf(session);
    const stream = request(session);
    await once(stream, 'response');
    const talking = setInterval(() => {
      if (session.destroyed) return;
      session.ping(() => undefined);
      session.settings({ initialWindowSize: 0 });
    }, 50);
    await closed;
    clearInterval(talking);
    expect(stream.destroyed).toBe(true);
  },
);

test('a session that takes a little at a time goes on', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await using server = await listening(megabyte, { silentMs: 1_000, connectionsCheckingInterval: 20 });
  const session = await openHttp2(server.port, HOST);
  const stream = request(session);
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece);
    vi.advanceTimersByTime(100);
  });
  await once(stream, 'close');
  expect(Buffer.concat(pieces)).toHaveLength(1024 * 1024);
  expect(pieces.length).toBeGreaterThan(10);
  session.destroy();
});

test('when all sessions hold too much, the one that has let it lie longest is cut', async () => {
  await using server = await listening(megabyte);
  const sessions: ClientHttp2Session[] = [];
  for (let n = 0; n < 16; n += 1) {
    const session = await openWithoutWindow(server.port);
    sessions.push(session);
    await Promise.all(Array.from({ length: 16 }, () => once(request(session), 'response')));
  }
  expect(sessions.filter(({ destroyed }) => destroyed)).toEqual([]);
  const first = sessions[0] ?? expect.unreachable();
  const closed = closeOf(first);
  const visitor = await openHttp2(server.port, HOST);
  expect((await askHttp2(visitor, '/')).text).toHaveLength(1024 * 1024);
  await closed;
  expect(sessions.filter(({ destroyed }) => destroyed)).toEqual([first]);
  for (const session of [...sessions, visitor]) session.destroy();
});

test('a file that goes to many readers is held once', async () => {
  const file = Buffer.alloc(1024 * 1024);
  await using server = await listening((_request, response) => response.writeHead(200, []).end(file));
  const sessions = await Promise.all(Array.from({ length: 18 }, () => openWithoutWindow(server.port)));
  const streams = sessions.flatMap((session) => Array.from({ length: 16 }, () => request(session)));
  await Promise.all(streams.map((stream) => once(stream, 'response')));
  expect(sessions.filter(({ destroyed }) => destroyed)).toEqual([]);
  for (const session of sessions) session.destroy();
});

test('a peer that does not leave after its session has ended is cut', async () => {
  await using server = await listening(hello, { keepAliveTimeout: 50, silentMs: 200, connectionsCheckingInterval: 20 });
  const halfOpen = { ALPNProtocols: ['h2'], allowHalfOpen: true };
  const socket = await handshake(server.port, HOST, halfOpen);
  // The preface and empty SETTINGS (RFC 9113, section 3.4); nothing is ever answered after that.
  socket.write(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1'));
  socket.resume();
  await once(socket, 'end');
  await vi.waitFor(async () => expect(await server.connections()).toBe(0));
  socket.destroy();
});

test.each([
  ['too many header fields', Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`x-${n}`, 'a']))],
  ['header fields that are too long', { 'x-long': 'a'.repeat(20_000) }],
])('a request with %s is reset, and the session goes on', async (_what, headers) => {
  await using server = await listening(hello);
  const session = await openHttp2(server.port, HOST);
  await expect(askHttp2(session, '/', headers)).rejects.toThrow('NGHTTP2_ENHANCE_YOUR_CALM');
  expect((await askHttp2(session, '/')).text).toBe('hello');
  session.destroy();
});

test('more streams at once than the settings say are refused', async () => {
  let open = 0;
  await using server = await listening(() => {
    open += 1;
  });
  const session = await openHttp2(server.port, HOST);
  expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
  expect(session.remoteSettings.enablePush).toBe(false);
  const streams = Array.from({ length: 150 }, () => session.request({ ':path': '/' }).on('error', () => undefined));
  await vi.waitFor(() => expect(open).toBeGreaterThan(0));
  await new Promise(setImmediate);
  expect(open).toBeLessThanOrEqual(100);
  expect(streams).toHaveLength(150);
  session.destroy();
});

test('requests of a reader who takes nothing wait until there is room', async () => {
  let handled = 0;
  await using server = await listening((_request, response) => {
    handled += 1;
    response.writeHead(200, []).end(Buffer.alloc(1024 * 1024));
  });
  const session = await openHttp2(server.port, HOST);
  const streams: ClientHttp2Stream[] = Array.from({ length: 60 }, () => session.request({ ':path': '/' }).pause());
  await vi.waitFor(() => expect(handled).toBe(16));
  // The server has read all requests before its answer to this.
  await promisify((done: () => void) => session.ping(done))();
  await new Promise(setImmediate);
  expect(handled).toBe(16);
  for (const stream of streams) stream.resume();
  await Promise.all(streams.map((stream) => once(stream, 'close')));
  expect(handled).toBe(60);
  session.destroy();
});

test('of requests that are taken back while they wait for room nothing is kept', async () => {
  let handled = 0;
  await using server = await listening(() => {
    handled += 1;
  });
  const session = await openHttp2(server.port, HOST);
  const [first] = Array.from({ length: 16 }, () => request(session));
  await vi.waitFor(() => expect(handled).toBe(16));
  await resetMany(session, 200);
  // The server has read everything that came before the answer to this.
  await promisify((done: () => void) => session.ping(done))();
  await new Promise(setImmediate);
  const Stream = Object.getPrototypeOf(first?.constructor);
  expect(queryObjects(Stream, { format: 'count' })).toBeLessThan(100);
  expect(handled).toBe(16);
  session.destroy();
});

test('a body that nobody reads is stopped with the answer', async () => {
  await using server = await listening(hello);
  const session = await openHttp2(server.port, HOST);
  const stream = session.request({ ':path': '/', ':method': 'POST' }, { endStream: false });
  stream.write('the first piece');
  stream.resume();
  await once(stream, 'close');
  expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  session.destroy();
});

test('a header arrives as it does over HTTP/1.1, whatever it is called', async () => {
  const cookies = ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'set-cookie', 'c=3'];
  const named = ['constructor', 'x', 'toString', 'y', '__proto__', 'z', 'Vary', 'Accept', 'Vary', 'Origin'];
  const ofConnection = ['HTTP2-Settings', 'x', 'Proxy-Connection', 'x', 'TE', 'x'];
  await using server = await listening((_request, response) =>
    response.writeHead(200, [...cookies, ...named, ...ofConnection]).end(),
  );
  const session = await openHttp2(server.port, HOST);
  const { status, headers } = await askHttp2(session, '/');
  expect(status).toBe(200);
  expect(headers['set-cookie']).toEqual(['a=1', 'b=2', 'c=3']);
  const sent = ['constructor', 'tostring', '__proto__', 'vary', 'http2-settings', 'proxy-connection', 'te'];
  expect(sent.map((name) => headers[name])).toEqual(['x', 'y', 'z', 'Accept, Origin', undefined, undefined, undefined]);
  session.destroy();
});

test('what a handler throws ends its own request alone', async () => {
  await using server = await listening((request, response) => {
    if (request.url === '/bad') throw new Error('bad');
    return hello(request, response);
  });
  const session = await openHttp2(server.port, HOST);
  expect((await askHttp2(session, '/bad')).status).toBe(500);
  expect((await askHttp2(session, '/')).text).toBe('hello');
  session.destroy();
});

test('one address has a hundred connections over TLS as well', async () => {
  await using server = await listening(hello, {}, true);
  const sockets = await Promise.all(Array.from({ length: PER_ADDRESS }, () => handshake(server.port, HOST)));
  await expect(handshake(server.port, HOST)).rejects.toThrow();
  for (const socket of sockets) socket.destroy();
});
