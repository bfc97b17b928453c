import { expect, test } from 'vitest';
import type { RecordChange } from '../../server/dns/provider.ts';
import { cloudflareUnderTest } from '../support/standins/cloudflare/index.ts';
import { refusal } from '../support/standins/cloudflare/routes.ts';
import { openDns, WEB } from '../support/standins/dns-world.ts';
import { addHeldZone, OURS } from '../support/standins/held-zones.ts';
import { TOKEN } from '../support/standins/stand-in.ts';

test('changes of several sets are one batch, in which what goes is deleted first', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  subject.place({ type: 'CNAME', name: WEB, ttl: 600, values: ['old.example.net'] });
  await subject.write([
    { type: 'A', name: WEB, before: null, after: { ttl: 300, values: ['192.0.2.1'] } },
    { type: 'CNAME', name: WEB, before: { ttl: 600, values: ['old.example.net'] }, after: null },
    { type: 'TXT', name: OURS, before: null, after: { ttl: 300, values: ['mine'] } },
  ]);
  const [batch, ...others] = subject.standIn.state.batches;
  expect(others).toEqual([]);
  expect(batch?.deletes?.length).toBe(1);
  expect(batch?.posts?.map(({ type, proxied }) => [type, proxied])).toEqual([
    ['A', false],
    ['TXT', undefined],
  ]);
});

test('a proxied record keeps its proxy and its automatic time to live when its value changes', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  subject.place({ type: 'A', name: WEB, ttl: 1, values: ['198.51.100.1'], isProxied: true });
  const [found] = await subject.read(WEB);
  expect(found).toEqual({ type: 'A', name: WEB, ttl: 1, values: ['198.51.100.1'], isProxied: true });
  const before = { ttl: 1, values: ['198.51.100.1'], isProxied: true };
  const change: RecordChange = { type: 'A', name: WEB, before, after: { ttl: 300, values: ['192.0.2.1'] } };
  await subject.write([change]);
  expect(await subject.read(WEB)).toEqual([{ ...found, values: ['192.0.2.1'] }]);
});

test('an undo that creates a proxied record again proxies it', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  subject.place({ type: 'CNAME', name: WEB, ttl: 1, values: ['old.example.net'], isProxied: true });
  const before = { ttl: 1, values: ['old.example.net'], isProxied: true };
  await subject.write([{ type: 'CNAME', name: WEB, before, after: null }]);
  await subject.write([{ type: 'CNAME', name: WEB, before: null, after: before }]);
  expect(await subject.read(WEB)).toEqual([{ type: 'CNAME', name: WEB, ...before }]);
});

test('the time to live is kept between a minute and a day, and automatic stays automatic', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  const ttls = [1, 30, 300, 1_000_000];
  await subject.write(
    ttls.map((ttl) => ({
      type: 'TXT',
      name: `ttl-${ttl}.${OURS}`,
      before: null,
      after: { ttl, values: ['x'] },
    })),
  );
  const read = await Promise.all(ttls.map((ttl) => subject.read(`ttl-${ttl}.${OURS}`)));
  expect(read.map(([set]) => set?.ttl)).toEqual([1, 60, 300, 86_400]);
});

test('a value that joins others changes neither their records nor their times to live', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  subject.place({ type: 'TXT', name: OURS, ttl: 3_600, values: ['v=spf1 -all', 'site=abc'] });
  const before = { ttl: 3_600, values: ['v=spf1 -all', 'site=abc'] };
  await subject.write([{ type: 'TXT', name: OURS, before, after: { ttl: 3_600, values: [...before.values, 'mine'] } }]);
  const [batch] = subject.standIn.state.batches;
  expect([batch?.deletes, batch?.patches, batch?.posts?.length]).toEqual([[], [], 1]);
});

test('a text that somebody entered without quotes is read as it stands', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  const unquoted = { id: 'by-hand', type: 'TXT', name: WEB, ttl: 300, content: 'v=spf1 -all', proxied: false };
  const body = {
    success: true,
    errors: [],
    messages: [],
    result: [unquoted],
    result_info: { page: 1, total_pages: 1 },
  };
  subject.standIn.fail('records', { how: 'status', status: 200, body });
  expect((await subject.read(WEB)).map(({ values }) => values)).toEqual([['v=spf1 -all']]);
});

test('what comes between the look and the batch is told as a change, and stays', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  const theirs = { type: 'CNAME', name: WEB, ttl: 300, values: ['theirs.example.net'] };
  subject.standIn.state.meanwhile = () => subject.place(theirs);
  const change: RecordChange = {
    type: 'CNAME',
    name: WEB,
    before: null,
    after: { ttl: 300, values: ['ours.example.net'] },
  };
  await expect(subject.write([change])).rejects.toMatchObject({ code: 'records_changed' });
  expect((await subject.read(WEB)).map(({ values }) => values)).toEqual([theirs.values]);
});

test('records that Cloudflare refuses are told in its own words', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  subject.standIn.fail('change', {
    how: 'status',
    ...refusal(400, 9005, 'Content for A record must be a valid IPv4 address.'),
  });
  const writing = subject.write([{ type: 'A', name: WEB, before: null, after: { ttl: 300, values: ['192.0.2.1'] } }]);
  await expect(writing).rejects.toMatchObject({
    code: 'records_refused',
    message: expect.stringContaining('must be a valid IPv4 address'),
  });
});

test('an authentication error is told apart: a token that nobody knows, and one that lacks a permission', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  const ambiguous = { how: 'status', ...refusal(403, 10000, 'Authentication error') } as const;
  subject.standIn.fail('zones', ambiguous);
  await expect(subject.verify()).rejects.toMatchObject({ code: 'permission_missing' });
  subject.standIn.fail('zones', ambiguous);
  subject.standIn.fail('account', { how: 'status', ...refusal(401, 1000, 'Invalid API Token') });
  await expect(subject.verify()).rejects.toMatchObject({ code: 'credentials_invalid' });
});

test('a token that opens zones but not their records says so at once', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  subject.standIn.fail('records', { how: 'status', ...refusal(403, 10000, 'Authentication error') });
  const { identity, warnings } = await subject.verify();
  expect(identity).toBe('Account of a person');
  expect(warnings).toEqual([`The token cannot read the records of ${OURS}. Give it the permission DNS: Edit.`]);
});

test('a token with letters that no header has, or of another form, is said to be wrong', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  const body = {
    success: false,
    errors: [
      {
        code: 6003,
        message: 'Invalid request headers',
        error_chain: [{ code: 6111, message: 'Invalid format for Authorization header' }],
      },
    ],
  };
  subject.standIn.fail('zones', { how: 'status', status: 400, body });
  await expect(subject.verify()).rejects.toMatchObject({
    code: 'credentials_invalid',
    message: expect.stringContaining('Invalid request headers: Invalid format for Authorization header'),
  });
});

test('the zones of a large account are read with a request for each fifty', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  for (let added = 2; added < 1_200; added += 1) addHeldZone(subject.standIn.state.zones, `zone${added}.test`);
  const { length } = await subject.zones();
  expect([length, subject.standIn.requests.length]).toEqual([1_200, 24]);
});

test('a zone that left the account is said to be gone', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  subject.standIn.state.zones.clear();
  await expect(subject.read(WEB)).rejects.toMatchObject({ code: 'zone_not_found' });
});

test('a token never stands in what an error tells', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  const body = { success: false, errors: [{ code: 1, message: `no ${TOKEN} here` }] };
  subject.standIn.fail('any', { how: 'status', status: 403, body });
  const error: unknown = await subject.read(WEB).catch((thrown: unknown) => thrown);
  expect(JSON.stringify([error, String(error)])).not.toContain(TOKEN);
});

test('ALIAS records are refused before anything is asked', async () => {
  await using subject = await openDns(cloudflareUnderTest);
  const writing = subject.write([
    { type: 'ALIAS', name: OURS, before: null, after: { ttl: 300, values: ['a.example.net'] } },
  ]);
  await expect(writing).rejects.toMatchObject({ code: 'records_refused' });
  expect(subject.standIn.requests.filter(({ step }) => step === 'change')).toEqual([]);
});

test('a connection that only reads is told by its first write', async () => {
  await using subject = await openDns(cloudflareUnderTest, 'narrowCredentials');
  const writing = subject.write([{ type: 'A', name: WEB, before: null, after: { ttl: 300, values: ['192.0.2.1'] } }]);
  await expect(writing).rejects.toMatchObject({ code: 'permission_missing' });
});
