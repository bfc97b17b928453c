import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { DnsFields } from '../../routers/schemas/dns-providers.ts';
import { rfc2136 } from '../../server/dns/providers/rfc2136.ts';
import { dnsCall, dnsSuite, ZONE } from '../support/dns-suite.ts';
import { freePort } from '../support/free-ports.ts';
import { bindUnderTest, KEY, provider } from '../support/rfc2136-under-test.ts';

dnsSuite('bind', () => bindUnderTest());

test.each<[string, Partial<DnsFields<'rfc2136'>>, number, object]>([
  ['a wrong secret', { secret: 'd3Jvbmc=' }, 0, { code: 'credentials_invalid', field: 'secret' }],
  ['a key that it does not know', { keyName: 'nobody' }, 0, { code: 'credentials_invalid', field: 'keyName' }],
  ['a zone that it does not serve', { zone: 'theirs.test' }, 0, { code: 'zone_not_found', field: 'zone' }],
  [
    'a clock that is an hour off',
    {},
    3_600_000,
    { code: 'platform_failed', message: expect.stringMatching(/its clock and ours differ by 3(59|60)\d seconds/) },
  ],
])('bind: %s is told as that', async (_what, changed, offMs, refusal) => {
  await using subject = await bindUnderTest();
  const call = dnsCall<'rfc2136'>({ ...subject.credentials, ...changed });
  const now = (): Date => new Date(Date.now() + offMs);
  await expect(provider.verify({ ...call, now })).rejects.toMatchObject(refusal);
});

test('bind: a CNAME that it drops without a word is noticed', async () => {
  await using subject = await bindUnderTest();
  const call = dnsCall<'rfc2136'>(subject.credentials);
  const [zone] = await provider.zones(call);
  if (zone === undefined) throw new Error('There is no zone.');
  const after = { ttl: 300, values: ['elsewhere.example.net'] };
  const change = { type: 'CNAME', name: `mail.${ZONE}`, before: null, after } as const;
  await expect(provider.write(call, zone, [change])).rejects.toMatchObject({ code: 'records_refused' });
});

test('bind: what others have at a name stays as it is, byte by byte, whatever its time to live was', async () => {
  const foreign = ['""', '"a \\"b\\" c"', '"caf\\233"', '"caf\\234"', '"v=DKIM1; k=rsa; " "p=MIGf"'];
  await using subject = await bindUnderTest(foreign.map((content) => `texts TXT ${content}`));
  const call = dnsCall<'rfc2136'>(subject.credentials);
  const [zone] = await provider.zones(call);
  if (zone === undefined) throw new Error('There is no zone.');
  const name = `texts.${ZONE}`;
  const texts = async () => {
    const lines = await subject.world.dump();
    return lines.filter((line) => line.startsWith(name)).map((line) => line.replace(/^.* IN TXT /, ''));
  };
  const [found] = await provider.read(call, zone, name);
  expect(new Set(found?.values).size).toBe(foreign.length);
  for (const ttl of [60, 300]) {
    const before = { ttl, values: found?.values ?? [] };
    const after = { ttl, values: [...before.values, 'ours'] };
    // The second time finds it done.
    for (let times = 0; times < 2; times += 1) {
      await provider.write(call, zone, [{ type: 'TXT', name, before, after }]);
      expect(await texts()).toEqual([...foreign, '"ours"'].sort());
    }
    await provider.write(call, zone, [{ type: 'TXT', name, before: after, after: before }]);
    expect(await texts()).toEqual([...foreign].sort());
  }
});

test('a server that is in this network, or has no address, is not connected to', async () => {
  await using subject = await bindUnderTest();
  const inside = rfc2136({ isAllowed: () => false, askResolvers: async () => [] });
  const call = dnsCall<'rfc2136'>(subject.credentials);
  const refusal = {
    code: 'platform_failed',
    message: '127.0.0.1 could not complete the request: it has no public address.',
  };
  await expect(inside.verify(call)).rejects.toMatchObject(refusal);
  await expect(
    provider.verify(dnsCall<'rfc2136'>({ ...call.credentials, server: 'ns.ours.test' })),
  ).rejects.toMatchObject({
    message: 'ns.ours.test could not complete the request: it has no public address.',
  });
});

function callAt(port: number) {
  const { name: keyName, algorithm, secret } = KEY;
  return dnsCall<'rfc2136'>({ server: '127.0.0.1', port, zone: ZONE, keyName, algorithm, secret });
}

const noAnswerFrom = (port: number) => ({
  code: 'platform_down',
  message: `127.0.0.1 did not respond as expected: no answer signed with the key came from its port ${port}.`,
});

test.each<[string, (id: Buffer) => Buffer | null]>([
  ['ends the connection', () => null],
  ['speaks something else', () => Buffer.from([0, 3, 1, 2, 3])],
  ['answers another message', (id) => Buffer.from([0, 12, id.readUInt8(0) ^ 1, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
  ['does not sign', (id) => Buffer.concat([Buffer.from([0, 12]), id, Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0])])],
])('a server that %s is told as one that nobody can reach', async (_what, respond) => {
  await using server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (message) => {
      const answer = respond(message.subarray(2, 4));
      if (answer === null) socket.end();
      else socket.write(answer);
    });
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  await expect(provider.verify(callAt(port))).rejects.toMatchObject(noAnswerFrom(port));
  const closed = await freePort();
  await expect(provider.verify(callAt(closed))).rejects.toMatchObject(noAnswerFrom(closed));
});

test.each([1, 22, 443, 853, 1_023])('port %i belongs to no name server, and is not connected to', async (port) => {
  await expect(provider.verify(callAt(port))).rejects.toMatchObject({
    ...{ code: 'credentials_invalid', field: 'port' },
    message: 'Only port 53 and ports from 1024 up can be used.',
  });
});

test('nobody is connected to once the caller has gone', async () => {
  let connections = 0;
  await using server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(provider.verify({ ...callAt(port), signal })).rejects.toThrow('gone');
  expect(connections).toBe(0);
});
