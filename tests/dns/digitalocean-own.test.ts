import { expect, test } from 'vitest';
import type { RecordChange } from '../../server/dns/provider.ts';
import { digitalOceanUnderTest } from '../support/standins/digitalocean/index.ts';
import { refusal } from '../support/standins/digitalocean/routes.ts';
import { openDns, replacing, WEB } from '../support/standins/dns-world.ts';
import { OURS } from '../support/standins/held-zones.ts';

const INVALID = { how: 'status', ...refusal(422, 'unprocessable_entity', 'Data is not valid') } as const;

test('a value that replaces another takes its record, so that the name never stands without one', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 600, values: ['198.51.100.1', '198.51.100.2'] });
  await subject.write([replacing('A', ['198.51.100.1', '198.51.100.2'], ['192.0.2.1', '192.0.2.2'])]);
  expect(subject.changed()).toEqual(['PUT', 'PUT']);
});

test('what is more is created first, and what is left over deleted last', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 600, values: ['198.51.100.1'] });
  await subject.write([replacing('A', ['198.51.100.1'], ['192.0.2.1', '192.0.2.2'])]);
  await subject.write([replacing('A', ['192.0.2.1', '192.0.2.2'], ['192.0.2.3'])]);
  expect(subject.changed()).toEqual(['PUT', 'POST', 'PUT', 'DELETE']);
});

test('a CNAME gives way before an address comes, and comes back when the address is refused', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  subject.place({ type: 'CNAME', name: WEB, ttl: 600, values: ['old.example.net'] });
  const before = subject.dump();
  const changes: RecordChange[] = [
    { type: 'A', name: WEB, before: null, after: { ttl: 300, values: ['192.0.2.1', 'no address'] } },
    { type: 'CNAME', name: WEB, before: { ttl: 600, values: ['old.example.net'] }, after: null },
  ];
  subject.standIn.fail('change', { how: 'wait', ms: 0 }, 2);
  subject.standIn.fail('change', INVALID);
  await expect(subject.write(changes)).rejects.toMatchObject({
    code: 'records_refused',
    message: expect.stringContaining('Data is not valid'),
  });
  expect(subject.changed()).toEqual(['DELETE', 'POST', 'POST', 'DELETE', 'POST']);
  expect(subject.dump()).toEqual(before);
});

test('a run that broke off in the middle of a set is gone on with', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 600, values: ['192.0.2.1', '198.51.100.2'] });
  await subject.write([replacing('A', ['198.51.100.1', '198.51.100.2'], ['192.0.2.1', '192.0.2.2'])]);
  expect((await subject.read(WEB)).map(({ values }) => [...values].sort())).toEqual([['192.0.2.1', '192.0.2.2']]);
});

test('the same record twice is read as one value, and goes as one', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  subject.place({ type: 'TXT', name: WEB, ttl: 600, values: ['twice', 'twice', 'once'] });
  expect((await subject.read(WEB)).map(({ values }) => values)).toEqual([['twice', 'once']]);
  await subject.write([replacing('TXT', ['twice', 'once'], ['once'])]);
  expect((await subject.read(WEB)).map(({ values }) => values)).toEqual([['once']]);
});

test('a name that leads to the zone itself is read by its name, though it comes as a sign', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  subject.place({ type: 'CNAME', name: WEB, ttl: 600, values: [OURS] });
  expect((await subject.read(WEB)).map(({ values }) => values)).toEqual([[OURS]]);
});

test('a name with more records than a page is read whole', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  const values = Array.from({ length: 450 }, (_, at) => `value ${at}`);
  subject.place({ type: 'TXT', name: WEB, ttl: 600, values });
  expect((await subject.read(WEB))[0]?.values.length).toBe(450);
});

test('the time to live is at least 30 s, and that of values that stay is changed with the set', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 600, values: ['192.0.2.1'] });
  const after = { ttl: 5, values: ['192.0.2.1', '192.0.2.2'] };
  await subject.write([{ type: 'A', name: WEB, before: { ttl: 600, values: ['192.0.2.1'] }, after }]);
  expect((await subject.read(WEB)).map(({ ttl }) => ttl)).toEqual([30]);
  expect(subject.changed()).toEqual(['POST', 'PATCH']);
});

test('a token with the scopes of domains alone is named by the zones that it opens', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  expect((await subject.verify()).identity).toBe('person@example.com');
  subject.standIn.state.hasAccountScope = false;
  expect(await subject.verify()).toEqual({ identity: `${OURS}, other.test`, subject: null, warnings: [] });
});

test('an account without domains is warned of', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  subject.standIn.state.zones.clear();
  expect((await subject.verify()).warnings.join()).toContain('no zone');
});

test('a limit is waited for until it ends, and one that ends much later is told', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  const limited = (seconds: number) => {
    const headers = { 'ratelimit-reset': String(Math.round(Date.now() / 1_000) + seconds) };
    return { how: 'status', headers, ...refusal(429, 'too_many_requests', 'API Rate limit exceeded.') } as const;
  };
  subject.standIn.fail('zones', limited(30));
  await subject.zones();
  expect(subject.waits.map((ms) => ms > 20_000)).toEqual([true]);
  subject.standIn.fail('zones', limited(3_000));
  await expect(subject.zones()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) });
  expect(subject.waits.length).toBe(1);
});

test('a set of another name that the filter lets through is left out', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  const strange = { id: 7, type: 'A', name: 'www2', data: '192.0.2.9', ttl: 600 };
  subject.standIn.fail('records', { how: 'status', status: 200, body: { domain_records: [strange], links: {} } });
  expect(await subject.read(WEB)).toEqual([]);
});

test('a foreign value that came into the set since the plan is not deleted', async () => {
  await using subject = await openDns(digitalOceanUnderTest);
  subject.place({ type: 'TXT', name: WEB, ttl: 600, values: ['ours', 'theirs'] });
  const writing = subject.write([{ type: 'TXT', name: WEB, before: { ttl: 600, values: ['ours'] }, after: null }]);
  await expect(writing).rejects.toMatchObject({ code: 'records_changed' });
  expect(subject.changed()).toEqual([]);
});
