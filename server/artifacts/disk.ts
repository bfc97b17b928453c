import { createHash } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestAnnounced, piecesOf } from './digest.ts';
import { collectDisk } from './disk-collect.ts';
import { writeNew } from './disk-file.ts';
import {
  checkFolder,
  keepYoung,
  type Places,
  placesIn,
  prepareFolder,
  requireSpace,
  statOrNull,
  sweepFolder,
} from './disk-folder.ts';
import { createDiskIntake } from './disk-intake.ts';
import type { PackEntry } from './disk-pack.ts';
import { createPacks, type Packed, type Packs } from './disk-packs.ts';
import { type Fingerprint, openVerified, type Place } from './disk-reader.ts';
import { damaged, isSound, translated } from './storage-errors.ts';
import type { ArtifactStore, OnDamage, OpenArtifact, StoreClock } from './store.ts';

export type DiskStoreOptions = {
  folder: string;
  /** Writes are refused with `storage_full` when fewer bytes would stay free (security facts, 10.5: 500 MiB). */
  minFreeBytes: number;
  onDamage?: OnDamage;
  now?: StoreClock;
};

type Announced = { sha256: string; sizeBytes: number };

/** What the parts of the disk store share. */
export type Disk = {
  places: Places;
  packs: Packs;
  now: StoreClock;
  requireSpace(sizeBytes: number): Promise<void>;
  /** Renews the age of artifacts that are here; of those that are not, which have to be written, it says false. */
  reuse(wanted: readonly Announced[]): Promise<boolean[]>;
  /** The artifact, its bytes those of its name; null when it is nowhere, or damaged wherever it is. */
  openSound(sha256: string): Promise<OpenArtifact | null>;
  /** Its hash is compared anew when it is opened next. */
  doubt(sha256: string): void;
};

/**
 * Content-addressed files under one folder: loose ones, `{first digit}/{sha256}`, and packs of those that came together
 * (disk-pack.ts). What is found damaged is kept in `quarantine/`, so that the next upload of the same bytes heals it.
 * Several processes may use one folder.
 * Throws a sentence that names the folder when it cannot be used.
 */
export async function createDiskStore(options: DiskStoreOptions): Promise<ArtifactStore> {
  const { folder, minFreeBytes, now = () => new Date() } = options;
  const id = await prepareFolder(folder);
  const disk = createDisk(placesIn(folder), (sizeBytes) => requireSpace(folder, sizeBytes, minFreeBytes), now);
  const { places, packs } = disk;

  const store: ArtifactStore = {
    id,
    has: (sha256) => translated(() => hasArtifact(disk, sha256)),
    write: (source, expected) =>
      translated(async () => {
        await disk.requireSpace(expected.sizeBytes);
        if ((await disk.reuse([expected]))[0] !== true) {
          return writeNew(places.loose(expected.sha256), source, expected, now);
        }
        // The sender still has to show the bytes: to know a hash is no proof of having them.
        return digestAnnounced(source, expected, async () => undefined);
      }),
    writeWhole: (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return store.write(piecesOf(bytes), { sha256, sizeBytes: bytes.byteLength });
    },
    intake: async () => createDiskIntake(disk),
    open: (sha256) =>
      translated(async () => {
        const artifact = await disk.openSound(sha256);
        if (artifact !== null) return artifact;
        options.onDamage?.(sha256);
        throw damaged('A file of this release is missing from the store, or damaged in it.');
      }),
    readWhole: async (sha256) => {
      const artifact = await store.open(sha256);
      try {
        return await artifact.read(0, artifact.sizeBytes);
      } finally {
        await artifact.close();
      }
    },
    verify: (sha256) => {
      disk.doubt(sha256);
      return isSound(() => store.open(sha256));
    },
    remove: (sha256) =>
      translated(async () => {
        await rm(places.loose(sha256), { force: true });
        await packs.look();
        for (let packed = packs.known(sha256); packed !== null; packed = packs.known(sha256)) {
          await packs.takeOut(packed);
        }
      }),
    collect: (collection) => translated(() => collectDisk(disk, collection)),
    check: () => checkFolder(folder),
    sweep: () => translated(() => sweepFolder(places)),
  };
  await store.sweep();
  await packs.look();
  return store;
}

function createDisk(places: Places, requireSpaceFor: (sizeBytes: number) => Promise<void>, now: StoreClock): Disk {
  const packs = createPacks(places.packs, places.quarantine);
  const verified = new Map<string, Fingerprint>();

  async function reusePacked(wanted: Announced): Promise<boolean> {
    const packed = packs.known(wanted.sha256);
    if (packed === null || packed.entry.sizeBytes !== wanted.sizeBytes) return false;
    const found = await statOrNull(packed.pack.path);
    if (found !== null && (await keepYoung(packed.pack.path, found, now))) return true;
    await packs.forget(packed.pack);
    return reusePacked(wanted);
  }

  async function openPacked(sha256: string): Promise<OpenArtifact | null> {
    const packed = packs.known(sha256);
    if (packed === null) return null;
    const place: Place = { path: packed.pack.path, part: packed.entry };
    const opened = await openVerified(place, sha256, verified);
    if (opened === 'damaged') await quarantinePacked(places, packs, packed);
    else if (opened === null) await packs.forget(packed.pack);
    else return opened;
    return openPacked(sha256);
  }

  async function openLoose(sha256: string): Promise<OpenArtifact | null> {
    const path = places.loose(sha256);
    const opened = await openVerified({ path, part: null }, sha256, verified);
    if (opened !== 'damaged') return opened;
    await rename(path, join(places.quarantine, sha256)).catch(() => undefined);
    return null;
  }

  return {
    places,
    packs,
    now,
    requireSpace: requireSpaceFor,
    doubt: (sha256) => void verified.delete(sha256),
    async reuse(wanted) {
      await packs.look();
      return Promise.all(
        wanted.map(async (one) => {
          if (await reusePacked(one)) return true;
          const path = places.loose(one.sha256);
          const found = await statOrNull(path);
          return found?.size === one.sizeBytes && (await keepYoung(path, found, now));
        }),
      );
    },
    async openSound(sha256) {
      const opened = (await openPacked(sha256)) ?? (await openLoose(sha256));
      if (opened !== null) return opened;
      await packs.look();
      return openPacked(sha256);
    },
  };
}

async function hasArtifact({ places, packs }: Disk, sha256: string): Promise<boolean> {
  if ((await statOrNull(places.loose(sha256))) !== null) return true;
  await packs.look();
  return packs.known(sha256) !== null;
}

/** Its bytes are kept for a look at them; the pack goes on without it. On a disk that takes no writes only this process knows. */
async function quarantinePacked(places: Places, packs: Packs, packed: Packed): Promise<void> {
  const { entry, pack } = packed;
  const bytes = await readPart(pack.path, entry).catch(() => null);
  if (bytes !== null) await writeFile(join(places.quarantine, entry.sha256), bytes).catch(() => undefined);
  await packs.takeOut(packed).catch(() => undefined);
}

async function readPart(path: string, { offset, sizeBytes }: PackEntry): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sizeBytes), 0, sizeBytes, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
