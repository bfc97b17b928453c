import { expect, test } from 'vitest';
import { readZones, zonesHolding } from '../../server/connections/dns-connections.ts';
import type { DnsClient, Zone } from '../../server/dns/dns-client.ts';
import type { DnsZone } from '../../server/dns/provider.ts';
import { zoneOf } from '../../server/dns/record-plan/record-plan.ts';
import { dnsCall } from '../support/dns-suite.ts';

function zonesNamed(...names: string[]) {
  const zones = names.map((name) => ({ id: name, name, apexAlias: null }));
  return readZones({ zones: async () => zones }, dnsCall({ token: 'a token' }));
}

test.each([
  ['müller.example', 'www.xn--mller-kva.example', 'xn--mller-kva.example'],
  ['mu\u0308ller.example', 'xn--mller-kva.example', 'xn--mller-kva.example'],
  ['MÜLLER.example', 'xn--mller-kva.example', 'xn--mller-kva.example'],
  ['faß.example', 'www.xn--fa-hia.example', 'xn--fa-hia.example'],
  ['Harbour.Example', 'harbour.example', 'harbour.example'],
])('a zone that its provider calls %s holds %s', async (listed, name, zone) => {
  expect(zoneOf(await zonesNamed('de', listed), name)).toMatchObject({ name: zone, id: listed });
});

test.each(['de', 'co.uk', '', 'localhost', 'a b.example'])('nothing is written into the zone %j', async (name) => {
  expect(await zonesNamed(name)).toEqual([]);
});

const READ = { ttl: 300, type: 'NS' };
const DELEGATED: Zone = {
  apex: 'kai.test',
  servers: [],
  parentServers: ['ns1.r53.test', 'ns2.r53.test'],
  childServers: null,
};

/** Zones of a provider, and the name servers of each. */
async function holding(name: string, zones: [id: string, name: string, servers: string[]][], delegation: Zone | null) {
  const read = async (_call: unknown, zone: DnsZone) => [
    { ...READ, name: zone.name, values: zones.find(([id]) => id === zone.id)?.[2] ?? [] },
  ];
  const opened = {
    provider: { read },
    call: dnsCall({ token: 'a token' }),
    zones: zones.map(([id, zone]) => ({ id, name: zone, apexAlias: null })),
  };
  const dns = { zoneOf: async () => delegation } as unknown as DnsClient;
  return (await zonesHolding({ dns }, opened, name)).map(({ id }) => id);
}

test('of several zones of one name it is the one whose name servers the parent names', async () => {
  const office: [string, string, string[]] = ['office', 'kai.test', ['ns1.office.test', 'ns2.office.test']];
  const ours: [string, string, string[]] = ['ours', 'kai.test', ['ns2.r53.test', 'ns1.r53.test']];
  expect(await holding('www.kai.test', [office, ours], DELEGATED)).toEqual(['ours']);
  expect(await holding('www.kai.test', [office], DELEGATED)).toEqual(['office']);
  const moved = { ...DELEGATED, parentServers: ['ns.elsewhere.test'] };
  for (const unknown of [moved, null]) {
    expect(await holding('www.kai.test', [office, ours], unknown)).toEqual(['office', 'ours']);
  }
});
