import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createSecureContext } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { VisitModel } from '../../server/database/models/analytics/visit.ts';
import type { HostTls } from '../../server/host/listener.ts';
import { parseSiteHost } from '../../server/lib/site-names.ts';
import { selfSigned } from '../support/certificate.ts';
import { closeOf } from '../support/close-of.ts';
import { get } from '../support/get.ts';
import { createTestHost, publishSite, shareHost, type TestHost, type TestHostOptions } from '../support/host.ts';
import { askHttp1, askHttp2, handshake, openHttp2 } from '../support/tls-visitor.ts';

const PER_ADDRESS = 100;
const DAY_MS = 24 * 60 * 60_000;
const TICKET_KEYS_MS = 5 * 60_000;
const HOST = 'harbour.localhost';
const OTHER = 'other.localhost';
const PAIR = selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS), '*.localhost');
const CONTEXT = createSecureContext(PAIR);
const LARGE_BYTES = 1_500_000;
const SITE = { 'index.html': 'PAGE', 'large.bin': Buffer.alloc(LARGE_BYTES, 'x') };
const NO_CERTIFICATE = 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE';

function tlsOf(more: Partial<HostTls> = {}): HostTls {
  return {
    port: 0,
    url: 'https://{slug}.localhost:8443',
    contextFor: (name) => (parseSiteHost('localhost', name) === null ? undefined : CONTEXT),
    ...more,
  };
}

async function harbour(options: TestHostOptions = {}): Promise<TestHost> {
  const site = await createTestHost({ tls: tlsOf(), ...options });
  await publishSite(site, 'harbour', SITE);
  return site;
}

/** One for all tests that only ask it something. */
const theHarbour = shareHost({ harbour: SITE }, { tls: tlsOf() });

const tlsPort = ({ host }: TestHost): number => host.tlsAddress?.port ?? 0;

test.each(['TLSv1.2', 'TLSv1.3'] as const)('a site is served over %s by HTTP/1.1 and by HTTP/2', async (version) => {
  const site = await theHarbour();
  const options = { minVersion: version, maxVersion: version };
  const one = await askHttp1(tlsPort(site), HOST, '/', options);
  expect(one).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nPAGE$/);
  const session = await openHttp2(tlsPort(site), HOST, options);
  const { status, headers, text } = await askHttp2(session, '/');
  expect([status, text, headers['content-type']]).toEqual([200, 'PAGE', 'text/html; charset=utf-8']);
  expect((await askHttp2(session, '/', { 'if-none-match': String(headers.etag) })).status).toBe(304);
  expect(await askHttp2(session, '/', { ':method': 'HEAD' })).toMatchObject({ status: 200, text: '' });
  expect(await askHttp2(session, '/large.bin', { range: 'bytes=1-3' })).toMatchObject({ status: 206, text: 'xxx' });
  expect((await askHttp2(session, '/large.bin')).text).toHaveLength(LARGE_BYTES);
  expect((await askHttp2(session, '/missing')).status).toBe(404);
  expect((await askHttp2(session, '/', { ':method': 'POST' })).status).toBe(405);
  expect((await askHttp2(session, '/', { ':authority': 'nobody.localhost' })).status).toBe(404);
  expect((await askHttp2(session, '/', { ':authority': '127.0.0.1' })).status).toBe(421);
  session.destroy();
});

test('a host that differs from the authority is a bad request', async () => {
  const site = await theHarbour();
  const session = await openHttp2(tlsPort(site), HOST);
  const both = { ':authority': HOST, host: HOST };
  expect((await askHttp2(session, '/', both)).status).toBe(200);
  expect((await askHttp2(session, '/', { host: HOST })).status).toBe(200);
  expect((await askHttp2(session, '/', { ...both, host: 'other.localhost' })).status).toBe(400);
  session.destroy();
});

test.each([
  ['nobody.example', NO_CERTIFICATE],
  ['localhost', NO_CERTIFICATE],
  ['a.b.localhost', NO_CERTIFICATE],
  [null, NO_CERTIFICATE],
])('a handshake for %s ends without a certificate', async (name, code) => {
  const site = await theHarbour();
  await expect(handshake(tlsPort(site), name)).rejects.toThrow(code);
  (await handshake(tlsPort(site), HOST)).destroy();
});

test('TLS 1.1 is refused', async () => {
  const site = await theHarbour();
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await expect(handshake(tlsPort(site), HOST, old)).rejects.toThrow('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
});

test.each([
  ['/', {}, `https://${HOST}:8443/`],
  ['/a%20b/?q=1', {}, `https://${HOST}:8443/a%20b/?q=1`],
  ['//evil.example/', {}, `https://${HOST}:8443/evil.example/`],
  ['/', { 'x-forwarded-proto': 'http' }, `https://${HOST}:8443/`],
  ['/', { 'x-forwarded-proto': 'https', 'cf-ray': '8f-AMS' }, `https://${HOST}:8443/`],
  ['/.well-known/acme-challenge/token', {}, undefined],
  ['/.well-known/acme-challenge/token', { 'cf-ray': '8f-AMS', 'x-forwarded-proto': 'http' }, undefined],
])('in the clear %s with %j leads to %s', async (path, headers, location) => {
  const site = await theHarbour();
  const answer = await get(site.host.address.port, HOST, path, { headers });
  expect([answer.status === 308, answer.headers.location]).toEqual([location !== undefined, location]);
});

test('behind a proxy that is trusted and ends TLS, or does not say so, nothing leads in a circle', async () => {
  await using site = await createTestHost();
  const addresses = { ...site.providers.addresses, trustedProxies: 1 };
  await using behind = await harbour({ providers: { addresses } });
  const statusWith = async (headers: Record<string, string>) =>
    (await get(behind.host.address.port, HOST, '/', { headers })).status;
  expect(await statusWith({})).toBe(200);
  expect(await statusWith({ 'x-forwarded-proto': 'https' })).toBe(200);
  expect(await statusWith({ 'x-forwarded-proto': 'http' })).toBe(308);
});

/** Trusts a proxy in front of its port in the clear, and counts this machine as anybody else; at one moment of one day. */
async function harbourBehindProxy(): Promise<TestHost> {
  const site = await harbour();
  const { addresses, limits } = site.providers;
  const at = new Date();
  await site.restart({
    addresses: { ...addresses, trustedProxies: 1 },
    limits: { ...limits, isAddressCounted: true },
    now: () => at,
  });
  return site;
}

test('a proxy in front of the port in the clear gives an address no more connections over TLS', async () => {
  await using site = await harbourBehindProxy();
  const sockets = Array.from({ length: PER_ADDRESS + 5 }, () => connect(tlsPort(site), '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    // The start of a handshake that says hello and then nothing.
    socket.write(Buffer.from('1603010200', 'hex'));
  }
  await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(5);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => askHttp1(tlsPort(site), HOST, '/').catch(String)).toMatch(/PAGE$/);
});

test('whom a visitor over TLS claims to be makes nobody else of them', async () => {
  await using site = await harbourBehindProxy();
  const { deploymentId } = await publishSite(site, 'claimed', {
    'index.html': 'x',
    _headers: '/*\n  Strict-Transport-Security: max-age=600\n',
  });
  const session = await openHttp2(tlsPort(site), HOST);
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    const claims = { 'user-agent': 'test', 'x-forwarded-for': address, 'x-forwarded-proto': 'http' };
    const answer = await askHttp2(session, '/', { ':authority': 'claimed.localhost', ...claims });
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([200, 'max-age=600']);
  }
  session.destroy();
  await site.host.stop();
  const rows = await VisitModel.find({ deploymentId }).setOptions({ acrossAccounts: 'host' }).sort({ at: 1 }).lean();
  expect(rows.reduce((sum, { views }) => sum + views, 0)).toBe(3);
  expect(new Set(rows.flatMap(({ visitors }) => visitors)).size).toBe(1);
});

test('names that are not known are led alike, and what is no site is answered as without TLS', async () => {
  const site = await theHarbour();
  const { port } = site.host.address;
  expect((await get(port, 'nobody.localhost', '/')).headers.location).toBe('https://nobody.localhost:8443/');
  expect((await get(port, '127.0.0.1', '/')).status).toBe(421);
  expect((await get(port, 'other.example', '/')).status).toBe(404);
});

test('HSTS is sent where a site asks for it, and nowhere else', async () => {
  const site = await theHarbour();
  await publishSite(site, 'strict', {
    'index.html': 'STRICT',
    _headers: '/*\n  Strict-Transport-Security: max-age=600\n',
  });
  const session = await openHttp2(tlsPort(site), HOST);
  const strict = await askHttp2(session, '/', { ':authority': 'strict.localhost' });
  expect(strict.headers['strict-transport-security']).toBe('max-age=600');
  expect((await askHttp2(session, '/')).headers['strict-transport-security']).toBeUndefined();
  session.destroy();
});

type Version = 'TLSv1.2' | 'TLSv1.3';

/** Reads one answer, so that the ticket has arrived, and gives what a later handshake resumes. */
async function sessionOf(port: number, version: Version): Promise<Buffer> {
  const socket = await handshake(port, HOST, { ALPNProtocols: ['http/1.1'], minVersion: version, maxVersion: version });
  const given = version === 'TLSv1.3' ? once(socket, 'session') : undefined;
  socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await once(socket, 'data');
  const [ticket = socket.getSession()] = (await given) ?? [];
  socket.destroy();
  return ticket;
}

async function isResumed(port: number, session: Buffer, version: Version): Promise<boolean> {
  const options = { session, ALPNProtocols: ['http/1.1'], minVersion: version, maxVersion: version };
  const socket = await handshake(port, HOST, options);
  const resumed = socket.isSessionReused();
  socket.destroy();
  return resumed;
}

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a ticket of %s is good at each process that has its keys, until they change',
  async (version) => {
    using intervals = vi.spyOn(globalThis, 'setInterval');
    let keys = randomBytes(48);
    const tls = tlsOf({ ticketKeys: async () => keys });
    await using site = await createTestHost({ tls });
    await using second = await createTestHost({ tls });
    await using stranger = await createTestHost({ tls: tlsOf() });
    const ticket = await sessionOf(tlsPort(site), version);
    expect(await isResumed(tlsPort(site), ticket, version)).toBe(true);
    expect(await isResumed(tlsPort(second), ticket, version)).toBe(true);
    expect(await isResumed(tlsPort(stranger), ticket, version)).toBe(false);
    keys = randomBytes(48);
    // What else a host does again and again would be done thousands of times until then.
    const [change] = intervals.mock.calls.find(([, ms]) => ms === TICKET_KEYS_MS) ?? expect.fail('They never change.');
    await change();
    expect(await isResumed(tlsPort(site), ticket, version)).toBe(false);
  },
);

test('keys of tickets that cannot be read are told, and those of before are kept for 12 hours', async () => {
  using intervals = vi.spyOn(globalThis, 'setInterval');
  let keys = randomBytes(48);
  await using site = await createTestHost({ tls: tlsOf({ ticketKeys: async () => keys }) });
  const ticket = await sessionOf(tlsPort(site), 'TLSv1.3');
  keys = Buffer.from('too short');
  const [change] = intervals.mock.calls.find(([, ms]) => ms === TICKET_KEYS_MS) ?? expect.fail('They never change.');
  for (let tried = 1; tried < 144; tried += 1) await change();
  expect(site.lines.filter(({ message }) => message.includes('session tickets'))).toHaveLength(143);
  expect(await isResumed(tlsPort(site), ticket, 'TLSv1.3')).toBe(true);
  await change();
  expect(await isResumed(tlsPort(site), ticket, 'TLSv1.3')).toBe(false);
});

/** Two sites, each with a certificate of its own. */
async function twoCertificates(): Promise<TestHost> {
  const [from, until] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)];
  const contexts = new Map([HOST, OTHER].map((name) => [name, createSecureContext(selfSigned(from, until, name))]));
  const site = await createTestHost({ tls: tlsOf({ contextFor: (name) => contexts.get(name) }) });
  await publishSite(site, 'harbour', SITE);
  await publishSite(site, 'other', { 'index.html': 'OTHER' });
  return site;
}

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a ticket of %s that is used under another name leads to no other site than the request names',
  async (version) => {
    await using site = await twoCertificates();
    const session = await sessionOf(tlsPort(site), version);
    const ask = async (servername: string, host: string): Promise<string> => {
      const options = { session, servername, minVersion: version, maxVersion: version };
      return (await askHttp1(tlsPort(site), host, '/', options)).split('\r\n\r\n')[1] ?? '';
    };
    expect([await ask(HOST, HOST), await ask(OTHER, OTHER)]).toEqual(['PAGE', 'OTHER']);
    expect([await ask(OTHER, HOST), await ask(HOST, OTHER)]).toEqual(['PAGE', 'OTHER']);
    expect(await ask('nobody.localhost', 'nobody.localhost')).toContain('There is no site at this address');
  },
);

test('a stop lets an answer over HTTP/2 end and closes what is only kept open', async () => {
  await using site = await harbour();
  const [busy, idle] = [await openHttp2(tlsPort(site), HOST), await openHttp2(tlsPort(site), HOST)];
  const port = tlsPort(site);
  const stream = busy.request({ ':path': '/large.bin' });
  await once(stream, 'response');
  const idleClosed = closeOf(idle);
  const stopped = site.host.stop();
  await idleClosed;
  let bytes = 0;
  stream.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  await once(stream, 'end');
  expect(bytes).toBe(LARGE_BYTES);
  await stopped;
  await expect(handshake(port, HOST)).rejects.toThrow('ECONNREFUSED');
});
