import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { countMessage, createMember, lineOf, lookAfter } from '../../server/http/socket-member.ts';

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
  const doors = new WebSocketServer({ server, perMessageDeflate: false });
  const reader = new WebSocket(`ws://127.0.0.1:${portOf(server)}/`);
  const [client, request]: [WebSocket, IncomingMessage] = await once(doors, 'connection').then(([one, two]) => [
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
      doors.close();
      server.close();
    },
  };
}

test('whoever waits for a slow reader leaves nothing on its connection behind, whatever ends the wait', async () => {
  using ends = await connected();
  const { client, request, reader } = ends;
  reader.pause();
  const line = lineOf(createMember(client, request, '127.0.0.1'));
  const listeners = (): number[] => [request.socket.listenerCount('drain'), client.listenerCount('close')];
  const before = listeners();

  client.send(MUCH);
  const stop = new AbortController();
  const waits = [line.whenWritable(stop.signal), line.whenWritable(stop.signal)];
  expect(listeners()).toEqual(before.map((count) => count + waits.length));
  stop.abort();
  await Promise.all(waits);
  expect(listeners()).toEqual(before);

  const drained = line.whenWritable(undefined);
  reader.resume();
  await drained;
  expect(listeners()).toEqual(before);
});

test('a connection is neither closed nor left without pings when the clock of the machine is set anew', async () => {
  using ends = await connected();
  const { client, request, reader } = ends;
  const times = { helloMs: 1_000, pingMs: 30_000, slowMs: 10_000 };
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const member = createMember(client, request, '127.0.0.1');
    for (let messages = 0; messages < 100; messages += 1) countMessage(member);
    vi.setSystemTime(Date.now() - DAY_MS);
    vi.advanceTimersByTime(60_000);
    countMessage(member);
    expect(member.minute.messages).toBe(1);
    lookAfter(member, times);
    expect(member.missedPings).toBe(1);

    reader.pause();
    client.send(MUCH);
    lookAfter(member, times);
    expect(member.slowSince).not.toBeNull();
    vi.setSystemTime(Date.now() + 2 * DAY_MS);
    lookAfter(member, times);
    expect(client.readyState).toBe(client.OPEN);
  } finally {
    vi.useRealTimers();
  }
});
