import { afterAll, expect, test } from 'vitest';
import { startDnsLab } from '../support/dns-lab.ts';
import { freePort } from '../support/free-ports.ts';
import { startBind, startPowerDns } from '../support/name-servers.ts';

/** `shop.test` is at three servers, of which the first has zones that the others have not. */
const port = await freePort();
const shop = (www: string) =>
  `@ NS ns1\n@ NS ns2\n@ NS ns3\nns1 A 127.0.0.1\nns2 A 127.0.0.3\nns3 A 127.0.0.4\nwww A ${www}`;
const bind = await startBind({
  port,
  zones: {
    'shop.test': {
      records: `${shop('192.0.2.1')}
        www AAAA 2001:DB8:0:0::1
        @ MX 10 mail.Shop.test.
        @ TXT "v=spf1 " "-all"
        @ CAA 0 issue "ca.test"
        alias CNAME www
        chain CNAME alias
        outside CNAME www.signed.test.
        loop1 CNAME loop2
        loop2 CNAME loop1
        child NS ns1.child
        ns1.child A 127.0.0.3`,
    },
    'signed.test': { records: '@ NS ns1\nns1 A 127.0.0.1\nwww A 192.0.2.2\nwww CAA 0 issuewild ";"', isSigned: true },
    'unloaded.test': { records: '@ NS ns1\nns1 A not-an-address' },
    'false.test': { records: '@ NS ns1\nns1 A 127.0.0.1\nwww A 192.0.2.3\nled CNAME www.shop.test.' },
  },
});
const second = await startPowerDns({ address: '127.0.0.3', port });
const third = await startPowerDns({ address: '127.0.0.4', port });
const lab = await startDnsLab({
  port,
  stubs: {
    'shop.test': ['127.0.0.1', '127.0.0.3', '127.0.0.4'],
    'signed.test': ['127.0.0.1'],
    'false.test': ['127.0.0.1'],
    'child.shop.test': ['127.0.0.3'],
  },
  trustAnchors: [await bind.dnskeyOf('signed.test'), `false.test. DS 12345 13 2 ${'a'.repeat(64)}`],
});
afterAll(async () => {
  for (const server of [lab, second, third, bind]) await server[Symbol.asyncDispose]();
});
for (const server of [second, third])
  await server.createZone('shop.test', {
    'shop.test NS': ['ns1.shop.test.', 'ns2.shop.test.', 'ns3.shop.test.'],
    'ns1.shop.test A': ['127.0.0.1'],
    'ns2.shop.test A': ['127.0.0.3'],
    'ns3.shop.test A': ['127.0.0.4'],
    'www.shop.test A': ['192.0.2.1'],
    'shop.test CAA': ['0 issue "ca.test"'],
    'outside.shop.test CNAME': ['www.signed.test.'],
    'child.shop.test NS': ['ns1.child.shop.test.'],
    'ns1.child.shop.test A': ['127.0.0.3'],
  });
await second.createZone('child.shop.test', {
  'child.shop.test NS': ['ns1.child.shop.test.'],
  'ns1.child.shop.test A': ['127.0.0.3'],
  'deep.child.shop.test TXT': ['"in the child"'],
});
await lab.delegate('shop.test', {
  'ns1.shop.test': '127.0.0.1',
  'ns2.shop.test': '127.0.0.3',
  'ns3.shop.test': '127.0.0.4',
});
for (const zone of ['signed.test', 'false.test', 'unloaded.test'])
  await lab.delegate(zone, { [`ns1.${zone}`]: '127.0.0.1' });
await lab.delegate('odd.test', { 'ns1.odd.test': '127.0.0.1', 'ns2.shop.test': null, 'ns.gone.test': null });
await lab.delegate('dead.test', { 'ns1.dead.test': '127.0.0.9', 'ns2.dead.test': '127.0.0.3' });

const { signal } = new AbortController();
const client = lab.client();
const asked = async (...question: [string, Parameters<typeof client.askNameServers>[1]]) =>
  (await client.askNameServers(...question, signal)).answers.map(({ server, values, error }) => [
    server,
    error ?? values,
  ]);

test('a name lies in the zone that is delegated last on the way down to it', async () => {
  expect(await client.zoneOf('www.shop.test', signal)).toEqual({
    apex: 'shop.test',
    servers: [
      { name: 'ns1.shop.test', addresses: ['127.0.0.1'] },
      { name: 'ns2.shop.test', addresses: ['127.0.0.3'] },
      { name: 'ns3.shop.test', addresses: ['127.0.0.4'] },
    ],
    parentServers: ['ns1.shop.test', 'ns2.shop.test', 'ns3.shop.test'],
    childServers: ['ns1.shop.test', 'ns2.shop.test', 'ns3.shop.test'],
  });
  expect((await client.zoneOf('not.there.shop.test', signal))?.apex).toBe('shop.test');
  expect((await client.zoneOf('deep.child.shop.test', signal))?.apex).toBe('child.shop.test');
  expect(await client.zoneOf('www.unregistered.test', signal)).toBeNull();
});

test('each name server answers for itself, so that two of three are seen to have a new value', async () => {
  await second.writeSets('shop.test', { 'new.shop.test TXT': ['"proof"'] });
  expect(await asked('new.shop.test', 'TXT')).toEqual([
    ['ns1.shop.test', []],
    ['ns2.shop.test', ['proof']],
    ['ns3.shop.test', []],
  ]);
  await third.writeSets('shop.test', { 'new.shop.test TXT': ['"proof"', '"another"'] });
  expect(await asked('new.shop.test', 'TXT')).toEqual([
    ['ns1.shop.test', []],
    ['ns2.shop.test', ['proof']],
    ['ns3.shop.test', ['another', 'proof']],
  ]);
});

test('the resolver is not told of a name before it is there', async () => {
  expect(await client.askNameServers('later.child.shop.test', 'A', signal)).toMatchObject({
    answers: [{ server: 'ns1.child.shop.test', values: [], ttl: 60 }],
  });
  await second.writeSets('child.shop.test', { 'later.child.shop.test A': ['192.0.2.9'] });
  expect(await lab.resolver.control('dump_cache')).not.toContain('later');
  expect(await client.askResolvers('later.child.shop.test', 'A', signal)).toMatchObject([{ values: ['192.0.2.9'] }]);
  expect(await lab.resolver.control('dump_cache')).toContain('later');
});

test('a server without the zone is refused or lame, and one without an address is not reachable', async () => {
  expect(await asked('www.odd.test', 'A')).toEqual([
    ['ns.gone.test', 'unreachable'],
    ['ns1.odd.test', 'refused'],
    ['ns2.shop.test', 'refused'],
  ]);
  expect(await asked('unloaded.test', 'A')).toEqual([['ns1.unloaded.test', 'server_failure']]);
  expect(await asked('www.dead.test', 'A')).toEqual([
    ['ns1.dead.test', 'unreachable'],
    ['ns2.dead.test', 'refused'],
  ]);
  expect(await client.zoneOf('dead.test', signal)).toMatchObject({ apex: 'dead.test', childServers: null });
  // The resolver answers for everybody, and authoritatively for nobody.
  const pretending = lab.client({ nameServerPort: lab.resolver.port });
  await expect(pretending.zoneOf('www.shop.test', signal)).rejects.toThrow('No name server of test answers');
});

test('names that the parent and the zone do not both have are asked, and told apart', async () => {
  await lab.delegate('moved.test', { 'ns1.moved.test': '127.0.0.4', 'ns2.shop.test': null });
  await third.createZone('moved.test', {
    'moved.test NS': ['ns1.moved.test.', 'ns3.shop.test.'],
    'ns1.moved.test A': ['127.0.0.4'],
    'moved.test A': ['192.0.2.5'],
  });
  expect(await client.zoneOf('moved.test', signal)).toMatchObject({
    parentServers: ['ns1.moved.test', 'ns2.shop.test'],
    childServers: ['ns1.moved.test', 'ns3.shop.test'],
  });
  // The third has the address of the first: one server, asked once.
  expect(await asked('moved.test', 'A')).toEqual([
    ['ns1.moved.test', ['192.0.2.5']],
    ['ns2.shop.test', 'refused'],
  ]);
});

test('a zone that is at the same servers as its parent is found all the same', async () => {
  await lab.registry.createZone('same.test', { 'same.test NS': ['ns.test.'], 'www.same.test A': ['192.0.2.6'] });
  expect(await client.zoneOf('www.same.test', signal)).toEqual({
    apex: 'same.test',
    servers: [{ name: 'ns.test', addresses: ['127.0.0.2'] }],
    parentServers: null,
    childServers: ['ns.test'],
  });
  expect(await asked('www.same.test', 'A')).toEqual([['ns.test', ['192.0.2.6']]]);
});

test('an alias is told with what is at the end of its chain', async () => {
  const ask = async (name: string, type: 'A' | 'CNAME' | 'TXT') =>
    (await client.askNameServers(name, type, signal)).answers[0];
  expect(await ask('chain.shop.test', 'A')).toMatchObject({ cname: 'alias.shop.test', values: ['192.0.2.1'], ttl: 60 });
  expect(await ask('chain.shop.test', 'CNAME')).toMatchObject({
    cname: 'alias.shop.test',
    values: ['alias.shop.test'],
  });
  expect(await ask('outside.shop.test', 'TXT')).toMatchObject({ cname: 'www.signed.test', values: [] });
  expect(await ask('loop1.shop.test', 'A')).toMatchObject({ cname: null, values: null, error: 'server_failure' });
  const [seen] = await client.askResolvers('outside.shop.test', 'A', signal);
  expect(seen).toMatchObject({ cname: 'www.signed.test', values: ['192.0.2.2'], error: null });
});

test('each type is told in one spelling', async () => {
  const first = async (name: string, type: Parameters<typeof client.askNameServers>[1]) =>
    (await client.askNameServers(name, type, signal)).answers[0]?.values;
  expect(await first('www.shop.test', 'AAAA')).toEqual(['2001:db8::1']);
  expect(await first('shop.test', 'MX')).toEqual(['10 mail.shop.test']);
  expect(await first('shop.test', 'TXT')).toEqual(['v=spf1 -all']);
  expect(await first('shop.test', 'CAA')).toEqual(['0 issue "ca.test"']);
  expect(await first('shop.test', 'NS')).toEqual(['ns1.shop.test', 'ns2.shop.test', 'ns3.shop.test']);
  expect(await first('shop.test', 'SOA')).toEqual(['ns1.shop.test hostmaster.shop.test 1 3600 600 86400 60']);
  expect((await first('signed.test', 'DNSKEY'))?.[0]).toMatch(/^257 3 13 [A-Za-z0-9+/]{86}==$/);
});

test('a DS is asked of the parent', async () => {
  await lab.registry.writeSets('test', { 'signed.test DS': ['7 13 2 AB'.padEnd(71, '0')] });
  expect(await asked('signed.test', 'DS')).toEqual([['ns.test', ['7 13 2 ab'.padEnd(71, '0')]]]);
});

test('the CAA set is the nearest above a name, and that of the name it is an alias of, named by where it stands', async () => {
  expect(await client.caaOf('not.there.www.shop.test', signal)).toEqual({
    name: 'shop.test',
    values: ['0 issue "ca.test"'],
  });
  expect(await client.caaOf('outside.shop.test', signal)).toEqual({
    name: 'www.signed.test',
    values: ['0 issuewild ";"'],
  });
  expect(await client.caaOf('www.false.test', signal)).toBeNull();
  // What stands above the target of an alias does not count (RFC 8659, section 3).
  expect(await client.caaOf('led.false.test', signal)).toBeNull();
  await expect(client.caaOf('www.unloaded.test', signal)).rejects.toMatchObject({ fault: 'server_failure' });
});

test('a zone is signed, not signed, or signed otherwise than its parent says', async () => {
  expect(await client.checkDnssec('not.there.signed.test', signal)).toBe('secure');
  expect(await client.checkDnssec('www.shop.test', signal)).toBe('unsigned');
  expect(await client.checkDnssec('www.false.test', signal)).toBe('bogus');
  expect(await client.checkDnssec('www.unregistered.test', signal)).toBe('unknown');
});

test('a signature says what it signs, from when and until when', async () => {
  const { answers } = await client.askNameServers('signed.test', 'RRSIG', signal);
  const [soa] = answers.flatMap(({ values }) => values ?? []).filter((value) => value.startsWith('SOA '));
  const [from = 0, until = 0] = soa?.split(' ').slice(1).map(Number) ?? [];
  expect(from).toBeLessThan(Date.now() / 1000);
  expect(until).toBeGreaterThan(Date.now() / 1000);
});

test('a resolver that fails is passed over, and one that nobody has answers nothing', async () => {
  const gone = { address: '127.0.0.9', port };
  const live = { address: lab.resolver.address, port: lab.resolver.port };
  const two = lab.client({ resolvers: [gone, live] });
  expect((await two.zoneOf('www.shop.test', signal))?.apex).toBe('shop.test');
  expect(await two.askResolvers('www.shop.test', 'A', signal)).toMatchObject([
    { server: '127.0.0.9', values: null, error: 'unreachable' },
    { server: '127.0.0.1', values: ['192.0.2.1'], error: null },
  ]);
  await expect(lab.client({ resolvers: [gone] }).zoneOf('shop.test', signal)).rejects.toMatchObject({
    name: 'DnsLookupError',
    fault: 'unreachable',
  });
});

test('who has gone is not waited for', async () => {
  await expect(client.zoneOf('shop.test', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});
