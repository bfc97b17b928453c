import { expect, test } from 'vitest';
import { zoneOf } from '../../server/dns/record-plan/record-plan.ts';
import { readZones } from '../../server/services/connections/dns-connections.ts';
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
