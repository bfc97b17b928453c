import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, unfinishedName } from '../durable-file.ts';
import { translated } from './storage-errors.ts';
import type { ArtifactInfo, ArtifactIntake } from './store.ts';

export type DiskIntakeParts = {
  folder: string;
  pathOf(sha256: string): string;
  requireSpace(sizeBytes: number): Promise<void>;
};

/** Each artifact under a temporary name until all of them get theirs. */
export function createDiskIntake({ folder, pathOf, requireSpace }: DiskIntakeParts): ArtifactIntake {
  const waiting = new Map<string, string>();

  async function keep(source: AsyncIterable<Uint8Array>): Promise<ArtifactInfo> {
    const unfinished = unfinishedName(join(folder, 'intake'));
    try {
      const info = await writeAndSync(unfinished, source);
      if (waiting.has(info.sha256)) await rm(unfinished);
      else waiting.set(info.sha256, unfinished);
      return info;
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  return {
    add: (bytes) =>
      translated(async () => {
        await requireSpace(bytes.byteLength);
        await keep(only(bytes));
      }),
    addStream: (source) =>
      translated(async () => {
        await requireSpace(0);
        return keep(source);
      }),
    commit: () =>
      translated(async () => {
        const folders = new Set<string>();
        for (const [sha256, unfinished] of waiting) {
          await rename(unfinished, pathOf(sha256));
          folders.add(join(folder, sha256.charAt(0)));
        }
        waiting.clear();
        for (const named of folders) await syncFolder(named);
      }),
    async abandon() {
      for (const unfinished of waiting.values()) await rm(unfinished, { force: true });
      waiting.clear();
    },
  };
}

async function writeAndSync(path: string, source: AsyncIterable<Uint8Array>): Promise<ArtifactInfo> {
  const sha256 = createHash('sha256');
  const sha1 = createHash('sha1');
  let sizeBytes = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of source) {
      sizeBytes += piece.byteLength;
      sha256.update(piece);
      sha1.update(piece);
      await file.writeFile(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: sha256.digest('hex'), sizeBytes, sha1: sha1.digest('hex') };
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
