import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { createSecureContext } from 'node:tls';
import { expect, test } from 'vitest';
import type { WebResponse } from '../../../server/http/transport/http2-response.ts';
import { createListener, type ListenerOptions } from '../../../server/http/transport/listener.ts';
import { createRateCounters } from '../../../server/lib/rate-counters.ts';
import { createTestApp } from '../../support/app.ts';
import { selfSigned } from '../../support/certificate.ts';
import { listen } from '../../support/listen.ts';
import { askHttp2, openHttp2 } from '../../support/tls-visitor.ts';
import { WIDE_LIMITS } from '../../support/wide-limits.ts';

const PER_ADDRESS = 100;
const [STRANGER, SAME_NETWORK, OTHER] = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '192.0.2.1'];
const DAY_MS = 24 * 60 * 60_000;
const PAIR = selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS), '*.localhost');

/** A port that answers at `/` and holds every other request; `held` is how many it holds. */
async function startPort({ trustedProxies, isTls = false }: { trustedProxies: number; isTls?: boolean }) {
  let held = 0;
  const handle = ({ url }: { url?: string | undefined }, response: WebResponse): void => {
    if (url === '/') {
      response.writeHead(200, []).end();
      return;
    }
    held += 1;
    response.once('close', () => {
      held -= 1;
    });
  };
  const onError = (_request: unknown, response: WebResponse, error: unknown): void => {
    response.writeHead(503, ['X-Code', error instanceof Error && 'code' in error ? String(error.code) : '']).end();
  };
  const tls: ListenerOptions['tls'] = {
    ...{ contextFor: () => createSecureContext(PAIR) },
    ...{ handle, onError },
  };
  const addresses = {
    ...{ publicUrl: 'http://localhost:3000', sitesDomain: 'localhost', sitesUrl: 'http://{slug}.localhost:3001' },
    sitesListener: { protocol: 'http:' as const, host: '127.0.0.1', port: 0 },
    ...{ supportEmail: 'support@localhost', operatorEmail: 'operator@localhost', trustedProxies },
  };
  const limits = { ...WIDE_LIMITS, isAddressCounted: trustedProxies > 0 };
  const listener = createListener(
    { addresses, limits, rateCounters: createRateCounters() },
    {
      ...{ name: 'a port', port: 0, host: '127.0.0.1', requestTimeout: 10_000, handle, onError },
      ...(isTls && { tls }),
    },
  );
  await listener.start();
  const { port } = listener.address;
  return {
    port,
    held: () => held,
    async [Symbol.asyncDispose]() {
      listener.server.closeAllConnections();
      await listener.stop();
    },
  };
}

function ask(port: number, address: string, path: string): ClientRequest {
  const headers = { 'X-Forwarded-For': address };
  return request({ host: '127.0.0.1', port, path, headers, agent: false })
    .on('error', () => undefined)
    .end();
}

async function answerOf(asking: ClientRequest): Promise<unknown[]> {
  const [response] = await once(asking, 'response');
  response.resume();
  return [response.statusCode, response.headers['x-code']];
}

test('behind a proxy one client has so many requests at once, and what is answered or given up makes room', async () => {
  await using behind = await startPort({ trustedProxies: 1 });
  const holding = Array.from({ length: PER_ADDRESS }, () => ask(behind.port, STRANGER, '/held'));
  await expect.poll(behind.held).toBe(PER_ADDRESS);
  // What the client itself claims before the proxy's own entry changes nothing.
  for (const address of [SAME_NETWORK, `${OTHER}, ${STRANGER}`]) {
    expect(await answerOf(ask(behind.port, address, '/'))).toEqual([503, 'overloaded']);
  }
  expect(await answerOf(ask(behind.port, OTHER, '/'))).toEqual([200, undefined]);
  holding[0]?.destroy();
  await expect.poll(behind.held).toBe(PER_ADDRESS - 1);
  for (let round = 0; round < 3; round += 1) {
    await expect.poll(() => answerOf(ask(behind.port, SAME_NETWORK, '/'))).toEqual([200, undefined]);
  }
  for (const asking of holding) asking.destroy();
});

test('over HTTP/2 as well', async () => {
  await using behind = await startPort({ trustedProxies: 1, isTls: true });
  const headers = { 'x-forwarded-for': STRANGER };
  const open = () => openHttp2(behind.port, 'harbour.localhost');
  const [last, ...sessions] = await Promise.all([open(), ...Array.from({ length: 10 }, open)]);
  for (const session of sessions) {
    for (let count = 0; count < PER_ADDRESS / 10; count += 1) {
      session.request({ ':path': '/held', ...headers }).on('error', () => undefined);
    }
  }
  await expect.poll(behind.held).toBe(PER_ADDRESS);
  expect((await askHttp2(last, '/', headers)).headers['x-code']).toBe('overloaded');
  expect((await askHttp2(last, '/', { 'x-forwarded-for': OTHER })).status).toBe(200);
  for (const session of sessions) session.destroy();
  await expect.poll(async () => (await askHttp2(last, '/', headers)).status).toBe(200);
  last.destroy();
});

test('without a proxy nobody is counted by what a header claims', async () => {
  await using direct = await startPort({ trustedProxies: 0 });
  const holding = Array.from({ length: PER_ADDRESS + 1 }, () => ask(direct.port, STRANGER, '/held'));
  await expect.poll(direct.held).toBe(PER_ADDRESS + 1);
  for (const asking of holding) asking.destroy();
});

test('the app answers that it is asked too much at once, and when to come again', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app);
  app.providers.addresses = { ...app.providers.addresses, trustedProxies: 1 };
  const held = Array.from({ length: PER_ADDRESS }, () =>
    request({
      ...{ host: '127.0.0.1', port: listener.port, path: '/api/login', method: 'POST', agent: false },
      headers: { 'X-Forwarded-For': STRANGER, 'Content-Type': 'application/json', 'Content-Length': 10 },
    }).on('error', () => undefined),
  );
  await Promise.all(
    held.map((call) => {
      call.flushHeaders();
      return once(call, 'socket');
    }),
  );
  const health = () => fetch(`${listener.url}/api/health`, { headers: { 'x-forwarded-for': STRANGER } });
  await expect.poll(async () => (await health()).status).toBe(503);
  const refused = await health();
  expect([refused.headers.get('retry-after'), await refused.json()]).toEqual([
    '2',
    expect.objectContaining({ code: 'overloaded' }),
  ]);
  for (const call of held) call.destroy();
  await expect.poll(async () => (await health()).status).toBe(200);
});
