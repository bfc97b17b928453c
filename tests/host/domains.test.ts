import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ChallengeAnswerModel } from '../../server/database/models/domains/challenge-answer.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { newId } from '../../server/database/mongo.ts';
import { createHttpSolver } from '../../server/domains/certificates/challenges/solver.ts';
import { type Ask, get } from '../support/get.ts';
import { createTestHost, publishSite, shareHost, type TestHost } from '../support/host.ts';
import { withoutDatabase } from '../support/without-database.ts';

const visit = (site: TestHost, host: string, path = '/', ask: Ask = {}) => get(site.host.address.port, host, path, ask);

/** Stores a domain of this deployment as proved, or only claimed. */
async function addDomain(
  deploymentId: string,
  name: string,
  { isProved = true, counterpart = null as string | null } = {},
): Promise<string> {
  const _id = newId();
  const deployment = await DeploymentModel.findOne({ _id: deploymentId }).setOptions({ acrossAccounts: 'host' });
  await DomainModel.create({
    _id,
    accountId: deployment?.accountId ?? '',
    deploymentId,
    name,
    counterpart,
    unit: name,
    servedName: name,
    state: isProved ? 'pending_dns' : 'unverified',
    heldNames: isProved ? [name, ...(counterpart === null ? [] : [counterpart])] : [],
    proof: { name: `_fairlead.${name}`, value: newId() },
    provedAt: isProved ? new Date() : null,
    nextCheckAt: new Date(),
    quickFrom: new Date(),
  });
  return _id;
}

const theHost = shareHost();

test('a proved name answers with its deployment, and one that nobody holds with the neutral page', async () => {
  const site = await theHost();
  const { deploymentId } = await publishSite(site, 'first', { 'index.html': 'mine' });
  await addDomain(deploymentId, 'mine.example');
  await addDomain(deploymentId, 'claimed.example', { isProved: false });
  expect((await visit(site, 'mine.example')).text).toBe('mine');
  expect((await visit(site, 'MINE.example.:8080')).text).toBe('mine');
  for (const host of ['claimed.example', 'nobody.example', 'sub.mine.example']) {
    const answer = await visit(site, host);
    expect([answer.status, answer.text.includes('There is no site at this address')]).toEqual([404, true]);
  }
});

test('of www and what is below it one serves and the other leads there, with port, path and query', async () => {
  const site = await theHost();
  const { deploymentId } = await publishSite(site, 'pair', { 'index.html': 'pair' });
  const domainId = await addDomain(deploymentId, 'pair.example', { counterpart: 'www.pair.example' });
  const answer = await visit(site, 'www.pair.example:8080', '/a%20b/?q=1');
  expect([answer.status, answer.headers.location]).toEqual([308, 'http://pair.example:8080/a%20b/?q=1']);
  // A certificate's challenge is answered where it is asked.
  expect((await visit(site, 'www.pair.example', '/.well-known/acme-challenge/x')).status).toBe(404);

  await DomainModel.updateOne({ _id: domainId }, { servedName: 'www.pair.example' }).setOptions({
    acrossAccounts: 'host',
  });
  await site.host.refresh();
  expect((await visit(site, 'www.pair.example')).text).toBe('pair');
  expect((await visit(site, 'pair.example')).headers.location).toBe('http://www.pair.example/');
});

test('a name that moves to another deployment answers every request meanwhile', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  const before = await publishSite(site, 'before', { 'index.html': 'before' });
  const after = await publishSite(site, 'after', { 'index.html': 'after' });
  const domainId = await addDomain(before.deploymentId, 'moving.example');
  expect((await visit(site, 'moving.example')).text).toBe('before');
  const seen: string[] = [];
  const visitor = (async () => {
    while (seen.at(-1) !== 'after') seen.push((await visit(site, 'moving.example')).text);
  })();
  await DomainModel.updateOne({ _id: domainId }, { deploymentId: after.deploymentId }).setOptions({
    acrossAccounts: 'host',
  });
  await visitor;
  expect([...new Set(seen)].filter((text) => text !== 'before')).toEqual(['after']);
});

test('a name that was given up answers no longer', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  const { deploymentId } = await publishSite(site, 'given', { 'index.html': 'given' });
  const domainId = await addDomain(deploymentId, 'given.example');
  expect((await visit(site, 'given.example')).text).toBe('given');
  await DomainModel.updateOne({ _id: domainId }, { heldNames: [] }).setOptions({ acrossAccounts: 'host' });
  await expect.poll(async () => (await visit(site, 'given.example')).status).toBe(404);
});

test('domains are served while the database is away, also after a restart', async () => {
  await using site = await createTestHost();
  const { deploymentId } = await publishSite(site, 'kept', { 'index.html': 'kept' });
  await addDomain(deploymentId, 'kept.example', { counterpart: 'www.kept.example' });
  await site.host.refresh();
  await withoutDatabase(async () => {
    await site.restart();
    expect((await visit(site, 'kept.example')).text).toBe('kept');
    expect((await visit(site, 'www.kept.example')).status).toBe(308);
    expect((await visit(site, 'nobody.example')).status).toBe(503);
  });
});

test('two accounts never hold one name, and claims of it stand beside each other', async () => {
  const site = await theHost();
  const one = await publishSite(site, 'one', { 'index.html': '1' });
  const two = await publishSite(site, 'two', { 'index.html': '2' });
  await DomainModel.init();
  await addDomain(one.deploymentId, 'both.example', { isProved: false });
  await addDomain(two.deploymentId, 'both.example', { counterpart: 'www.both.example' });
  await expect(addDomain(one.deploymentId, 'www.both.example')).rejects.toMatchObject({ code: 11_000 });
});

/** A connection that has been answered once, so that what it says next is read at once. */
async function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (piece: Buffer) => {
    received += piece.toString();
  });
  const ask = (path: string, visitor: string): void => {
    received = '';
    socket.write(`GET ${path} HTTP/1.1\r\nHost: flooded.example\r\nX-Forwarded-For: ${visitor}\r\n\r\n`);
  };
  const answered = once(socket, 'data');
  ask('/', '192.0.2.1');
  await answered;
  return { ask, received: () => received, [Symbol.dispose]: () => void socket.destroy() };
}

test('the answer that one process has put in place is given by each of them, and by none once it is taken away', async () => {
  await using one = await createTestHost();
  await using other = await createTestHost();
  const { deploymentId } = await publishSite(one, 'several', { 'index.html': 'mine' });
  await addDomain(deploymentId, 'several.example');
  const solver = createHttpSolver({ now: () => new Date() });
  const token = newId().padEnd(43, 'c');
  const answer = { name: 'several.example', challengeUrl: '', token, text: 'the text' };
  const { signal } = new AbortController();
  const said = () =>
    Promise.all([one, other].map((site) => visit(site, 'several.example', `/.well-known/acme-challenge/${token}`)));
  for (const site of [one, other]) await site.host.refresh();
  await solver.put([answer], signal);
  expect((await said()).map(({ status, text }) => [status, text])).toEqual([
    [200, 'the text'],
    [200, 'the text'],
  ]);
  await solver.remove([answer], signal);
  await expect.poll(async () => (await said()).some(({ text }) => text === 'the text')).toBe(false);
});

test('a visitor who asks for challenges without end keeps no authority from its answer', async () => {
  await using site = await createTestHost();
  const { deploymentId } = await publishSite(site, 'flooded', {
    ...{ 'index.html': 'mine', '404.html': 'not mine', _redirects: '/* https://elsewhere.example/:splat 301!' },
  });
  await addDomain(deploymentId, 'flooded.example');
  const addresses = { ...site.providers.addresses, trustedProxies: 1 };
  await site.restart({ addresses });
  const token = newId().padEnd(43, 'a');
  await ChallengeAnswerModel.create({ _id: token, text: 'the text', expiresAt: new Date(Date.now() + 60_000) });
  const { port } = site.host.address;
  const flood = await Promise.all(Array.from({ length: 30 }, () => openConnection(port)));
  using authority = await openConnection(port);
  const path = (its: string) => `/.well-known/acme-challenge/${its}`;
  for (const connection of flood) connection.ask(path(newId().padEnd(43, 'b')), '198.51.100.1');
  authority.ask(path(token), '198.51.100.2');
  await expect.poll(authority.received).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*the text$/);
  for (const connection of flood) connection[Symbol.dispose]();
});

test.each([
  ['https://{slug}.localhost', () => ''],
  ['https://{slug}.localhost:8443', () => ':8443'],
  ['http://{slug}.localhost:3001', ({ host }: TestHost) => `:${host.tlsAddress?.port}`],
])('with SITES_URL %s visitors in the clear are led to the port that others see', async (sitesUrl, portOf) => {
  const tls = { port: 0, has: () => true, contextFor: () => undefined };
  const addresses = { publicUrl: 'http://localhost:3000', sitesDomain: 'localhost', sitesUrl };
  const mailed = { supportEmail: 'support@localhost', operatorEmail: 'operator@localhost' };
  const sitesListener = { protocol: 'http:', host: '127.0.0.1', port: 0 } as const;
  await using site = await createTestHost({
    tls,
    providers: { addresses: { ...addresses, ...mailed, sitesListener } },
  });
  const { deploymentId } = await publishSite(site, 'safe', { 'index.html': 'safe' });
  const domainId = await addDomain(deploymentId, 'safe.example');
  await site.host.refresh();
  const answer = await visit(site, 'safe.example', '/a?b=1');
  expect([answer.status, answer.headers.location]).toEqual([308, `https://safe.example${portOf(site)}/a?b=1`]);
  await DomainModel.deleteOne({ _id: domainId }).setOptions({ acrossAccounts: 'host' });
});
