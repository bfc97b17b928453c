import { randomBytes } from 'node:crypto';
import {
  type FileHandle,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { findInBundle, readBundle } from '../../server/store/disk/bundle.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import type { ArtifactStore, StoreClock } from '../../server/store/store.ts';
import { type StoreUnderTest, sha256Of, storeSuite } from '../support/store-suite.ts';

const TWO_HOURS_AGO = new Date(Date.now() - 2 * 60 * 60_000);
const TWO_DAYS_AGO = new Date(Date.now() - 48 * 60 * 60_000);

async function makeDisk(now?: StoreClock): Promise<StoreUnderTest & { folder: string }> {
  const root = await mkdtemp(join(tmpdir(), 'fairlead-store-'));
  const folder = join(root, 'artifacts');
  const bundles = join(folder, 'packs');
  const options = { folder, minFreeBytes: 0, rateCounters: createRateCounters(), ...(now !== undefined && { now }) };
  return {
    folder,
    store: await createDiskStore(options),
    reopen: () => createDiskStore(options),
    corrupt: async (sha256) => {
      const { path, offset } = await whereIs(folder, sha256);
      const file = await open(path, 'r+');
      const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, offset + 10);
      expect(bytesRead).toBe(1);
      await file.write(Buffer.from([buffer.readUInt8(0) ^ 1]), 0, 1, offset + 10);
      await file.close();
    },
    shorten: async (sha256) => {
      const { path, offset, sizeBytes } = await whereIs(folder, sha256);
      await truncate(path, offset + sizeBytes - 1);
    },
    leaveBehind: async () => {
      const old = [join(folder, 'a', `${'a'.repeat(64)}.1.x.tmp`), join(bundles, '0a.pack.1.x.tmp')];
      for (const path of old) {
        await writeFile(path, 'half');
        await utimes(path, TWO_HOURS_AGO, TWO_HOURS_AGO);
      }
      await writeFile(join(folder, 'b', `${'b'.repeat(64)}.1.x.tmp`), 'being written right now');
      return old.length;
    },
    grow: async () => {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), TWO_DAYS_AGO, TWO_DAYS_AGO);
      }
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** Returns the file, and the place in it, that an artifact is in. */
async function whereIs(folder: string, sha256: string): Promise<{ path: string; offset: number; sizeBytes: number }> {
  const bundles = join(folder, 'packs');
  for (const name of (await readdir(bundles)).filter((one) => one.endsWith('.pack'))) {
    const bundle = await readBundle(join(bundles, name));
    const entry = bundle === null ? null : findInBundle(bundle, sha256);
    if (entry !== null) return { path: join(bundles, name), ...entry };
  }
  const path = join(folder, sha256.charAt(0), sha256);
  return { path, offset: 0, sizeBytes: (await stat(path)).size };
}

storeSuite('disk', makeDisk);

test('files lie in sixteen folders by the first digit of their hash, readable by the owner alone', async () => {
  await using place = await makeDisk();
  const { sha256 } = await place.store.writeWhole(Buffer.from('private'));
  const found = await stat(join(place.folder, sha256.charAt(0), sha256));
  expect(found.mode & 0o777).toBe(0o600);
  expect((await readdir(place.folder)).filter((name) => name.length === 1).length).toBe(16);
});

test('a refused write leaves no file of any name', async () => {
  await using place = await makeDisk();
  const bytes = Buffer.from('refused');
  async function* source(): AsyncGenerator<Buffer> {
    yield bytes;
  }
  await expect(place.store.write(source(), { sha256: '0'.repeat(64), sizeBytes: 7 })).rejects.toMatchObject({
    code: 'hash_mismatch',
  });
  expect(await readdir(join(place.folder, '0'))).toEqual([]);
});

test('damaged bytes are kept apart for a look at them', async () => {
  await using place = await makeDisk();
  const { sha256 } = await place.store.writeWhole(randomBytes(50));
  await place.corrupt(sha256);
  await expect(place.store.readWhole(sha256)).rejects.toMatchObject({ code: 'artifact_corrupted' });
  expect(await readdir(join(place.folder, 'quarantine'))).toEqual([sha256]);
  expect(await place.store.has(sha256)).toBe(false);
});

test('a file that another takes the place of is verified again', async () => {
  await using place = await makeDisk();
  const { sha256 } = await place.store.writeWhole(Buffer.from('one'));
  await (await place.store.open(sha256)).close();
  const path = join(place.folder, sha256.charAt(0), sha256);
  await writeFile(`${path}.new`, 'two');
  await rename(`${path}.new`, path);
  await expect(place.store.open(sha256)).rejects.toMatchObject({ code: 'artifact_corrupted' });
});

test('below the room that must stay free every write is refused, and what is stored is still read', async () => {
  await using place = await makeDisk();
  const { sha256 } = await place.store.writeWhole(Buffer.from('before'));
  const tight = await createDiskStore({
    folder: place.folder,
    minFreeBytes: Number.MAX_SAFE_INTEGER,
    rateCounters: createRateCounters(),
  });
  await expect(tight.writeWhole(Buffer.from('after'))).rejects.toMatchObject({ code: 'storage_full', status: 507 });
  expect((await tight.readWhole(sha256)).toString()).toBe('before');
  expect(await tight.has(sha256Of(Buffer.from('after')))).toBe(false);
});

test('a folder that cannot be made is named in one sentence', async () => {
  await using place = await makeDisk();
  const file = join(place.folder, 'a-file');
  await writeFile(file, '');
  await expect(
    createDiskStore({ folder: join(file, 'artifacts'), minFreeBytes: 0, rateCounters: createRateCounters() }),
  ).rejects.toThrow(`The folder ${join(file, 'artifacts')} cannot be used for artifacts:`);
});

test('a store whose folder has gone says so when it is checked', async () => {
  await using place = await makeDisk();
  await rm(place.folder, { recursive: true });
  await expect(place.store.check()).rejects.toMatchObject({ code: 'storage_unavailable' });
});

test('two processes that open a new folder at once agree on its id', async () => {
  const root = await mkdtemp(join(tmpdir(), 'fairlead-store-'));
  const stores = await Promise.all(
    Array.from({ length: 8 }, () =>
      createDiskStore({ folder: join(root, 'artifacts'), minFreeBytes: 0, rateCounters: createRateCounters() }),
    ),
  );
  expect(new Set(stores.map((store) => store.id)).size).toBe(1);
  expect(await readFile(join(root, 'artifacts', 'store-id'), 'utf8')).toBe(stores[0]?.id);
  await rm(root, { recursive: true, force: true });
});

test('a place that cannot be written to answers storage_unavailable', async () => {
  await using place = await makeDisk();
  // A file where the folder was: refused for root as well, who ignores mode bits.
  const digit = sha256Of(Buffer.from('x')).charAt(0);
  await rm(join(place.folder, digit), { recursive: true });
  await writeFile(join(place.folder, digit), '');
  await expect(place.store.writeWhole(Buffer.from('x'))).rejects.toMatchObject({
    code: 'storage_unavailable',
    status: 503,
  });
});

/** Notes the inode of all that is synced until it is disposed. The first sync fails with `error`, if there is one. */
async function watchSyncs(folder: string, error: Error | null = null): Promise<{ synced: number[] } & Disposable> {
  const handle = await open(folder, 'r');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const sync = prototype.sync;
  const synced: number[] = [];
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    if (error !== null && spy.mock.calls.length === 1) throw error;
    synced.push((await this.stat()).ino);
    await Reflect.apply(sync, this, []);
  });
  return { synced, [Symbol.dispose]: () => spy.mockRestore() };
}

function inodesOf(paths: readonly string[]): Promise<number[]> {
  return Promise.all(paths.map(async (path) => (await stat(path)).ino));
}

async function take(store: ArtifactStore, contents: readonly Buffer[]): Promise<void> {
  const intake = await store.intake();
  for (const bytes of contents) await intake.add(bytes, { sha256: sha256Of(bytes), sha1: '', sizeBytes: bytes.length });
  await intake.commit();
}

test('the names of files are durable also where the write of another fails', async () => {
  await using place = await makeDisk();
  const texts = ['one', 'another', 'a third'].map((text) => Buffer.from(text));
  using watched = await watchSyncs(place.folder, Object.assign(new Error('i/o error'), { code: 'EIO' }));
  await expect(take(place.store, texts)).rejects.toThrow();
  const isStored = await Promise.all(texts.map((bytes) => place.store.has(sha256Of(bytes))));
  const folders = texts.filter((_, index) => isStored[index]).map((bytes) => sha256Of(bytes).charAt(0));
  expect(folders.length).toBe(2);
  const inodes = await inodesOf(folders.map((folder) => join(place.folder, folder)));
  expect(watched.synced).toEqual(expect.arrayContaining(inodes));
});

test('what another upload has just stored is durable by its name as soon as it is used', async () => {
  await using place = await makeDisk();
  const loose = Buffer.from('loose');
  const bundled = Array.from({ length: 65 }, (_, number) => Buffer.from(`bundled ${number}`));
  await take(place.store, [loose]);
  await take(place.store, bundled);
  async function* source(): AsyncGenerator<Buffer> {
    yield loose;
  }
  const streamed = async (): Promise<void> => {
    const intake = await place.store.intake();
    await intake.addStream(source());
    await intake.commit();
  };
  const uses: [string, () => Promise<unknown>][] = [
    [sha256Of(loose).charAt(0), () => take(place.store, [loose])],
    [sha256Of(loose).charAt(0), streamed],
    [
      sha256Of(loose).charAt(0),
      () => place.store.write(source(), { sha256: sha256Of(loose), sizeBytes: loose.length }),
    ],
    ['packs', () => take(place.store, bundled.slice(0, 1))],
  ];
  for (const [folder, use] of uses) {
    using watched = await watchSyncs(place.folder);
    await use();
    expect(watched.synced).toEqual(expect.arrayContaining(await inodesOf([join(place.folder, folder)])));
  }
});

test('one misread moves nothing out: the bytes are read again', async () => {
  await using place = await makeDisk();
  const bytes = Buffer.from('read wrong once');
  await place.store.writeWhole(bytes);
  const handle = await open(join(place.folder, sha256Of(bytes).charAt(0), sha256Of(bytes)), 'r');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const read = prototype.read;
  const misread = vi.spyOn(prototype, 'read').mockImplementationOnce(async function (
    this: FileHandle,
    ...args: unknown[]
  ) {
    const result = await Reflect.apply(read, this, args);
    result.buffer[0] ^= 1;
    return result;
  });
  try {
    expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  } finally {
    misread.mockRestore();
  }
  expect(await readdir(join(place.folder, 'quarantine'))).toEqual([]);
});
