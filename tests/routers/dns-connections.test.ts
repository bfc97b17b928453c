import { expect, test } from 'vitest';
import { withDnsConnection } from '../../server/connections/ask-dns.ts';
import { putTexts, removeChallengeRecords, saveChallengeRecords } from '../../server/connections/challenge-records.ts';
import { findConnection } from '../../server/connections/index.ts';
import { ConnectionModel } from '../../server/database/models/connection.ts';
import { ChallengeRecordModel } from '../../server/database/models/domains/challenge-record.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import type { DnsProvider } from '../../server/dns/provider.ts';
import { powerdns } from '../../server/dns/providers/powerdns.ts';
import { AppError } from '../../server/lib/errors.ts';
import { createTestApp } from '../support/app.ts';
import { leaveTwo, textsAt } from '../support/dns-challenge-world.ts';
import { holdTimeouts, never } from '../support/held-timeouts.ts';
import { startPowerDns } from '../support/name-servers.ts';
import { testEgress } from '../support/platforms.ts';

const ZONE = 'ours.test';

/** An account, and a real PowerDNS with one zone. */
async function createDnsApp() {
  const server = await startPowerDns();
  await server.createZone(ZONE);
  const logged: unknown[] = [];
  const write = (...words: unknown[]) => void logged.push(words);
  const app = await createTestApp({
    log: { debug: write, info: write, warn: write, error: write },
    providers: { egress: testEgress() },
  });
  const person = await app.trialPerson();
  const input = {
    provider: 'powerdns',
    fields: { url: `${server.apiUrl}/api/`, apiKey: ` ${server.apiKey} ` },
  } as const;
  return {
    ...app,
    server,
    logged,
    person,
    input,
    connections: person.caller.connections,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('the credential of a DNS provider is tested, kept sealed, and never told again', async () => {
  await using app = await createDnsApp();
  const connection = await app.connections.connect(app.input);
  expect(connection).toMatchObject({ provider: 'powerdns', kind: 'dns', state: 'ok', warnings: [], deployments: [] });
  expect(connection.identity).toMatch(/^127\.0\.0\.1:\d+, PowerDNS 4\./);
  const stored = await ConnectionModel.findOne({ _id: connection.id, accountId: app.person.user.id }).lean();
  for (const shown of [connection, await app.connections.list(), stored, app.logged]) {
    expect(JSON.stringify(shown)).not.toContain(app.server.apiKey);
  }
  expect(await app.connections.targets({ connectionId: connection.id })).toEqual({
    items: [{ id: `${ZONE}.`, name: ZONE }],
  });
});

test('a credential that the DNS provider refuses is said at its field, and nothing is kept', async () => {
  await using app = await createDnsApp();
  const fields = { ...app.input.fields, apiKey: 'another-key' };
  await expect(app.connections.connect({ provider: 'powerdns', fields })).rejects.toMatchObject({
    cause: {
      code: 'credentials_invalid',
      message: 'PowerDNS does not accept this API key.',
      field: 'fields.apiKey',
      fieldErrors: { 'fields.apiKey': 'PowerDNS does not accept this API key.' },
    },
  });
  const inside = { url: 'http://10.0.0.1:8081', apiKey: 'a-key' };
  await expect(app.connections.connect({ provider: 'powerdns', fields: inside })).rejects.toMatchObject({
    cause: {
      message: 'PowerDNS could not complete the request: 10.0.0.1 is not a public web address.',
      hint: 'Check what you entered, then try again.',
    },
  });
  expect((await app.connections.list()).items).toEqual([]);
});

test('the fields of another provider, and one too many, are refused by name', async () => {
  await using app = await createDnsApp();
  const wrong = { provider: 'powerdns', fields: { token: 'x' } } as never;
  await expect(app.connections.connect(wrong)).rejects.toMatchObject({ cause: { code: 'validation_failed' } });
  const url = { provider: 'powerdns', fields: { url: 'ftp://dns.example.com', apiKey: 'x' } } as const;
  await expect(app.connections.connect(url)).rejects.toMatchObject({ cause: { field: 'fields.url' } });
});

test('a provider without an adapter is not offered, and is refused in words', async () => {
  await using app = await createDnsApp();
  app.providers.dnsProviders = { powerdns: powerdns() };
  expect((await app.connections.list()).dnsProviders).toEqual(['powerdns']);
  const hetzner = { provider: 'hetzner', fields: { token: 'x' } } as const;
  await expect(app.connections.connect(hetzner)).rejects.toMatchObject({
    cause: { code: 'platform_unavailable', message: 'Writing records at Hetzner is not available in this version.' },
  });
});

test('a connection that the DNS provider refuses is broken until its credential is replaced', async () => {
  await using app = await createDnsApp();
  const { id } = await app.connections.connect(app.input);
  const refusing: DnsProvider<'powerdns'> = {
    ...powerdns(),
    zones: async () => {
      throw new AppError('credentials_invalid', 'The key was changed.', { hint: 'Replace it.' });
    },
  };
  const real = app.providers.dnsProviders;
  app.providers.dnsProviders = { powerdns: refusing };
  const doc = await findConnection(app.person.user.id, id);
  const work = withDnsConnection(app.providers, doc, new AbortController().signal, (dns, call) => dns.zones(call));
  await expect(work).rejects.toMatchObject({ code: 'credentials_invalid' });
  expect((await app.connections.list()).items).toMatchObject([
    { id, kind: 'dns', state: 'broken', problem: { message: 'The key was changed.', hint: 'Replace it.' } },
  ]);
  app.providers.dnsProviders = real;
  const replaced = await app.connections.replace({ connectionId: id, credential: app.input });
  expect(replaced).toMatchObject({ id, state: 'ok', problem: null });
  expect(await app.connections.test({ connectionId: id })).toMatchObject({ id, state: 'ok' });
});

test('a credential of another provider does not take the place of one', async () => {
  await using app = await createDnsApp();
  const { id } = await app.connections.connect(app.input);
  const other = { provider: 'cloudflare', fields: { token: 'x' } } as const;
  const refusal = {
    cause: { code: 'validation_failed', message: 'These credentials are not for PowerDNS.' },
  };
  await expect(app.connections.replace({ connectionId: id, credential: other })).rejects.toMatchObject(refusal);
  await expect(app.connections.replace({ connectionId: id, token: 'x' })).rejects.toMatchObject(refusal);
});

test('a connection names the domains whose zone it holds', async () => {
  await using app = await createDnsApp();
  const { id } = await app.connections.connect(app.input);
  const deployment = await app.person.caller.deployments.create({ name: 'shop', platform: 'built-in' });
  const add = (_id: string, name: string, connectionId: string | null) =>
    DomainModel.create({
      ...{ _id, accountId: app.person.user.id, deploymentId: deployment.id, name, unit: name, servedName: name },
      ...{ state: 'pending_dns', heldNames: [name], proof: { name: `_fairlead.${name}`, value: 'x' } },
      ...{ provedAt: new Date(), nextCheckAt: new Date(), quickFrom: new Date() },
      zoneHolder: { connectionId, asked: [id], askAgainAt: new Date() },
    });
  const [held, other] = ['h'.repeat(20), 'o'.repeat(20)];
  await add(held, ZONE, id);
  await add(other, 'elsewhere.test', null);
  expect((await app.connections.list()).items).toMatchObject([{ id, domains: [{ id: held, name: ZONE }] }]);
});

test('a zone that a connection no longer holds is told at the connection and where it is needed, until it is there', async () => {
  await using app = await createDnsApp();
  const { id: connectionId } = await app.connections.connect(app.input);
  const { caller } = app.person;
  const { id: deploymentId } = await caller.deployments.create({ name: 'moved', platform: 'built-in' });
  const { id: domainId } = await caller.domains.add({ deploymentId, name: ZONE });
  await caller.domains.plan({ domainId });
  const lost = async () => (await app.connections.list()).items.flatMap(({ warnings }) => warnings);
  expect(await lost()).toEqual([]);
  await app.server.api('DELETE', `/zones/${ZONE}.`);
  const text =
    /^Your connection to PowerDNS \(127\.0\.0\.1:\d+, .+\) no longer holds ours\.test\. In Settings, connect /;
  await expect(caller.domains.plan({ domainId })).rejects.toMatchObject({
    cause: { code: 'zone_not_found', hint: expect.stringMatching(text) },
  });
  expect(await lost()).toEqual([expect.stringMatching(text)]);
  const stranger = (await app.trialPerson()).caller;
  expect((await stranger.connections.list()).items).toEqual([]);
  await app.server.createZone(ZONE);
  expect((await app.connections.test({ connectionId })).warnings).toEqual([]);
});

test('the same server connected again is one connection, and another account sees none of it', async () => {
  await using app = await createDnsApp();
  const { id } = await app.connections.connect(app.input);
  expect((await app.connections.connect(app.input)).id).toBe(id);
  const stranger = (await app.trialPerson()).caller.connections;
  expect((await stranger.list()).items).toEqual([]);
  await expect(stranger.test({ connectionId: id })).rejects.toMatchObject({ cause: { code: 'not_found' } });
  await expect(stranger.targets({ connectionId: id })).rejects.toMatchObject({ cause: { code: 'not_found' } });
  await app.connections.remove({ connectionId: id });
  expect((await app.connections.list()).items).toEqual([]);
});

const CHALLENGE = `_acme-challenge.${ZONE}`;

/** Such an app with a connection, which has written two proofs beside the value of another client. */
async function createProvedApp() {
  const app = await createDnsApp();
  const { id: connectionId } = await app.connections.connect(app.input);
  await app.server.writeSets(ZONE, { [`${CHALLENGE} TXT`]: ['"one"', '"others"', '"two"'] });
  await leaveTwo(app.person, ZONE);
  return { ...app, connectionId, texts: () => textsAt(app.server, CHALLENGE, ZONE) };
}

/** An order through the connection of such an app, with one text to prove. */
async function orderOf({ providers, person, connectionId }: Awaited<ReturnType<typeof createProvedApp>>, text: string) {
  const accountId = person.user.id;
  const connection = await ConnectionModel.findOne({ _id: connectionId, accountId }).orFail();
  const zone = { id: `${ZONE}.`, name: ZONE, apexAlias: null };
  const order = { accountId, certificateId: `${accountId} ${text}` };
  const texts = { connection, zone, sets: new Map([[CHALLENGE, [text]]]) };
  return { order, texts, put: () => putTexts(providers, order, texts, new AbortController().signal) };
}

test('a connection that is removed leaves no proof of ours in its zones', async () => {
  await using app = await createProvedApp();
  await app.connections.remove({ connectionId: app.connectionId });
  expect(await app.texts()).toEqual(['others']);
  expect(await ChallengeRecordModel.countDocuments({ accountId: app.person.user.id })).toBe(0);
});

test('an account that is deleted leaves no proof of ours in its zones', async () => {
  await using app = await createProvedApp();
  const { user, password, caller } = app.person;
  await caller.account.delete({ username: user.username, currentPassword: password });
  await app.jobs.drain();
  expect(await app.texts()).toEqual(['others']);
  expect(await ConnectionModel.countDocuments({ accountId: user.id })).toBe(0);
});

test.each(['refuses', 'is silent'])('a provider that %s keeps nobody from removing its connection', async (how) => {
  await using app = await createProvedApp();
  using timeouts = holdTimeouts(15_000);
  const write: DnsProvider['write'] = ({ signal }) => {
    if (how === 'refuses') throw new AppError('credentials_invalid', 'The key was changed.');
    const answer = never(signal);
    timeouts.end();
    return answer;
  };
  app.providers.dnsProviders = { powerdns: { ...powerdns(), write } };
  await app.connections.remove({ connectionId: app.connectionId });
  expect((await app.connections.list()).items).toEqual([]);
  expect(JSON.stringify(app.logged)).toContain('could not be removed from its zone yet');
});

test('an order that writes while its connection is removed leaves no proof in the zone', async () => {
  await using app = await createProvedApp();
  const { providers } = app;
  const { order, texts, put: putLate } = await orderOf(app, 'late');
  let put: Promise<unknown> | undefined;
  const { write } = powerdns();
  const orderAfterFirst: DnsProvider['write'] = async (...given) => {
    await write(...(given as Parameters<typeof write>));
    // It waits for the zone until the removal's own writing is over.
    put ??= saveChallengeRecords(providers, order, texts).then(() => putLate().catch(String));
  };
  providers.dnsProviders = { powerdns: { ...powerdns(), write: orderAfterFirst } };
  await app.connections.remove({ connectionId: app.connectionId });
  await put;
  expect(await app.texts()).toEqual(['others']);
});

test('two accounts with the key of one server lose nothing of each other', async () => {
  await using app = await createProvedApp();
  const { providers } = app;
  const { egress, wait } = providers;
  const bert = await app.trialPerson();
  const { id: connectionId } = await bert.caller.connections.connect(app.input);
  const orders = [await orderOf(app, 'annas'), await orderOf({ ...app, person: bert, connectionId }, 'berts')] as const;
  for (const { order, texts } of orders) await saveChallengeRecords(providers, order, texts);
  const [annas, berts] = orders;
  let second: Promise<void> | undefined;
  // Between Anna's last read and her write Bert writes, or waits for his turn.
  const request: typeof egress.request = async (url, asked, read) => {
    if (asked.method === 'PATCH' && second === undefined) {
      await new Promise<void>((looked) => {
        providers.wait = async (ms, ends) => {
          looked();
          return wait(ms, ends);
        };
        second = berts.put().finally(looked);
      });
    }
    return egress.request(url, asked, read);
  };
  providers.egress = { request };
  await annas.put();
  await second;
  expect(await app.texts()).toEqual(expect.arrayContaining(['annas', 'berts', 'others']));
});

test('a proof that another program overwrites with what it had read before is written again', async () => {
  await using app = await createProvedApp();
  const { order, texts, put } = await orderOf(app, 'ours');
  await saveChallengeRecords(app.providers, order, texts);
  const { write } = powerdns();
  let writes = 0;
  const overwritten: DnsProvider['write'] = async (...given) => {
    await write(...(given as Parameters<typeof write>));
    writes += 1;
    if (writes === 1) await app.server.writeSets(ZONE, { [`${CHALLENGE} TXT`]: ['"others"', '"third"'] });
  };
  app.providers.dnsProviders = { powerdns: { ...powerdns(), write: overwritten } };
  await put();
  expect([await app.texts(), writes]).toEqual([['others', 'ours', 'third'], 2]);
});

test('a proof that is accepted and not shown is left to the name servers, and one that others come before is refused', async () => {
  await using app = await createProvedApp();
  app.providers.wait = async () => {};
  const { order, texts, put } = await orderOf(app, 'ours');
  await saveChallengeRecords(app.providers, order, texts);
  let writes = 0;
  const answering = (write: DnsProvider['write']) => {
    const counted: DnsProvider['write'] = (...given) => {
      writes += 1;
      return write(...given);
    };
    app.providers.dnsProviders = { powerdns: { ...powerdns(), write: counted } };
  };
  answering(async () => {});
  await put();
  answering(async () => Promise.reject(new AppError('records_changed', 'Somebody was quicker.')));
  await expect(put()).rejects.toMatchObject({ code: 'records_changed' });
  expect(writes).toBe(6);
});

test('a proof that is needed again while what was left of it is removed is put back, and not forgotten', async () => {
  await using app = await createProvedApp();
  const { providers, clock } = app;
  const { order, texts, put } = await orderOf(app, 'again');
  await saveChallengeRecords(providers, order, texts);
  await put();
  const { write } = powerdns();
  const orderAgain: DnsProvider['write'] = async (...given) => {
    clock.advance(1_000);
    await saveChallengeRecords(providers, order, texts);
    await write(...(given as Parameters<typeof write>));
  };
  providers.dnsProviders = { powerdns: { ...powerdns(), write: orderAgain } };
  await removeChallengeRecords(providers, order, new AbortController().signal);
  providers.dnsProviders = { powerdns: powerdns() };
  await put();
  expect(await app.texts()).toContain('again');
  expect(await ChallengeRecordModel.countDocuments(order)).toBe(1);
});
