import { expect, test } from 'vitest';
import type { DnsZone, FoundRecordSet, RecordChange } from '../../server/dns/provider.ts';
import { namesToRead, planRecords, zoneOf } from '../../server/dns/record-plan/record-plan.ts';
import type { RecordPlanInput } from '../../server/dns/record-plan/record-sets.ts';
import { undoOf } from '../../server/dns/record-plan/undo.ts';
import type { DomainRecord } from '../../server/publishing/platforms/platform.ts';

const APEX = 'example.com';
const WWW = 'www.example.com';
const PLAIN: DnsZone = { id: 'z', name: APEX, apexAlias: null };
const FLATTENING: DnsZone = { ...PLAIN, apexAlias: 'CNAME' };
const WITH_ALIAS: DnsZone = { ...PLAIN, apexAlias: 'ALIAS' };

function required(
  type: DomainRecord['type'],
  name: string,
  value: string,
  more: Partial<DomainRecord> = {},
): DomainRecord {
  return { type, name, value, ttl: 3_600, purpose: 'route', required: true, alternativeGroup: null, ...more };
}

function found(type: string, name: string, values: string[], more: Partial<FoundRecordSet> = {}): FoundRecordSet {
  return { type, name, ttl: 600, values, ...more };
}

const GROUP = { alternativeGroup: 'route' };
const EITHER = [
  required('ALIAS', APEX, 'sites.example.net', GROUP),
  required('A', APEX, '192.0.2.1', GROUP),
  required('A', APEX, '192.0.2.2', GROUP),
  required('AAAA', APEX, '2001:db8::1', { required: false }),
];

/** One line a change: `add A www.example.com 192.0.2.1`. */
function lines(input: Partial<RecordPlanInput>): string[] {
  return planOf(input).changes.map(({ action, type, name, after, before }) =>
    [action, type, name, ...(after ?? before ?? { values: [] }).values].join(' '),
  );
}

function planOf(input: Partial<RecordPlanInput>) {
  return planRecords({ zone: PLAIN, required: [], found: [], ...input });
}

function codes(input: Partial<RecordPlanInput>): string[] {
  return planOf(input).conflicts.map(({ code }) => code);
}

test('what is missing is added, what is there is left, what differs is replaced', () => {
  const records = [
    required('A', WWW, '192.0.2.1'),
    required('A', 'a.example.com', '192.0.2.1'),
    required('A', APEX, '192.0.2.1'),
  ];
  const there = [found('A', 'a.example.com', ['192.0.2.1']), found('A', APEX, ['198.51.100.7'])];
  const plan = planOf({ required: records, found: there });
  expect(plan.changes).toEqual([
    { action: 'add', type: 'A', name: WWW, before: null, after: { ttl: 300, values: ['192.0.2.1'] } },
    {
      action: 'leave',
      type: 'A',
      name: 'a.example.com',
      before: { ttl: 600, values: ['192.0.2.1'] },
      after: { ttl: 600, values: ['192.0.2.1'] },
    },
    {
      action: 'replace',
      type: 'A',
      name: APEX,
      before: { ttl: 600, values: ['198.51.100.7'] },
      after: { ttl: 300, values: ['192.0.2.1'] },
    },
  ]);
  expect(plan.conflicts).toEqual([]);
});

test('a bare domain follows another name where the provider can, and has addresses where it cannot', () => {
  expect(lines({ zone: WITH_ALIAS, required: EITHER })).toEqual([`add ALIAS ${APEX} sites.example.net`]);
  expect(lines({ zone: FLATTENING, required: EITHER })).toEqual([`add CNAME ${APEX} sites.example.net`]);
  expect(lines({ required: EITHER })).toEqual([`add A ${APEX} 192.0.2.1 192.0.2.2`, `add AAAA ${APEX} 2001:db8::1`]);
});

test('addresses that are right already are left, although an alias would do', () => {
  const there = [found('A', APEX, ['192.0.2.2', '192.0.2.1']), found('AAAA', APEX, ['2001:db8::1'])];
  const plan = planOf({ zone: FLATTENING, required: EITHER, found: there });
  expect(plan.changes.map(({ action }) => action)).toEqual(['leave', 'leave']);
});

test('a bare domain that can neither follow nor have addresses is said, and left alone', () => {
  const input = { required: [required('ALIAS', APEX, 'app.example.net')], found: [found('A', APEX, ['198.51.100.7'])] };
  expect(lines(input)).toEqual([]);
  expect(planOf(input).conflicts).toEqual([
    {
      code: 'apex_without_alias',
      message: `${APEX} should point to app.example.net, but your DNS provider has no ALIAS records for a bare domain. Use www.${APEX}, or move the DNS to a provider that has them.`,
    },
  ]);
  const types = ['SOA', 'NS', 'MX'].map((type) => found(type, APEX, ['…']));
  const asCname = { required: [required('CNAME', APEX, 'app.example.net')], found: types };
  expect([lines(asCname), codes(asCname)]).toEqual([[], ['apex_without_alias']]);
});

test('below the name of the zone an alias is a CNAME', () => {
  expect(lines({ required: [required('ALIAS', WWW, 'app.example.net')] })).toEqual([
    `add CNAME ${WWW} app.example.net`,
  ]);
});

test('a CNAME gives way to an address, and addresses to a CNAME, before they come', () => {
  expect(
    lines({ required: [required('A', WWW, '192.0.2.1')], found: [found('CNAME', WWW, ['old.example.net'])] }),
  ).toEqual([`remove CNAME ${WWW} old.example.net`, `add A ${WWW} 192.0.2.1`]);
  const there = [found('A', WWW, ['198.51.100.7']), found('AAAA', WWW, ['2001:db8::7'])];
  expect(lines({ required: [required('CNAME', WWW, 'app.example.net')], found: there })).toEqual([
    `remove A ${WWW} 198.51.100.7`,
    `remove AAAA ${WWW} 2001:db8::7`,
    `add CNAME ${WWW} app.example.net`,
  ]);
});

test('an IPv6 address that leads elsewhere is removed, and that is said', () => {
  const input = { required: [required('A', APEX, '192.0.2.1')], found: [found('AAAA', APEX, ['2001:db8::7'])] };
  expect(lines(input)).toEqual([`remove AAAA ${APEX} 2001:db8::7`, `add A ${APEX} 192.0.2.1`]);
  expect(codes(input)).toEqual(['aaaa_elsewhere']);
});

test('a text joins those of others and keeps their time to live', () => {
  const proof = required('TXT', APEX, 'fairlead=1', { purpose: 'proof' });
  const plan = planOf({ required: [proof], found: [found('TXT', APEX, ['v=spf1 -all'])] });
  expect(plan.changes).toEqual([
    {
      action: 'replace',
      type: 'TXT',
      name: APEX,
      before: { ttl: 600, values: ['v=spf1 -all'] },
      after: { ttl: 600, values: ['v=spf1 -all', 'fairlead=1'] },
    },
  ]);
  expect(lines({ required: [proof], found: [found('TXT', APEX, ['fairlead=1', 'v=spf1 -all'])] })).toEqual([
    `leave TXT ${APEX} fairlead=1 v=spf1 -all`,
  ]);
});

test('mail is never written', () => {
  const mail = [found('MX', APEX, ['10 mx.example.net']), found('TXT', APEX, ['v=spf1 -all'])];
  const there = [...mail, found('SOA', APEX, ['…']), found('NS', APEX, ['ns1.example.net'])];
  const plan = planOf({ required: EITHER, found: there });
  expect(plan.changes.map(({ type }) => type)).toEqual(['A', 'AAAA']);
});

test('where something has to stand beside a CNAME nothing is planned, and the name is told', () => {
  const beside = {
    required: [required('CNAME', WWW, 'app.example.net')],
    found: [found('MX', WWW, ['10 mx.example.net'])],
  };
  expect(lines(beside)).toEqual([]);
  expect(codes(beside)).toEqual(['cname_beside_others']);
  expect(planOf(beside).conflicts[0]?.message).toContain(`${WWW} should be a CNAME record, but has MX records`);
  const besideTwo = [found('TXT', WWW, ['v=spf1 -all']), ...beside.found];
  expect(planOf({ ...beside, found: besideTwo }).conflicts[0]?.message).toContain('but has TXT and MX records');
  const behind = { required: [required('TXT', WWW, 'proof')], found: [found('CNAME', WWW, ['old.example.net'])] };
  expect(lines(behind)).toEqual([]);
  expect(codes(behind)).toEqual(['cname_beside_others']);
  const flattened = { zone: FLATTENING, required: EITHER, found: [found('MX', APEX, ['10 mx.example.net'])] };
  expect(codes(flattened)).toEqual([]);
});

test.each([
  ['there are none', [], [], undefined],
  ['it is allowed', ['0 issue "ca.example"'], [], undefined],
  ['it is allowed with parameters', ['0 issue "CA.example; accounturi=x"'], [], undefined],
  ['only reports are asked for', ['0 iodef "mailto:a@example.com"'], [], undefined],
  ['another is', ['0 issue "other.example"'], ['caa_forbids'], ['0 issue "other.example"', '0 issue "ca.example"']],
  ['nobody is', ['0 issue ";"'], ['caa_forbids'], ['0 issue ";"', '0 issue "ca.example"']],
])('our authority is added to the CAA records that decide: %s', (_, values, expected, after) => {
  const caa = required('CAA', WWW, '0 issue "ca.example"', { purpose: 'certificate' });
  const input = { required: [caa], found: values.length === 0 ? [] : [found('CAA', APEX, values)] };
  expect(codes(input)).toEqual(expected);
  expect(planOf(input).changes.map((change) => change.after?.values)).toEqual(after === undefined ? [] : [after]);
});

test('CAA records that stand above the zone are told, since they cannot be written here', () => {
  const zone = { ...PLAIN, name: 'sub.example.com' };
  const caa = required('CAA', 'www.sub.example.com', '0 issue "ca.example"', { purpose: 'certificate' });
  const input = { zone, required: [caa], caaAbove: { name: APEX, values: ['0 issue "other.example"'] } };
  expect(lines(input)).toEqual([]);
  expect(planOf(input).conflicts).toEqual([
    {
      code: 'caa_forbids',
      message: `The CAA records of ${APEX} do not allow ca.example to issue certificates. Add the record 0 issue "ca.example" there.`,
    },
  ]);
});

test('the other conflicts are told, each with its code', () => {
  const record = required('A', WWW, '192.0.2.1');
  expect(codes({ required: [record], dnssec: 'bogus' })).toEqual(['dnssec_broken']);
  expect(codes({ required: [required('A', 'example.net', '192.0.2.1')] })).toEqual(['outside_zone']);
  expect(codes({ required: [record], found: [found('A', `${WWW}.${APEX}`, ['192.0.2.1'])] })).toEqual(['doubled_name']);
  expect(codes({ required: [record], found: [found('A', WWW, ['192.0.2.1'], { isProxied: true })] })).toEqual([
    'proxied',
  ]);
  const cut = { required: [record], found: [found('NS', WWW, ['ns.example.net'])] };
  expect(codes(cut)).toEqual(['delegated']);
  expect(lines(cut)).toEqual([]);
  const fixed = { required: [record], found: [found('A', WWW, ['192.0.2.9'], { isFixed: true })] };
  expect(codes(fixed)).toEqual(['records_fixed']);
  expect(lines(fixed)).toEqual([]);
});

test('a proxied set keeps its flag when its values change', () => {
  const [change] = planOf({
    required: [required('A', WWW, '192.0.2.1')],
    found: [found('A', WWW, ['198.51.100.7'], { isProxied: true })],
  }).changes;
  expect(change?.after).toEqual({ ttl: 300, values: ['192.0.2.1'], isProxied: true });
});

test('what decides about a name is read: the name, those above it, and the doubled one', () => {
  expect([...namesToRead(PLAIN, [required('TXT', '_x.www.example.com', 'v')])].sort()).toEqual(
    ['_x.www.example.com', '_x.www.example.com.example.com', WWW, APEX].sort(),
  );
});

test('of two zones that hold a name the deeper one is written', () => {
  const deep = { ...PLAIN, id: 'deep', name: 'shop.example.com' };
  expect(zoneOf([PLAIN, deep], 'www.shop.example.com')).toBe(deep);
  expect(zoneOf([deep, PLAIN], WWW)).toBe(PLAIN);
  expect(zoneOf([deep, PLAIN], 'xshop.example.com')).toBe(PLAIN);
  const alike = { ...PLAIN, id: 'alike', name: 'newexample.com' };
  expect(zoneOf([PLAIN, alike], 'www.newexample.com')).toBe(alike);
  expect(zoneOf([deep, PLAIN], 'notexample.com')).toBe(null);
});

test('undo takes back what came and nothing that others added since', () => {
  const applied: RecordChange[] = [
    { type: 'CNAME', name: WWW, before: { ttl: 600, values: ['old.example.net'] }, after: null },
    { type: 'A', name: WWW, before: null, after: { ttl: 300, values: ['192.0.2.1'] } },
    { type: 'TXT', name: APEX, before: { ttl: 600, values: ['spf'] }, after: { ttl: 600, values: ['spf', 'ours'] } },
  ];
  const now = [found('A', WWW, ['192.0.2.1'], { ttl: 300 }), found('TXT', APEX, ['spf', 'ours', 'theirs'])];
  expect(undoOf(applied, now)).toEqual([
    {
      action: 'replace',
      type: 'TXT',
      name: APEX,
      before: { ttl: 600, values: ['spf', 'ours', 'theirs'] },
      after: { ttl: 600, values: ['spf', 'theirs'] },
    },
    { action: 'remove', type: 'A', name: WWW, before: { ttl: 300, values: ['192.0.2.1'] }, after: null },
    { action: 'add', type: 'CNAME', name: WWW, before: null, after: { ttl: 600, values: ['old.example.net'] } },
  ]);
});

test('undo of what is undone does nothing, and of what somebody changed since it is refused', () => {
  const applied: RecordChange[] = [
    { type: 'A', name: WWW, before: null, after: { ttl: 300, values: ['192.0.2.1'] } },
    { type: 'TXT', name: WWW, before: null, after: { ttl: 300, values: ['ours'] } },
  ];
  expect(undoOf(applied, []).map(({ action }) => action)).toEqual(['leave', 'leave']);
  expect(() => undoOf(applied, [found('A', WWW, ['203.0.113.9'])])).toThrow('were changed in the meantime');
});

test('of a name of a hundred labels, the names to read are few, and those required among them', () => {
  const name = `${'a.'.repeat(100)}example.com`;
  const apex = { id: 'zone', name: 'example.com', apexAlias: null };
  const record = { ttl: 300, purpose: 'route', required: true, alternativeGroup: null } as const;
  const required = [name, `www.${name}`].map((at) => ({ ...record, type: 'A' as const, name: at, value: '192.0.2.1' }));
  const names = namesToRead(apex, required);
  expect(names).toHaveLength(40);
  expect(names).toEqual(expect.arrayContaining(['example.com', name, `www.${name}`]));
});
