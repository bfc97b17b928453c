import { expect, test } from 'vitest';
import { openDns, replacing, WEB } from '../support/standins/dns-world.ts';
import { OURS } from '../support/standins/held-zones.ts';
import { hetznerSlowDown, hetznerUnderTest } from '../support/standins/hetzner/index.ts';
import { refusal } from '../support/standins/hetzner/routes.ts';

test('a write resolves when its action is done, and not before', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.standIn.state.looksUntilDone = 3;
  await subject.write([replacing('A', [], ['192.0.2.1'])]);
  expect(subject.waits).toEqual([1_000, 1_000, 1_000]);
  expect((await subject.read(WEB)).map(({ values }) => values)).toEqual([['192.0.2.1']]);
});

test('an action that goes on without end is given up as trouble of the provider', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.standIn.state.looksUntilDone = 10_000;
  await expect(subject.write([replacing('A', [], ['192.0.2.1'])])).rejects.toMatchObject({ code: 'platform_down' });
});

test('an action that failed is told in its own words, and the set before it is taken back', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.place({ type: 'CNAME', name: WEB, ttl: 600, values: ['old.example.net'] });
  const before = subject.dump();
  Object.assign(subject.standIn.state, { looksUntilDone: 1, actionErrors: [null, 'name server unreachable'] });
  const writing = subject.write([replacing('A', [], ['192.0.2.1']), replacing('CNAME', ['old.example.net'], [])]);
  await expect(writing).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('name server unreachable'),
  });
  expect(subject.dump()).toEqual(before);
});

test('a set that takes another time to live has that changed before its values', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 3_600, values: ['198.51.100.1'] });
  const before = { ttl: 3_600, values: ['198.51.100.1'] };
  await subject.write([{ type: 'A', name: WEB, before, after: { ttl: 5, values: ['192.0.2.1'] } }]);
  const asked = subject.standIn.requests
    .filter(({ step }) => step === 'change')
    .map(({ path }) => path.split('/').at(-1));
  expect(asked).toEqual(['change_ttl', 'set_records']);
  expect((await subject.read(WEB)).map(({ ttl, values }) => [ttl, values])).toEqual([[60, ['192.0.2.1']]]);
});

test('a set whose values are refused gets its time to live back', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 3_600, values: ['198.51.100.1'] });
  const before = subject.dump();
  subject.standIn.state.actionErrors = [null, 'name server unreachable'];
  await expect(subject.write([replacing('A', ['198.51.100.1'], ['192.0.2.1'], 3_600)])).rejects.toMatchObject({
    code: 'platform_failed',
  });
  expect(subject.dump()).toEqual(before);
});

test('values that stay keep their comments', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.place({ type: 'TXT', name: OURS, ttl: 600, values: ['v=spf1 -all'] });
  subject.standIn.state.comments.set('v=spf1 -all', 'by the mail provider');
  const before = { ttl: 600, values: ['v=spf1 -all'] };
  await subject.write([{ type: 'TXT', name: OURS, before, after: { ttl: 600, values: ['v=spf1 -all', 'mine'] } }]);
  expect([...subject.standIn.state.comments]).toEqual([['v=spf1 -all', 'by the mail provider']]);
});

test('names below the zone are relative there, and whole here', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.place({ type: 'CNAME', name: WEB, ttl: 600, values: [`app.${OURS}`] });
  subject.place({ type: 'MX', name: OURS, ttl: 600, values: [`10 mail.${OURS}`, '20 mail.example.net'] });
  expect((await subject.read(WEB)).map(({ values }) => values)).toEqual([[`app.${OURS}`]]);
  const found = (await subject.read(OURS)).find(({ type }) => type === 'MX');
  expect(found?.values).toEqual([`10 mail.${OURS}`, '20 mail.example.net']);
});

test('a set without a time to live has that of its zone', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 3_600, values: ['192.0.2.1'] });
  subject.standIn.state.bare.add(`${WEB} A`);
  expect((await subject.read(WEB)).map(({ ttl }) => ttl)).toEqual([3_600]);
});

test('a set that is protected from changes is read as one that no plan may change', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 600, values: ['198.51.100.1'] });
  subject.standIn.state.fixed.add(`${WEB} A`);
  expect((await subject.read(WEB)).map(({ isFixed }) => isFixed)).toEqual([true]);
  const writing = subject.write([replacing('A', ['198.51.100.1'], ['192.0.2.1'])]);
  await expect(writing).rejects.toMatchObject({ code: 'records_refused' });
});

test('a secondary zone is warned of, and a write to it says what it is', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.standIn.state.secondary.add(OURS);
  expect((await subject.verify()).warnings).toEqual([
    `${OURS} is a secondary zone: its records are kept at its primary server.`,
  ]);
  await expect(subject.write([replacing('A', [], ['192.0.2.1'])])).rejects.toMatchObject({
    code: 'records_refused',
    message: expect.stringContaining('secondary zone'),
  });
});

test('a zone that another action holds is waited for', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.standIn.fail('change', { how: 'status', ...refusal(423, 'locked', 'zone is locked') });
  await subject.write([replacing('A', [], ['192.0.2.1'])]);
  expect(subject.waits.length).toBe(1);
});

test('a limit that comes back little by little is not waited for until all of it is back', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.standIn.fail('any', hetznerSlowDown());
  await subject.write([replacing('A', [], ['192.0.2.1'])]);
  expect(subject.waits.map((ms) => ms < 5_000)).toEqual([true]);
});

test('a limit of the project is told in its own words, and not as a missing permission', async () => {
  await using subject = await openDns(hetznerUnderTest);
  const limit = refusal(403, 'resource_limit_exceeded', 'record limit exceeded');
  subject.standIn.fail('change', { how: 'status', ...limit });
  await expect(subject.write([replacing('A', [], ['192.0.2.1'])])).rejects.toMatchObject({
    code: 'records_refused',
    message: expect.stringContaining('record limit exceeded'),
  });
});

test('a set that somebody made between the look and the write is not overwritten', async () => {
  await using subject = await openDns(hetznerUnderTest);
  subject.standIn.state.meanwhile = () => subject.place({ type: 'A', name: WEB, ttl: 600, values: ['203.0.113.1'] });
  await expect(subject.write([replacing('A', [], ['192.0.2.1'])])).rejects.toMatchObject({ code: 'records_changed' });
  expect((await subject.read(WEB)).map(({ values }) => values)).toEqual([['203.0.113.1']]);
});

test('an identity is made of the zones, and an account without any is warned of', async () => {
  await using subject = await openDns(hetznerUnderTest);
  expect((await subject.verify()).identity).toBe(`${OURS}, other.test`);
  subject.standIn.state.zones.clear();
  expect((await subject.verify()).warnings.join()).toContain('no zone');
});
