import { stat, statfs } from 'node:fs/promises';
import type { RateCounters } from '../../lib/rate-counters.ts';
import { storageFull } from '../storage-errors.ts';

/**
 * The number of bytes written before the disk is checked again, since other programs and other instances write to it
 * too.
 */
const LOOK_EVERY_BYTES = 32 * 1024 * 1024;

/** Counts the free space of one disk, which all processes of this instance share. */
export type DiskSpace = {
  /**
   * Reserves so many bytes before they are written; 0 when the size is unknown. The caller ends the reservation once
   * they are on the disk or have been removed from it. Throws `storage_full`.
   */
  reserve(sizeBytes: number): Promise<Reservation>;
  /** Returns how much may be written now, besides the reservations of others. */
  freeBytes(): Promise<number>;
  /** Must be called when the system refused a write for lack of space although this count had some left. */
  sayFull(): Promise<void>;
};

export type Reservation = {
  /** Must be called before each write, after the bytes of the previous call were written. Throws `storage_full`. */
  use(sizeBytes: number): Promise<void>;
  end(): void;
};

/** Returns the name of a disk, the same in each process, the name that an operator knows it by, and its free space. */
type ReadSpace = () => Promise<{ disk: string; folder?: string; freeBytes: number }>;
type FreeSpace = Awaited<ReturnType<ReadSpace>>;
/** Called when a write was refused; `hasSpace` tells whether it would succeed now. */
export type OnDiskFull = (full: FreeSpace & { hasSpace(): Promise<boolean> }) => void;
type SpaceOptions = {
  minFreeBytes: number;
  rateCounters: Pick<RateCounters, 'hold'>;
  onDiskFull?: OnDiskFull | undefined;
};

/** Counts on the disk of a folder. `minFreeBytes` stay free on it, for the database. */
export function createFolderSpace(folder: string, options: SpaceOptions): DiskSpace {
  return createDiskSpace(async () => {
    const [{ dev }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
    return { disk: `device ${dev}`, folder, freeBytes: bavail * bsize };
  }, options);
}

/**
 * Counts reservations, so that their unwritten bytes never exceed the free space. Written bytes are given back some
 * megabytes at a time, since the disk shows them by then; until then they count twice, which errs on the safe side.
 * Bytes that others write between the look and the reservation are missed, but those are the bytes of some
 * milliseconds, for which `minFreeBytes` is more than enough.
 */
export function createDiskSpace(read: ReadSpace, { minFreeBytes, rateCounters, onDiskFull }: SpaceOptions): DiskSpace {
  function reportFull(space: FreeSpace, sizeBytes: number): void {
    onDiskFull?.({ ...space, hasSpace: async () => (await read()).freeBytes - minFreeBytes >= sizeBytes });
  }

  function refuse(space: FreeSpace, sizeBytes: number): never {
    reportFull(space, sizeBytes);
    throw storageFull();
  }

  async function take(sizeBytes: number) {
    const space = await read();
    const remainingBytes = space.freeBytes - minFreeBytes;
    const giveBack = await rateCounters.hold(`bytes to write to ${space.disk}`, sizeBytes, remainingBytes);
    return giveBack ?? refuse(space, sizeBytes);
  }

  async function reserve(sizeBytes: number): Promise<Reservation> {
    let giveBack = await take(sizeBytes);
    let left = sizeBytes;
    let written = 0;
    let total = 0;

    async function extend(neededBytes: number): Promise<void> {
      // As much as has arrived so far: a small body reserves little, and a large one asks seldom.
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
      const space = await read();
      if (space.freeBytes - minFreeBytes < left) refuse(space, left);
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
    freeBytes: async () => Math.max(0, (await read()).freeBytes - minFreeBytes),
    sayFull: async () => reportFull(await read(), 0),
  };
}

/** Does work that writes so many bytes; 0 when the size is unknown. Throws `storage_full`. */
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

/** Writes only as much as there is space for. */
export function withinSpace(reservation: Reservation, write: Write): Write {
  return async (pieces) => {
    await reservation.use(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
    await write(pieces);
  };
}
