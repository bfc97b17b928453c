import { expect, test } from 'vitest';
import { rootOf } from '../../server/dns/providers/xml-answers.ts';
import { openDns, replacing, WEB } from '../support/standins/dns-world.ts';
import { addHeldZone, OURS } from '../support/standins/held-zones.ts';
import { KEY, route53UnderTest } from '../support/standins/route53/index.ts';
import { refusal } from '../support/standins/route53/routes.ts';

const ALIAS = [
  '<Type>A</Type><AliasTarget><HostedZoneId>Z2FDTNDATAQYW2</HostedZoneId>',
  '<DNSName>d111.cloudfront.net.</DNSName><EvaluateTargetHealth>false</EvaluateTargetHealth></AliasTarget>',
].join('');

test('a set is replaced by the deletion of what was read and a creation, in one batch', async () => {
  await using subject = await openDns(route53UnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 900, values: ['198.51.100.1', '198.51.100.2'] });
  await subject.write([replacing('A', ['198.51.100.1', '198.51.100.2'], ['192.0.2.1'])]);
  const [batch = '', ...others] = subject.standIn.state.batches;
  expect(others).toEqual([]);
  const actions = [...batch.matchAll(/<Action>(\w+)<|<TTL>(\d+)<|<Value>([^<]+)</g)].map(([, ...parts]) =>
    parts.join(''),
  );
  expect(actions).toEqual(['DELETE', '900', '198.51.100.1', '198.51.100.2', 'CREATE', '600', '192.0.2.1']);
});

test('what comes between the look and the batch is told as a change, and stays', async () => {
  await using subject = await openDns(route53UnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 600, values: ['198.51.100.1'] });
  subject.standIn.state.meanwhile = () => subject.place({ type: 'A', name: WEB, ttl: 600, values: ['203.0.113.1'] });
  const writing = subject.write([replacing('A', ['198.51.100.1'], ['192.0.2.1']), replacing('TXT', [], ['mine'])]);
  await expect(writing).rejects.toMatchObject({ code: 'records_changed' });
  expect((await subject.read(WEB)).map(({ type, values }) => [type, values])).toEqual([['A', ['203.0.113.1']]]);
});

test('a write resolves when all name servers have it', async () => {
  await using subject = await openDns(route53UnderTest);
  subject.standIn.state.looksUntilInSync = 3;
  await subject.write([replacing('A', [], ['192.0.2.1'])]);
  expect(subject.waits).toEqual([2_000, 2_000, 2_000]);
});

test('a change that is not everywhere in two minutes is told, and is found done by the next run', async () => {
  await using subject = await openDns(route53UnderTest);
  subject.standIn.state.looksUntilInSync = 1_000;
  await expect(subject.write([replacing('A', [], ['192.0.2.1'])])).rejects.toMatchObject({ code: 'platform_down' });
  await subject.write([replacing('A', [], ['192.0.2.1'])]);
  expect(subject.standIn.state.batches.length).toBe(1);
});

test('a key that may not ask how far a change is writes all the same', async () => {
  await using subject = await openDns(route53UnderTest);
  Object.assign(subject.standIn.state, {
    looksUntilInSync: 3,
    denied: { keyId: KEY.accessKeyId, action: 'GetChange' },
  });
  await subject.write([replacing('A', [], ['192.0.2.1'])]);
  expect(subject.standIn.state.batches.length).toBe(1);
});

test('an alias is read as a set that no plan may change, and a plan that changes it is refused', async () => {
  await using subject = await openDns(route53UnderTest);
  subject.standIn.state.strange.push({ name: WEB, type: 'A', xml: `<Name>${WEB}.</Name>${ALIAS}` });
  expect(await subject.read(WEB)).toEqual([
    { type: 'A', name: WEB, ttl: 0, values: ['d111.cloudfront.net'], isFixed: true },
  ]);
  await expect(subject.write([replacing('A', [], ['192.0.2.1'])])).rejects.toMatchObject({ code: 'records_changed' });
  const meant = replacing('A', ['d111.cloudfront.net'], ['192.0.2.1']);
  await expect(subject.write([meant])).rejects.toMatchObject({ code: 'records_refused' });
  expect(subject.standIn.state.batches).toEqual([]);
});

test('sets with a routing policy are read as one set that no plan may change', async () => {
  await using subject = await openDns(route53UnderTest);
  for (const [identifier, value] of [
    ['one', '198.51.100.1'],
    ['two', '198.51.100.2'],
  ] as const) {
    const records = `<ResourceRecords><ResourceRecord><Value>${value}</Value></ResourceRecord></ResourceRecords>`;
    const xml = `<Name>${WEB}.</Name><Type>A</Type><SetIdentifier>${identifier}</SetIdentifier><Weight>1</Weight><TTL>60</TTL>${records}`;
    subject.standIn.state.strange.push({ name: WEB, type: 'A', xml });
  }
  expect(await subject.read(WEB)).toEqual([
    { type: 'A', name: WEB, ttl: 60, values: ['198.51.100.1', '198.51.100.2'], isFixed: true },
  ]);
});

test('values that stay in a set are sent as they were read', async () => {
  await using subject = await openDns(route53UnderTest);
  const strange = '"v=spf1 " "-all" "\\303\\251"';
  const set = `<Name>${WEB}.</Name><Type>TXT</Type><TTL>600</TTL><ResourceRecords><ResourceRecord><Value>${strange}</Value></ResourceRecord></ResourceRecords>`;
  subject.standIn.state.strange.push({ name: WEB, type: 'TXT', xml: set });
  const before = { ttl: 600, values: ['v=spf1 -allé'] };
  expect((await subject.read(WEB)).map(({ ttl, values }) => ({ ttl, values }))).toEqual([before]);
  const after = { ttl: 600, values: [...before.values, 'mine'] };
  // The stand-in holds the set beside its records, so that the deletion finds nothing: what matters is what was sent.
  await subject.write([{ type: 'TXT', name: WEB, before, after }]).catch(() => undefined);
  expect(subject.standIn.state.sent.at(-1)?.split(strange.replaceAll('"', '&quot;')).length).toBe(3);
});

test('private zones are left out, and a name that two zones have keeps both apart by their ids', async () => {
  await using subject = await openDns(route53UnderTest);
  const { state } = subject.standIn;
  for (const name of [OURS, `vpc.${OURS}`]) state.privateZones.add(addHeldZone(state.zones, name).id);
  expect((await subject.zones()).map(({ name }) => name)).toEqual([OURS, 'other.test']);
});

test('a name with more sets than a page is read whole, and nothing of the next name', async () => {
  await using subject = await openDns(route53UnderTest);
  for (let at = 0; at < 120; at += 1) {
    const xml = `<Name>${WEB}.</Name><Type>T${String(at).padStart(3, '0')}</Type><TTL>60</TTL><ResourceRecords><ResourceRecord><Value>x</Value></ResourceRecord></ResourceRecords>`;
    subject.standIn.state.strange.push({ name: WEB, type: `T${String(at).padStart(3, '0')}`, xml });
  }
  subject.place({ type: 'A', name: `a.${WEB}`, ttl: 300, values: ['192.0.2.9'] });
  expect((await subject.read(WEB)).length).toBe(120);
});

test('a wrong clock is told as such, and not as a wrong key', async () => {
  await using subject = await openDns(route53UnderTest);
  const words = 'Signature expired: 20260101T000000Z is now earlier than 20261123T000000Z (20261123T000500Z - 5 min.)';
  subject.standIn.fail('zones', { how: 'status', ...refusal(403, 'SignatureDoesNotMatch', words) });
  await expect(subject.zones()).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('Signature expired'),
  });
});

test('a batch that is refused is told in the words of Route 53, in either of their forms', async () => {
  await using subject = await openDns(route53UnderTest);
  const body =
    '<?xml version="1.0"?><InvalidChangeBatch xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Messages><Message>Value is not valid</Message></Messages></InvalidChangeBatch>';
  subject.standIn.fail('change', { how: 'status', status: 400, body });
  subject.standIn.fail('change', { how: 'status', ...refusal(400, 'InvalidChangeBatch', 'Value is not valid') });
  for (const _form of ['old', 'new']) {
    await expect(subject.write([replacing('A', [], ['192.0.2.1'])])).rejects.toMatchObject({
      code: 'records_refused',
      message: expect.stringContaining('Value is not valid'),
    });
  }
});

test('a key without a permission to read records says so when it is connected', async () => {
  await using subject = await openDns(route53UnderTest);
  expect(await subject.verify()).toEqual({ identity: `Access key ${KEY.accessKeyId}`, subject: null, warnings: [] });
  subject.standIn.state.denied = { keyId: KEY.accessKeyId, action: 'ListResourceRecordSets' };
  expect((await subject.verify()).warnings).toEqual([
    `The access key cannot read the records of ${OURS}. Allow route53:ListResourceRecordSets.`,
  ]);
  subject.standIn.state.denied = { keyId: KEY.accessKeyId, action: 'ListHostedZones' };
  await expect(subject.verify()).rejects.toMatchObject({ code: 'permission_missing' });
});

test('answers that are no XML, or too deep or too large for a parser, are no answers', () => {
  expect(rootOf('{"no": "xml"}')).toBe(null);
  expect(rootOf('<a>'.repeat(500_000))).toBe(null);
  expect(rootOf(`<a>${'x'.repeat(3_000_000)}</a>`)).toBe(null);
  expect(rootOf('<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]><a>&d;</a>')).toBe(null);
  expect(rootOf('<a>&lt;b&gt;</a>')?.text).toBe('<b>');
});
