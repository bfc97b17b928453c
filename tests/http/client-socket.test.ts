import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  countMessages,
  forSubscriptions,
  heartbeat,
  openClientSocket,
} from '../../server/http/websocket/client-socket.ts';

/** Above what a reader may hold back (1 MiB), many times over, so that the system's buffers do not take it all. */
const MUCH = Buffer.alloc(32 * 1024 * 1024);
const DAY_MS = 24 * 3_600_000;

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
  return address.port;
}

/** A connection with both of its ends. */
async function connected() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const reader = new WebSocket(`ws://127.0.0.1:${portOf(server)}/`);
  const [client, request]: [WebSocket, IncomingMessage] = await once(sockets, 'connection').then(([one, two]) => [
    one,
    two,
  ]);
  if (reader.readyState !== reader.OPEN) await once(reader, 'open');
  return {
    client,
    request,
    reader,
    [Symbol.dispose]() {
      reader.terminate();
      sockets.close();
      server.close();
    },
  };
}

test('whoever waits for a slow reader leaves nothing on its connection behind, whatever ends the wait', async () => {
  using ends = await connected();
  const { client, request, reader } = ends;
  reader.pause();
  const subscriptions = forSubscriptions(openClientSocket(client, request, '127.0.0.1'));
  const listeners = (): number[] => [request.socket.listenerCount('drain'), client.listenerCount('close')];
  const before = listeners();
  // A reader that has taken everything is not waited for, since each event would wait once for every connection.
  expect(subscriptions.whenWritable(undefined)).toBeUndefined();

  client.send(MUCH);
  const stop = new AbortController();
  const waits = [subscriptions.whenWritable(stop.signal), subscriptions.whenWritable(stop.signal)];
  expect(listeners()).toEqual(before.map((count) => count + waits.length));
  stop.abort();
  await Promise.all(waits);
  expect(listeners()).toEqual(before);

  const drained = subscriptions.whenWritable(undefined);
  reader.resume();
  await drained;
  expect(listeners()).toEqual(before);
});

test('a connection is neither closed nor left without pings when the clock of the machine is set anew', async () => {
  using ends = await connected();
  const { client, request, reader } = ends;
  const times = { helloMs: 1_000, messageMs: 1_000, pingMs: 30_000, slowMs: 10_000 };
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const connection = openClientSocket(client, request, '127.0.0.1');
    for (let messages = 0; messages < 100; messages += 1) countMessages(connection, 1);
    vi.setSystemTime(Date.now() - DAY_MS);
    vi.advanceTimersByTime(60_000);
    countMessages(connection, 1);
    expect(connection.minute.messages).toBe(1);
    heartbeat(connection, times);
    expect(connection.missedPings).toBe(1);

    reader.pause();
    client.send(MUCH);
    heartbeat(connection, times);
    expect(connection.slowSince).not.toBeNull();
    vi.setSystemTime(Date.now() + 2 * DAY_MS);
    heartbeat(connection, times);
    expect(client.readyState).toBe(client.OPEN);
  } finally {
    vi.useRealTimers();
  }
});
