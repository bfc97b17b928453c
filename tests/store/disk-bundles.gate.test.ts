import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { entriesOf, readBundle } from '../../server/store/disk/bundle.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import type { ArtifactStore } from '../../server/store/store.ts';
import { IS_FULL } from '../support/size.ts';
import { infoOf, manyBytes, sha256Of, takeIn } from '../support/store-suite.ts';

const TWO_DAYS_AGO = new Date(Date.now() - 48 * 60 * 60_000);

async function makeStore() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bundles-'));
  return {
    folder,
    bundles: join(folder, 'packs'),
    store: await createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() }),
    reopen: () => createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name !== 'store-id').map((entry) => entry.name);
}

async function age(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await utimes(join(folder, name), TWO_DAYS_AGO, TWO_DAYS_AGO);
}

function collect(store: ArtifactStore, unused: readonly Buffer[]) {
  const hashes = new Set(unused.map(sha256Of));
  return store.collect({
    before: new Date(Date.now() - 24 * 60 * 60_000),
    choose: async (asked) => new Set(asked.filter((one) => hashes.has(one))),
  });
}

test('many artifacts are one file, a few are files of their own, and what is there is not stored again', async () => {
  await using place = await makeStore();
  const few = manyBytes(10, 1000);
  const many = manyBytes(500, 2000);
  await takeIn(place.store, few);
  expect((await filesIn(place.folder)).sort()).toEqual(few.map(sha256Of).sort());

  await takeIn(place.store, [...few, ...many]);
  const [bundle = ''] = await readdir(place.bundles);
  const bundled = await readBundle(join(place.bundles, bundle));
  expect(bundled === null ? [] : [...entriesOf(bundled)].map((entry) => entry.sha256)).toEqual(
    many.map(sha256Of).sort(),
  );
  expect((await stat(join(place.bundles, bundle))).mode & 0o777).toBe(0o600);

  const before = await filesIn(place.folder);
  await takeIn(await place.reopen(), [...many, ...few]);
  for (const bytes of many.slice(0, 3)) await place.store.writeWhole(bytes);
  expect(await filesIn(place.folder)).toEqual(before);
});

test('a bundle that is mostly used is left as it is, one that is mostly not is taken apart, an empty one goes', async () => {
  await using place = await makeStore();
  const all = manyBytes(200, 10_000);
  await takeIn(place.store, all);
  await age(place.bundles);

  expect(await collect(place.store, all.slice(0, 80))).toEqual({ artifacts: 0, sizeBytes: 0 });
  expect(await filesIn(place.folder)).toHaveLength(1);
  expect(await place.store.has(sha256Of(all[0] ?? Buffer.alloc(0)))).toBe(true);

  expect(await collect(place.store, all.slice(0, 150))).toEqual({ artifacts: 150, sizeBytes: 1_500_000 });
  expect((await filesIn(place.folder)).sort()).toEqual(all.slice(150).map(sha256Of).sort());

  const others = manyBytes(100, 20_000);
  await takeIn(place.store, others);
  await age(place.bundles);
  expect(await collect(place.store, others)).toEqual({ artifacts: 100, sizeBytes: 2_000_000 });
  expect(await readdir(place.bundles)).toEqual([]);
  expect(await readdir(join(place.folder, 'trash'))).toEqual([]);
});

test('what is used again is not collected for another day, a whole bundle with it', async () => {
  await using place = await makeStore();
  const all = manyBytes(100, 20_000);
  await takeIn(place.store, all);
  await age(place.bundles);
  await place.store.writeWhole(all[7] ?? Buffer.alloc(0));
  expect(await collect(place.store, all)).toEqual({ artifacts: 0, sizeBytes: 0 });
});

test('a collection that broke off with a file in its hand gives it back at the next start', async () => {
  await using place = await makeStore();
  const all = manyBytes(100, 20_000);
  const single = randomBytes(400);
  await takeIn(place.store, all);
  await place.store.writeWhole(single);
  const loose = sha256Of(single);
  const [bundle = ''] = await readdir(place.bundles);
  await rename(join(place.folder, loose.charAt(0), loose), join(place.folder, 'trash', `${loose}~0a`));
  await rename(join(place.bundles, bundle), join(place.folder, 'trash', `${bundle}~0b`));

  const again = await place.reopen();
  for (const bytes of [...all, single]) expect((await again.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  expect(await readdir(join(place.folder, 'trash'))).toEqual([]);
});

test('a bundle whose end is missing is kept apart, and a wrong row of an index harms its own artifact alone', async () => {
  await using place = await makeStore();
  const all = manyBytes(100, 20_000);
  await takeIn(place.store, all);
  const [bundle = ''] = await readdir(place.bundles);
  const path = join(place.bundles, bundle);
  const { size } = await stat(path);
  const file = await open(path, 'r+');
  // The offset in the first row: 100 rows of 44 bytes and an end of 12 stand behind the artifacts.
  await file.write(Buffer.from([0xff]), 0, 1, size - 12 - 100 * 44 + 32);
  await file.close();
  const [first = Buffer.alloc(0), ...others] = [...all].sort((a, b) => (sha256Of(a) < sha256Of(b) ? -1 : 1));
  const again = await place.reopen();
  await expect(again.readWhole(sha256Of(first))).rejects.toMatchObject({ code: 'artifact_corrupted' });
  for (const bytes of others) expect((await again.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);

  const torn = await open(path, 'r+');
  await torn.truncate(size - 1);
  await torn.close();
  const third = await place.reopen();
  expect(await third.has(sha256Of(others[0] ?? first))).toBe(false);
  expect(await readdir(join(place.folder, 'quarantine'))).toContain(bundle);
});

test('a write of the index that fails leaves an intake that can be abandoned, and nothing of it', async () => {
  await using place = await makeStore();
  const all = manyBytes(150, 20_000);
  const intake = await place.store.intake();
  for (const bytes of all) await intake.add(bytes, infoOf(bytes));
  await rm(place.bundles, { recursive: true });
  await expect(intake.commit()).rejects.toThrow();
  await intake.abandon();
  expect(await filesIn(place.folder)).toEqual([]);
});

const INTAKES_WITHOUT_END = `
  import { createHash, randomBytes } from 'node:crypto';
  import { createDiskStore } from '${new URL('../../server/store/disk/disk.ts', import.meta.url).pathname}';
  import { createRateCounters } from '${new URL('../../server/lib/rate-counters.ts', import.meta.url).pathname}';
  const store = await createDiskStore({ folder: process.argv[1], minFreeBytes: 0, rateCounters: createRateCounters() });
  const hash = (name, bytes) => createHash(name).update(bytes).digest('hex');
  for (;;) {
    const intake = await store.intake();
    const hashes = [];
    for (let i = 0; i < 120; i += 1) {
      const bytes = randomBytes(20_000);
      hashes.push(hash('sha256', bytes));
      await intake.add(bytes, { sha256: hashes[i], sha1: hash('sha1', bytes), sizeBytes: 20_000 });
    }
    const large = await intake.addStream((async function* () { yield randomBytes(1_500_000); })());
    process.stdout.write('began ' + [...hashes, large.sha256].join(',') + '\\n');
    await intake.commit();
    process.stdout.write('done\\n');
  }`;

test.each(IS_FULL ? [3, 7, 12] : [7])(
  'kill -9 in the middle of intake %i: each is there whole or not at all, and leftovers are swept',
  async (last) => {
    await using place = await makeStore();
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', INTAKES_WITHOUT_END, place.folder],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let printed = '';
    child.stdout.on('data', (piece: Buffer) => {
      printed += piece.toString();
      if (printed.split('began').length > last) child.kill('SIGKILL');
    });
    await once(child, 'close');

    const store = await place.reopen();
    const lines = printed.split('\n');
    const intakes = lines.filter((line) => line.startsWith('began ') && line.length > 65 * 120);
    expect(intakes.length).toBeGreaterThanOrEqual(last);
    for (const [index, line] of intakes.entries()) {
      const isDone = lines.filter((one) => one === 'done').length > index;
      const hashes = line.slice('began '.length).split(',');
      const bundled = await Promise.all(hashes.slice(0, -1).map((sha256) => store.has(sha256)));
      expect(new Set(bundled).size).toBe(1);
      if (isDone) expect(bundled[0] && (await store.has(hashes.at(-1) ?? ''))).toBe(true);
      for (const sha256 of hashes) if (await store.has(sha256)) await store.readWhole(sha256);
    }
    for (const left of [place.folder, place.bundles]) {
      for (const name of (await readdir(left)).filter((one) => one.endsWith('.tmp'))) {
        await utimes(join(left, name), TWO_DAYS_AGO, TWO_DAYS_AGO);
      }
    }
    await store.sweep();
    expect((await filesIn(place.folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  },
);

test('a bundle that cannot be read keeps nobody from the others, and is there again when it can be', async () => {
  await using place = await makeStore();
  const lost = manyBytes(200, 500);
  await takeIn(place.store, lost);
  const [bundle = ''] = await readdir(place.bundles);
  await rename(join(place.bundles, bundle), join(place.folder, 'aside'));
  // To read a folder fails as a disk with a fault does, also for root.
  await mkdir(join(place.bundles, bundle));

  const store = await place.reopen();
  const [first = Buffer.alloc(0)] = lost;
  await expect(store.open(sha256Of(first))).rejects.toMatchObject({ code: 'storage_unavailable' });
  const others = manyBytes(200, 600);
  await takeIn(store, others);
  await expectWhole(store, others);

  await rm(join(place.bundles, bundle), { recursive: true });
  await rename(join(place.folder, 'aside'), join(place.bundles, bundle));
  const later = performance.now() + 60_000;
  using clock = vi.spyOn(performance, 'now').mockReturnValue(later);
  await expectWhole(store, lost);
  expect(clock).toHaveBeenCalled();
});

test('of two bundles that share artifacts one goes, and the other still has them', async () => {
  await using place = await makeStore();
  const shared = manyBytes(100, 700);
  await takeIn(place.store, shared);
  const [bundle = ''] = await readdir(place.bundles);
  await copyFile(join(place.bundles, bundle), join(place.bundles, `00${bundle}`));
  const names = await readdir(place.bundles);
  expect(names).toHaveLength(2);

  const store = await place.reopen();
  await expectWhole(store, shared);
  await rm(join(place.bundles, names[0] ?? ''));
  await expectWhole(store, shared);
  await rm(join(place.bundles, names[1] ?? ''));
  await expect(store.open(sha256Of(shared[0] ?? Buffer.alloc(0)))).rejects.toMatchObject({
    code: 'artifact_corrupted',
  });
});

async function expectWhole(store: ArtifactStore, artifacts: readonly Buffer[]): Promise<void> {
  for (const bytes of artifacts) expect(bytes.equals(await store.readWhole(sha256Of(bytes)))).toBe(true);
}
