import { once } from 'node:events';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { WebRequest } from '../../../server/http/transport/http2.ts';
import type { WebResponse } from '../../../server/http/transport/http2-response.ts';
import { createListener } from '../../../server/http/transport/listener.ts';
import { createRateCounters } from '../../../server/lib/rate-counters.ts';
import { selfSigned } from '../../support/certificate.ts';
import { closeOf } from '../../support/close-of.ts';
import { TLS_ADDRESSES } from '../../support/tls-addresses.ts';
import { handshake, openHttp2 } from '../../support/tls-visitor.ts';
import { WIDE_LIMITS } from '../../support/wide-limits.ts';

const MIB = 1024 * 1024;
const HOST = 'harbour.localhost';
const HOUR_MS = 60 * 60_000;
const CONTEXT = createSecureContext(selfSigned(new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS), HOST));
/** The system buffers 10 MiB of this at most at both ends, so that 22 are left in the process. */
const ANSWER_BYTES = 32 * MIB;
/** One such answer is within it, and two are not. */
const HELD_MAX_BYTES = 40 * MIB;

async function listening() {
  const handle = (_request: WebRequest, response: WebResponse): void =>
    void response.writeHead(200, []).end(Buffer.alloc(ANSWER_BYTES));
  const onError = (_request: WebRequest, response: WebResponse): void => void response.destroy();
  const listener = createListener(
    { addresses: TLS_ADDRESSES, limits: WIDE_LIMITS, rateCounters: createRateCounters() },
    {
      name: 'a port',
      port: 0,
      host: '127.0.0.1',
      requestTimeout: 30_000,
      handle,
      onError,
      tls: { contextFor: () => CONTEXT, handle, onError },
      timeouts: { connectionsCheckingInterval: 20 },
      heldMaxBytes: HELD_MAX_BYTES,
    },
  );
  await listener.start();
  return {
    port: listener.address.port,
    connections: () => promisify(listener.server.getConnections.bind(listener.server))(),
    [Symbol.asyncDispose]: () => listener.stop(),
  };
}

/** Asks over HTTP/1.1, and reads no more than the first bytes. */
async function stall(port: number): Promise<TLSSocket> {
  const socket = await handshake(port, HOST, { ALPNProtocols: ['http/1.1'] });
  socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'data');
  return socket.pause();
}

/** Reads on to the end, and returns how much came. */
async function restOf(socket: TLSSocket): Promise<number> {
  let received = 0;
  socket.on('data', (piece: Buffer) => {
    received += piece.length;
  });
  await closeOf(socket.resume());
  return received;
}

test('when answers over HTTP/1.1 and HTTP/2 hold too much, the connection that has let it lie longest is cut', async () => {
  await using server = await listening();
  const first = await stall(server.port);
  const second = await stall(server.port);
  await expect.poll(server.connections).toBe(1);
  expect(await restOf(first)).toBeLessThan(ANSWER_BYTES / 2);

  const session = await openHttp2(server.port, HOST);
  session.settings({ initialWindowSize: 0 });
  await once(session, 'localSettings');
  const stream = session.request({ ':path': '/' }).on('error', () => undefined);
  await once(stream, 'response');
  await expect.poll(server.connections).toBe(1);
  expect(await restOf(second)).toBeLessThan(ANSWER_BYTES / 2);
  expect(session.destroyed).toBe(false);
  session.destroy();

  // A client that reads gets all of it.
  expect(await restOf(await stall(server.port))).toBeGreaterThan(ANSWER_BYTES / 2);
});
