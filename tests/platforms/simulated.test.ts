import { expect, test } from 'vitest';
import { PLATFORM_IDS } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { platforms } from '../../server/platforms/index.ts';
import { addDomain, dropDomain, readDomain, requestCertificate } from '../../server/platforms/simulated/domains.ts';
import { simulated } from '../../server/platforms/simulated/index.ts';
import { startVendor } from '../../server/platforms/simulated/vendor/index.ts';
import { platformBench, published } from '../support/platform-bench.ts';
import { platformSuite } from '../support/platform-suite.ts';
import { createTestVendor, simulatedUnderTest } from '../support/simulated-world.ts';

await platformSuite('simulated upload', () => simulatedUnderTest(simulated.upload));
await platformSuite('simulated through Git', () => simulatedUnderTest(simulated.viaGit));
await platformSuite('simulated hand-off', () => simulatedUnderTest(simulated.handOff));

test('what is said to be available is what there is an adapter for; the one that is played is not', () => {
  expect(Object.keys(platforms)).toEqual(PLATFORM_IDS.filter((id) => PLATFORMS[id].isAvailable));
  expect(PLATFORMS.simulated.isAvailable).toBe(false);
});

test('what it knows outlives it', async () => {
  await using vendor = await createTestVendor();
  await using bench = await platformBench({ ...worldless, fetch: vendor.fetch });
  const request = await bench.release(1, { 'index.html': 'kept' });
  const { ref } = await published(simulated.upload, bench.call, request);
  await simulated.upload.restore?.(bench.call, ref);
  const next = await startVendor({ folder: vendor.folder });
  try {
    const call = { ...bench.call, fetch: next.fetch };
    const { url } = await simulated.upload.release(call, ref);
    expect(await (await call.fetch(`${url}/`)).text()).toBe('kept');
    await published(simulated.upload, call, { ...request, ref });
    expect(next.requests.filter(({ step }) => step === 'site' || step === 'release' || step === 'upload')).toEqual([]);
  } finally {
    await next.stop();
  }
});

test('a name that somebody else has is taken with letters of our own', async () => {
  await using vendor = await createTestVendor();
  await using bench = await platformBench({ ...worldless, fetch: vendor.fetch });
  await vendor.publishByHand('a-site', new Map([['index.html', Buffer.from('theirs')]]));
  const request = await bench.release(1, { 'index.html': 'ours' });
  const { ref } = await published(simulated.upload, bench.call, request);
  await simulated.upload.restore?.(bench.call, ref);
  const { url } = await simulated.upload.release(bench.call, ref);
  expect(url).toContain('a-site-dddddd');
  expect(await (await bench.call.fetch(`${url}/`)).text()).toBe('ours');
});

test('two who take one name at once do not both get it', async () => {
  await using vendor = await createTestVendor();
  const make = (owner: string) =>
    vendor.fetch('http://api.simulated.localhost/api/sites', {
      method: 'POST',
      body: JSON.stringify({ name: 'wanted', owner }),
    });
  const statuses = (await Promise.all(['a', 'b', 'c'].map(make))).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([201, 422, 422]);
  expect(await vendor.records.all('sites')).toHaveLength(1);
});

test('a commit that somebody else made meanwhile is gone on top of', async () => {
  await using vendor = await createTestVendor();
  await using bench = await platformBench({ ...worldless, fetch: vendor.fetch });
  const run = simulated.viaGit.publish(bench.call, await bench.release(2, { 'index.html': 'two' }));
  const site = await run.next();
  if (site.done || site.value.type !== 'site') throw new Error('The site comes first.');
  bench.call.site = site.value.site;
  await published(simulated.viaGit, { ...bench.call }, await bench.release(1, { 'index.html': 'one' }));
  let next = await run.next();
  while (!next.done) next = await run.next();
  const { url } = await simulated.viaGit.release(bench.call, next.value);
  expect(await (await bench.call.fetch(`${url}/`)).text()).toBe('two');
});

test('a hand-off tells each step, and is not done before the very files answer', async () => {
  await using vendor = await createTestVendor();
  await using bench = await platformBench({ ...worldless, fetch: vendor.fetch });
  const request = await bench.release(1, { 'index.html': 'same', 'b.txt': 'new' });
  const steps = simulated.handOff.handOff?.(bench.call, request).steps ?? [];
  expect(steps.map(({ text }) => text).join(' ')).toContain('under the name a-site');
  await vendor.publishByHand('a-site', new Map([['index.html', Buffer.from('same')]]));
  const ref = { name: 'a-site', manifestHash: request.manifestHash };
  expect(await simulated.handOff.release(bench.call, ref)).toMatchObject({
    state: 'processing',
    text: 'Waiting for you',
  });
  await vendor.publishByHand(
    'a-site',
    new Map([
      ['index.html', Buffer.from('same')],
      ['b.txt', Buffer.from('new')],
    ]),
  );
  expect(await simulated.handOff.release(bench.call, ref)).toMatchObject({ state: 'verifying' });
});

test('records that lead elsewhere are a problem, whatever else is asked; a certificate is not ordered before', async () => {
  await using on = await uploaded();
  await on.attach('example.com');
  on.vendor.placeRecords([{ type: 'A', name: 'example.com', value: '203.0.113.9' }]);
  await on.read('example.com');
  const seen = await on.read('example.com');
  expect(seen).toMatchObject({
    ownership: { state: 'ok', text: 'Simulated platform has this domain for this deployment.' },
    dns: { state: 'problem', text: 'The records of this domain lead elsewhere than to Simulated platform.' },
    certificate: { state: 'waiting', code: 'records_missing' },
  });
  await on.request('example.com');
  expect(on.vendor.requests.filter(({ step }) => step === 'certificate')).toEqual([]);
});

test('a certificate that was refused is a problem, and says nothing of the rest', async () => {
  await using on = await uploaded();
  on.vendor.fail('attach', { how: 'states', states: ['errored'] });
  await on.attach('example.com');
  expect(await on.read('example.com')).toMatchObject({
    ownership: { state: 'waiting', text: 'What Simulated platform says of it is not clear yet: errored.' },
    dns: { state: 'waiting' },
    certificate: { state: 'problem', text: 'Simulated platform got no certificate for this domain.' },
  });
});

test('www that came by itself stays once it was asked for', async () => {
  await using on = await uploaded();
  const names = async () => (await on.vendor.records.all('domains')).map(({ name }) => name).toSorted();
  expect((await on.attach('example.com')).twins).toEqual(['www.example.com']);
  expect((await on.attach('www.example.com')).twins).toEqual([]);
  await on.detach('example.com');
  expect(await names()).toEqual(['www.example.com']);
  await on.detach('www.example.com');
  expect((await on.attach('www.example.com')).twins).toEqual(['example.com']);
  await on.detach('www.example.com');
  expect(await names()).toEqual([]);
});

/** A site by upload, and what can be done with its domains. */
async function uploaded() {
  const vendor = await createTestVendor();
  const bench = await platformBench({ ...worldless, fetch: vendor.fetch });
  await published(simulated.upload, bench.call, await bench.release(1, { 'index.html': 'ours' }));
  return {
    vendor,
    attach: (name: string) => addDomain(bench.call, name),
    read: (name: string) => readDomain(bench.call, name),
    detach: (name: string) => dropDomain(bench.call, name),
    request: (name: string) => requestCertificate(bench.call, name),
    [Symbol.asyncDispose]: async () => {
      await bench[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

/** A world that only leads somewhere. */
const worldless = {
  steps: [],
  countSites: async () => 0,
  countReleases: async () => 0,
  takeSent: () => 0,
  fail: () => undefined,
  heal: () => undefined,
};
