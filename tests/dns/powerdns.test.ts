import { expect, test } from 'vitest';
import { powerdns } from '../../server/dns/providers/powerdns.ts';
import type { Egress } from '../../server/lib/egress/egress.ts';
import { dnsCall, dnsSuite, ZONE } from '../support/dns-suite.ts';
import { startPowerDns } from '../support/name-servers.ts';
import { heldSets, powerdnsUnderTest } from '../support/powerdns-under-test.ts';

dnsSuite('PowerDNS', powerdnsUnderTest);

test('a bare domain follows another name where the server expands aliases, and where it does not, not', async () => {
  await using plain = await startPowerDns();
  await plain.createZone(ZONE);
  await using expanding = await startPowerDns({ settings: ['expand-alias=yes', 'resolver=127.0.0.1:9'] });
  await expanding.createZone(ZONE);
  const zonesOf = ({ apiUrl, apiKey }: typeof plain) => powerdns().zones(dnsCall({ url: apiUrl, apiKey }));
  expect(await zonesOf(plain)).toMatchObject([{ name: ZONE, apexAlias: null }]);
  expect(await zonesOf(expanding)).toMatchObject([{ name: ZONE, apexAlias: 'ALIAS' }]);
});

test('a zone that is transferred from elsewhere is not offered, and a record that is switched off is left alone', async () => {
  await using server = await startPowerDns();
  await server.createZone(ZONE);
  await server.api('POST', '/zones', { name: 'copied.test.', kind: 'Slave', masters: ['192.0.2.1'], nameservers: [] });
  const off = { content: '192.0.2.9', disabled: true };
  const set = { name: `www.${ZONE}.`, type: 'A', ttl: 60, changetype: 'REPLACE', records: [off] };
  await server.api('PATCH', `/zones/${ZONE}.`, { rrsets: [set] });
  const call = dnsCall({ url: server.apiUrl, apiKey: server.apiKey });
  const [zone, ...others] = await powerdns().zones(call);
  expect([zone?.name, others]).toEqual([ZONE, []]);
  if (zone === undefined) throw new Error('There is no zone.');
  expect(await powerdns().read(call, zone, `www.${ZONE}`)).toMatchObject([{ type: 'A', isFixed: true }]);
});

test('what others have at a name stays as it is, byte by byte', async () => {
  await using server = await startPowerDns();
  await server.createZone(ZONE);
  const name = `texts.${ZONE}`;
  const foreign = ['""', '"a \\"b\\" c"', '"caf\\233"', '"caf\\234"', '"v=DKIM1; k=rsa; " "p=MIGf"'];
  const records = foreign.map((content) => ({ content }));
  const held = { name: `${name}.`, type: 'TXT', ttl: 60, changetype: 'REPLACE', records };
  await server.api('PATCH', `/zones/${ZONE}.`, { rrsets: [held] });
  const call = dnsCall({ url: server.apiUrl, apiKey: server.apiKey });
  const [zone] = await powerdns().zones(call);
  if (zone === undefined) throw new Error('There is no zone.');
  const contents = async () => {
    const { rrsets } = heldSets(await server.api('GET', `/zones/${ZONE}.`));
    return rrsets
      .find((set) => set.name === `${name}.`)
      ?.records.map(({ content }) => content)
      .sort();
  };
  const [found] = await powerdns().read(call, zone, name);
  const before = { ttl: 60, values: found?.values ?? [] };
  const after = { ttl: 60, values: [...before.values, 'ours'] };
  await powerdns().write(call, zone, [{ type: 'TXT', name, before, after }]);
  expect(await contents()).toEqual([...foreign, '"ours"'].sort());
  await powerdns().write(call, zone, [{ type: 'TXT', name, before: after, after: before }]);
  expect(await contents()).toEqual([...foreign].sort());
});

test('what another writes at the same time, so that ours is refused, is told as a change, and stays', async () => {
  await using server = await startPowerDns();
  await server.createZone(ZONE);
  const call = dnsCall<'powerdns'>({ url: server.apiUrl, apiKey: server.apiKey });
  const name = `_acme-challenge.${ZONE}`;
  const theirs = { name: `${name}.`, type: 'TXT', ttl: 60, changetype: 'REPLACE', records: [{ content: '"theirs"' }] };
  let writes = 0;
  const request: Egress['request'] = async (url, asked, read) => {
    if (asked.method !== 'PATCH' || ++writes > 1) return call.egress.request(url, asked, read);
    await server.api('PATCH', `/zones/${ZONE}.`, { rrsets: [theirs] });
    return read({ status: 500, headers: new Headers(), url: new URL(url), body: new Blob([]).stream() });
  };
  const [zone] = await powerdns().zones(call);
  if (zone === undefined) throw new Error('There is no zone.');
  const change = { type: 'TXT', name, before: null, after: { ttl: 60, values: ['ours'] } } as const;
  const writing = powerdns().write({ ...call, egress: { request } }, zone, [change]);
  await expect(writing).rejects.toMatchObject({ code: 'records_changed' });
  expect((await powerdns().read(call, zone, name)).map(({ values }) => values)).toEqual([['theirs']]);
});

test('what is no PowerDNS is said at once, without a key in the words', async () => {
  await using server = await startPowerDns();
  const call = dnsCall({ url: `${server.apiUrl}/elsewhere`, apiKey: server.apiKey });
  await expect(powerdns().verify(call)).rejects.toMatchObject({
    code: 'platform_failed',
    message: 'PowerDNS could not complete the request: its API is not at this address.',
  });
});

test('the identity names the server, and a server without zones warns', async () => {
  await using server = await startPowerDns();
  const info = await powerdns().verify(dnsCall({ url: server.apiUrl, apiKey: server.apiKey }));
  expect(info.identity).toMatch(/^127\.0\.0\.1:\d+, PowerDNS 4\./);
  expect(info.warnings).toHaveLength(1);
});
