import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createMember, lineOf } from '../../server/http/socket-member.ts';

/** Above what a reader may hold back (1 MiB), many times over, so that the system's buffers do not take it all. */
const MUCH = Buffer.alloc(32 * 1024 * 1024);

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
  return address.port;
}

test('whoever waits for a slow reader leaves nothing on its connection behind, whatever ends the wait', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const doors = new WebSocketServer({ server, perMessageDeflate: false });
  const reader = new WebSocket(`ws://127.0.0.1:${portOf(server)}/`);
  const [client, request]: [WebSocket, IncomingMessage] = await once(doors, 'connection').then(([one, two]) => [
    one,
    two,
  ]);
  if (reader.readyState !== reader.OPEN) await once(reader, 'open');
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

  reader.terminate();
  doors.close();
  server.close();
});
