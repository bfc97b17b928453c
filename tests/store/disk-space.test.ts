import { randomBytes } from 'node:crypto';
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '../../server/lib/log.ts';
import { createRateCounters, type RateCounters } from '../../server/lib/rate-counters.ts';
import { receiveFile, receiveManifest, receiveZip } from '../../server/publishing/uploads/index.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { createDiskSpace, type OnDiskFull } from '../../server/store/disk/space.ts';
import { createFullDiskListener } from '../../server/store/full-disk.ts';
import { createZipIntake } from '../../server/store/intake.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contextOf } from '../support/publishing.ts';
import { makeSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { sha256Of } from '../support/store-suite.ts';
import { writeZip } from '../support/zip-writer.ts';

const MIB = 1024 * 1024;
const FILE_BYTES = 12 * MIB;
const ACCOUNTS = 8;
/** For the disk's 64 MiB; on a real one it is 500 MiB. */
const KEPT_FREE = 16 * MIB;

/** An app whose files are on the small disk, counted with those of all that share `rateCounters`. */
async function startOn(disk: SmallDisk, rateCounters: RateCounters): Promise<TestApp> {
  const minFreeBytes = disk.minFreeBytes + KEPT_FREE;
  return createTestApp({
    providers: {
      rateCounters,
      store: await createDiskStore({ folder: join(disk.folder, 'artifacts'), minFreeBytes, rateCounters }),
      zips: await createZipIntake({ path: join(disk.folder, 'incoming'), minFreeBytes }, rateCounters),
    },
  });
}

/** Sends two thirds, and the rest once all senders have come that far or were refused. */
async function* slowly(bytes: Buffer, arrive: () => Promise<void>): AsyncGenerator<Uint8Array> {
  const pause = Math.floor((bytes.length * 2) / 3);
  for (let at = 0; at < pause; at += MIB) yield bytes.subarray(at, Math.min(at + MIB, pause));
  await arrive();
  for (let at = pause; at < bytes.length; at += MIB) yield bytes.subarray(at, at + MIB);
}

/** Resolves for all who wait once `count` have come or have ended. */
function meeting(count: number) {
  let missing = count;
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return {
    join(): Promise<void> {
      missing -= 1;
      if (missing <= 0) begin();
      return begun;
    },
  };
}

async function freeOf(disk: SmallDisk): Promise<number> {
  const { bavail, bsize } = await statfs(disk.folder);
  return bavail * bsize - disk.minFreeBytes;
}

/**
 * Returns a sender with an account of its own: of a file that was announced, or of a ZIP that comes without a length.
 */
async function prepareSender(app: TestApp, kind: 'file' | 'zip') {
  const person = await app.trialPerson();
  const ctx = await contextOf(app, person);
  const { uploadId } = await person.caller.releases.prepare();
  const data = randomBytes(FILE_BYTES);
  const sha256 = sha256Of(data);
  if (kind === 'file') {
    await receiveManifest(ctx, uploadId, { files: [{ path: 'a.bin', sha256, sizeBytes: data.length }] });
  }
  return (arrive: () => Promise<void>): Promise<unknown> => {
    if (kind === 'file') {
      return receiveFile(ctx, uploadId, { sha256, body: slowly(data, arrive), contentLength: data.length });
    }
    const body = slowly(writeZip([{ name: 'a.bin', data }]), arrive);
    const { signal } = new AbortController();
    return receiveZip(ctx, uploadId, { body, contentLength: null, publishAnyway: [], signal });
  };
}

test('uploads of many accounts at once, over two stores, never take what is kept free', async () => {
  await using disk = await makeSmallDisk();
  const all = createRateCounters();
  await using one = await startOn(disk, all);
  await using other = await startOn(disk, all);
  const senders = [await prepareSender(one, 'zip')];
  while (senders.length < ACCOUNTS) senders.push(await prepareSender(senders.length % 2 === 0 ? one : other, 'file'));
  const met = meeting(senders.length);
  const least: number[] = [];
  const sent = await Promise.allSettled(
    senders.map(async (send) => {
      let hasArrived = false;
      const arrive = async (): Promise<void> => {
        hasArrived = true;
        await met.join();
        least.push(await freeOf(disk));
      };
      try {
        await send(arrive);
      } finally {
        if (!hasArrived) void met.join();
        least.push(await freeOf(disk));
      }
    }),
  );
  const refused = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused.map(({ code, status }) => [code, status])).toEqual(refused.map(() => ['storage_full', 507]));
  expect(Math.min(...least)).toBeGreaterThanOrEqual(KEPT_FREE);
  // Of 48 MiB; what is written while another one begins counts twice for a moment.
  expect(sent.length - refused.length).toBeGreaterThanOrEqual(2);
  expect(sent.length - refused.length).toBeLessThanOrEqual(4);
  const left = await readdir(disk.folder, { recursive: true });
  expect(left.filter((name) => name.endsWith('.tmp') || name.endsWith('.part'))).toEqual([]);

  const { dev } = await stat(disk.folder);
  expect(await all.hold(`bytes to write to device ${dev}`, 1, 1), 'all was given back').not.toBeNull();
});

function fakeDisk(freeMib: number, onDiskFull?: OnDiskFull) {
  const disk = { freeMib, looks: 0 };
  const options = { minFreeBytes: 10 * MIB, rateCounters: createRateCounters(), onDiskFull };
  const look = async () => {
    disk.looks += 1;
    return { disk: 'fake', freeBytes: disk.freeMib * MIB };
  };
  return { disk, space: createDiskSpace(look, options) };
}

test('what is reserved and not written yet is not reserved again, and comes back when it is written or given up', async () => {
  const { disk, space } = fakeDisk(110);
  const first = await space.reserve(60 * MIB);
  await expect(space.reserve(41 * MIB)).rejects.toMatchObject({ code: 'storage_full' });
  (await space.reserve(40 * MIB)).end();
  for (let mib = 0; mib < 40; mib += 1) {
    await first.use(MIB);
    disk.freeMib -= 1;
  }
  // The 8 MiB since the last look are counted twice.
  (await space.reserve(32 * MIB)).end();
  await expect(space.reserve(41 * MIB)).rejects.toMatchObject({ code: 'storage_full' });
  first.end();
  first.end();
  (await space.reserve(60 * MIB)).end();
});

test('a disk that somebody else fills meanwhile is seen before the kept space is used', async () => {
  const { disk, space } = fakeDisk(110);
  const reservation = await space.reserve(80 * MIB);
  for (let mib = 0; mib < 32; mib += 1) await reservation.use(MIB);
  disk.freeMib = 50;
  await expect(reservation.use(MIB)).rejects.toMatchObject({ code: 'storage_full' });
  reservation.end();
  (await space.reserve(40 * MIB)).end();
});

test('bytes whose number nobody has told reserve no more than as many again', async () => {
  const { space } = fakeDisk(20);
  const small = await space.reserve(0);
  await small.use(MIB);
  await small.use(MIB);
  (await space.reserve(9 * MIB)).end();
  await expect(space.reserve(10 * MIB)).rejects.toMatchObject({ code: 'storage_full' });
  for (let mib = 2; mib < 5; mib += 1) await small.use(MIB);
  (await space.reserve(6 * MIB)).end();
  await expect(space.reserve(7 * MIB)).rejects.toMatchObject({ code: 'storage_full' });
  await expect(small.use(11 * MIB)).rejects.toMatchObject({ code: 'storage_full' });
  small.end();
  (await space.reserve(10 * MIB)).end();
});

test('the log says once that a disk has no room, and once that it has some again', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'info', isTerminal: false, write: (line) => lines.push(JSON.parse(line)) });
  const levels = () => lines.map(({ level }) => level);
  const { disk, space } = fakeDisk(20, createFullDiskListener(log, 10));
  (await space.reserve(10 * MIB)).end();
  expect(lines).toEqual([]);
  for (let n = 0; n < 5; n += 1) await expect(space.reserve(11 * MIB)).rejects.toMatchObject({ code: 'storage_full' });
  // What fits is taken, and the disk still has no room for what was refused.
  (await space.reserve(MIB)).end();
  const { looks } = disk;
  await expect.poll(() => disk.looks).toBeGreaterThan(looks + 1);
  expect(lines).toMatchObject([{ level: 'warn', disk: 'fake', freeBytes: 20 * MIB }]);
  disk.freeMib = 30;
  await expect.poll(levels).toEqual(['warn', 'info']);
  disk.freeMib = 5;
  await expect(space.reserve(0)).rejects.toMatchObject({ code: 'storage_full' });
  expect(levels()).toEqual(['warn', 'info', 'warn']);
  disk.freeMib = 30;
  await expect.poll(levels).toEqual(['warn', 'info', 'warn', 'info']);
});
