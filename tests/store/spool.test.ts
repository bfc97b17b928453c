import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createFolderSpace } from '../../server/store/disk/space.ts';
import { type IncomingFolder, openIncoming } from '../../server/store/incoming-file.ts';
import { spooled } from '../../server/store/spool.ts';

const MIB = 1024 * 1024;
const SENDERS = 12;

function folderAt(path: string): IncomingFolder {
  return { path, space: createFolderSpace(path, { minFreeBytes: 0, rateCounters: createRateCounters() }) };
}

async function* bodyOf(pieces: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Eight megabytes, and then nothing more until the sender is let go. */
async function* slowBody(isSent: () => void, goOn: Promise<void>): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < 128; piece += 1) yield Buffer.alloc(64 * 1024, 1);
  isSent();
  await goOn;
}

function heldMib(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers / MIB;
}

test('many bodies that come slowly are on the disk and not in memory', async () => {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-spool-'));
  const before = heldMib();
  let sent = 0;
  let letGo = (): void => undefined;
  const goOn = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const folder = folderAt(path);
  const sizes = Array.from({ length: SENDERS }, () =>
    spooled(
      folder,
      slowBody(() => {
        sent += 1;
      }, goOn),
      async (readWhole) => (await readWhole()).length,
    ),
  );
  await expect.poll(() => sent).toBe(SENDERS);
  // The last writes of each may still be on their way.
  await expect.poll(() => heldMib() - before).toBeLessThan(10);
  expect(await readdir(path)).toEqual([]);
  letGo();
  expect(await Promise.all(sizes)).toEqual(Array.from({ length: SENDERS }, () => 8 * MIB));
  await rm(path, { recursive: true });
}, 60_000);

/** The last of these is written once, and its end is held behind that. */
const SIZES = [0, 1, 256 * 1024, 256 * 1024 + 1, 300_000, 320_000];

test.each(SIZES)('a body of %i bytes comes out as it went in', async (size) => {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-spool-'));
  const bytes = randomBytes(size);
  const pieces = Array.from({ length: 7 }, (_, at) => bytes.subarray(at * 50_000, (at + 1) * 50_000));
  const whole = await spooled(folderAt(path), bodyOf(pieces), (readWhole) => readWhole());
  expect(whole.equals(bytes)).toBe(true);
  await rm(path, { recursive: true });
});

/** Returns the most pieces that were put together at once meanwhile. */
async function mostPieces(work: () => Promise<void>): Promise<number> {
  const concat = vi.spyOn(Buffer, 'concat');
  await work();
  const counts = concat.mock.calls.map(([pieces]) => pieces.length);
  concat.mockRestore();
  return Math.max(...counts);
}

test('what is sent byte by byte is not held byte by byte', async () => {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-spool-'));
  const bytes = randomBytes(10_000);
  const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  const spooledPieces = await mostPieces(async () => {
    const whole = await spooled(folderAt(path), bodyOf(single), (readWhole) => readWhole());
    expect(whole.equals(bytes)).toBe(true);
  });
  const filePieces = await mostPieces(async () => {
    const file = await openIncoming(folderAt(path), bytes.length);
    for (const piece of single) await file.write(piece);
    await file.flush();
    expect(file.sizeBytes).toBe(bytes.length);
    await file.close();
  });
  expect(spooledPieces).toBeLessThan(64);
  expect(filePieces).toBeLessThan(64);
  await rm(path, { recursive: true });
});
