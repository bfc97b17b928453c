import { expect, test } from 'vitest';
import { encodeManifest } from '../../server/artifacts/manifest.ts';
import type { ArtifactStore } from '../../server/artifacts/store.ts';
import { createSiteCache, findEarlierAsset } from '../../server/host/site.ts';
import { createRateCounters } from '../../server/rate-counters.ts';
import { startCorruptible } from '../support/corruptible-store.ts';
import { refusalOf } from '../support/refusal.ts';

const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const partsOf = (store: ArtifactStore) => ({ store, log: LOG, rateCounters: createRateCounters() });
const RELEASES = 60;
const LINES = 4_000;

test('sites with long files of rules are weighed by what these take once parsed', async () => {
  await using running = await startCorruptible();
  const { store } = running.app.providers;
  const hashes: string[] = [];
  for (let number = 0; number < RELEASES; number += 1) {
    const text = Array.from({ length: LINES }, (_, line) => `/from-${number}-${line} /to-${line}`).join('\n');
    const rules = await store.writeWhole(Buffer.from(text));
    const manifest = await encodeManifest(new Map([['_redirects', rules]]));
    hashes.push((await store.writeWhole(manifest)).sha256);
  }
  expect(new Set(hashes).size).toBe(RELEASES);
  const sites = createSiteCache(partsOf(store), 16 * 1024 * 1024);
  for (const manifestHash of hashes) await sites.load({ manifestHash, variantsHash: null });
  const kept = hashes.filter((hash) => sites.known(hash) !== undefined);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(RELEASES / 4);
  expect(kept).toContain(hashes.at(-1));
});

const SHA256 = 'ab'.repeat(32);
const refOf = (number: number) => ({ manifestHash: `${number}`.padStart(64, '0'), variantsHash: null });

/** A store whose lists of files wait until they are let go; `mostAtOnce` is how many were being read at the same time. */
async function waitingStore(store: ArtifactStore, paths: readonly string[] = ['index.html']) {
  const bytes = await encodeManifest(new Map(paths.map((path) => [path, { sha256: SHA256, sizeBytes: 1 }])));
  const reading = { now: 0, mostAtOnce: 0 };
  let letGo = (): void => undefined;
  const goOn = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const readWhole = async (): Promise<Buffer> => {
    reading.now += 1;
    reading.mostAtOnce = Math.max(reading.mostAtOnce, reading.now);
    await goOn;
    reading.now -= 1;
    return bytes;
  };
  return { reading, letGo, store: Object.assign(Object.create(store), { readWhole }) };
}

test('of a hundred cold sites two are read at once, and what the queue has no room for is told to come back', async () => {
  await using running = await startCorruptible();
  const { reading, letGo, store } = await waitingStore(running.store);
  const sites = createSiteCache(partsOf(store));
  const loads = Array.from({ length: 100 }, (_, number) => sites.load(refOf(number)));
  const ends = Promise.allSettled(loads);
  const earlier = findEarlierAsset(sites, [refOf(200).manifestHash], 'a.js');
  expect(await refusalOf(earlier)).toMatchObject({ code: 'overloaded' });
  letGo();
  const refused = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(reading.mostAtOnce).toBe(2);
  expect(refused).toHaveLength(100 - 2 - 64);
  for (const reason of refused) expect(reason).toMatchObject({ code: 'overloaded', status: 503, retryAfterMs: 2_000 });
  expect((await sites.load(refOf(99))).fileCount).toBe(1);
});

test('a site with long paths weighs more than one with as many short ones', async () => {
  await using running = await startCorruptible();
  const keptOf = async (length: number): Promise<number> => {
    const paths = Array.from({ length: 1_000 }, (_, at) => `${at}`.padStart(length, 'x'));
    const { letGo, store } = await waitingStore(running.store, paths);
    letGo();
    const sites = createSiteCache(partsOf(store), 8 * 1024 * 1024);
    const refs = Array.from({ length: 40 }, (_, number) => refOf(number));
    for (const ref of refs) await sites.load(ref);
    return refs.filter(({ manifestHash }) => sites.known(manifestHash) !== undefined).length;
  };
  expect(await keptOf(500)).toBeLessThan((await keptOf(10)) / 2);
});
