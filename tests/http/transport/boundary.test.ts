import { once } from 'node:events';
import { performServerHandshake } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import type { WebRequest } from '../../../server/http/transport/http2.ts';
import type { WebResponse } from '../../../server/http/transport/http2-response.ts';
import { createListener } from '../../../server/http/transport/listener.ts';
import { createTlsServer, serveHttp2, type TlsOptions } from '../../../server/http/transport/tls.ts';
import { createUnreadBudget } from '../../../server/http/transport/unread-budget.ts';
import { createRateCounters } from '../../../server/lib/rate-counters.ts';
import { selfSigned } from '../../support/certificate.ts';
import { closeOf } from '../../support/close-of.ts';
import { TLS_ADDRESSES } from '../../support/tls-addresses.ts';
import { askHttp1, askHttp2, handshake, openHttp2 } from '../../support/tls-visitor.ts';
import { WIDE_LIMITS } from '../../support/wide-limits.ts';

/** An uncaught error would end the process of these tests as it would end the app. */
const HOST = 'harbour.localhost';
const HOUR_MS = 60 * 60_000;
const CONTEXT = createSecureContext(selfSigned(new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS), HOST));

const hello = (_request: WebRequest, response: WebResponse): void =>
  void response.writeHead(200, []).end(Buffer.from('hello'));
const broken = (): never => {
  throw new Error('broken');
};

type Parts = Partial<Pick<TlsOptions, 'contextFor' | 'handle'>>;

/** A port whose answer to an error is one itself. */
async function listening({ contextFor = () => CONTEXT, handle = hello }: Parts) {
  const onError = broken;
  const listener = createListener(
    { addresses: TLS_ADDRESSES, limits: WIDE_LIMITS, rateCounters: createRateCounters() },
    {
      ...{ name: 'a port', port: 0, host: '127.0.0.1', requestTimeout: 30_000, handle, onError },
      tls: { contextFor, handle, onError },
    },
  );
  await listener.start();
  return { port: listener.address.port, [Symbol.asyncDispose]: () => listener.stop() };
}

test.each([
  ['throws', broken],
  ['rejects', async () => broken()],
])('an answer to an error that %s itself ends its request alone', async (_how, handle) => {
  await using site = await listening({
    handle: (request, response) => (request.url === '/' ? hello(request, response) : handle()),
  });
  expect(await askHttp1(site.port, HOST, '/broken').catch(String)).toBe('');
  const session = await openHttp2(site.port, HOST);
  await expect(askHttp2(session, '/broken')).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
  expect((await askHttp2(session, '/')).text).toBe('hello');
  session.destroy();
});

test.each([
  ['throws', broken],
  ['rejects', async () => broken()],
])('a look for a certificate that %s ends its connection alone', async (_how, look) => {
  await using site = await listening({ contextFor: (name) => (name === HOST ? CONTEXT : look()) });
  await expect(handshake(site.port, 'other.localhost')).rejects.toThrow('ECONNRESET');
  expect(await askHttp1(site.port, HOST, '/')).toContain('hello');
});

/** No listener is given such a number: what goes wrong at each stream stands here for all that may. */
function brokenNumber(): number {
  return { [Symbol.toPrimitive]: broken } as unknown as number;
}

/** A TLS port whose `onSecure` hears of each connection before those who speak HTTP on it. */
async function secured(onSecure: (socket: TLSSocket) => void, requestsMax = 1_000) {
  const parts = { contextFor: () => CONTEXT, handle: hello, onError: broken };
  const server = createTlsServer({}, (_request, response) => response.end('hello'), parts);
  const [speak] = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') return;
    onSecure(socket);
    speak?.call(server, socket);
  });
  const times = { idleMs: HOUR_MS, silentMs: HOUR_MS, sweepMs: HOUR_MS };
  const sessions = serveHttp2(server, { ...parts, ...times, requestsMax, budget: createUnreadBudget(1024 ** 2) });
  server.prependListener('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') onSecure(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      sessions.destroy();
      server.closeAllConnections();
    },
  };
}

test('a connection that HTTP/2 cannot be spoken on is closed', async () => {
  // Node takes a connection once.
  await using site = await secured((socket) => void performServerHandshake(socket).on('error', () => undefined));
  const socket = await handshake(site.port, HOST, { ALPNProtocols: ['h2'] });
  await closeOf(socket.resume());
});

test('a connection that HTTP/1.1 cannot be spoken on is closed', async () => {
  await using site = await secured(broken);
  const socket = await handshake(site.port, HOST, { ALPNProtocols: ['http/1.1'] });
  await closeOf(socket.resume());
});

test('a connection with a stream that cannot be taken is closed', async () => {
  await using site = await secured(() => undefined, brokenNumber());
  const session = await openHttp2(site.port, HOST);
  const closed = closeOf(session);
  await expect(askHttp2(session, '/')).rejects.toThrow();
  await closed;
});
