import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import { afterAll, expect, test } from 'vitest';
import { parseSigningKey } from '../../server/boot/env/domain-connect.ts';
import { createDomainConnect, type DomainConnect } from '../../server/dns/domain-connect.ts';
import { createEgress } from '../../server/lib/egress/egress.ts';
import { parseRange } from '../../server/lib/egress/rules.ts';
import { atFreePort } from '../support/at-free-port.ts';
import { selfSigned } from '../support/certificate.ts';
import { startDnsLab } from '../support/dns-lab.ts';
import { fillAnswerBudget } from '../support/full-budget.ts';
import { startPowerDns } from '../support/name-servers.ts';

const ZONE = 'ours.test';
const HOUR_MS = 3_600_000;
const WANTED = { apex: ZONE, host: 'www', serviceId: 'site', values: { target: "a.b*c!('x')", TXT: 'fairlead=1 & 2' } };
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const certificate = selfSigned(new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS));

const lab = await startDnsLab();
const zones = await startPowerDns({ address: '127.0.0.5', port: lab.port });
for (const zone of [ZONE, 'operator.test', 'provider.test']) {
  await zones.createZone(zone, { [`${zone} NS`]: [`ns1.${zone}.`], [`ns1.${zone} A`]: ['127.0.0.5'] });
  await lab.delegate(zone, { [`ns1.${zone}`]: '127.0.0.5' });
}
afterAll(async () => {
  for (const server of [zones, lab]) await server[Symbol.asyncDispose]();
});

test('a link leads to the provider of the zone, signed so that the published key verifies it', async () => {
  await using provider = await startProvider();
  await announce(provider.host);
  const link = await connect().linkFor(
    { ...WANTED, returnTo: { url: 'https://app.example.com/domains?id=1', state: 'a b' } },
    signal(),
  );
  expect(link?.providerName).toBe('Provider for people');
  const [path = '', query = ''] = (link?.url ?? '').split('?');
  expect(path).toBe(`${provider.origin}/ux/v2/domainTemplates/providers/operator.test/services/site/apply`);
  const parameters = new URLSearchParams(query);
  expect(Object.fromEntries(parameters)).toMatchObject({
    domain: ZONE,
    host: 'www',
    ...WANTED.values,
    redirect_uri: 'https://app.example.com/domains?id=1',
    state: 'a b',
    key: '_dck1',
  });
  await publishKey(publicKey);
  expect(await isSignedByPublishedKey(query)).toBe(true);
  expect(await isSignedByPublishedKey(query.replace('host=www', 'host=other'))).toBe(false);
});

test('the record may be an alias into the zone of the provider', async () => {
  await using provider = await startProvider();
  await zones.writeSets('provider.test', { '_domainconnect.provider.test TXT': [`"${provider.host}"`] });
  await zones.writeSets(ZONE, {
    [`_domainconnect.${ZONE} TXT`]: [],
    [`_domainconnect.${ZONE} CNAME`]: ['_domainconnect.provider.test.'],
  });
  expect(await connect().linkFor(WANTED, signal())).not.toBe(null);
  await zones.writeSets(ZONE, { [`_domainconnect.${ZONE} CNAME`]: [] });
});

test('a host with a path is asked below that path', async () => {
  await using provider = await startProvider({ base: '/client/v4/dns/domainconnect' });
  await announce(`${provider.host}/client/v4/dns/domainconnect`);
  expect(await connect().linkFor(WANTED, signal())).not.toBe(null);
});

test('a zone without the record, and one that is not registered, have no link', async () => {
  await zones.writeSets(ZONE, { [`_domainconnect.${ZONE} TXT`]: [] });
  expect(await connect().linkFor(WANTED, signal())).toBe(null);
  expect(await connect().linkFor({ ...WANTED, apex: 'nobodys.test' }, signal())).toBe(null);
});

test('a provider that no longer knows the domain, or not the template, has no link', async () => {
  await using provider = await startProvider();
  await announce(provider.host);
  provider.answers.set(`/v2/${ZONE}/settings`, { status: 404, text: '{}' });
  expect(await connect().linkFor(WANTED, signal())).toBe(null);
  provider.answers.clear();
  expect(await connect().linkFor({ ...WANTED, serviceId: 'unknown' }, signal())).toBe(null);
});

test('settings that are not as they should be offer no link, and nothing but https is followed', async () => {
  await using provider = await startProvider();
  await announce(provider.host);
  const good = provider.settings;
  const wrong: unknown[] = [
    { ...good, urlSyncUX: null },
    { ...good, urlSyncUX: 'javascript:alert(1)//' },
    { ...good, urlSyncUX: 'http://provider.example' },
    { ...good, urlSyncUX: 'https://name:password@provider.example' },
    { ...good, urlSyncUX: 'https://provider.example/?apply=' },
    { ...good, urlAPI: `http://${provider.host}` },
    { ...good, urlAPI: undefined },
    { ...good, providerName: 'x'.repeat(200) },
    [],
    'text',
    null,
  ];
  for (const settings of wrong) {
    provider.answers.set(`/v2/${ZONE}/settings`, { status: 200, text: JSON.stringify(settings) });
    expect(await connect().linkFor(WANTED, signal())).toBe(null);
  }
  provider.answers.set(`/v2/${ZONE}/settings`, { status: 200, text: '<html>' });
  expect(await connect().linkFor(WANTED, signal())).toBe(null);
});

test('redirects are not followed, long answers are cut off, and other records are no hosts', async () => {
  await using provider = await startProvider();
  await announce(provider.host);
  const settings = JSON.stringify(provider.settings);
  provider.answers.set('/moved', { status: 200, text: settings });
  provider.answers.set(`/v2/${ZONE}/settings`, { status: 302, text: '', location: `${provider.origin}/moved` });
  expect(await connect().linkFor(WANTED, signal())).toBe(null);
  provider.answers.set(`/v2/${ZONE}/settings`, { status: 200, text: `${settings}${' '.repeat(70_000)}` });
  expect(await connect().linkFor(WANTED, signal())).toBe(null);
  provider.answers.clear();
  for (const value of ['user@localhost', 'local host', '//localhost', 'localhost?x', 'localhost#x', '[::1]', '']) {
    await announce(value);
    expect(await connect().linkFor(WANTED, signal())).toBe(null);
  }
  expect(provider.asked.at(-1)).toBe(`/v2/${ZONE}/settings`);
});

test('a host of a stranger’s is read within the room of all answers', async () => {
  await using provider = await startProvider();
  await announce(provider.host);
  await using _full = await fillAnswerBudget();
  await expect(connect().linkFor(WANTED, signal())).rejects.toMatchObject({ code: 'overloaded' });
});

test('addresses of this network are not asked', async () => {
  await using provider = await startProvider();
  await announce(provider.host);
  const egress = createEgress({ ca: [certificate.cert] });
  const careful = createDomainConnect({ egress, dns: lab.client() }, identity());
  expect(await careful.linkFor(WANTED, signal())).toBe(null);
  expect(provider.asked).toEqual([]);
});

test('a search that was given up rejects with the reason', async () => {
  const reason = new Error('given up');
  await expect(connect().linkFor(WANTED, AbortSignal.abort(reason))).rejects.toBe(reason);
});

test('only RSA keys of 2048 bits and more sign', () => {
  const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(parseSigningKey(pem(privateKey))).not.toBe(null);
  expect(parseSigningKey(pem(generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey))).toBe(null);
  expect(parseSigningKey(pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey))).toBe(null);
  expect(parseSigningKey('no key')).toBe(null);
});

function signal(): AbortSignal {
  return new AbortController().signal;
}

function identity() {
  return { providerId: 'operator.test', keyHost: '_dck1', key: privateKey };
}

function connect(): DomainConnect {
  const allow = ['127.0.0.0/8', '::1'].map(parseRange).filter((range) => range !== null);
  const egress = createEgress({ allow, ca: [certificate.cert] });
  return createDomainConnect({ egress, dns: lab.client() }, identity());
}

async function announce(value: string): Promise<void> {
  await zones.writeSets(ZONE, { [`_domainconnect.${ZONE} TXT`]: [`"${value}"`] });
}

/** Publishes the key in pieces: `p=1,a=RS256,d=…`. */
async function publishKey(key: KeyObject): Promise<void> {
  const text = key.export({ type: 'spki', format: 'der' }).toString('base64');
  const pieces = (text.match(/.{1,200}/g) ?? []).map((piece, at) => `"p=${at + 1},a=RS256,d=${piece}"`);
  await zones.writeSets('operator.test', { '_dck1.operator.test TXT': pieces.reverse() });
}

/** Checks a link as a provider does: everything but `sig` and `key` is covered, as it was sent. */
async function isSignedByPublishedKey(query: string): Promise<boolean> {
  const parts = query.split('&');
  const parameter = (name: string): string => new URLSearchParams(query).get(name) ?? '';
  const covered = parts.filter((part) => !part.startsWith('sig=') && !part.startsWith('key=')).join('&');
  const { answers } = await lab.client().askNameServers(`${parameter('key')}.operator.test`, 'TXT', signal());
  const pieces = (answers[0]?.values ?? []).map((value) => /^p=(\d+),a=RS256,d=(.*)$/.exec(value));
  const text = pieces
    .sort((one, other) => Number(one?.[1]) - Number(other?.[1]))
    .map((piece) => piece?.[2])
    .join('');
  const key = { key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' } as const;
  return verify('sha256', Buffer.from(covered), key, Buffer.from(parameter('sig'), 'base64'));
}

type Answer = { status: number; text: string; location?: string };

/** A DNS provider that has the template `site` of operator.test. */
async function startProvider({ base = '' } = {}) {
  const answers = new Map<string, Answer>();
  const asked: string[] = [];
  const server: Server = createServer(certificate, (request, response) => {
    const path = (request.url ?? '').slice(base.length);
    asked.push(path);
    const usual = new Map<string, Answer>([
      [`/v2/${ZONE}/settings`, { status: 200, text: JSON.stringify(settings) }],
      ['/api/v2/domainTemplates/providers/operator.test/services/site', { status: 200, text: '' }],
    ]);
    const { status, text, location } = answers.get(path) ?? usual.get(path) ?? { status: 404, text: '' };
    response.writeHead(status, location === undefined ? {} : { location }).end(text);
  });
  const listening = await atFreePort(server, 'localhost');
  const host = `localhost:${listening.port}`;
  const origin = `https://${host}`;
  const settings = {
    providerId: 'provider.test',
    providerName: 'Provider',
    providerDisplayName: 'Provider for people',
    urlSyncUX: `${origin}/ux`,
    urlAPI: `${origin}${base}/api/`,
    width: 750,
  };
  return {
    ...listening,
    answers,
    asked,
    host,
    origin,
    settings,
  };
}
