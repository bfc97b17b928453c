import { once } from 'node:events';
import { createServer } from 'node:https';
import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ask } from '../../server/platforms/http.ts';
import { type Certificate, selfSigned } from '../support/certificate.ts';
import { platformBench } from '../support/platform-bench.ts';

/** Security facts, section 11, row "slow or failing platform": the expired certificate. */
const DAY_MS = 24 * 60 * 60_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

type Connections = { destroy(): Promise<void> };

/** Node tells nobody the class of the connections that its `fetch` keeps; it is reached through the one in use (undici, "Agent"). */
async function connectionsTrusting(ca: string[]): Promise<Connections> {
  // The first call makes it.
  await fetch('data:,');
  const inUse = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')) as object;
  const Agent = inUse.constructor as new (options: { connect: { ca: string[] } }) => Connections;
  return new Agent({ connect: { ca } });
}

/** A platform on https that answers `{}` to everybody who takes its certificate. */
async function startPlatform({ key, cert }: Certificate) {
  const heard: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    heard.push(request.url ?? '');
    response.setHeader('content-type', 'application/json').end('{}');
  });
  let handshakes = 0;
  server.on('connection', () => {
    handshakes += 1;
  });
  server.listen(0);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen.');
  return {
    url: `https://localhost:${address.port}/sites`,
    heard,
    handshakes: () => handshakes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What an adapter's question comes to over the true `fetch`. */
async function askedOf(certificate: Certificate, isTrusted: boolean) {
  await using platform = await startPlatform(certificate);
  await using bench = await platformBench();
  const dispatcher = await connectionsTrusting([...rootCertificates, ...(isTrusted ? [certificate.cert] : [])]);
  const through: typeof fetch = (input, init) => fetch(input, Object.assign({}, init, { dispatcher }));
  const call = { ...bench.call, fetch: through };
  const vendor = { title: 'A platform', words: () => null };
  const outcome = await ask(call, vendor, { url: platform.url }, z.object({})).catch((cause: unknown) => cause);
  await dispatcher.destroy();
  return { outcome, waits: bench.waits, heard: platform.heard, handshakes: platform.handshakes() };
}

test('a platform whose certificate has expired is told so by name, gets no token, and is tried again five times', async () => {
  const { outcome, waits, heard, handshakes } = await askedOf(selfSigned(daysFromNow(-30), daysFromNow(-1)), true);
  expect(outcome).toMatchObject({
    code: 'platform_down',
    message: 'A platform does not answer as it should: its certificate has expired.',
    hint: 'It is tried again by itself. If it lasts, look at the status page of A platform.',
  });
  expect([handshakes, waits.length]).toEqual([5, 4]);
  expect(heard).toEqual([]);
});

test('a certificate that nobody vouches for is no lost connection', async () => {
  const { outcome, heard } = await askedOf(selfSigned(daysFromNow(-1), daysFromNow(30)), false);
  expect(outcome).toMatchObject({
    code: 'platform_down',
    message: 'A platform does not answer as it should: its certificate is not trusted.',
  });
  expect(heard).toEqual([]);
});

test('one that is valid is taken', async () => {
  const { outcome, heard } = await askedOf(selfSigned(daysFromNow(-1), daysFromNow(30)), true);
  expect([outcome, heard]).toEqual([{}, ['/sites']]);
});
