import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SIZE_BYTES = 64 * 1024 * 1024;

export type SmallDisk = {
  folder: string;
  /** The free space that a store must leave, so that it has 64 MiB for itself. */
  minFreeBytes: number;
  /** False when mounting is not permitted: a limit refuses before the disk does. */
  canBeFull: boolean;
  /** False for root when mounting is not permitted, because rights mean nothing to root. */
  canBeReadOnly: boolean;
  makeReadOnly(): Promise<void>;
  makeWritable(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Returns a disk of 64 MiB. Where mounting is not permitted it is a folder with a limit in place of the size, and with
 * rights in place of a read-only mount: those hold for everybody but root, who may mount.
 */
export async function makeSmallDisk(): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-disk-'));
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_BYTES}`, 'fairlead-test', folder]).then(
    () => true,
    () => false,
  );
  const disk = await statfs(folder);
  return {
    folder,
    minFreeBytes: isMounted ? 0 : disk.bavail * disk.bsize - SIZE_BYTES,
    canBeFull: isMounted,
    canBeReadOnly: isMounted || process.getuid?.() !== 0,
    async makeReadOnly() {
      if (isMounted) await run('mount', ['-o', 'remount,ro', folder]);
      else await forEachFolder(folder, 0o500);
    },
    async makeWritable() {
      if (isMounted) await run('mount', ['-o', 'remount,rw', folder]);
      else await forEachFolder(folder, 0o700);
    },
    async [Symbol.asyncDispose]() {
      if (isMounted) await run('umount', ['-l', folder]);
      else await forEachFolder(folder, 0o700);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function forEachFolder(folder: string, mode: number): Promise<void> {
  if (mode === 0o700) await chmod(folder, mode);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await forEachFolder(join(folder, entry.name), mode);
  }
  await chmod(folder, mode);
}
