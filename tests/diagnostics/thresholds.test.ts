import { expect, test } from 'vitest';
import type { Check, Subject, Tools, Visit } from '../../server/diagnostics/checks/check.ts';
import { caSide } from '../../server/diagnostics/checks/dns/ca-side.ts';
import { caa } from '../../server/diagnostics/checks/dns/caa.ts';
import { delegation } from '../../server/diagnostics/checks/dns/delegation.ts';
import { dnssec } from '../../server/diagnostics/checks/dns/dnssec.ts';
import { resolves } from '../../server/diagnostics/checks/dns/resolves.ts';
import { ttl } from '../../server/diagnostics/checks/dns/ttl.ts';
import { httpsForced } from '../../server/diagnostics/checks/served/https-forced.ts';
import { ipv6 } from '../../server/diagnostics/checks/served/ipv6.ts';
import { mixedContent } from '../../server/diagnostics/checks/served/mixed-content.ts';
import { port80 } from '../../server/diagnostics/checks/served/port-80.ts';
import { redirects } from '../../server/diagnostics/checks/served/redirects.ts';
import { wwwAndApex } from '../../server/diagnostics/checks/served/www-and-apex.ts';
import { DnsLookupError } from '../../server/dns/dns-client.ts';

/** Thresholds of checks that need no real server to be held: what each makes of what its tools bring. */
const NAME = 'harbour.example';
const OWN = { deploymentId: 'd', isServedHere: true, records: [], proof: null, domainId: 'domain' };
const subject = (fields: Partial<Subject> = {}): Subject => ({
  ...{ name: NAME, isDomain: true, counterpart: null, url: `https://${NAME}/`, hasTls: true, witness: null },
  ...{ entrySha256: 'a'.repeat(64), own: { ...OWN, certificateId: null, renewAt: null } },
  ...fields,
});
/** Tools that a test does not bring are not used. */
const tools = (some: Partial<Tools>): Tools => some as Tools;

const servers = (...names: string[]) => names.map((name) => ({ name, addresses: ['192.0.2.1'] }));
const zone = (...names: string[]) => ({
  ...{ apex: NAME, servers: servers(...names), parentServers: names, childServers: names },
});

test.each([
  [['ns1.example'], 'warn', 'ns1.example is the only name server of harbour.example'],
  [['ns1.example', 'ns2.example'], 'pass', 'ns1.example, ns2.example answer'],
] as const)('a zone at %j: %s', async (names, verdict, seen) => {
  const answers = names.map((server) => ({ server, address: '192.0.2.1', values: ['soa'], cname: null, ttl: 60 }));
  const found = await delegation.run(
    subject(),
    tools({ zoneOf: async () => zone(...names), askNameServers: async () => answers as never }),
  );
  expect(found).toMatchObject({ verdict, seen: expect.stringContaining(seen) });
});

/** Visits that are led on as `leads` says, and end with a page. */
function led(leads: Record<string, string>, text = ''): Pick<Tools, 'visit' | 'zoneOf'> {
  const visit = async (url: string): Promise<Visit> => {
    const location = leads[url];
    const headers = new Headers(location === undefined ? {} : { location });
    const status = location === undefined ? 200 : 301;
    return { fault: null, status, headers, text, sha256: '', firstByteMs: 1, server: '' };
  };
  return { visit, zoneOf: async () => zone('ns1.example') };
}

const toHttps = { [`http://${NAME}/`]: `https://${NAME}/` };
const toOther = { ...toHttps, [`https://${NAME}/`]: 'https://parked.test/' };
const long = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`https://${NAME}/${index || ''}`, `https://${NAME}/${index + 1}`]),
);

test.each([
  ['to https', subject(), toHttps, 'pass', ''],
  ['below the domain', subject(), { ...toHttps, [`https://${NAME}/`]: `https://www.${NAME}/` }, 'pass', ''],
  ['to another domain', subject(), toOther, 'fail', 'end up at another domain'],
  ['to another domain, of somebody else', subject({ own: null }), toOther, 'pass', ''],
  ['to another domain by a rule of the site', subject({ entrySha256: null }), toOther, 'pass', ''],
  ['on and on', subject(), { ...toHttps, ...long }, 'fail', 'More than 10 redirects'],
  ['in a circle', subject(), { ...toHttps, [`https://${NAME}/`]: `http://${NAME}/` }, 'fail', 'form a loop'],
] as const)('redirects that lead %s', async (_, of, leads, verdict, seen) => {
  const found = await redirects.run(of, tools(led(leads)));
  expect(found).toMatchObject({ verdict, seen: expect.stringContaining(seen) });
});

test('nothing that has no address leads to https', async () => {
  const visit = async (): Promise<Visit> => ({ fault: 'no_address', detail: '', server: '' });
  expect(await httpsForced.run(subject(), tools({ visit }))).toMatchObject({ verdict: 'unknown' });
});

test.each([
  ['https', 'fail', 'Browsers refuse index.html, line 2: script'],
  ['http', 'warn', 'Once the site has https, browsers refuse'],
] as const)('a script over http in a page of %s', async (scheme, verdict, seen) => {
  const page = { path: 'index.html', text: '<h1>Harbour</h1>\n<script src="http://old.example/x.js"></script>' };
  const found = await mixedContent.run(subject({ url: `${scheme}://${NAME}/` }), tools({ pages: async () => [page] }));
  expect(found).toMatchObject({ verdict, seen: expect.stringContaining(seen) });
});

const OURS = {
  identities: ['ca.example'],
  accountUrl: 'https://ca.example/1',
  methods: ['http-01'],
  isWildcard: false,
};

test.each([
  ['0 issue "ca.example"', OURS, 'pass', 'CAA allows ca.example to issue certificates'],
  ['0 issue "other.example"', OURS, 'fail', 'do not allow ca.example'],
  ['0 issue "other.example"', null, 'pass', 'CAA records are there'],
  ['128 tbs "x"', OURS, 'fail', 'critical'],
  ['128 tbs "x"', null, 'fail', 'critical'],
  ['0 isue "ca.example"', OURS, 'warn', 'No authority knows isue as a tag'],
  ['0 isue "ca.example"', null, 'warn', 'No authority knows isue as a tag'],
  ['0 issuemail "ca.example"', null, 'pass', ''],
  ['0 iodef "mailto:a@ca.example"', OURS, 'warn', 'only name a contact'],
  ['0 issue "ca.example; accounturi=https://ca.example/1"', OURS, 'warn', 'only for the account of this Fairlead'],
  ['0 issue "ca.example; accounturi=https://ca.example/2"', OURS, 'fail', 'another account'],
] as const)('CAA %s', async (value, question, verdict, seen) => {
  const set = { name: NAME, values: [value] };
  const asked = question === null ? null : { ...question, methods: [...question.methods] };
  const found = await caa.run(subject(), tools({ caaOf: async () => set, caaQuestion: async () => asked }));
  expect(found).toMatchObject({ verdict, seen: expect.stringContaining(seen) });
});

test.each([
  ['at its own name', {}, null, 'pass'],
  ['at its www', { [`http://${NAME}/`]: `http://www.${NAME}/` }, `www.${NAME}`, 'pass'],
  ['at a name that is none of the domain', { [`http://${NAME}/`]: 'https://front.test/' }, null, 'warn'],
] as const)('our own answer is found %s', async (_, roots, counterpart, verdict) => {
  const path = '.well-known/acme-challenge/token';
  const leads = Object.fromEntries(Object.entries(roots).map(([from, to]) => [`${from}${path}`, `${to}${path}`]));
  const place = { address: '192.0.2.1', isOwn: true };
  const brought = { ...led(leads, 'token'), serversOf: async () => [place], challengeToken: async () => 'token' };
  expect(await port80.run(subject({ counterpart }), tools(brought))).toMatchObject({ verdict });
});

test.each([
  ['refuses', { fault: 'refused', detail: '', server: '' }, 'refuses connections'],
  ['drops', { fault: 'silent', detail: '', server: '' }, 'does not answer in time'],
  [
    'answers 404',
    { fault: null, status: 404, headers: new Headers(), text: '' },
    'is another server, which answers 404',
  ],
] as const)('an IPv6 address of another server that %s is the fault, and goes', async (_, answer, seen) => {
  const tried = {
    serversOf: async () => ['192.0.2.1', '2001:db8::9'].map((address) => ({ address, isOwn: address === '192.0.2.1' })),
    challengeToken: async () => 'token',
    visit: async () => answer as Visit,
  };
  expect(await ipv6.run(subject(), tools(tried))).toMatchObject({
    ...{ verdict: 'fail', seen: `2001:db8::9 ${seen}.` },
    fix: 'Remove the address 2001:db8::9, or replace it with this server’s.',
  });
});

test.each([
  [
    'a port',
    'https',
    ':9443',
    false,
    'port 9443, but certificate authorities follow redirects only to ports 80 and 443',
  ],
  [
    'a port of ours',
    'https',
    ':8443',
    true,
    'port 8443, but certificate authorities follow redirects only to ports 80 and 443',
  ],
  ['a scheme', 'ftp', '', false, 'ftp:, but certificate authorities follow redirects only to http and https'],
])('our own answer is not looked for at %s where no authority goes', async (_, scheme, port, isOwn, seen) => {
  const path = '/.well-known/acme-challenge/token';
  const leads = { [`http://${NAME}${path}`]: `${scheme}://${NAME}${port}${path}` };
  const place = { address: '192.0.2.9', isOwn };
  const brought = { ...led(leads, 'token'), serversOf: async () => [place], challengeToken: async () => 'token' };
  expect(await port80.run(subject(), tools(brought))).toMatchObject({
    ...{ verdict: 'fail', seen: `192.0.2.9 redirects our own test to ${seen}.` },
    fix: isOwn
      ? 'Let /.well-known/acme-challenge/ be answered without that redirect.'
      : 'Remove the address 192.0.2.9, or replace it with this server’s.',
  });
});

const NOW = new Date('2026-11-20T12:00:00Z');
const hours = (count: number): number => NOW.getTime() / 1000 + count * 3600;

test.each([
  ['that end in three weeks', 'SOA', -24, 21 * 24, 'pass'],
  ['that end in two days', 'SOA', -28 * 24, 2 * 24, 'warn'],
  ['that are made anew every day', 'SOA', -25, 25, 'pass'],
  ['of other records alone', 'DNSKEY', -28 * 24, 2 * 24, 'pass'],
] as const)('signatures %s', async (_, type, from, until, verdict) => {
  const values = [`${type} ${hours(from)} ${hours(until)}`];
  const found = await dnssec.run(
    subject(),
    tools({
      checkDnssec: async () => 'secure',
      zoneOf: async () => zone('ns1.example'),
      now: () => NOW,
      askNameServers: async () => [{ server: 'ns1.example', address: '', values, ttl: 60, error: null, cname: null }],
    }),
  );
  expect(found).toMatchObject({ verdict });
});

test.each([
  ['A', 172_800, 'fail', '2 days'],
  ['AAAA', 90_000, 'fail', '25 hours'],
  ['CNAME', 90_001, 'fail', '90,001 seconds'],
  ['AAAA', 7_200, 'warn', '2 hours'],
  ['CNAME', 60, 'pass', '1 minute'],
] as const)('a time to live of %s: %i seconds', async (type, seconds, verdict, words) => {
  const record = { type, name: NAME, value: 'wanted', ttl: 300, purpose: 'route', required: true } as const;
  const own = { ...OWN, records: [{ ...record, alternativeGroup: null }], certificateId: null, renewAt: null };
  const answer = { server: 'ns1.example', address: '', ttl: seconds, error: null, cname: null };
  const found = await ttl.run(
    subject({ own }),
    tools({ askNameServers: async (_name, asked) => [{ ...answer, values: asked === type ? ['other'] : [] }] }),
  );
  expect(found).toMatchObject({ verdict, seen: `Resolvers keep the address of ${NAME} for ${words}.` });
});

test('a limit of the authority that is near is a warning, and one that is reached a failure', async () => {
  const trouble = { message: '41 of 50 certificates of this domain are used.', until: null };
  const said = (isNear: boolean) =>
    caSide.run(subject(), tools({ authorityTrouble: async () => ({ ...trouble, isNear }) }));
  expect(await said(true)).toMatchObject({ verdict: 'warn', seen: trouble.message });
  expect(await said(false)).toMatchObject({ verdict: 'fail', seen: trouble.message });
});

test.each([
  ['192.0.2.1', 'pass', `${NAME} leads to 192.0.2.1.`, null],
  [
    ...(['192.0.2.98', 'warn', `www.${NAME} points to 192.0.2.98 instead of your deployment.`] as const),
    `www.${NAME} should be a CNAME record, but has MX records, and no other record can exist beside a CNAME.`,
  ],
  [
    ...(['192.0.2.99', 'warn', `www.${NAME} points to 192.0.2.99 instead of your deployment.`] as const),
    `Remove the A and AAAA records of www.${NAME}, then set its CNAME record to ${NAME}.`,
  ],
  [null, 'pass', `${NAME} leads to 192.0.2.1.`, null],
] as const)('a www at %s beside a name that leads here: %s', async (address, verdict, seen, fix) => {
  const record = { ttl: 300, purpose: 'route' as const, required: true, alternativeGroup: null };
  const records = [
    { ...record, type: 'A' as const, name: NAME, value: '192.0.2.1' },
    { ...record, type: 'CNAME' as const, name: `www.${NAME}`, value: NAME },
  ];
  const ask = async (name: string, type: string) => {
    const there = name === NAME ? '192.0.2.1' : address;
    const mail = type === 'MX' && name === `www.${NAME}` && there === '192.0.2.98' ? ['10 mail.example'] : [];
    const values = type === 'A' && there !== null ? [there] : mail;
    return [{ server: 'ns1.example', address: '192.0.2.2', values, cname: null, ttl: 60 }] as never;
  };
  const zoneOf = async () => ({ apex: NAME }) as never;
  const found = await resolves.run(
    subject({ counterpart: `www.${NAME}`, own: { ...OWN, records, certificateId: null, renewAt: null } }),
    tools({
      zoneOf,
      askNameServers: ask,
      askResolvers: ask,
      serversOf: async () => [{ address: '192.0.2.1', isOwn: true }],
    }),
  );
  expect(found).toMatchObject({ verdict, seen, ...(fix !== null && { fix: expect.stringContaining(fix) }) });
});

test('where no name server answers, nothing is said of whether www and the domain agree', async () => {
  const found = tools({ askNameServers: async () => [], serversOf: async () => [] });
  const { verdict } = await wwwAndApex.run(subject({ counterpart: `www.${NAME}` }), found);
  expect(verdict).toBe('unknown');
});

test('an alias that is right, of a name without an address, is cured at that name', async () => {
  const www = `www.${NAME}`;
  const record = { ttl: 300, purpose: 'route', required: true, alternativeGroup: null } as const;
  const records = [
    { ...record, type: 'A', name: NAME, value: '192.0.2.7' },
    { ...record, type: 'CNAME', name: www, value: NAME },
  ] as const;
  const own = { ...OWN, records, certificateId: null, renewAt: null };
  let twice: string | null = null;
  let mute: string | null = null;
  const without = async (cname: string | null, check: Check) => {
    const answer = { server: 'ns1.example', address: '192.0.2.1', values: [], ttl: 60, error: null, cname };
    const found = tools({
      askNameServers: async (name) => {
        if (name === mute) throw new DnsLookupError('timeout', 'No name server answers.');
        return [name === twice ? { ...answer, cname: NAME } : answer];
      },
      ...{ serversOf: async () => [], zoneOf: async () => zone() },
    });
    return (await check.run(subject({ name: www, counterpart: NAME, own }), found)).fix;
  };
  expect(await without(NAME, resolves)).toBe(`Set A ${NAME} to 192.0.2.7 (TTL 300).`);
  expect(await without(null, resolves)).toBe(`Set CNAME ${www} to ${NAME} (TTL 300).`);
  expect(await without(NAME, wwwAndApex)).toBe(`Add the records of ${NAME} as well.`);
  expect(await without(null, wwwAndApex)).toBe(`Add the records of ${www} as well.`);
  twice = `${www}.${NAME}`;
  expect(await without(null, resolves)).toBe('Change its name there to www.');
  mute = twice;
  expect(await without(null, resolves)).toBe(`Set CNAME ${www} to ${NAME} (TTL 300).`);
});
