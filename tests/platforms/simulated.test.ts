import { expect, test } from 'vitest';
import { PLATFORM_IDS } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { platforms } from '../../server/platforms/index.ts';
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

/** A world that only leads somewhere. */
const worldless = {
  steps: [],
  countSites: async () => 0,
  countReleases: async () => 0,
  takeSent: () => 0,
  fail: () => undefined,
};
