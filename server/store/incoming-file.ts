import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { isUnfinished, makeFolder, unfinishedName } from '../lib/durable-file.ts';
import { AppError } from '../lib/errors.ts';
import type { DiskSpace, Reservation } from './disk/space.ts';
import { addPiece } from './pieces.ts';
import { withStorageErrors } from './storage-errors.ts';

/** Many small writes cost more than their bytes do. */
const WRITE_BYTES = 1024 * 1024;
const READ_BYTES = 256 * 1024;
/** A request is cut off after some minutes, so none lasts an hour. */
const LEFTOVER_MS = 60 * 60_000;

/** Ends the name of a file that was cut off and waits for its rest. */
const PART = '.part';

export type IncomingFolder = { path: string; space: DiskSpace };

/**
 * Identifies bytes that were cut off and wait for their rest. `what` belongs to one account, `key` tells one content
 * from another; all three are safe as names of files. The bytes before `from` stay, those after it are sent again.
 */
export type Part = { accountId: string; what: string; key: string };
export type PartFrom = Part & { from: number };

/**
 * Bytes on their way in, in a file (0600). Without a part it loses its name as soon as it is made, so that it is gone
 * with this process, however that ends.
 */
export type IncomingFile = {
  readonly fd: number;
  readonly sizeBytes: number;
  /** Throws `storage_full`. */
  write(chunk: Uint8Array): Promise<void>;
  /** Must be called after the last `write`. */
  flush(): Promise<void>;
  /** Reads all written bytes from the start; may be called repeatedly. */
  read(): AsyncIterable<Buffer>;
  /** Frees its space; with `keep`, a part stays and waits for its rest. */
  close(how?: 'keep'): Promise<void>;
};

/** Makes the folder, and removes abandoned files. */
export async function prepareIncoming(folder: IncomingFolder): Promise<void> {
  await makeFolder(folder.path);
  await sweepIncoming(folder);
}

/**
 * Removes the files of a process that was killed in the moment between making and unnaming, and parts whose rest has
 * not arrived for as long as an upload stays open.
 */
export async function sweepIncoming({ path }: IncomingFolder): Promise<void> {
  for (const name of await readdir(path)) {
    const maxAgeMs = isUnfinished(name) ? LEFTOVER_MS : name.endsWith(PART) ? UPLOAD_LIMITS.openUploadMs : null;
    if (maxAgeMs === null) continue;
    const found = await stat(join(path, name)).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > maxAgeMs) await rm(join(path, name), { force: true });
  }
}

/** Removes the parts of an account that is gone. */
export async function forgetParts({ path }: IncomingFolder, accountId: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (isPartOf(accountId, name)) await rm(join(path, name), { force: true });
  }
}

function isPartOf(accountId: string, name: string): boolean {
  return name.startsWith(`${accountId}.`) && name.endsWith(PART);
}

/** Returns how many bytes of a part wait here. */
export async function arrivedBytes({ path }: IncomingFolder, part: Part): Promise<number> {
  const found = await stat(join(path, nameOf(part))).catch(() => null);
  return found?.size ?? 0;
}

function nameOf({ accountId, what, key }: Part): string {
  return `${accountId}.${what}.${key}${PART}`;
}

/**
 * Throws `storage_full` when `expectedBytes` would leave less free than must stay, `conflict` when fewer bytes of a
 * part wait here than `from`.
 */
export function openIncoming(
  folder: IncomingFolder,
  expectedBytes: number,
  part: PartFrom | null = null,
): Promise<IncomingFile> {
  return withStorageErrors(async () => {
    if (part !== null) await dropOldParts(folder, part, part.from + expectedBytes);
    const reservation = await folder.space.reserve(expectedBytes);
    try {
      return part === null ? await openNameless(folder, reservation) : await openPart(folder, reservation, part);
    } catch (error) {
      reservation.end();
      throw error;
    }
  }, folder.space);
}

async function openNameless(folder: IncomingFolder, reservation: Reservation): Promise<IncomingFile> {
  const name = unfinishedName(join(folder.path, 'zip'));
  const handle = await open(name, 'wx+', 0o600);
  await rm(name);
  return incomingFile(handle, { space: folder.space, reservation });
}

async function openPart(folder: IncomingFolder, reservation: Reservation, part: PartFrom): Promise<IncomingFile> {
  const name = join(folder.path, nameOf(part));
  if (part.from > (await arrivedBytes(folder, part))) {
    throw new AppError('conflict', 'The part that was sent before is gone.', {
      hint: 'Ask how much has arrived, and continue from there.',
    });
  }
  const handle = await open(name, constants.O_RDWR | constants.O_CREAT, 0o600);
  await handle.truncate(part.from);
  return incomingFile(
    handle,
    { space: folder.space, reservation },
    {
      from: part.from,
      saved: (sizeBytes) => dropOldParts(folder, part, sizeBytes),
      remove: () => rm(name, { force: true }),
    },
  );
}

/**
 * An account has one part for each upload, no more parts than it may have open uploads, and no more bytes in them than
 * `UPLOAD_LIMITS.maxPartBytes`, of which this part takes `sizeBytes`. The oldest of the others are removed.
 */
async function dropOldParts({ path }: IncomingFolder, part: Part, sizeBytes: number): Promise<void> {
  const others: { name: string; mtimeMs: number; size: number }[] = [];
  for (const name of await readdir(path)) {
    if (!isPartOf(part.accountId, name) || name === nameOf(part)) continue;
    const found = await stat(join(path, name)).catch(() => null);
    if (found !== null && !name.startsWith(`${part.accountId}.${part.what}.`)) {
      others.push({ name, mtimeMs: found.mtimeMs, size: found.size });
    } else await rm(join(path, name), { force: true });
  }
  others.sort((a, b) => b.mtimeMs - a.mtimeMs);
  let totalBytes = sizeBytes;
  for (const [index, { name, size }] of others.entries()) {
    totalBytes += size;
    if (index >= UPLOAD_LIMITS.maxOpenUploads - 1 || totalBytes > UPLOAD_LIMITS.maxPartBytes) {
      await rm(join(path, name), { force: true });
    }
  }
}

type OpenPart = { from: number; saved(sizeBytes: number): Promise<void>; remove(): Promise<void> };

type Room = { space: DiskSpace; reservation: Reservation };

function incomingFile(handle: FileHandle, { space, reservation }: Room, part: OpenPart | null = null): IncomingFile {
  let chunks: Uint8Array[] = [];
  let pending = 0;
  let written = part?.from ?? 0;

  async function flush(): Promise<void> {
    await reservation.use(pending);
    const bytes = Buffer.concat(chunks);
    chunks = [];
    pending = 0;
    // A write may take less than it was given when the disk fills up; the next one then fails with ENOSPC.
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, written);
      done += bytesWritten;
      written += bytesWritten;
    }
  }

  return {
    fd: handle.fd,
    get sizeBytes() {
      return written + pending;
    },
    async write(chunk) {
      addPiece(chunks, chunk);
      pending += chunk.byteLength;
      if (pending >= WRITE_BYTES) await withStorageErrors(flush, space);
    },
    flush: () => withStorageErrors(flush, space),
    async *read() {
      for (let at = 0; at < written; ) {
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at);
        if (bytesRead === 0) throw new Error('A file became shorter while it waited.');
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    },
    async close(how) {
      try {
        if (part !== null && how === 'keep') {
          await withStorageErrors(flush, space);
          await handle.datasync();
          await part.saved(written);
        } else await part?.remove();
      } finally {
        await handle.close();
        reservation.end();
      }
    },
  };
}
