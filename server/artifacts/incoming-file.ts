import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isUnfinished, makeFolder, unfinishedName } from '../durable-file.ts';
import { requireSpace } from './disk-folder.ts';
import { translated } from './storage-errors.ts';

/** Performance facts, 2.4: many small writes cost more than their bytes. */
const WRITE_BYTES = 1024 * 1024;
/** How often the space that is left is looked at while bytes come whose number nobody has told. */
const SPACE_CHECK_BYTES = 32 * 1024 * 1024;
/** No request lasts an hour (security facts, 2.1: ten minutes). */
const LEFTOVER_MS = 60 * 60_000;

export type IncomingFolder = { path: string; minFreeBytes: number };

/**
 * Bytes on their way in, in a file (0600) that has lost its name as soon as it was made: it is gone with this process,
 * however that ends. `close` gives its space back.
 */
export type IncomingFile = {
  readonly fd: number;
  readonly sizeBytes: number;
  /** Throws `storage_full`. */
  write(chunk: Uint8Array): Promise<void>;
  /** Call it after the last `write`. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Makes the folder, and takes away what a process left there that was killed in the moment between making and unnaming. */
export async function prepareIncoming({ path }: IncomingFolder): Promise<void> {
  await makeFolder(path);
  for (const name of (await readdir(path)).filter(isUnfinished)) {
    const found = await stat(join(path, name)).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > LEFTOVER_MS) await rm(join(path, name), { force: true });
  }
}

/** Throws `storage_full` when `expectedBytes` would leave less than must stay free. */
export function openIncoming(folder: IncomingFolder, expectedBytes: number): Promise<IncomingFile> {
  return translated(async () => {
    await requireSpace(folder.path, expectedBytes, folder.minFreeBytes);
    const name = unfinishedName(join(folder.path, 'zip'));
    const handle = await open(name, 'wx+', 0o600);
    await rm(name);
    return incomingFile(folder, handle);
  });
}

function incomingFile(folder: IncomingFolder, handle: FileHandle): IncomingFile {
  let chunks: Uint8Array[] = [];
  let pending = 0;
  let written = 0;
  let checkedAt = 0;

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
    close: () => handle.close(),
  };
}
