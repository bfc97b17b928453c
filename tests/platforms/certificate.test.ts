import { createServer } from 'node:https';
import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createEgress } from '../../server/lib/egress/egress.ts';
import { parseRange } from '../../server/lib/egress/rules.ts';
import { ask, type Vendor } from '../../server/publishing/platforms/http.ts';
import { atFreePort } from '../support/at-free-port.ts';
import { type Certificate, selfSigned } from '../support/certificate.ts';
import { platformHarness } from '../support/platform-harness.ts';

const DAY_MS = 24 * 60 * 60_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

/** Returns a platform on https that answers `{}` to everybody who takes its certificate. */
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
  const listening = await atFreePort(server);
  return {
    ...listening,
    url: `https://localhost:${listening.port}`,
    heard,
    handshakes: () => handshakes,
  };
}

/** Returns the outcome of an adapter's request. */
async function askedOf(certificate: Certificate, isTrusted: boolean) {
  await using platform = await startPlatform(certificate);
  await using harness = await platformHarness();
  const allow = [parseRange('127.0.0.1')].filter((range) => range !== null);
  const egress = createEgress({ allow, ca: [...rootCertificates, ...(isTrusted ? [certificate.cert] : [])] });
  const vendor: Vendor = { id: 'netlify', title: 'A platform', apiUrl: platform.url, words: () => null };
  const call = { ...harness.call, egress };
  const outcome = await ask(call, vendor, { url: '/sites' }, z.object({})).catch((cause: unknown) => cause);
  return { outcome, waits: harness.waits, heard: platform.heard, handshakes: platform.handshakes() };
}

test('a platform whose certificate has expired is told so by name, gets no token, and is tried again five times', async () => {
  const { outcome, waits, heard, handshakes } = await askedOf(selfSigned(daysFromNow(-30), daysFromNow(-1)), true);
  expect(outcome).toMatchObject({
    code: 'platform_down',
    message: 'A platform did not respond as expected: its certificate has expired.',
    hint: 'Fairlead tries again automatically. If the problem persists, look at the status page of A platform.',
  });
  expect([handshakes, waits.length]).toEqual([5, 4]);
  expect(heard).toEqual([]);
});

test('a certificate that nobody vouches for is no lost connection', async () => {
  const { outcome, heard } = await askedOf(selfSigned(daysFromNow(-1), daysFromNow(30)), false);
  expect(outcome).toMatchObject({
    code: 'platform_down',
    message: 'A platform did not respond as expected: its certificate is not trusted.',
  });
  expect(heard).toEqual([]);
});

test('one that is valid is taken', async () => {
  const { outcome, heard } = await askedOf(selfSigned(daysFromNow(-1), daysFromNow(30)), true);
  expect([outcome, heard]).toEqual([{}, ['/sites']]);
});
