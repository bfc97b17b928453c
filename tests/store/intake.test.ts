import { mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { AppError } from '../../server/lib/errors.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { createFolderSpace } from '../../server/store/disk/space.ts';
import { type IncomingFolder, openIncoming } from '../../server/store/incoming-file.ts';
import { createZipIntake, type IncomingZip } from '../../server/store/intake.ts';
import { sha256Of } from '../support/store-suite.ts';
import { writeZip } from '../support/zip-writer.ts';

const TWO_HOURS_AGO = new Date(Date.now() - 2 * 60 * 60_000);

function folderAt(path: string): IncomingFolder {
  return { path, space: createFolderSpace(path, { minFreeBytes: 0, rateCounters: createRateCounters() }) };
}

async function makePlace() {
  const root = await mkdtemp(join(tmpdir(), 'fairlead-intake-'));
  const path = join(root, 'incoming');
  const store = await createDiskStore({
    folder: join(root, 'artifacts'),
    minFreeBytes: 0,
    rateCounters: createRateCounters(),
  });
  return {
    path,
    store,
    intake: () => createZipIntake({ path, minFreeBytes: 0 }, createRateCounters()),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

function incoming(bytes: Buffer, more: Partial<IncomingZip> = {}): IncomingZip {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
  }
  const { signal } = new AbortController();
  return { body: pieces(), contentLength: bytes.length, publishAnyway: [], signal, ...more };
}

test('what comes in has no name on the disk while it comes, and its bytes are those that were written', async () => {
  await using place = await makePlace();
  await place.intake();
  expect((await stat(place.path)).mode & 0o777).toBe(0o700);
  const file = await openIncoming(folderAt(place.path), 0);
  await file.write(Buffer.alloc(3 * 1024 * 1024, 'a'));
  await file.write(Buffer.from('and the end'));
  await file.flush();
  expect(file.sizeBytes).toBe(3 * 1024 * 1024 + 11);
  expect(await readdir(place.path)).toEqual([]);
  await file.close();
});

test('what a killed process may have left is swept after an hour, and nothing younger', async () => {
  await using place = await makePlace();
  await place.intake();
  const old = join(place.path, 'zip.1.x.tmp');
  await writeFile(old, '');
  await utimes(old, TWO_HOURS_AGO, TWO_HOURS_AGO);
  await writeFile(join(place.path, 'zip.2.y.tmp'), '');
  await place.intake();
  expect(await readdir(place.path)).toEqual(['zip.2.y.tmp']);
});

test('a part is kept for a day, one of each upload, and three of an account', async () => {
  await using place = await makePlace();
  const intake = await place.intake();
  const folder = folderAt(place.path);
  const keep = async (what: string, key: string, accountId = 'ann') => {
    const file = await openIncoming(folder, 0, { accountId, what, key, from: 0 });
    await file.write(Buffer.from('half'));
    await file.close('keep');
    const name = join(place.path, `${accountId}.${what}.${key}.part`);
    const later = new Date(Date.now() - 10_000 + Number(what) * 1_000);
    await utimes(name, later, later);
  };
  await keep('1', 'a', 'bob');
  for (const what of ['1', '2', '3', '4']) await keep(what, 'a');
  await keep('4', 'b');
  expect((await readdir(place.path)).sort()).toEqual(['ann.2.a.part', 'ann.3.a.part', 'ann.4.b.part', 'bob.1.a.part']);
  expect(await intake.arrived({ accountId: 'ann', what: '4', key: 'b' })).toBe(4);
  expect((await stat(join(place.path, 'ann.4.b.part'))).mode & 0o777).toBe(0o600);

  const almost = new Date(Date.now() - UPLOAD_LIMITS.openUploadMs + 60_000);
  const over = new Date(Date.now() - UPLOAD_LIMITS.openUploadMs - 1_000);
  await utimes(join(place.path, 'ann.2.a.part'), over, over);
  await utimes(join(place.path, 'ann.3.a.part'), almost, almost);
  await intake.sweep();
  expect((await readdir(place.path)).sort()).toEqual(['ann.3.a.part', 'ann.4.b.part', 'bob.1.a.part']);
  await intake.forget('ann');
  expect(await readdir(place.path)).toEqual(['bob.1.a.part']);
});

test('whoever sends many archives waits for its own, and others do not', async () => {
  await using place = await makePlace();
  const intake = await place.intake();
  const zip = writeZip([{ name: 'index.html', data: 'one' }]);
  const held: (() => void)[] = [];
  let reading = 0;
  const takeHeld = () => {
    let counts = 0;
    // Counted once as it comes, and again while it is read.
    const count = async (): Promise<void> => {
      counts += 1;
      if (counts === 1) return;
      reading += 1;
      await new Promise<void>((resolve) => held.push(resolve));
    };
    return intake.take(incoming(zip), { store: place.store, senders: ['ann', '198.51.100.7'], count });
  };
  const taking = [takeHeld(), takeHeld(), takeHeld()];
  await expect.poll(() => reading).toBe(1);

  const other = { store: place.store, senders: ['bob', '198.51.100.8'], count: async () => undefined };
  expect((await intake.take(incoming(zip), other)).manifest.size).toBe(1);

  expect(reading).toBe(1);
  for (let number = 1; number <= taking.length; number += 1) {
    await expect.poll(() => reading).toBe(number);
    held[number - 1]?.();
  }
  await Promise.all(taking);
});

test('equal files are stored once and named as often as they come, small and large ones', async () => {
  await using place = await makePlace();
  const large = Buffer.alloc(5 * 1024 * 1024, 'large ');
  const names = ['a.bin', 'b.bin'];
  const zip = writeZip([...names.map((name) => ({ name, data: large })), { name: 'c' }, { name: 'd' }]);
  const counted: number[] = [];
  const stored = await (await place.intake()).take(incoming(zip), {
    store: place.store,
    senders: [],
    count: async (bytes) => void counted.push(bytes),
  });
  expect([...stored.manifest.keys()]).toEqual(['a.bin', 'b.bin', 'c', 'd']);
  expect(stored.artifacts.map(({ sha256 }) => sha256)).toEqual([sha256Of(large), sha256Of(Buffer.alloc(0))]);
  expect(stored.manifest.get('b.bin')).toEqual({ sha256: sha256Of(large), sizeBytes: large.length });
  expect((await place.store.readWhole(sha256Of(large))).equals(large)).toBe(true);
  expect(counted).toEqual([zip.length, 0]);
});

test('the parts of an account have a limit of bytes, and the oldest give way', async () => {
  await using place = await makePlace();
  await place.intake();
  const MIB = 1024 ** 2;
  const open = (what: string, announcedBytes: number, from = 0, accountId = 'ann') =>
    openIncoming(folderAt(place.path), announcedBytes, { accountId, what, key: 'a', from });
  const keep = async (what: string, sizeBytes: number, accountId = 'ann') => {
    await (await open(what, 0, 0, accountId)).close('keep');
    const name = join(place.path, `${accountId}.${what}.a.part`);
    await truncate(name, sizeBytes);
    const later = new Date(Date.now() - 10_000 + Number(what) * 1_000);
    await utimes(name, later, later);
  };
  const kept = async () => (await readdir(place.path)).filter((name) => name.startsWith('ann')).sort();
  await keep('1', 700 * MIB, 'bob');
  await keep('1', 200 * MIB);
  await keep('2', 600 * MIB);
  await (await open('3', 200 * MIB)).close('keep');
  expect(await kept()).toEqual(['ann.1.a.part', 'ann.2.a.part', 'ann.3.a.part']);
  await (await open('3', 300 * MIB)).close('keep');
  expect(await kept()).toEqual(['ann.2.a.part', 'ann.3.a.part']);
  await keep('3', 500 * MIB);
  await (await open('3', 0, 500 * MIB)).close('keep');
  expect(await kept()).toEqual(['ann.3.a.part']);
  expect(await readdir(place.path)).toContain('bob.1.a.part');
});

test('an archive without a length is counted as it comes, and what had come of one that is cut off', async () => {
  await using place = await makePlace();
  const piece = Buffer.alloc(1024 ** 2);
  const counted: number[] = [];
  let sent = 0;
  async function* cutOff(pieces: number): AsyncGenerator<Buffer> {
    for (sent = 0; sent < pieces; sent += 1) yield piece;
    throw new AppError('client_closed', 'The sender has gone.');
  }
  const take = async (body: AsyncIterable<Buffer>, mostBytes: number) =>
    (await place.intake()).take(incoming(Buffer.alloc(0), { body, contentLength: null }), {
      store: place.store,
      senders: [],
      async count(bytes) {
        counted.push(bytes / piece.length);
        if (counted.reduce((sum, one) => sum + one, 0) > mostBytes) throw new AppError('quota_exhausted', 'Enough.');
      },
    });
  await expect(take(cutOff(19), 100)).rejects.toMatchObject({ code: 'client_closed' });
  expect(counted).toEqual([0, 8, 8, 3]);
  counted.length = 0;
  await expect(take(cutOff(100), 20)).rejects.toMatchObject({ code: 'quota_exhausted' });
  expect([sent, ...counted]).toEqual([23, 0, 8, 8, 8]);
});

test('what the count refuses is not unpacked', async () => {
  await using place = await makePlace();
  const data = Buffer.alloc(900_000, 'packs well ');
  const zip = writeZip([{ name: 'a', data, method: 8 }]);
  const counted: number[] = [];
  const taking = (await place.intake()).take(incoming(zip), {
    store: { ...place.store, intake: () => Promise.reject(new Error('It was unpacked.')) },
    senders: [],
    count: async (bytes) => {
      counted.push(bytes);
      if (counted.length === 2) throw new Error('Too much for today.');
    },
  });
  await expect(taking).rejects.toThrow('Too much for today.');
  expect(counted).toEqual([zip.length, data.length - zip.length]);
});

test('a large file whose checksum is wrong at its end leaves nothing in the store', async () => {
  await using place = await makePlace();
  const large = Buffer.alloc(5 * 1024 * 1024, 'large ');
  const zip = writeZip(['index.html', { name: 'film.bin', data: large, crc: 1 }]);
  const taking = (await place.intake()).take(incoming(zip), {
    store: place.store,
    senders: [],
    count: async () => undefined,
  });
  await expect(taking).rejects.toMatchObject({ code: 'upload_refused', reason: 'checksum_wrong', path: 'film.bin' });
  expect(await place.store.has(sha256Of(large))).toBe(false);
  expect(await place.store.has(sha256Of(Buffer.from('content of index.html')))).toBe(false);
});

test('a signal that was given before the thread starts ends the work', async () => {
  await using place = await makePlace();
  const gone = new AbortController();
  const zip = incoming(writeZip(['index.html']), { signal: gone.signal });
  const taking = (await place.intake()).take(zip, {
    store: place.store,
    senders: [],
    count: async () => gone.abort(new Error('The sender went away.')),
  });
  await expect(taking).rejects.toThrow('The sender went away.');
});
