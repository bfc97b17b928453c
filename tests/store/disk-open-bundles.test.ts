import fs, { mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { entriesOf, readBundle } from '../../server/store/disk/bundle.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import type { ArtifactStore } from '../../server/store/store.ts';
import { manyBytes, sha256Of, takeIn } from '../support/store-suite.ts';

async function makeStore() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-open-bundles-'));
  const open = () => createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() });
  const store = await open();
  const many = manyBytes(200, 1_000);
  await takeIn(store, many);
  const [name = ''] = await readdir(join(folder, 'packs'));
  return {
    store,
    open,
    folder,
    many,
    bundle: join(folder, 'packs', name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Counts the calls for matching paths until it is disposed. */
function countCalls(name: 'open' | 'stat', isCounted: (path: string) => boolean): { count: number } & Disposable {
  const original = fs[name];
  const counted = {
    count: 0,
    [Symbol.dispose]: () => {
      Object.assign(fs, { [name]: original });
      syncBuiltinESMExports();
    },
  };
  const counting = new Proxy(original, {
    apply: (call, self, args: [string]) => {
      if (isCounted(args[0])) counted.count += 1;
      return Reflect.apply(call, self, args);
    },
  });
  Object.assign(fs, { [name]: counting });
  syncBuiltinESMExports();
  return counted;
}

/** Counts the readings of open files until it is disposed. */
async function countReadings(): Promise<{ count: number } & Disposable> {
  const file = await fs.open(tmpdir());
  const prototype = Object.getPrototypeOf(file);
  await file.close();
  const { read } = prototype;
  const counted = { count: 0, [Symbol.dispose]: () => Object.assign(prototype, { read }) };
  prototype.read = function (...given: unknown[]) {
    counted.count += 1;
    return Reflect.apply(read, this, given);
  };
  return counted;
}

async function readAll(store: ArtifactStore, many: readonly Buffer[]): Promise<void> {
  const read = await Promise.all(many.map((bytes) => store.readWhole(sha256Of(bytes))));
  expect(read.every((bytes, at) => many[at]?.equals(bytes))).toBe(true);
}

test('the artifacts of a bundle are read through one open file, one after the other and at once', async () => {
  await using place = await makeStore();
  using openings = countCalls('open', (path) => path === place.bundle);
  for (const bytes of place.many) expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  await readAll(place.store, place.many);
  expect(openings.count).toBe(1);
});

test('the artifacts that lie side by side in a bundle are read together, and anew when they are read again', async () => {
  await using place = await makeStore();
  using readings = await countReadings();
  await readAll(place.store, place.many);
  expect(readings.count).toBe(2);
  await readAll(place.store, place.many);
  expect(readings.count).toBe(4);
});

test('what lies behind in a bundle is read ahead, so that of three megabytes the first alone is waited for', async () => {
  await using place = await makeStore();
  const many = manyBytes(40, 60_000);
  await takeIn(place.store, many);
  using readings = await countReadings();
  for (const bytes of many) expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  expect(readings.count).toBe(4);
});

test('a bundle that was removed while it was open is gone for its readers, whoever removed it', async () => {
  await using place = await makeStore();
  const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = place.many;
  const held = await place.store.open(sha256Of(first));
  await rm(place.bundle);
  await expect(place.store.open(sha256Of(second))).rejects.toMatchObject({ code: 'artifact_corrupted' });
  // Who has it open reads it to its end.
  expect(await held.read(0, held.sizeBytes)).toEqual(first);
  await held.close();
  await held.close();
});

test('another file in the place of a bundle, and other bytes in it, are compared again', async () => {
  await using place = await makeStore();
  const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = place.many;
  await readAll(place.store, place.many);
  const bytes = await readFile(place.bundle);
  await writeFile(`${place.bundle}.copy`, bytes);
  await rename(`${place.bundle}.copy`, place.bundle);
  await readAll(place.store, place.many);

  bytes.writeUInt8(bytes.readUInt8(bytes.indexOf(first)) ^ 1, bytes.indexOf(first));
  await writeFile(place.bundle, bytes);
  await expect(place.store.open(sha256Of(first))).rejects.toMatchObject({ code: 'artifact_corrupted' });
  expect(await place.store.readWhole(sha256Of(second))).toEqual(second);
});

test('a small artifact whose bytes changed and nothing else is found with the next reading', async () => {
  await using place = await makeStore();
  const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = place.many;
  await readAll(place.store, place.many);
  const { atime, mtime } = await stat(place.bundle);
  const bytes = await readFile(place.bundle);
  bytes.writeUInt8(bytes.readUInt8(bytes.indexOf(first)) ^ 1, bytes.indexOf(first));
  await writeFile(place.bundle, bytes);
  await utimes(place.bundle, atime, mtime);
  await expect(place.store.readWhole(sha256Of(first))).rejects.toMatchObject({ code: 'artifact_corrupted' });
  expect(await place.store.readWhole(sha256Of(second))).toEqual(second);
});

test('of many artifacts each that is here already is found, and no other is looked for on its own', async () => {
  await using place = await makeStore();
  const few = manyBytes(10, 1_000);
  await takeIn(place.store, few);
  const many = manyBytes(40, 100_000);
  const loose = new RegExp(`^${place.folder}/[0-9a-f]/`);
  using looks = countCalls('stat', (path) => loose.test(path));
  await takeIn(place.store, [...many, ...few, ...place.many]);
  // The first 64 may be all there are.
  expect(looks.count).toBeLessThanOrEqual(64);
  const bundles = await Promise.all(
    (await readdir(join(place.folder, 'packs'))).map((name) => readBundle(join(place.folder, 'packs', name))),
  );
  const bundled = bundles.flatMap((bundle) => (bundle === null ? [] : [...entriesOf(bundle)]));
  expect(bundled.map(({ sha256 }) => sha256).sort()).toEqual([...many, ...place.many].map(sha256Of).sort());
});

test('the names of some artifacts that become files of their own are made durable once for each folder', async () => {
  await using place = await makeStore();
  const some = manyBytes(64, 1_000);
  const folder = new RegExp(`^${place.folder}/[0-9a-f]$`);
  using syncs = countCalls('open', (path) => folder.test(path));
  await takeIn(place.store, some);
  expect(syncs.count).toBe(new Set(some.map((bytes) => sha256Of(bytes).charAt(0))).size);
  await readAll(place.store, some);
});
