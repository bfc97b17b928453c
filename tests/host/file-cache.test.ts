import { expect, test } from 'vitest';
import { createFileCache, type FileCache } from '../../server/host/responses/file-cache.ts';
import { corruptibleStore } from '../support/corruptible-store.ts';

const CACHE_BYTES = 256 * 1024;

/** Loads so many bodies of one byte, each under a key of its own, and returns the keys. */
async function loadBytes(cache: FileCache, artifact: { sha256: string; sizeBytes: number }, count: number) {
  const keys = Array.from({ length: count }, (_, number) => `${number}`.padStart(64, '0'));
  for (const key of keys) await cache.load({ key, artifact, coding: 'identity' });
  return keys;
}

test('a body of one byte is weighed by what it takes in memory', async () => {
  await using running = await corruptibleStore();
  const artifact = await running.store.writeWhole(Buffer.from('x'));
  const cache = createFileCache(running.store, CACHE_BYTES);
  const keys = await loadBytes(cache, artifact, 1_000);
  const kept = keys.filter((key) => cache.known(key) !== undefined);
  expect(kept.length).toBeLessThan(CACHE_BYTES / 500);
  expect(kept.length).toBeGreaterThan(CACHE_BYTES / 1_000);
  expect(kept.at(-1)).toBe(keys.at(-1));
});

test('although all bodies were used, one more finds its room among the oldest and is kept', async () => {
  await using running = await corruptibleStore();
  const artifact = await running.store.writeWhole(Buffer.from('x'));
  const cache = createFileCache(running.store, CACHE_BYTES);
  const keys = await loadBytes(cache, artifact, 1_000);
  const used = keys.filter((key) => cache.known(key) !== undefined);
  await cache.load({ key: 'one more', artifact, coding: 'identity' });
  expect(cache.known('one more')).toBeDefined();
  const gone = used.filter((key) => cache.known(key) === undefined);
  expect(gone).toEqual([used[64]]);
});
