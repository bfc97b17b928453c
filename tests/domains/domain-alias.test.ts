import { afterAll, expect, test } from 'vitest';
import { gatherDnsAnswers } from '../../server/domains/records/dns-answers.ts';
import { recordStates } from '../../server/domains/records/record-states.ts';
import type { DomainRecord } from '../../server/publishing/platforms/platform.ts';
import { startDomainLab } from '../support/domain-lab.ts';

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

const ROUTE = { ttl: 300, purpose: 'route', required: true, alternativeGroup: null } as const;
const AT_PLATFORM = { isServedHere: false, addresses: [], alias: null, issuers: [] };

test.each([
  { what: 'the addresses of its target', zone: 'alias.test', a: ['192.0.2.50', '192.0.2.51'], state: 'ok' },
  { what: 'some of them', zone: 'some.test', a: ['192.0.2.51'], state: 'ok' },
  { what: 'another address beside them', zone: 'beside.test', a: ['192.0.2.51', '203.0.113.9'], state: 'missing' },
  { what: 'nothing', zone: 'nothing.test', a: [], state: 'missing' },
])('an ALIAS that shows $what is $state', async ({ zone, a, state }) => {
  await lab.zone(`lb.${zone}`, { [`lb.${zone} A`]: ['192.0.2.50', '192.0.2.51'] });
  await lab.zone(zone, a.length > 0 ? { [`${zone} A`]: a } : {});
  const records: DomainRecord[] = [{ ...ROUTE, type: 'ALIAS', name: zone, value: `lb.${zone}` }];
  const answers = await gatherDnsAnswers(lab.client(), zone, records, new AbortController().signal);
  expect(recordStates(records, answers, AT_PLATFORM).map((record) => record.state)).toEqual([state]);
});

test('a www with an address of its own is wrong while the apex shows the same wrong one, and right with this host’s', async () => {
  await lab.zone('parked.test', { 'parked.test A': ['192.0.2.99'], 'www.parked.test A': ['192.0.2.99'] });
  const records: DomainRecord[] = [
    { ...ROUTE, type: 'A', name: 'parked.test', value: '192.0.2.1' },
    { ...ROUTE, type: 'CNAME', name: 'www.parked.test', value: 'parked.test' },
  ];
  const answers = await gatherDnsAnswers(lab.client(), 'parked.test', records, new AbortController().signal);
  const statesAt = (address: string) => {
    const here = { isServedHere: true, addresses: [address], alias: null, issuers: [] };
    return recordStates(records, answers, here).map((record) => record.state);
  };
  expect([statesAt('192.0.2.1'), statesAt('192.0.2.99')]).toEqual([
    ['wrong', 'wrong'],
    ['wrong', 'ok'],
  ]);
});
