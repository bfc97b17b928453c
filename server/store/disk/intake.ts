import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, unfinishedName, writeSynced } from '../../lib/durable-file.ts';
import { digest, WRITE_PIECE_BYTES } from '../digest.ts';
import { withStorageErrors } from '../storage-errors.ts';
import type { ArtifactInfo, ArtifactIntake } from '../store.ts';
import { type Bundle, type BundleEntry, bundleOf } from './bundle.ts';
import type { Disk } from './disk.ts';
import { date, flushingWriter, writeAll } from './file.ts';
import { listLoose } from './folder.ts';
import { fingerprintOf } from './open-bundles.ts';
import { type Reservation, withinSpace, withSpace } from './space.ts';

/**
 * Up to this many artifacts that fit into one write become loose files: an fsync each, side by side, and at most
 * sixteen for their names. A bundle would take two, but each later start of each process reads the index of every
 * bundle.
 */
const LOOSE_MAX = 64;

type Staged = { sha256: string; sizeBytes: number; bytes: Buffer };
type Stage = { buffer: Buffer; used: number; staged: Staged[] };
type OpenBundle = {
  file: FileHandle;
  unfinished: string;
  path: string;
  sizeBytes: number;
  entries: BundleEntry[];
  reservation: Reservation;
};

/** Small artifacts go to one bundle, large ones to files of their own; all have temporary names until the commit. */
export function createDiskIntake(disk: Disk): ArtifactIntake {
  const { folders } = disk;
  const taken = new Set<string>();
  /** The folders whose names the commit makes durable: of new files, and of those that were found. */
  const unsynced = new Set<string>();
  const bundling = createBundling(disk, unsynced);
  /** Maps a hash to the name of a file that is not final yet. */
  const streams = new Map<string, string>();

  async function addStream(source: AsyncIterable<Uint8Array>): Promise<ArtifactInfo> {
    const unfinished = unfinishedName(join(folders.folder, 'intake'));
    try {
      const info = await writeStream(unfinished, source, disk);
      const isNew = !taken.has(info.sha256) && (await absentOf(disk, unsynced, [info])).length > 0;
      taken.add(info.sha256);
      if (isNew) streams.set(info.sha256, unfinished);
      else await rm(unfinished);
      return info;
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  /** Makes the names of the others durable where one write fails: the next intake finds them. */
  async function commit(): Promise<void> {
    try {
      for (const [sha256, unfinished] of streams) {
        await rename(unfinished, folders.loose(sha256));
        unsynced.add(dirname(folders.loose(sha256)));
      }
      streams.clear();
      await bundling.finish();
    } finally {
      await Promise.all([...unsynced].map((folder) => syncFolder(folder)));
    }
  }

  async function abandon(): Promise<void> {
    await bundling.drop();
    for (const unfinished of streams.values()) await rm(unfinished, { force: true });
    streams.clear();
  }

  return {
    add: (bytes, { sha256 }) =>
      withStorageErrors(async () => {
        if (taken.has(sha256)) return;
        taken.add(sha256);
        await bundling.put(bytes, sha256);
      }, disk.space),
    addStream: (source) => withStorageErrors(() => addStream(source), disk.space),
    commit: () => withStorageErrors(commit, disk.space),
    abandon: () => withStorageErrors(abandon),
  };
}

/**
 * Collects artifacts to pieces of a megabyte and writes those; artifacts that the store has already are left out.
 * While one piece is written the next one is collected.
 */
function createBundling(disk: Disk, unsynced: Set<string>) {
  let stage = newStage();
  let bundle: OpenBundle | null = null;
  let writing: Promise<void> = Promise.resolve();
  let looked = 0;
  let listing: Promise<ReadonlySet<string> | null> | null = null;

  async function writePiece(staged: readonly Staged[]): Promise<void> {
    // To look for many loose files, one by one, takes longer than their list.
    looked += staged.length;
    if (looked > LOOSE_MAX) listing ??= listLoose(disk.folders);
    const absent = await absentOf(disk, unsynced, staged, await listing);
    if (absent.length === 0) return;
    if (bundle === null && disk.bundles.isFull()) return writeLoose(disk, unsynced, absent);
    bundle ??= await openBundle(disk);
    await appendTo(bundle, absent);
  }

  return {
    /** Copies the bytes, so that the caller can use its buffer for the next ones. */
    async put(bytes: Uint8Array, sha256: string): Promise<void> {
      stageBytes(stage, bytes, sha256);
      if (stage.used < WRITE_PIECE_BYTES) return;
      const { staged } = stage;
      stage = newStage();
      const before = writing;
      writing = before.then(() => writePiece(staged));
      // The next call throws the error, at the latest `finish`.
      writing.catch(() => undefined);
      await before;
    },
    async finish(): Promise<void> {
      await writing;
      const { staged } = stage;
      if (bundle === null && staged.length <= LOOSE_MAX) {
        await writeLoose(disk, unsynced, await absentOf(disk, unsynced, staged, await listing));
      } else await writePiece(staged);
      stage = newStage();
      if (bundle !== null) disk.bundles.add(await closeBundle(bundle, disk));
      bundle = null;
    },
    async drop(): Promise<void> {
      await writing.catch(() => undefined);
      stage = newStage();
      const dropped = bundle;
      bundle = null;
      if (dropped === null) return;
      await dropped.file.close().catch(() => undefined);
      await rm(dropped.unfinished, { force: true });
      dropped.reservation.end();
    },
  };
}

function newStage(): Stage {
  return { buffer: Buffer.allocUnsafeSlow(WRITE_PIECE_BYTES), used: 0, staged: [] };
}

function stageBytes(stage: Stage, bytes: Uint8Array, sha256: string): void {
  const end = stage.used + bytes.byteLength;
  const fits = end <= stage.buffer.length;
  const own = fits ? stage.buffer.subarray(stage.used, end) : Buffer.from(bytes);
  if (fits) own.set(bytes);
  stage.used = end;
  stage.staged.push({ sha256, sizeBytes: bytes.byteLength, bytes: own });
}

async function appendTo(bundle: OpenBundle, staged: readonly Staged[]): Promise<void> {
  for (const { sha256, bytes } of staged) {
    bundle.entries.push({ sha256, offset: bundle.sizeBytes, sizeBytes: bytes.byteLength });
    bundle.sizeBytes += bytes.byteLength;
  }
  await appendWithinSpace(
    bundle,
    staged.map(({ bytes }) => bytes),
  );
}

function appendWithinSpace({ file, reservation }: OpenBundle, pieces: readonly Uint8Array[]): Promise<void> {
  return withinSpace(reservation, async (some) => void (await writeAll(file, some)))(pieces);
}

/** Writes a few at a time, since each has a file open, and adds the folders of their names to `unsynced`. */
async function writeLoose(disk: Disk, unsynced: Set<string>, absent: readonly Staged[]): Promise<void> {
  for (const { sha256 } of absent) unsynced.add(dirname(disk.folders.loose(sha256)));
  await withSpace(disk.space, sizeOf(absent), async () => {
    for (let start = 0; start < absent.length; start += LOOSE_MAX) {
      const writing = absent.slice(start, start + LOOSE_MAX).map(({ sha256, bytes }) =>
        writeSynced(disk.folders.loose(sha256), async (file) => {
          await writeAll(file, [bytes]);
          await date(file, disk.now);
        }),
      );
      await Promise.allSettled(writing);
      await Promise.all(writing);
    }
  });
}

/**
 * Returns the artifacts that are missing in the store. Renews the age of the others, and adds their folders to
 * `unsynced`.
 */
async function absentOf<Artifact extends { sha256: string; sizeBytes: number }>(
  disk: Disk,
  unsynced: Set<string>,
  artifacts: readonly Artifact[],
  listed: ReadonlySet<string> | null = null,
): Promise<Artifact[]> {
  const found = await disk.renewStored(artifacts, listed);
  for (const folder of found) if (folder !== null) unsynced.add(folder);
  return artifacts.filter((_, index) => found[index] === null);
}

function sizeOf(staged: readonly Staged[]): number {
  return staged.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
}

async function openBundle(disk: Disk): Promise<OpenBundle> {
  const path = disk.bundles.pathOf(randomBytes(12).toString('hex'));
  const unfinished = unfinishedName(path);
  const reservation = await disk.space.reserve(0);
  const file = await open(unfinished, 'wx', 0o600);
  return { file, unfinished, path, sizeBytes: 0, entries: [], reservation };
}

async function closeBundle(opened: OpenBundle, { now, verified }: Disk): Promise<Bundle> {
  const { file, unfinished, path, entries, reservation } = opened;
  const { bundle, tail } = bundleOf(path, entries);
  await appendWithinSpace(opened, [tail]);
  await date(file, now);
  await file.sync();
  // The hashes were computed over the very bytes that were written.
  const fingerprint = fingerprintOf(await file.stat());
  await file.close();
  await rename(unfinished, path);
  await syncFolder(dirname(path));
  reservation.end();
  for (const { sha256 } of entries) verified.set(sha256, fingerprint);
  return bundle;
}

function writeStream(path: string, source: AsyncIterable<Uint8Array>, disk: Disk): Promise<ArtifactInfo> {
  return withSpace(disk.space, 0, async (reservation) => {
    const file = await open(path, 'wx', 0o600);
    try {
      const writer = flushingWriter(file);
      const info = await digest(source, withinSpace(reservation, writer.write));
      await writer.end();
      await date(file, disk.now);
      await file.sync();
      return info;
    } finally {
      await file.close();
    }
  });
}
