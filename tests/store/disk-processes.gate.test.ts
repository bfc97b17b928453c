import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { IS_FULL } from '../support/size.ts';
import { sha256Of } from '../support/store-suite.ts';

async function makePlace() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-store-'));
  return {
    folder,
    store: await createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

test('a disk that fills up in mid-write answers storage_full and keeps no part of the file', async () => {
  await using place = await makePlace();
  // The size limit of a child process stands for the full disk: the system refuses the write in the same place.
  const { store, folder } = place;
  const bytes = randomBytes(3_000_000);
  const inner = `
    import { createDiskStore } from '${new URL('../../server/store/disk/disk.ts', import.meta.url).pathname}';
    import { createRateCounters } from '${new URL('../../server/lib/rate-counters.ts', import.meta.url).pathname}';
    const store = await createDiskStore({ folder: process.argv[1], minFreeBytes: 0, rateCounters: createRateCounters() });
    process.on('SIGXFSZ', () => {});
    async function* source() { for (let i = 0; i < 30; i += 1) yield Buffer.alloc(100_000, i); }
    const error = await store.write(source(), { sha256: '${'c'.repeat(64)}', sizeBytes: 3_000_000 }).catch((e) => e);
    process.stdout.write(String(error.code));`;
  const child = spawn(
    '/bin/sh',
    ['-c', 'ulimit -f 2048; exec "$0" --import tsx --input-type=module -e "$1" "$2"', process.execPath, inner, folder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  child.stdout.on('data', (piece: Buffer) => {
    printed += piece.toString();
  });
  await once(child, 'close');
  expect(printed).toBe('storage_full');
  expect(await readdir(join(folder, 'c'))).toEqual([]);
  await store.writeWhole(bytes);
});

test.each(IS_FULL ? [1, 2, 3] : [1])('kill -9 in mid-write leaves no torn artifact (run %i)', async () => {
  await using place = await makePlace();
  const inner = `
    import { createDiskStore } from '${new URL('../../server/store/disk/disk.ts', import.meta.url).pathname}';
    import { createRateCounters } from '${new URL('../../server/lib/rate-counters.ts', import.meta.url).pathname}';
    import { randomBytes } from 'node:crypto';
    const store = await createDiskStore({ folder: process.argv[1], minFreeBytes: 0, rateCounters: createRateCounters() });
    process.stdout.write('x');
    const write = async () => { for (;;) { await store.writeWhole(randomBytes(200_000)); process.stdout.write('x'); } };
    await Promise.all([write(), write(), write(), write()]);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', inner, place.folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = 0;
  child.stdout.on('data', (piece: Buffer) => {
    written += piece.length;
    if (written > 20) child.kill('SIGKILL');
  });
  await once(child, 'close');
  let whole = 0;
  for (const digit of '0123456789abcdef') {
    const names = (await readdir(join(place.folder, digit))).filter((name) => !name.endsWith('.tmp'));
    for (const name of names) expect(sha256Of(await readFile(join(place.folder, digit, name)))).toBe(name);
    whole += names.length;
  }
  expect(whole).toBeGreaterThan(10);
});
