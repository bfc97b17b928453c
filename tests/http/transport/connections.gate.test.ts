import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener, Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createHost } from '../../../server/host/listener.ts';
import {
  type ConnectionCounts,
  endSilentConnections,
  limitConnection,
  watchAnswers,
} from '../../../server/http/transport/connections.ts';
import { createListener } from '../../../server/http/transport/listener.ts';
import { createRateCounters } from '../../../server/lib/rate-counters.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { closeOf } from '../../support/close-of.ts';
import { listen } from '../../support/listen.ts';
import { IS_FULL } from '../../support/size.ts';
import { WIDE_LIMITS } from '../../support/wide-limits.ts';

const PER_ADDRESS = 100;

function countsOf(trustedProxies = 0, isAddressCounted = false): ConnectionCounts {
  const port = 0;
  return {
    addresses: {
      publicUrl: 'http://localhost:3000',
      sitesDomain: 'localhost',
      sitesUrl: 'http://{slug}.localhost:3001',
      sitesListener: { protocol: 'http:', host: '127.0.0.1', port },
      supportEmail: 'support@localhost',
      operatorEmail: 'operator@localhost',
      trustedProxies,
    },
    limits: { ...WIDE_LIMITS, isAddressCounted },
    rateCounters: createRateCounters(),
  };
}

/** Returns a connection as the listener gets it. */
function socketFrom(peer: string): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: peer });
}

/** Returns how many of so many connections stay, each from the address of its number. */
async function staying(count: number, peerOf: (n: number) => string, counts = countsOf()): Promise<number> {
  const sockets = Array.from({ length: count }, (_, n) => socketFrom(peerOf(n)));
  for (const socket of sockets) await limitConnection(socket, counts, 'a port');
  return sockets.filter(({ destroyed }) => !destroyed).length;
}

test.each([
  ['one person has a /64 of IPv6', (n: number) => `2001:db8:1:2:${n.toString(16)}::1`, PER_ADDRESS],
  ['networks of IPv6 are counted each by itself', (n: number) => `2001:db8:1:${n.toString(16)}::1`, PER_ADDRESS + 5],
  ['IPv4 addresses that a listener for both shows as IPv6 are many', (n: number) => `::ffff:192.0.2.${n}`, 105],
  ['and one of them is one', () => '::ffff:192.0.2.1', PER_ADDRESS],
  ['people at the machine itself are not counted', () => '::1', PER_ADDRESS + 5],
])('connections at once: %s', async (_what, peerOf, left) => {
  expect(await staying(PER_ADDRESS + 5, peerOf)).toBe(left);
});

test('behind a proxy all connections are its own, and it has as many as it needs', async () => {
  expect(await staying(PER_ADDRESS + 5, () => '127.0.0.1', countsOf(1, true))).toBe(PER_ADDRESS + 5);
  expect(await staying(PER_ADDRESS + 5, () => '127.0.0.1', countsOf(0, true))).toBe(PER_ADDRESS);
});

test('whoever leaves makes room, also one who was gone before there was a place', async () => {
  const counts = countsOf();
  const peer = '192.0.2.1';
  const sockets = Array.from({ length: PER_ADDRESS }, () => socketFrom(peer));
  for (const socket of sockets) await limitConnection(socket, counts, 'a port');
  const [first] = sockets;
  first?.destroy();
  if (first !== undefined) await once(first, 'close');
  const gone = socketFrom(peer);
  gone.destroy();
  await limitConnection(gone, counts, 'a port');
  const next = [socketFrom(peer), socketFrom(peer)];
  for (const socket of next) await limitConnection(socket, counts, 'a port');
  expect(next.map(({ destroyed }) => destroyed)).toEqual([false, true]);
});

/** Returns a socket whose state Node's timer reads: it is ended or asked again. */
function timedSocket() {
  const state = { timeout: 0, bytesRead: 0, bytesWritten: 0, isEnded: false };
  const socket = Object.defineProperties(new Socket(), {
    timeout: { get: () => state.timeout },
    bytesRead: { get: () => state.bytesRead },
    bytesWritten: { get: () => state.bytesWritten },
    setTimeout: { value: (ms: number) => Object.assign(state, { timeout: ms }) },
    destroy: { value: () => Object.assign(state, { isEnded: true }) },
  });
  return { socket, state };
}

test('a connection ends when nothing has moved for the whole time, and no time before a movement counts', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const server = new Server();
    endSilentConnections(server, 6_000);
    expect(server.timeout).toBe(1_000);
    const tellAfter = (timed: ReturnType<typeof timedSocket>, ms: number): boolean => {
      vi.advanceTimersByTime(ms);
      server.emit('timeout', timed.socket);
      return timed.state.isEnded;
    };
    const begin = () => {
      const timed = timedSocket();
      timed.state.timeout = server.timeout;
      return timed;
    };

    const silent = begin();
    expect(Array.from({ length: 6 }, () => tellAfter(silent, 1_000))).toEqual([...Array(5).fill(false), true]);

    const slow = begin();
    for (let round = 0; round < 3; round += 1) {
      for (let part = 0; part < 5; part += 1) expect(tellAfter(slow, 1_000)).toBe(false);
      // A piece was taken whole, and the next one written.
      slow.state.bytesWritten += 1;
    }
    for (let round = 0; round < 3; round += 1) {
      for (let part = 0; part < 5; part += 1) expect(tellAfter(slow, part === 0 ? 2_000 : 1_000)).toBe(false);
      // Of a piece a part was taken: Node starts its timer again and says nothing.
    }

    const keptOpen = begin();
    keptOpen.state.timeout = 5_000;
    expect(tellAfter(keptOpen, 5_000)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

/** Opens connections that ask a server which ends silent ones after `silentMs`; tells how long each lasted. */
async function lifeOf(
  silentMs: number,
  listener: RequestListener,
  { isReading, isSpared = false }: { isReading: boolean; isSpared?: boolean },
): Promise<number> {
  const server = createServer(listener);
  endSilentConnections(server, silentMs, isSpared ? watchAnswers(server) : undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = addressOf(server);
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  const startedAt = performance.now();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  if (isReading) client.resume();
  else client.pause();
  const [socket]: unknown[] = await once(server, 'connection');
  if (!(socket instanceof EventEmitter)) throw new Error('A connection is no socket.');
  await once(socket, 'close');
  const lastedMs = performance.now() - startedAt;
  client.destroy();
  server.close();
  return lastedMs;
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
  return address;
}

test('a reader that takes nothing, and one that is answered nothing, are let go, and not before the time', async () => {
  /** A part of it is far longer than a busy machine stands still. */
  const SILENT_MS = 1_200;
  const piece = Buffer.alloc(256 * 1024);
  const endless: RequestListener = (_request, response) => {
    const write = (): void => {
      while (response.write(piece));
    };
    response.on('drain', write);
    write();
  };
  const lives = await Promise.all([
    lifeOf(SILENT_MS, endless, { isReading: false }),
    lifeOf(SILENT_MS, () => undefined, { isReading: true }),
  ]);
  for (const life of lives) expect(life).toBeGreaterThan(0.9 * SILENT_MS);
});

test('where answers may be slow, who waits for one is spared, and who does not read one is not', async () => {
  const SILENT_MS = 300;
  const endless: RequestListener = (_request, response) => {
    response.write(Buffer.alloc(64 * 1024 * 1024));
  };
  let hasAnswered = false;
  const late: RequestListener = (_request, response) => {
    setTimeout(() => {
      hasAnswered = true;
      response.end('late', () => response.destroy());
    }, 3 * SILENT_MS);
  };
  await lifeOf(SILENT_MS, endless, { isReading: false, isSpared: true });
  await lifeOf(SILENT_MS, late, { isReading: true, isSpared: true });
  expect(hasAnswered).toBe(true);
});

const PORTS = {
  app: async (app: TestApp) => {
    const { port, ...listening } = await listen(app);
    return { port, close: () => listening[Symbol.asyncDispose]() };
  },
  host: async (app: TestApp) => {
    const host = createHost(app.providers, { port: 0, host: '127.0.0.1', dataDir: app.folder });
    await host.start();
    return { port: host.address.port, close: () => host.stop() };
  },
};
const LISTENERS = ['app', 'host'] as const;

/** Asks over this connection, and resolves with the first line of the answer; with nothing when it is closed. */
async function askOver(socket: Socket): Promise<string> {
  socket.write('GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [piece] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])]);
  return String(piece).split('\r\n')[0] ?? '';
}

async function connectMany(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  return sockets;
}

const closedOf = (sockets: readonly Socket[]): number => sockets.filter(({ closed }) => closed).length;

/** The host's own is held by a quick test (host/requests.test.ts). */
test.each(IS_FULL ? LISTENERS : (['app'] as const))(
  'connections beyond the cap of an address are closed at the %s; those below it are answered, and one that leaves makes room',
  async (name) => {
    await using app = await createTestApp({ limits: { isAddressCounted: true } });
    const { port, close } = await PORTS[name](app);
    const sockets = await connectMany(port, PER_ADDRESS + 5);
    await expect.poll(() => closedOf(sockets)).toBe(5);
    const open = sockets.filter(({ closed }) => !closed);
    expect(await Promise.all(open.slice(0, 3).map(askOver))).toEqual(Array(3).fill(expect.stringMatching(/^HTTP/)));
    open[5]?.destroy();
    await expect.poll(async () => askOver((await connectMany(port, 1))[0] ?? new Socket())).toMatch(/^HTTP/);
    for (const socket of sockets) socket.destroy();
    await close();
  },
);

test('connections beyond the cap of all are closed, wherever they come from, and one that leaves makes room', async () => {
  const connectionsMax = 5;
  const listener = createListener(countsOf(), {
    name: 'a port',
    port: 0,
    host: '127.0.0.1',
    requestTimeout: 10_000,
    connectionsMax,
    handle: (_request, response) => response.end('here'),
    onError: (_request, response) => void response.destroy(),
  });
  await listener.start();
  const { port } = listener.address;
  const sockets = await connectMany(port, connectionsMax + 3);
  await expect.poll(() => closedOf(sockets)).toBe(3);
  const open = sockets.filter(({ closed }) => !closed);
  expect(await Promise.all(open.map(askOver))).toEqual(open.map(() => expect.stringMatching(/^HTTP/)));
  open[0]?.destroy();
  await expect.poll(async () => askOver((await connectMany(port, 1))[0] ?? new Socket())).toMatch(/^HTTP/);
  for (const socket of sockets) socket.destroy();
  await listener.stop();
});

test('requests that come all at once are answered one after the other, and no further than somebody reads', async () => {
  const body = Buffer.alloc(1024 * 1024);
  let answered = 0;
  const listener = createListener(countsOf(), {
    name: 'a port',
    port: 0,
    host: '127.0.0.1',
    requestTimeout: 10_000,
    handle: ({ url }, response) => {
      if (url === '/') answered += 1;
      response.end(body);
    },
    onError: (_request, response) => void response.destroy(),
  });
  await listener.start();
  const socket = connect(listener.address.port, '127.0.0.1');
  socket.pause();
  const count = 20;
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count));
  await expect.poll(() => answered).toBeGreaterThan(0);
  // All of them were read at once, so a later request is answered after them.
  const other = connect(listener.address.port, '127.0.0.1');
  expect(await askOver(other)).toMatch(/^HTTP/);
  other.destroy();
  expect(answered).toBeLessThan(count);
  socket.resume();
  await expect.poll(() => answered).toBe(count);
  socket.destroy();
  await listener.stop();
});

/** Returns a port that answers each request when it is told to, and how many were read and not answered at most. */
async function answeringWhenTold() {
  const held: ServerResponse[] = [];
  const counts = { read: 0, answered: 0, waitingMax: 0 };
  const listener = createListener(countsOf(), {
    name: 'a port',
    port: 0,
    host: '127.0.0.1',
    requestTimeout: 10_000,
    handle: (request, response) => (request.url === '/now' ? response.end() : held.push(response)),
    onError: (_request, response) => void response.destroy(),
  });
  listener.server.on('request', ({ url }) => {
    if (url === '/now') return;
    counts.read += 1;
    counts.waitingMax = Math.max(counts.waitingMax, counts.read - counts.answered);
  });
  await listener.start();
  return {
    port: listener.address.port,
    counts,
    async answer(): Promise<void> {
      await expect.poll(() => held.length).toBeGreaterThan(0);
      counts.answered += 1;
      held.shift()?.end();
    },
    async [Symbol.asyncDispose]() {
      listener.server.closeAllConnections();
      await listener.stop();
    },
  };
}

test('no further request of a connection is read while one of it waits, and all are answered in the end', async () => {
  await using server = await answeringWhenTold();
  const socket = connect(server.port, '127.0.0.1').resume();
  const request = `GET / HTTP/1.1\r\nHost: a\r\nFill: ${'x'.repeat(12_000)}\r\n\r\n`;
  for (let sent = 0; sent < 20; sent += 1) {
    socket.write(request);
    // Time for the port to read what has come so far.
    await fetch(`http://127.0.0.1:${server.port}/now`);
  }
  for (let answered = 0; answered < 20; answered += 1) await server.answer();
  // As many as one read has.
  expect(server.counts).toMatchObject({ read: 20, waitingMax: expect.toSatisfy((waiting) => waiting <= 8) });
  socket.destroy();
});

test('a connection that has more requests wait than any browser sends is ended, and nobody else’s', async () => {
  await using server = await answeringWhenTold();
  const [many, few] = [connect(server.port, '127.0.0.1').resume(), connect(server.port, '127.0.0.1').resume()];
  few.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(33));
  many.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(34));
  await closeOf(many);
  expect(few.destroyed).toBe(false);
  few.destroy();
});
