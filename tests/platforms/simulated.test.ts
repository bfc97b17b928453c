import { expect, test } from 'vitest';
import { PLATFORM_IDS } from '../../routers/schemas/platforms/ids.ts';
import { platformHarness, published, restored, textAt } from '../support/platform-harness.ts';
import { platforms } from '../support/platforms.ts';
import { createTestVendor } from '../support/simulated-world.ts';
import { vendorAt } from '../support/standins/simulated/api.ts';
import { addDomain, dropDomain, readDomain, requestCertificate } from '../support/standins/simulated/domains.ts';
import { simulated } from '../support/standins/simulated/index.ts';
import { startVendor } from '../support/standins/simulated/vendor/index.ts';
import { TOKEN } from '../support/standins/stand-in.ts';

test('there is an adapter for every platform but the simulated one', () => {
  expect(Object.keys(platforms)).toEqual(PLATFORM_IDS.filter((id) => id !== 'simulated'));
});

test('what it knows outlives it', async () => {
  await using vendor = await createTestVendor();
  await using harness = await platformHarness();
  const before = simulated.upload(vendor.apiUrl);
  const request = await harness.release(1, { 'index.html': 'kept' });
  const { ref } = await published(before, harness.call, request);
  await restored(before, harness.call, ref);
  const next = await startVendor({ folder: vendor.folder });
  const after = simulated.upload(next.apiUrl);
  try {
    const { url } = await after.release(harness.call, ref);
    expect(await textAt(harness.call, url)).toBe('kept');
    await published(after, harness.call, { ...request, ref });
    expect(next.requests.filter(({ step }) => step === 'site' || step === 'release' || step === 'upload')).toEqual([]);
  } finally {
    await next[Symbol.asyncDispose]();
  }
});

test('a name that somebody else has is taken with letters of our own', async () => {
  await using vendor = await createTestVendor();
  await using harness = await platformHarness();
  const platform = simulated.upload(vendor.apiUrl);
  await vendor.publishByHand('a-site', new Map([['index.html', Buffer.from('theirs')]]));
  const request = await harness.release(1, { 'index.html': 'ours' });
  const { ref } = await published(platform, harness.call, request);
  await restored(platform, harness.call, ref);
  const { url } = await platform.release(harness.call, ref);
  expect(url).toContain('a-site-dddddd');
  expect(await textAt(harness.call, url)).toBe('ours');
});

test('two who take one name at once do not both get it', async () => {
  await using vendor = await createTestVendor();
  await using harness = await platformHarness();
  const make = (owner: string) =>
    harness.call.egress.request(
      `${vendor.apiUrl}/sites`,
      {
        method: 'POST',
        headers: () => ({ authorization: `Bearer ${TOKEN}` }),
        body: Buffer.from(JSON.stringify({ name: 'wanted', owner })),
        signal: harness.call.signal,
        maxBytes: 10_000,
        wholeMs: 60_000,
      },
      async ({ status }) => status,
    );
  const statuses = await Promise.all(['a', 'b', 'c'].map(make));
  expect(statuses.toSorted()).toEqual([201, 422, 422]);
  expect(await vendor.records.all('sites')).toHaveLength(1);
});

test('a commit that somebody else made meanwhile is gone on top of', async () => {
  await using vendor = await createTestVendor();
  await using harness = await platformHarness();
  const platform = simulated.viaGit(vendor.apiUrl);
  const run = platform.publish(harness.call, await harness.release(2, { 'index.html': 'two' }));
  const site = await run.next();
  if (site.done || site.value.type !== 'site') throw new Error('The site comes first.');
  harness.call.destination.site = site.value.site;
  await published(platform, { ...harness.call }, await harness.release(1, { 'index.html': 'one' }));
  let next = await run.next();
  while (!next.done) next = await run.next();
  const { url } = await platform.release(harness.call, next.value);
  expect(await textAt(harness.call, url)).toBe('two');
});

test('a hand-off tells each step, and is not done before the very files answer', async () => {
  await using vendor = await createTestVendor();
  await using harness = await platformHarness();
  const platform = simulated.handOff(vendor.apiUrl);
  const request = await harness.release(1, { 'index.html': 'same', 'b.txt': 'new' });
  const steps = platform.handOff?.(harness.call, request).steps ?? [];
  expect(steps.map(({ text }) => text).join(' ')).toContain('under the name a-site');
  await vendor.publishByHand('a-site', new Map([['index.html', Buffer.from('same')]]));
  const ref = { name: 'a-site', manifestHash: request.manifestHash };
  expect(await platform.release(harness.call, ref)).toMatchObject({
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
  expect(await platform.release(harness.call, ref)).toMatchObject({ state: 'verifying' });
});

test('records that lead elsewhere are a problem, whatever else is asked; a certificate is not ordered before', async () => {
  await using on = await uploaded();
  await on.attach('example.com');
  on.vendor.placeRecords([{ type: 'A', name: 'example.com', value: '203.0.113.9' }]);
  await on.read('example.com');
  const seen = await on.read('example.com');
  expect(seen).toMatchObject({
    ownership: { state: 'ok', text: 'Simulated platform has this domain for this deployment.' },
    dns: { state: 'problem', text: 'The records of this domain point elsewhere than to Simulated platform.' },
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
  expect((await on.attach('example.com')).counterparts).toEqual(['www.example.com']);
  expect((await on.attach('www.example.com')).counterparts).toEqual([]);
  await on.detach('example.com');
  expect(await names()).toEqual(['www.example.com']);
  await on.detach('www.example.com');
  expect((await on.attach('www.example.com')).counterparts).toEqual(['example.com']);
  await on.detach('www.example.com');
  expect(await names()).toEqual([]);
});

/** Returns a site by upload, and what can be done with its domains. */
async function uploaded() {
  const vendor = await createTestVendor();
  const harness = await platformHarness();
  await published(simulated.upload(vendor.apiUrl), harness.call, await harness.release(1, { 'index.html': 'ours' }));
  const api = vendorAt(vendor.apiUrl);
  return {
    vendor,
    attach: (name: string) => addDomain(api, harness.call, name),
    read: (name: string) => readDomain(api, harness.call, name),
    detach: (name: string) => dropDomain(api, harness.call, name),
    request: (name: string) => requestCertificate(api, harness.call, name),
    [Symbol.asyncDispose]: async () => {
      await harness[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}
