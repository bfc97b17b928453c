import { stat, statfs } from 'node:fs/promises';
import type { RateCounters } from '../../lib/rate-counters.ts';
import { storageFull } from '../storage-errors.ts';

/** How many bytes are written before the disk is looked at again: other programs and other instances write to it too. */
const LOOK_EVERY_BYTES = 32 * 1024 * 1024;

/** Counts the free space of one disk, which all processes of this instance share. */
export type DiskSpace = {
  /**
   * Reserves so many bytes before they are written; 0 where nobody has told how many will come. End the reservation once
   * they are on the disk or have been removed from it. Throws `storage_full`.
   */
  reserve(sizeBytes: number): Promise<Reservation>;
  /** How much may be written now, beside what others have reserved. */
  freeBytes(): Promise<number>;
  /** Must be called when the system refused a write for want of room although there was some by this count. */
  sayFull(): Promise<void>;
};

export type Reservation = {
  /** Must be called before each write, when what it was called for before has been written. Throws `storage_full`. */
  use(sizeBytes: number): Promise<void>;
  end(): void;
};

/** The name of a disk, the same in each process, what an operator calls it, and how much of it is free. */
type Look = () => Promise<{ disk: string; folder?: string; freeBytes: number }>;
type Looked = Awaited<ReturnType<Look>>;
/** Hears that a write was refused; `hasSpace` says whether it would be now. */
export type OnDiskFull = (full: Looked & { hasSpace(): Promise<boolean> }) => void;
type SpaceOptions = {
  minFreeBytes: number;
  rateCounters: Pick<RateCounters, 'hold'>;
  onDiskFull?: OnDiskFull | undefined;
};

/** Counts on the disk that a folder is on. `minFreeBytes` of it stay free: they are the database's. */
export function createFolderSpace(folder: string, options: SpaceOptions): DiskSpace {
  return createDiskSpace(async () => {
    const [{ dev }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
    return { disk: `device ${dev}`, folder, freeBytes: bavail * bsize };
  }, options);
}

/**
 * Counts reservations so that what is reserved and not yet written never exceeds what is free. What has been written is
 * given back some megabytes at a time, since the disk shows it by then; until then it counts twice, which errs on the
 * safe side. Bytes that others write between the look and the reservation are not seen: those of some milliseconds, for
 * which `minFreeBytes` is far enough.
 */
export function createDiskSpace(look: Look, { minFreeBytes, rateCounters, onDiskFull }: SpaceOptions): DiskSpace {
  function tell(looked: Looked, sizeBytes: number): void {
    onDiskFull?.({ ...looked, hasSpace: async () => (await look()).freeBytes - minFreeBytes >= sizeBytes });
  }

  function refuse(looked: Looked, sizeBytes: number): never {
    tell(looked, sizeBytes);
    throw storageFull();
  }

  async function take(sizeBytes: number) {
    const looked = await look();
    const remainingBytes = looked.freeBytes - minFreeBytes;
    const giveBack = await rateCounters.hold(`bytes to write to ${looked.disk}`, sizeBytes, remainingBytes);
    return giveBack ?? refuse(looked, sizeBytes);
  }

  async function reserve(sizeBytes: number): Promise<Reservation> {
    let giveBack = await take(sizeBytes);
    let left = sizeBytes;
    let written = 0;
    let total = 0;

    async function extend(neededBytes: number): Promise<void> {
      // As much as has come so far: a small body holds little, and a large one asks seldom.
      const next = Math.max(neededBytes, Math.min(total, LOOK_EVERY_BYTES));
      giveBack(written);
      written = 0;
      const giveNextBack = await take(next);
      giveBack(left);
      giveBack = giveNextBack;
      left = next;
    }

    async function lookAgain(): Promise<void> {
      giveBack(written);
      written = 0;
      const looked = await look();
      if (looked.freeBytes - minFreeBytes < left) refuse(looked, left);
    }

    return {
      async use(bytes) {
        if (bytes > left) await extend(bytes);
        else if (written >= LOOK_EVERY_BYTES) await lookAgain();
        left -= bytes;
        written += bytes;
        total += bytes;
      },
      end: () => void giveBack(left + written),
    };
  }

  return {
    reserve,
    freeBytes: async () => Math.max(0, (await look()).freeBytes - minFreeBytes),
    sayFull: async () => tell(await look(), 0),
  };
}

/** Does work that writes so many bytes, or as many as come where that is 0. Throws `storage_full`. */
export async function withSpace<T>(
  space: DiskSpace,
  sizeBytes: number,
  work: (reservation: Reservation) => Promise<T>,
): Promise<T> {
  const reservation = await space.reserve(sizeBytes);
  try {
    return await work(reservation);
  } finally {
    reservation.end();
  }
}

type Write = (pieces: readonly Uint8Array[]) => Promise<void>;

/** Writes only what there is room for. */
export function withinSpace(reservation: Reservation, write: Write): Write {
  return async (pieces) => {
    await reservation.use(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
    await write(pieces);
  };
}
