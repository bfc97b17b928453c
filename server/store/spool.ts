import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unfinishedName } from '../lib/durable-file.ts';
import { writeAll } from './disk/file.ts';
import { type DiskSpace, type Reservation, withinSpace, withSpace } from './disk/space.ts';
import type { IncomingFolder } from './incoming-file.ts';
import { addPiece } from './pieces.ts';
import { withStorageErrors } from './storage-errors.ts';

/**
 * Up to this many bytes of a body are held in memory while it arrives; a list of a few hundred files has no more. To
 * write each chunk as it comes would take several times as long.
 */
const HELD_MAX_BYTES = 256 * 1024;

/**
 * Takes a body that has to be complete before it can be used, and holds at most `HELD_MAX_BYTES` of it while it
 * arrives: a sender may take minutes, and many of them would fill the memory. A larger body waits in a file that has
 * lost its name and is gone with this process. `use` is called when everything has arrived; the file is gone
 * when it has ended.
 */
export function spooled<T>(
  folder: IncomingFolder,
  body: AsyncIterable<Uint8Array>,
  use: (readWhole: () => Promise<Buffer>) => Promise<T>,
): Promise<T> {
  return withSpace(folder.space, 0, (reservation) => spoolWithin(reservation, folder, { body, use }));
}

type Spooling<T> = { body: AsyncIterable<Uint8Array>; use(readWhole: () => Promise<Buffer>): Promise<T> };

async function spoolWithin<T>(
  reservation: Reservation,
  folder: IncomingFolder,
  { body, use }: Spooling<T>,
): Promise<T> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  /** The bytes that are in the file. */
  let sizeBytes = 0;
  let file: FileHandle | null = null;
  try {
    for await (const chunk of body) {
      addPiece(held, chunk);
      heldBytes += chunk.byteLength;
      if (heldBytes <= HELD_MAX_BYTES) continue;
      file ??= await openNameless(folder);
      await append(file, held, { space: folder.space, reservation });
      sizeBytes += heldBytes;
      held = [];
      heldBytes = 0;
    }
    const arrived = file;
    return await use(async () => (arrived === null ? Buffer.concat(held) : readWhole(arrived, sizeBytes, held)));
  } finally {
    await file?.close();
  }
}

function openNameless(folder: IncomingFolder): Promise<FileHandle> {
  return withStorageErrors(async () => {
    const name = unfinishedName(join(folder.path, 'body'));
    const file = await open(name, 'wx+', 0o600);
    await rm(name);
    return file;
  }, folder.space);
}

type Room = { space: DiskSpace; reservation: Reservation };

function append(file: FileHandle, chunks: readonly Uint8Array[], { space, reservation }: Room): Promise<void> {
  const write = withinSpace(reservation, async (pieces) => void (await writeAll(file, pieces)));
  return withStorageErrors(() => write(chunks), space);
}

/** The bytes of the file, and then those that are held. */
async function readWhole(file: FileHandle, sizeBytes: number, held: readonly Uint8Array[]): Promise<Buffer> {
  const rest = Buffer.concat(held);
  const bytes = Buffer.allocUnsafeSlow(sizeBytes + rest.length);
  rest.copy(bytes, sizeBytes);
  for (let at = 0; at < sizeBytes; ) {
    const { bytesRead } = await file.read(bytes, at, sizeBytes - at, at);
    if (bytesRead === 0) throw new Error('A body became shorter while it waited.');
    at += bytesRead;
  }
  return bytes;
}
