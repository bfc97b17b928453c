import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { isUnfinished, makeFolder, unfinishedName } from '../durable-file.ts';
import { AppError } from '../errors.ts';
import { requireSpace } from './disk-folder.ts';
import { translated } from './storage-errors.ts';

/** Performance facts, 2.4: many small writes cost more than their bytes. */
const WRITE_BYTES = 1024 * 1024;
/** How often the space that is left is looked at while bytes come whose number nobody has told. */
const SPACE_CHECK_BYTES = 32 * 1024 * 1024;
/** No request lasts an hour (security facts, 2.1: ten minutes). */
const LEFTOVER_MS = 60 * 60_000;

/** Ends the name of what was cut off and waits for its rest. */
const PART = '.part';

export type IncomingFolder = { path: string; minFreeBytes: number };

/**
 * Where the bytes of something that may be cut off wait for their rest. `what` is one account's, `key` tells one content
 * from another; all three are safe as names of files. The bytes before `from` are kept, those after it come again.
 */
export type Part = { accountId: string; what: string; key: string };
export type PartFrom = Part & { from: number };

/**
 * Bytes on their way in, in a file (0600). Without a part it has lost its name as soon as it was made: it is gone with
 * this process, however that ends.
 */
export type IncomingFile = {
  readonly fd: number;
  readonly sizeBytes: number;
  /** Throws `storage_full`. */
  write(chunk: Uint8Array): Promise<void>;
  /** Call it after the last `write`. */
  flush(): Promise<void>;
  /** Gives its space back, or keeps what has come for the rest, where it is a part. */
  close(how?: 'keep'): Promise<void>;
};

/** Makes the folder, and takes away what nobody goes on with. */
export async function prepareIncoming(folder: IncomingFolder): Promise<void> {
  await makeFolder(folder.path);
  await sweepIncoming(folder);
}

/**
 * Takes away what a process left that was killed in the moment between making and unnaming, and parts whose rest has not
 * come for as long as an upload stays open.
 */
export async function sweepIncoming({ path }: IncomingFolder): Promise<void> {
  for (const name of await readdir(path)) {
    const keptMs = isUnfinished(name) ? LEFTOVER_MS : name.endsWith(PART) ? UPLOAD_LIMITS.openUploadMs : null;
    if (keptMs === null) continue;
    const found = await stat(join(path, name)).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > keptMs) await rm(join(path, name), { force: true });
  }
}

/** Takes away the parts of an account that is gone. */
export async function forgetParts({ path }: IncomingFolder, accountId: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (isPartOf(accountId, name)) await rm(join(path, name), { force: true });
  }
}

function isPartOf(accountId: string, name: string): boolean {
  return name.startsWith(`${accountId}.`) && name.endsWith(PART);
}

/** How many bytes of a part wait here. */
export async function arrivedBytes({ path }: IncomingFolder, part: Part): Promise<number> {
  const found = await stat(join(path, nameOf(part))).catch(() => null);
  return found?.size ?? 0;
}

function nameOf({ accountId, what, key }: Part): string {
  return `${accountId}.${what}.${key}${PART}`;
}

/**
 * Throws `storage_full` when `expectedBytes` would leave less than must stay free, `conflict` when fewer bytes of a part
 * wait here than are said to.
 */
export function openIncoming(
  folder: IncomingFolder,
  expectedBytes: number,
  part: PartFrom | null = null,
): Promise<IncomingFile> {
  return translated(async () => {
    await requireSpace(folder.path, expectedBytes, folder.minFreeBytes);
    if (part !== null) return openPart(folder, part);
    const name = unfinishedName(join(folder.path, 'zip'));
    const handle = await open(name, 'wx+', 0o600);
    await rm(name);
    return incomingFile(folder, handle);
  });
}

async function openPart(folder: IncomingFolder, part: PartFrom): Promise<IncomingFile> {
  await makeRoom(folder, part);
  const name = join(folder.path, nameOf(part));
  if (part.from > (await arrivedBytes(folder, part))) {
    throw new AppError('conflict', 'What came before is no longer here.', {
      hint: 'Ask how much is, and go on there.',
    });
  }
  const handle = await open(name, constants.O_RDWR | constants.O_CREAT, 0o600);
  await handle.truncate(part.from);
  return incomingFile(folder, handle, { name, from: part.from });
}

/** No account keeps more parts than it may have uploads open, and one of each upload. */
async function makeRoom({ path }: IncomingFolder, part: Part): Promise<void> {
  const others: { name: string; mtimeMs: number }[] = [];
  for (const name of await readdir(path)) {
    if (!isPartOf(part.accountId, name) || name === nameOf(part)) continue;
    const found = await stat(join(path, name)).catch(() => null);
    if (found !== null && !name.startsWith(`${part.accountId}.${part.what}.`)) {
      others.push({ name, mtimeMs: found.mtimeMs });
    } else await rm(join(path, name), { force: true });
  }
  others.sort((a, b) => b.mtimeMs - a.mtimeMs);
  for (const { name } of others.slice(UPLOAD_LIMITS.maxOpenUploads - 1)) await rm(join(path, name), { force: true });
}

function incomingFile(
  folder: IncomingFolder,
  handle: FileHandle,
  part: { name: string; from: number } | null = null,
): IncomingFile {
  let chunks: Uint8Array[] = [];
  let pending = 0;
  let written = part?.from ?? 0;
  let checkedAt = written;

  async function flush(): Promise<void> {
    if (written - checkedAt >= SPACE_CHECK_BYTES) {
      await requireSpace(folder.path, pending, folder.minFreeBytes);
      checkedAt = written;
    }
    const bytes = Buffer.concat(chunks);
    chunks = [];
    pending = 0;
    // A write may take less than it was given when the disk fills up; the next one then says ENOSPC.
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
      chunks.push(chunk);
      pending += chunk.byteLength;
      if (pending >= WRITE_BYTES) await translated(flush);
    },
    flush: () => translated(flush),
    async close(how) {
      try {
        if (part !== null && how === 'keep') {
          await translated(flush);
          await handle.datasync();
        } else if (part !== null) await rm(part.name, { force: true });
      } finally {
        await handle.close();
      }
    },
  };
}
