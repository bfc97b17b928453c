import { expect, test } from 'vitest';
import { createSiteCache, findEarlierAsset } from '../../server/host/responses/site.ts';
import { AppError } from '../../server/lib/errors.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { encodeManifest } from '../../server/store/manifest.ts';
import type { ArtifactStore } from '../../server/store/store.ts';
import { corruptibleStore } from '../support/corruptible-store.ts';
import { refusalOf } from '../support/refusal.ts';

const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const partsOf = (store: ArtifactStore) => ({ store, log: LOG, rateCounters: createRateCounters() });
const RELEASES = 60;
const LINES = 1_000;

test('sites with long files of rules are weighed by what these take once parsed', async () => {
  await using running = await corruptibleStore();
  const { store } = running;
  const hashes: string[] = [];
  for (let number = 0; number < RELEASES; number += 1) {
    const text = Array.from({ length: LINES }, (_, line) => `/from-${number}-${line} /to-${line}`).join('\n');
    const rules = await store.writeWhole(Buffer.from(text));
    const manifest = await encodeManifest(new Map([['_redirects', rules]]));
    hashes.push((await store.writeWhole(manifest)).sha256);
  }
  expect(new Set(hashes).size).toBe(RELEASES);
  const sites = createSiteCache(partsOf(store), 4 * 1024 * 1024);
  for (const manifestHash of hashes) await sites.load({ accountId: 'one', manifestHash });
  const kept = hashes.filter((manifestHash) => sites.known({ accountId: 'one', manifestHash }) !== undefined);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(RELEASES / 4);
  expect(kept).toContain(hashes.at(-1));
});

const SHA256 = 'ab'.repeat(32);
const refOf = (number: number, accountId = `${number}`) => ({
  accountId,
  manifestHash: `${number}`.padStart(64, '0'),
});

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
  await using running = await corruptibleStore();
  const { reading, letGo, store } = await waitingStore(running.store);
  const sites = createSiteCache(partsOf(store));
  const loads = Array.from({ length: 100 }, (_, number) => sites.load(refOf(number)));
  const ends = Promise.allSettled(loads);
  const earlier = findEarlierAsset(sites, [refOf(200)], 'a.js');
  expect(await refusalOf(earlier)).toMatchObject({ code: 'overloaded' });
  letGo();
  const refused = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(reading.mostAtOnce).toBe(2);
  expect(refused).toHaveLength(100 - 2 - 64);
  for (const reason of refused) expect(reason).toMatchObject({ code: 'overloaded', status: 503, retryAfterMs: 2_000 });
  expect((await sites.load(refOf(99))).fileCount).toBe(1);
});

test('visitors of a live site wait for no preview, however many accounts have one asked for', async () => {
  await using running = await corruptibleStore();
  const { reading, letGo, store } = await waitingStore(running.store);
  const sites = createSiteCache(partsOf(store));
  const previews = Array.from({ length: 70 }, (_, number) => sites.load(refOf(number), 'preview'));
  const ends = Promise.allSettled(previews);
  await expect.poll(() => reading.now).toBe(1);

  // Of an account that has previews waiting as well.
  const live = sites.load(refOf(1));
  await expect.poll(() => reading.now).toBe(2);
  letGo();

  expect((await live).fileCount).toBe(1);
  const refused = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(refused).toHaveLength(70 - 1 - 32);
  for (const reason of refused) expect(reason).toMatchObject({ code: 'overloaded' });
});

test('an earlier release that cannot be read right now may have the file, and a corrupted one has none', async () => {
  await using running = await corruptibleStore();
  const failing = (error: Error): ArtifactStore =>
    Object.assign(Object.create(running.store), { readWhole: () => Promise.reject(error) });
  const look = (error: Error) => findEarlierAsset(createSiteCache(partsOf(failing(error))), [refOf(1)], 'a.js');

  const away = new AppError('storage_unavailable', 'The disk is away.');
  expect(await refusalOf(look(away))).toMatchObject({ code: 'storage_unavailable' });
  await expect(look(new Error('a defect'))).rejects.toThrow('a defect');
  expect(await look(new AppError('artifact_corrupted', 'It is gone.'))).toBeUndefined();
});

test('a site with long paths weighs more than one with as many short ones', async () => {
  await using running = await corruptibleStore();
  const keptOf = async (length: number): Promise<number> => {
    const paths = Array.from({ length: 1_000 }, (_, at) => `${at}`.padStart(length, 'x'));
    const { letGo, store } = await waitingStore(running.store, paths);
    letGo();
    const sites = createSiteCache(partsOf(store), 8 * 1024 * 1024);
    const refs = Array.from({ length: 40 }, (_, number) => refOf(number));
    for (const ref of refs) await sites.load(ref);
    return refs.filter((ref) => sites.known(ref) !== undefined).length;
  };
  expect(await keptOf(500)).toBeLessThan((await keptOf(10)) / 2);
});

test('the heavy sites of one account crowd out each other, and no small site of another', async () => {
  await using running = await corruptibleStore();
  const { store } = running;
  const writeManifest = async (paths: readonly string[]): Promise<string> => {
    const manifest = await encodeManifest(new Map(paths.map((path) => [path, { sha256: SHA256, sizeBytes: 1 }])));
    return (await store.writeWhole(manifest)).sha256;
  };
  const sites = createSiteCache(partsOf(store), 8 * 1024 * 1024);
  const refBy = (accountId: string, manifestHash: string) => ({ accountId, manifestHash });
  const small = refBy('small', await writeManifest(['index.html']));
  await sites.load(small);
  const heavy: ReturnType<typeof refBy>[] = [];
  for (let number = 0; number < 10; number += 1) {
    const paths = Array.from({ length: 1_000 }, (_, at) => `${number}-${at}`.padStart(500, 'x'));
    heavy.push(refBy('heavy', await writeManifest(paths)));
  }

  for (const ref of [...heavy, ...heavy]) await sites.load(ref);

  expect(sites.known(small)?.fileCount).toBe(1);
  const kept = heavy.filter((ref) => sites.known(ref) !== undefined);
  expect(kept.length).toBeGreaterThan(1);
  expect(kept.length).toBeLessThan(heavy.length);
  expect(kept.at(-1)).toBe(heavy.at(-1));
  // An account that copies a site of another one is charged for it alone.
  expect(sites.known({ ...small, accountId: 'heavy' })).toBeUndefined();
});

test('a site is loaded while another account has more of them asked for than there are places', async () => {
  await using running = await corruptibleStore();
  const { letGo, store } = await waitingStore(running.store);
  const { store: own } = running;
  const manifest = await own.writeWhole(
    await encodeManifest(new Map([['index.html', { sha256: SHA256, sizeBytes: 1 }]])),
  );
  const isOther = (sha256: string): boolean => sha256 !== manifest.sha256;
  const readWhole = (sha256: string) => (isOther(sha256) ? store : own).readWhole(sha256);
  const sites = createSiteCache(partsOf(Object.assign(Object.create(own), { readWhole })));
  const loads = Promise.allSettled(Array.from({ length: 100 }, (_, number) => sites.load(refOf(number, 'crowded'))));

  const site = await sites.load({ accountId: 'other', manifestHash: manifest.sha256 });

  expect(site.fileCount).toBe(1);
  letGo();
  expect((await loads).filter(({ status }) => status === 'fulfilled')).toHaveLength(17);
});
