import { createHash, hash } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../lib/durable-file.ts';
import type { RateCounters } from '../../lib/rate-counters.ts';
import { digestAnnounced, piecesOf } from '../digest.ts';
import { canOpen, corrupted, unreadable, withStorageErrors } from '../storage-errors.ts';
import type { ArtifactStore, OnCorruption, OpenArtifact, StoreClock } from '../store.ts';
import type { BundleEntry } from './bundle.ts';
import { type Bundled, type Bundles, createBundles } from './bundles.ts';
import { collectDisk } from './collect.ts';
import { writeNewFile } from './file.ts';
import {
  checkFolder,
  prepareFolder,
  renewAge,
  type StoreFolders,
  statOrNull,
  storeFoldersIn,
  sweepFolder,
} from './folder.ts';
import { createDiskIntake } from './intake.ts';
import { createOpenBundles, PART_MAX_BYTES } from './open-bundles.ts';
import {
  type BytesLocation,
  type OpenAt,
  openUnverified,
  openVerified,
  type Reading,
  rememberVerified,
  type Verified,
} from './reader.ts';
import { createFolderSpace, type DiskSpace, type OnDiskFull, withSpace } from './space.ts';

export type DiskStoreOptions = {
  folder: string;
  /** Writes are refused with `storage_full` when fewer bytes would stay free. */
  minFreeBytes: number;
  /** Counts over all processes that write here. */
  rateCounters: Pick<RateCounters, 'hold'>;
  onDiskFull?: OnDiskFull | undefined;
  onCorruption?: OnCorruption;
  now?: StoreClock;
};

type Find = (sha256: string) => Promise<OpenArtifact | null>;
type Announced = { sha256: string; sizeBytes: number };

/** Shared by the parts of the disk store. */
export type Disk = {
  folders: StoreFolders;
  bundles: Bundles;
  now: StoreClock;
  space: DiskSpace;
  /**
   * Renews the age of artifacts that are here. Returns the folder of each, which has to be synced, because another
   * upload may be about to do it; null for those that are missing and have to be written. With a list of the loose
   * ones, no other is looked for beside the bundles: one that came since then is written twice.
   */
  renewStored(wanted: readonly Announced[], listed?: ReadonlySet<string> | null): Promise<(string | null)[]>;
  /** Opens the artifact after its hash was verified; null when it is nowhere, or corrupted wherever it is. */
  openIntact: Find;
  /** Opens the file under this name without a check of its bytes; null when there is none. */
  openAsIs: Find;
  /**
   * Returns a small artifact of a bundle if its bytes have the hash; null leaves all others, and what is wrong, to
   * `open`.
   */
  readSmall(sha256: string): Promise<Buffer | null>;
  /**
   * Artifacts that were read or written with the right hash. None is compared again as long as its file looks the
   * same.
   */
  verified: Verified;
  /** Has the hash compared anew at the next opening. */
  doubt(sha256: string): void;
};

/**
 * Creates a store of content-addressed files in one folder: loose ones, `{first digit}/{sha256}`, and bundles of those
 * that arrived together (bundle.ts). Corrupted ones are moved to `quarantine/`, so that the next upload of the same
 * bytes replaces them. Several processes may use one folder. Throws a sentence that names the folder when it cannot be
 * used.
 */
export async function createDiskStore(options: DiskStoreOptions): Promise<ArtifactStore> {
  const { folder, now = () => new Date() } = options;
  const id = await prepareFolder(folder);
  const disk = createDisk(storeFoldersIn(folder), createFolderSpace(folder, options), now);
  const { folders, bundles } = disk;

  const store: ArtifactStore = {
    id,
    has: (sha256) => withStorageErrors(() => hasArtifact(disk, sha256)),
    write: (source, expected) =>
      withStorageErrors(async () => {
        // The sender still has to show the bytes, since knowing a hash does not prove having them.
        const [found = null] = await disk.renewStored([expected]);
        if (found !== null) {
          const info = await digestAnnounced(source, expected, async () => undefined);
          await syncFolder(found);
          return info;
        }
        return withSpace(disk.space, expected.sizeBytes, (reservation) =>
          writeNewFile(folders.loose(expected.sha256), source, expected, { now, reservation }),
        );
      }, disk.space),
    writeWhole: (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return store.write(piecesOf(bytes), { sha256, sizeBytes: bytes.byteLength });
    },
    intake: async () => createDiskIntake(disk),
    open: (sha256) => openStored(disk, disk.openIntact, sha256, options.onCorruption),
    readWhole: async (sha256) =>
      (await disk.readSmall(sha256)) ??
      withOpen(store.open(sha256), (artifact) => artifact.read(0, artifact.sizeBytes)),
    readStart: async (sha256, bytes) =>
      withOpen(openStored(disk, disk.openAsIs, sha256, options.onCorruption), (artifact) => artifact.read(0, bytes)),
    verify: (sha256) => {
      disk.doubt(sha256);
      return canOpen(() => store.open(sha256));
    },
    remove: (sha256) =>
      withStorageErrors(async () => {
        await rm(folders.loose(sha256), { force: true });
        await bundles.look();
        for (let bundled = bundles.known(sha256); bundled !== null; bundled = bundles.known(sha256)) {
          await bundles.takeOut(bundled);
        }
      }),
    collect: (collection) => withStorageErrors(() => collectDisk(disk, collection)),
    freeBytes: () => withStorageErrors(() => disk.space.freeBytes()),
    check: () => checkFolder(folder),
    sweep: () => withStorageErrors(() => sweepFolder(folders)),
  };
  await store.sweep();
  await bundles.look();
  return store;
}

/** Throws the right error when an artifact is not found: it may be lost, or in a bundle that cannot be read now. */
function openStored(disk: Disk, find: Find, sha256: string, onCorruption?: OnCorruption): Promise<OpenArtifact> {
  return withStorageErrors(async () => {
    const artifact = await find(sha256);
    if (artifact !== null) return artifact;
    if (disk.bundles.hasUnreadable()) throw unreadable();
    onCorruption?.(sha256);
    throw corrupted('A file of this release is missing from the store or damaged.');
  });
}

async function withOpen<T>(opening: Promise<OpenArtifact>, use: (artifact: OpenArtifact) => Promise<T>): Promise<T> {
  const artifact = await opening;
  try {
    return await use(artifact);
  } finally {
    await artifact.close();
  }
}

function createDisk(folders: StoreFolders, space: DiskSpace, now: StoreClock): Disk {
  const bundles = createBundles(folders.bundles, folders.quarantine);
  const reading: Reading = { verified: rememberVerified(), openBundles: createOpenBundles() };

  async function reuseBundled(wanted: Announced): Promise<string | null> {
    const bundled = bundles.known(wanted.sha256);
    if (bundled === null || bundled.entry.sizeBytes !== wanted.sizeBytes) return null;
    const found = await statOrNull(bundled.bundle.path);
    if (found !== null && (await renewAge(bundled.bundle.path, found, now))) return folders.bundles;
    await bundles.forget(bundled.bundle);
    return reuseBundled(wanted);
  }

  async function openBundled(sha256: string, openAt: OpenAt): Promise<OpenArtifact | null> {
    const bundled = bundles.known(sha256);
    if (bundled === null) return null;
    const location: BytesLocation = { path: bundled.bundle.path, range: bundled.entry };
    const opened = await openAt(location, sha256, reading);
    if (opened === 'corrupted') await quarantineBundled(folders, bundles, bundled);
    else if (opened === null) await bundles.forget(bundled.bundle);
    else return opened;
    return openBundled(sha256, openAt);
  }

  async function openLoose(sha256: string, openAt: OpenAt): Promise<OpenArtifact | null> {
    const path = folders.loose(sha256);
    const opened = await openAt({ path, range: null }, sha256, reading);
    if (opened !== 'corrupted') return opened;
    await rename(path, join(folders.quarantine, sha256)).catch(() => undefined);
    return null;
  }

  const findBy =
    (openAt: OpenAt): Find =>
    async (sha256) => {
      const opened = (await openBundled(sha256, openAt)) ?? (await openLoose(sha256, openAt));
      if (opened !== null) return opened;
      await bundles.look();
      return openBundled(sha256, openAt);
    };

  return {
    folders,
    bundles,
    now,
    space,
    doubt: (sha256) => void reading.verified.delete(sha256),
    verified: reading.verified,
    async renewStored(wanted, listed = null) {
      await bundles.look();
      const mayBeLoose = ({ sha256 }: Announced): boolean => listed === null || listed.has(sha256);
      const reuseLoose = (one: Announced) => (mayBeLoose(one) ? renewLoose(folders.loose(one.sha256), one, now) : null);
      return Promise.all(wanted.map(async (one) => (await reuseBundled(one)) ?? reuseLoose(one)));
    },
    openIntact: findBy(openVerified),
    openAsIs: findBy(openUnverified),
    readSmall: (sha256) => readSmall(bundles.known(sha256), reading),
  };
}

/** To read the bytes once and to hash them takes less time than to look at the file before. */
async function readSmall(bundled: Bundled | null, { openBundles, verified }: Reading): Promise<Buffer | null> {
  if (bundled === null || bundled.entry.sizeBytes > PART_MAX_BYTES) return null;
  const { sha256 } = bundled.entry;
  const bytes = await openBundles.read(bundled.bundle.path, bundled.entry).catch(() => null);
  if (bytes !== null && hash('sha256', bytes) === sha256) return bytes;
  verified.delete(sha256);
  return null;
}

async function renewLoose(path: string, { sizeBytes }: Announced, now: StoreClock): Promise<string | null> {
  const found = await statOrNull(path);
  return found?.size === sizeBytes && (await renewAge(path, found, now)) ? dirname(path) : null;
}

async function hasArtifact({ folders, bundles }: Disk, sha256: string): Promise<boolean> {
  if ((await statOrNull(folders.loose(sha256))) !== null) return true;
  await bundles.look();
  return bundles.known(sha256) !== null;
}

/**
 * Copies the corrupted bytes for an examination and takes the artifact out of its bundle. On a read-only disk only this
 * process knows of it.
 */
async function quarantineBundled(folders: StoreFolders, bundles: Bundles, bundled: Bundled): Promise<void> {
  const { entry, bundle } = bundled;
  const bytes = await readPart(bundle.path, entry).catch(() => null);
  if (bytes !== null) await writeFile(join(folders.quarantine, entry.sha256), bytes).catch(() => undefined);
  await bundles.takeOut(bundled).catch(() => undefined);
}

async function readPart(path: string, { offset, sizeBytes }: BundleEntry): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sizeBytes), 0, sizeBytes, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
