import { expect, test } from 'vitest';
import { readNames, readZones } from '../../server/connections/dns-connections.ts';
import type { DnsProvider, DnsProviderCall, DnsZone, FoundRecordSet, RecordChange } from '../../server/dns/provider.ts';
import { cloudflare } from '../../server/dns/providers/cloudflare.ts';
import { digitalocean } from '../../server/dns/providers/digitalocean.ts';
import { hetzner } from '../../server/dns/providers/hetzner.ts';
import { powerdns } from '../../server/dns/providers/powerdns.ts';
import { route53 } from '../../server/dns/providers/route53.ts';
import type { Egress } from '../../server/lib/egress/egress.ts';
import { createTestApp } from '../support/app.ts';

const API = { apiUrl: 'https://api.example' };
const CREDENTIALS = {
  ...{ token: 'token', accessKeyId: 'AKIA', secretAccessKey: 'secret' },
  ...{ url: 'https://dns.example', apiKey: 'key' },
};
const ZONE: DnsZone = { id: 'ours.test', name: 'ours.test', apexAlias: null };
const CHANGES: readonly RecordChange[] = [
  { type: 'TXT', name: ZONE.name, before: null, after: { ttl: 300, values: ['ours'] } },
];
const NEXT = { links: { pages: { next: 'https://api.example/next' } }, meta: { pagination: { next_page: 2 } } };

/** A provider that answers every request with this text; `asked` is how often it was. */
function answering(textFor: (path: string) => string, status = 200) {
  const heard = { asked: 0, changed: 0, redirects: 0 };
  const egress: Egress = {
    async request(url, { method = 'GET', redirects = 0 }, read) {
      heard.asked += 1;
      heard.changed += method === 'GET' ? 0 : 1;
      heard.redirects += redirects;
      const body = (async function* () {
        yield Buffer.from(textFor(new URL(url).pathname));
      })();
      return read({ status, headers: new Headers(), url: new URL(url), body });
    },
  };
  const call = {
    ...{ egress, credentials: CREDENTIALS, signal: new AbortController().signal },
    ...{ now: () => new Date(), wait: async () => undefined },
  } as unknown as DnsProviderCall<never>;
  return { heard, call };
}

const PROVIDERS: readonly DnsProvider[] = [
  cloudflare(API),
  digitalocean(API),
  hetzner(API),
  route53(API),
  powerdns(),
] as unknown as readonly DnsProvider[];

const NONSENSE: Readonly<Record<string, string>> = {
  'a page': `<!doctype html>${'<p>'.repeat(100_000)}`,
  nothing: '',
  'lists in lists': '['.repeat(90_000),
  'wrong types': '{"result":{},"domains":7,"zones":"x","rrsets":null,"domain_records":[[]],"meta":[],"links":0}',
  'fifty thousand wrong things': `{"result":[${'{},'.repeat(45_000)}{}],"domains":[${'0,'.repeat(45_000)}0]}`,
};

test.each(
  PROVIDERS.flatMap((provider) => Object.entries(NONSENSE).map(([title, text]) => ({ provider, title, text }))),
)('$provider.id that answers $title is trouble of the provider, after a few tries', async ({ provider, text }) => {
  const { heard, call } = answering(() => text);
  await expect(provider.verify(call)).rejects.toMatchObject({ code: 'platform_down' });
  await expect(provider.zones(call)).rejects.toMatchObject({ code: 'platform_down' });
  await expect(provider.read(call, ZONE, ZONE.name)).rejects.toMatchObject({ code: 'platform_down' });
  await expect(provider.write(call, ZONE, CHANGES)).rejects.toMatchObject({ code: 'platform_down' });
  expect(heard.asked).toBeLessThanOrEqual(4 * 4);
  expect(heard.changed).toBe(0);
});

test.each(PROVIDERS.flatMap((provider) => [301, 410].map((status) => ({ provider, status }))))(
  '$provider.id whose API has moved ($status) is asked once, and nobody is followed there',
  async ({ provider, status }) => {
    const { heard, call } = answering(() => '', status);
    await expect(provider.zones(call)).rejects.toMatchObject({ code: 'platform_failed' });
    await expect(provider.write(call, ZONE, CHANGES)).rejects.toMatchObject({ code: 'platform_failed' });
    expect(heard).toEqual({ asked: 2, changed: 0, redirects: 0 });
  },
);

test.each([
  {
    provider: cloudflare(API),
    page: (items: object[]) => ({ result: items, result_info: { page: 1, total_pages: 1e9 } }),
  },
  { provider: digitalocean(API), page: (items: object[]) => ({ domains: items, ...NEXT }) },
  { provider: hetzner(API), page: (items: object[]) => ({ zones: items, ...NEXT }) },
])(
  '$provider.id whose pages have no end is read to ten thousand zones, or a hundred pages',
  async ({ provider, page }) => {
    const zone = { id: provider.id === 'hetzner' ? 1 : 'a', name: 'a.test', ttl: 60 };
    const long = answering(() => JSON.stringify(page(Array.from({ length: 3_000 }, () => zone))));
    expect(await provider.zones(long.call)).toHaveLength(10_000);
    const many = answering(() => JSON.stringify(page([zone])));
    expect(await provider.zones(many.call)).toHaveLength(100);
    expect(many.heard.asked).toBe(100);
  },
);

test('route53 whose cursor leads to the same page again is read a hundred times', async () => {
  const zone = '<HostedZone><Id>/hostedzone/Z1</Id><Name>a.test.</Name></HostedZone>';
  const page = `<HostedZones>${zone}</HostedZones><IsTruncated>true</IsTruncated><NextMarker>Z1</NextMarker>`;
  const { heard, call } = answering(() => `<ListHostedZonesResponse>${page}</ListHostedZonesResponse>`);
  expect(await route53(API).zones(call)).toHaveLength(100);
  expect(heard.asked).toBe(100);
});

test('more sets or values at a few names than a name server could answer are not worked with', async () => {
  const { call } = answering(() => '');
  const set: FoundRecordSet = { type: 'A', name: ZONE.name, ttl: 60, values: ['192.0.2.1'] };
  const reading = (found: readonly FoundRecordSet[]) =>
    readNames({ ...powerdns(), readNames: async () => found } as unknown as DnsProvider, call, ZONE, [ZONE.name]);
  const values = Array.from({ length: 5_000 }, (_, number) => `${number}`);
  await expect(reading(Array.from({ length: 1_001 }, () => set))).rejects.toMatchObject({ code: 'records_refused' });
  await expect(reading([{ ...set, values }])).rejects.toMatchObject({ code: 'records_refused' });
  expect(await reading([set])).toEqual([set]);
});

test('texts of megabytes are not taken apart', async () => {
  const set = { name: `${ZONE.name}.`, type: 'TXT', ttl: 60, records: [{ content: '"'.repeat(100_000) }] };
  const { call } = answering(() => JSON.stringify({ rrsets: [set] }));
  await expect(powerdns().read(call, ZONE, ZONE.name)).rejects.toMatchObject({ code: 'records_refused' });
  expect(await powerdns().read(call, ZONE, `www.${ZONE.name}`)).toEqual([]);
});

test('a zone or a list of zones that takes long to read is not read', async () => {
  const set = (number: number) => ({
    ...{ comments: [], name: `host${number}.${ZONE.name}.`, type: 'A', ttl: 60 },
    records: [{ content: '192.0.2.1', disabled: false }],
  });
  const zoneOf = (count: number) =>
    answering(() => JSON.stringify({ rrsets: Array.from({ length: count }, (_, number) => set(number)) }));
  const tooLong = { code: 'platform_down', message: expect.stringContaining('the answer is too long') };
  await expect(powerdns().read(zoneOf(2_100).call, ZONE, ZONE.name)).rejects.toMatchObject(tooLong);
  expect(await powerdns().read(zoneOf(1_900).call, ZONE, `host7.${ZONE.name}`)).toHaveLength(1);

  const zone = (number: number) => ({
    ...{
      account: '',
      catalog: '',
      dnssec: false,
      edited_serial: 2026112501,
      id: `zone${number}.test.`,
      kind: 'Native',
    },
    ...{ last_check: 0, masters: [], name: `zone${number}.test.`, notified_serial: 0, serial: 2026112501 },
    url: `/api/v1/servers/localhost/zones/zone${number}.test.`,
  });
  const listOf = (count: number) =>
    answering((path) =>
      JSON.stringify(path.endsWith('/zones') ? Array.from({ length: count }, (_, number) => zone(number)) : []),
    );
  await expect(powerdns().zones(listOf(3_000).call)).rejects.toMatchObject(tooLong);
  expect(await powerdns().zones(listOf(2_500).call)).toHaveLength(2_500);
});

test('what a server says of itself is kept in a few words', async () => {
  const server = { daemon_type: 'authoritative', version: 'x'.repeat(1_000_000) };
  const { call } = answering((path) => JSON.stringify(path.endsWith('/localhost') ? server : []));
  await using app = await createTestApp({ providers: { egress: call.egress } });
  const { caller } = await app.trialPerson();
  const fields = { url: CREDENTIALS.url, apiKey: CREDENTIALS.apiKey };
  const { identity } = await caller.connections.connect({ provider: 'powerdns', fields });
  expect(identity).toMatch(/^dns\.example, PowerDNS x/);
  expect(identity.length).toBeLessThan(1_000);
});

test('a zone with an id or a name that none has is left out, and a person has a thousand to choose from', async () => {
  const { call } = answering(() => '');
  const zones = [
    { ...ZONE, id: 'x'.repeat(1_000_000) },
    { ...ZONE, name: `${'x'.repeat(1_000_000)}.test` },
    ...Array.from({ length: 5_000 }, () => ZONE),
  ];
  const verify = async () => ({ identity: 'dns', subject: null, warnings: [] });
  const provider = { ...powerdns(), verify, zones: async () => zones };
  expect(await readZones(provider as unknown as DnsProvider, call)).toHaveLength(5_000);
  await using app = await createTestApp({ providers: { dnsProviders: { powerdns: provider } } });
  const { caller } = await app.trialPerson();
  const fields = { url: CREDENTIALS.url, apiKey: CREDENTIALS.apiKey };
  const { id: connectionId } = await caller.connections.connect({ provider: 'powerdns', fields });
  const { items } = await caller.connections.targets({ connectionId });
  expect(items).toHaveLength(1_000);
  expect(items[0]).toEqual({ id: ZONE.id, name: ZONE.name });
});
