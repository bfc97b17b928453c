import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, readdir, readFile, rm, stat, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createDurably, isUnfinished, makeFolder, unfinishedName, writeDurably } from '../durable-file.ts';
import { AppError } from '../errors.ts';
import { createDiskIntake } from './disk-intake.ts';
import { type Fingerprint, openVerified } from './disk-reader.ts';
import { errnoOf, storageFull, translated, unusable } from './storage-errors.ts';
import type { ArtifactInfo, ArtifactStore } from './store.ts';

/** Sixteen folders instead of 256 keep the folders' own blocks in the cache (performance facts, 5). */
const FAN_OUT = '0123456789abcdef';
/** Performance facts, 2.4: many small writes cost more than their bytes. */
const WRITE_PIECE_BYTES = 1024 * 1024;
/** Security facts, 10.4: a write that has not ended after an hour never will. */
const LEFTOVER_MS = 60 * 60_000;

export type DiskStoreOptions = {
  folder: string;
  /** Writes are refused with `storage_full` when fewer bytes would stay free (security facts, 10.5: 500 MiB). */
  minFreeBytes: number;
};

/**
 * Content-addressed files under one folder: `{first digit}/{sha256}`. What is found damaged moves to `quarantine/`, so
 * that the next upload of the same bytes heals it. Several processes may use one folder.
 * Throws a sentence that names the folder when it cannot be used.
 */
export async function createDiskStore(options: DiskStoreOptions): Promise<ArtifactStore> {
  const { folder } = options;
  const id = await prepareFolder(folder);
  const verified = new Map<string, Fingerprint>();
  const pathOf = (sha256: string): string => join(folder, sha256.charAt(0), sha256);

  const store: ArtifactStore = {
    id,
    has: async (sha256) => (await statOrNull(pathOf(sha256))) !== null,
    write: (source, expected) =>
      translated(async () => {
        await requireSpace(options, expected.sizeBytes);
        const path = pathOf(expected.sha256);
        const present = await statOrNull(path);
        if (present === null || present.size !== expected.sizeBytes) {
          return writeNew(path, source, expected);
        }
        // The sender still has to show the bytes: to know a hash is no proof of having them.
        const info = await digest(source, expected, async () => undefined);
        const now = new Date();
        await utimes(path, now, now);
        return info;
      }),
    writeWhole: (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return store.write(piecesOf(bytes), { sha256, sizeBytes: bytes.byteLength });
    },
    intake: async () =>
      createDiskIntake({ folder, pathOf, requireSpace: (sizeBytes) => requireSpace(options, sizeBytes) }),
    open: (sha256) => translated(() => openVerified({ folder, path: pathOf(sha256), sha256, verified })),
    readWhole: async (sha256) => {
      const artifact = await store.open(sha256);
      try {
        return await artifact.read(0, artifact.sizeBytes);
      } finally {
        await artifact.close();
      }
    },
    remove: (sha256) => translated(() => rm(pathOf(sha256), { force: true })),
    check: () => checkFolder(folder),
    sweep: () => sweepLeftovers(folder),
  };
  await store.sweep();
  return store;
}

async function prepareFolder(folder: string): Promise<string> {
  try {
    await makeFolder(folder);
    for (const digit of FAN_OUT) await makeFolder(join(folder, digit));
    await makeFolder(join(folder, 'quarantine'));
    return await readOrMakeId(folder);
  } catch (error) {
    throw unusable(folder, error);
  }
}

/** A name is given once: of two processes that start at once one makes the id and both read it. */
async function readOrMakeId(folder: string): Promise<string> {
  const path = join(folder, 'store-id');
  const known = await readIfThere(path);
  if (known !== null) return known;
  try {
    await createDurably(path, `disk:${randomBytes(16).toString('hex')}`);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

async function requireSpace(options: DiskStoreOptions, sizeBytes: number): Promise<void> {
  const disk = await statfs(options.folder);
  if (disk.bavail * disk.bsize - sizeBytes < options.minFreeBytes) throw storageFull();
}

async function writeNew(
  path: string,
  source: AsyncIterable<Uint8Array>,
  expected: { sha256: string; sizeBytes: number },
): Promise<ArtifactInfo> {
  const result: { info: ArtifactInfo | null } = { info: null };
  await writeDurably(path, async (file) => {
    result.info = await digest(source, expected, (pieces) => writeAll(file, pieces));
  });
  if (result.info === null) throw new Error('The artifact was written without a digest.');
  return result.info;
}

/** One pass: counts against the announced size, hashes both ways, hands pieces of about a megabyte to `sink`. */
async function digest(
  source: AsyncIterable<Uint8Array>,
  expected: { sha256: string; sizeBytes: number },
  sink: (pieces: Uint8Array[]) => Promise<void>,
): Promise<ArtifactInfo> {
  const sha256 = createHash('sha256');
  const sha1 = createHash('sha1');
  let sizeBytes = 0;
  let pieces: Uint8Array[] = [];
  let pending = 0;
  for await (const piece of source) {
    sizeBytes += piece.byteLength;
    if (sizeBytes > expected.sizeBytes) {
      throw new AppError(
        'body_too_large',
        `This file is larger than the ${expected.sizeBytes} bytes announced for it.`,
      );
    }
    sha256.update(piece);
    sha1.update(piece);
    pieces.push(piece);
    pending += piece.byteLength;
    if (pending >= WRITE_PIECE_BYTES) {
      await sink(pieces);
      pieces = [];
      pending = 0;
    }
  }
  if (pending > 0) await sink(pieces);
  if (sizeBytes !== expected.sizeBytes || sha256.digest('hex') !== expected.sha256) {
    throw new AppError('hash_mismatch', 'What arrived is not the file that was announced. Send it again.');
  }
  return { sha256: expected.sha256, sizeBytes, sha1: sha1.digest('hex') };
}

async function writeAll(file: FileHandle, pieces: Uint8Array[]): Promise<void> {
  const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  let written = 0;
  // A write may take less than it was given when the disk fills up; the next one then says ENOSPC.
  while (written < bytes.byteLength) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written);
    written += bytesWritten;
  }
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.byteLength; start += WRITE_PIECE_BYTES) {
    yield bytes.subarray(start, start + WRITE_PIECE_BYTES);
  }
}

async function checkFolder(folder: string): Promise<void> {
  const path = join(folder, 'probe');
  const probe = randomBytes(16).toString('hex');
  const name = unfinishedName(path);
  try {
    await writeDurably(name, async (file) => void (await file.writeFile(probe)));
    const found = await readFile(name, 'utf8');
    if (found !== probe) throw new Error('other bytes came back than were written');
  } catch (error) {
    throw unusable(folder, error);
  } finally {
    await rm(name, { force: true }).catch(() => undefined);
  }
}

async function sweepLeftovers(folder: string): Promise<number> {
  let swept = 0;
  for (const place of [folder, ...[...FAN_OUT].map((digit) => join(folder, digit))]) {
    const names = await readdir(place);
    for (const name of names.filter(isUnfinished)) swept += await removeIfOld(join(place, name));
  }
  return swept;
}

async function removeIfOld(path: string): Promise<number> {
  const found = await statOrNull(path);
  if (found === null || Date.now() - found.mtimeMs < LEFTOVER_MS) return 0;
  await rm(path, { force: true });
  return 1;
}

async function statOrNull(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
