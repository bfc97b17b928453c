import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import { AppError } from '../../lib/errors.ts';
import type { ArtifactStore, OpenArtifact } from '../../store/store.ts';
import { compress } from './compress.ts';
import type { Coding } from './encoding.ts';

/** Files up to this size are held and sent whole, which is fastest; larger ones go in pieces and are not held. */
export const WHOLE_MAX_BYTES = 1024 * 1024;
const BYTES_MAX = 256 * 1024 * 1024;
const HANDLES_MAX = 128;
/**
 * The memory of a body besides its bytes: the Buffer, its key and its entry in the map, measured with half a million
 * of them.
 */
const ENTRY_BYTES = 700;
/** Limits the second chances when one body comes in, so that the walk ends soon however many were used. */
const SECOND_CHANCES_MAX = 64;

/** Returns 256 MB, or an eighth of the memory if that is less. */
export function defaultCacheBytes(): number {
  const limit = constrainedMemory() ?? 0;
  const memory = limit > 0 && limit < totalmem() ? limit : totalmem();
  return Math.min(BYTES_MAX, Math.floor(memory / 8));
}

type Wanted = { sha256: string; sizeBytes: number };

/** The source of one body: an artifact itself, or its compressed form. */
export type Source = { key: string; artifact: Wanted; coding: Coding };

export type Borrowed = { artifact: Pick<OpenArtifact, 'read'>; release(): void };

export type FileCache = {
  /** Returns the whole body if it is in memory; never waits. */
  known(key: string): Buffer | undefined;
  /**
   * Loads a body of up to `WHOLE_MAX_BYTES`, or compresses one, which may be larger; a compressed body is empty when
   * that saves too little. Throws `artifact_corrupted` when the bytes in the store are not those that were recorded.
   */
  load(source: Source): Promise<Buffer>;
  /** Opens a larger artifact once for many requests. The caller gives it back by `release`. */
  borrow(source: Source): Promise<Borrowed>;
  close(): Promise<void>;
};

/** Bytes of files for all sites: artifacts never change, so nothing is ever checked again. */
export function createFileCache(store: ArtifactStore, bytesMax = defaultCacheBytes()): FileCache {
  const buffers = createBuffers(store, bytesMax);
  const handles = createHandles(store);

  async function borrow(source: Source): Promise<Borrowed> {
    if (source.coding === 'identity') return handles.borrow(source.artifact);
    const buffer = buffers.known(source.key) ?? (await buffers.load(source));
    return { artifact: { read: async (start, end) => buffer.subarray(start, end) }, release: () => undefined };
  }

  return { known: buffers.known, load: buffers.load, borrow, close: handles.close };
}

function createBuffers(store: ArtifactStore, bytesMax: number): Pick<FileCache, 'known' | 'load'> {
  const buffers = new Map<string, { buffer: Buffer; isUsed: boolean }>();
  const loading = new Map<string, Promise<Buffer>>();
  let bytes = 0;

  function cacheFile(key: string, buffer: Buffer): void {
    const weight = ENTRY_BYTES + buffer.length;
    if (weight > bytesMax || buffers.has(key)) return;
    buffers.set(key, { buffer, isUsed: false });
    bytes += weight;
    let chances = SECOND_CHANCES_MAX;
    for (const [oldest, held] of buffers) {
      if (bytes <= bytesMax) return;
      buffers.delete(oldest);
      // A second chance for entries that were used since they came in is cheaper than an order of use that each request
      // updates.
      if (held.isUsed && chances > 0) {
        chances -= 1;
        buffers.set(oldest, { ...held, isUsed: false });
      } else bytes -= ENTRY_BYTES + held.buffer.length;
    }
  }

  async function read({ key, artifact, coding }: Source): Promise<Buffer> {
    const whole = buffers.get(artifact.sha256)?.buffer ?? (await readWhole(store, artifact));
    const buffer = coding === 'identity' ? whole : await compress(whole, coding);
    cacheFile(key, buffer);
    return buffer;
  }

  return {
    known(key) {
      const held = buffers.get(key);
      if (held === undefined) return undefined;
      held.isUsed = true;
      return held.buffer;
    },
    load(source) {
      const pending = loading.get(source.key);
      if (pending !== undefined) return pending;
      const started = read(source).finally(() => loading.delete(source.key));
      loading.set(source.key, started);
      return started;
    },
  };
}

type Handle = { opening: Promise<OpenArtifact>; users: number; isDropped: boolean };

type Handles = Pick<FileCache, 'close'> & { borrow(file: Wanted): Promise<Borrowed> };

function createHandles(store: ArtifactStore): Handles {
  const handles = new Map<string, Handle>();

  function drop(sha256: string, handle: Handle): Promise<void> {
    if (handles.get(sha256) === handle) handles.delete(sha256);
    handle.isDropped = true;
    return handle.users === 0 ? closeQuietly(handle) : Promise.resolve();
  }

  function take(file: Wanted): Handle {
    const known = handles.get(file.sha256);
    const handle = known ?? { opening: openChecked(store, file), users: 0, isDropped: false };
    handles.delete(file.sha256);
    handles.set(file.sha256, handle);
    if (known === undefined) handle.opening.catch(() => drop(file.sha256, handle));
    for (const [oldest, dropped] of handles) {
      if (handles.size <= HANDLES_MAX) break;
      void drop(oldest, dropped);
    }
    return handle;
  }

  return {
    async borrow(file) {
      const handle = take(file);
      handle.users += 1;
      const release = (): void => {
        handle.users -= 1;
        if (handle.isDropped && handle.users === 0) void closeQuietly(handle);
      };
      try {
        return { artifact: await handle.opening, release };
      } catch (error) {
        release();
        throw error;
      }
    },
    close: async () => {
      await Promise.all([...handles].map(([sha256, handle]) => drop(sha256, handle)));
    },
  };
}

/** Closes a handle; one that never opened has nothing to close. */
async function closeQuietly(handle: Handle): Promise<void> {
  await handle.opening.then((artifact) => artifact.close()).catch(() => undefined);
}

async function readWhole(store: ArtifactStore, file: Wanted): Promise<Buffer> {
  const bytes = await store.readWhole(file.sha256);
  if (bytes.byteLength !== file.sizeBytes) throw otherSize();
  return bytes;
}

async function openChecked(store: ArtifactStore, file: Wanted): Promise<OpenArtifact> {
  const artifact = await store.open(file.sha256);
  if (artifact.sizeBytes === file.sizeBytes) return artifact;
  await artifact.close();
  throw otherSize();
}

function otherSize(): AppError {
  return new AppError(
    'artifact_corrupted',
    'A file of this release does not have the size given in the list of files.',
  );
}
