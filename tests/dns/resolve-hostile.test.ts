import dnsPacket from 'dns-packet';
import { expect, test } from 'vitest';
import { classifyAddress, parseRange } from '../../server/lib/egress/rules.ts';
import { a, cname, HOSTILE, NOT_AUTHORITATIVE, NXDOMAIN, ns, startInternet } from '../support/hostile-internet.ts';

const { signal } = new AbortController();
const SERVFAIL = 2;
const NOTIMP = 4;

test('of a set of hundreds of name servers a few are asked', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `n${index}.evil.test`);
  await using internet = await startInternet(() => ({ answers: names.map((name) => ns('evil.test', name)) }), {
    resolved: ({ name, type }) => (type === 'A' ? { answers: [a(name, HOSTILE), a(name, '127.0.0.4')] } : {}),
  });
  const { zone, answers } = await internet.client.askNameServers('evil.test', 'A', signal);
  expect(zone?.servers).toHaveLength(16);
  // All of them lead to the same two addresses.
  expect(answers.map(({ address, error }) => [address, error])).toEqual([
    [HOSTILE, null],
    ['127.0.0.4', 'unreachable'],
  ]);
  expect(internet.questions()).toBeLessThan(60);
});

test('an address that is not public is not asked unless it is allowed', async () => {
  const delegation = {
    authorities: [ns('evil.test', 'ns.evil.test')],
    additionals: [a('ns.evil.test', HOSTILE), a('ns.evil.test', '169.254.169.254')],
  };
  const asked = async (range: string) => {
    const allowed = [parseRange(range)].filter((one) => one !== null);
    const isAllowed = (address: string) => classifyAddress(address, allowed) !== 'refused';
    await using internet = await startInternet(() => ({ answers: [a('evil.test', '192.0.2.1')] }), {
      delegation,
      isAllowed,
    });
    const { answers } = await internet.client.askNameServers('evil.test', 'A', signal);
    return [internet.hostile().length > 0, ...answers.map(({ address, error }) => [address, error])];
  };
  expect(await asked('127.0.0.2')).toEqual([false, [HOSTILE, 'unreachable'], ['169.254.169.254', 'unreachable']]);
  expect(await asked('127.0.0.0/8')).toEqual([true, [HOSTILE, null], ['169.254.169.254', 'unreachable']]);
});

test('a network that denies the endings of the registries tells nothing about the names below them', async () => {
  await using internet = await startInternet(() => null, { resolved: () => NXDOMAIN });
  await expect(internet.client.zoneOf('harbour.com', signal)).rejects.toThrow('says that .com does not exist');
  expect(await internet.client.zoneOf('harbour.nowhere', signal)).toBeNull();
});

test('glue for the names of others is not believed', async () => {
  await using internet = await startInternet(() => ({ answers: [ns('evil.test', 'ns.bank.example')] }), {
    delegation: { authorities: [ns('evil.test', 'ns.bank.example')], additionals: [a('ns.bank.example', HOSTILE)] },
    resolved: ({ type }) => (type === 'A' ? { answers: [a('ns.bank.example', '127.0.0.4')] } : {}),
  });
  const zone = await internet.client.zoneOf('evil.test', signal);
  expect(zone?.servers).toEqual([{ name: 'ns.bank.example', addresses: ['127.0.0.4'] }]);
  expect(internet.hostile()).toEqual([]);
});

test.each([
  ['to the same zone', 'evil.test'],
  ['back up', 'test'],
  ['to a zone beside the name', 'other.evil.test'],
])('a referral that leads %s is no way down', async (_, apex) => {
  await using internet = await startInternet(() => ({
    ...NOT_AUTHORITATIVE,
    authorities: [ns(apex, 'ns.evil.test')],
    additionals: [a('ns.evil.test', HOSTILE)],
  }));
  const { zone, answers } = await internet.client.askNameServers('a.b.c.d.evil.test', 'A', signal);
  expect(zone).toMatchObject({ apex: 'evil.test', childServers: null });
  expect(answers).toMatchObject([{ server: 'ns.evil.test', values: null, error: 'lame' }]);
  expect(internet.questions()).toBeLessThan(20);
});

test('each label of a long name may be a zone of its own with dead servers, and the way still ends', async () => {
  const labels = Array.from({ length: 100 }, () => 'a').join('.');
  const addresses = ['127.0.0.4', '127.0.0.5', HOSTILE];
  await using internet = await startInternet(({ name }) => ({
    ...NOT_AUTHORITATIVE,
    authorities: [ns(name, `ns1.${name}`), ns(name, `ns2.${name}`)],
    additionals: ['ns1', 'ns2'].flatMap((one) => addresses.map((address) => a(`${one}.${name}`, address))),
  }));
  const { answers } = await internet.client.askNameServers(`${labels}.evil.test`, 'A', signal);
  expect(answers.map(({ values }) => values)).toEqual([null, null, null]);
  // Two of six addresses are this server; all hundred labels would be two hundred questions to it.
  expect(internet.hostile().length).toBeLessThan(100);
});

test('a chain of aliases in one answer is followed for a few steps', async () => {
  const chain = Array.from({ length: 100 }, (_, index) => cname(`c${index}.evil.test`, `c${index + 1}.evil.test`));
  await using internet = await startInternet(({ type }) => ({
    answers: type === 'A' ? [...chain, a('c100.evil.test', '192.0.2.1')] : [],
  }));
  const { answers } = await internet.client.askNameServers('c0.evil.test', 'A', signal);
  expect(answers).toMatchObject([{ cname: 'c1.evil.test', values: [], error: null }]);
});

test('aliases that go on for ever end the climb for a CAA set', async () => {
  let steps = 0;
  await using internet = await startInternet(({ name, type }) => {
    if (type !== 'CAA') return {};
    steps += 1;
    return { answers: [cname(name, `s${steps}.evil.test`)] };
  });
  expect(await internet.client.caaOf('s0.evil.test', signal)).toBeNull();
  expect(internet.questions()).toBeLessThanOrEqual(200);
});

test.each([
  ['a failure', SERVFAIL],
  ['that they do not know them', NOTIMP],
])('name servers that answer questions for CAA with %s are told from those out of reach', async (_, code) => {
  const refused = { flags: dnsPacket.AUTHORITATIVE_ANSWER | code };
  await using internet = await startInternet(({ type }) => (type === 'CAA' ? refused : {}));
  await expect(internet.client.caaOf('evil.test', signal)).rejects.toMatchObject({ muteZone: 'evil.test' });
});

test('a name server whose name is no name is left out', async () => {
  await using internet = await startInternet(() => ({}), {
    delegation: { authorities: [ns('evil.test', 'bad name\n.evil.test'), ns('evil.test', 'ns.evil.test')] },
    resolved: ({ type }) => (type === 'A' ? { answers: [a('ns.evil.test', HOSTILE)] } : {}),
  });
  expect((await internet.client.zoneOf('evil.test', signal))?.servers).toEqual([
    { name: 'ns.evil.test', addresses: [HOSTILE] },
  ]);
});

test('servers that are silent are waited for until the time of the whole call is over', async () => {
  await using internet = await startInternet(() => null, { wholeMs: 300 });
  const { zone, answers } = await internet.client.askNameServers('evil.test', 'A', signal);
  expect(zone?.apex).toBe('evil.test');
  expect(answers).toMatchObject([{ server: 'ns.evil.test', values: null, error: 'timeout' }]);
});

test('who goes while servers are silent is let go at once', async () => {
  const caller = new AbortController();
  await using internet = await startInternet(() => {
    setImmediate(() => caller.abort(new Error('gone')));
    return null;
  });
  await expect(internet.client.askNameServers('evil.test', 'A', caller.signal)).rejects.toThrow('gone');
});
