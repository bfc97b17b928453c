import { refusalSentence } from '../../routers/rules/uploads/upload-rules.ts';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import type { NameNotice } from '../../routers/schemas/name-notices.ts';
import { AppError } from '../lib/errors.ts';
import type { RateCounters } from '../lib/rate-counters.ts';
import { withSlots } from '../lib/with-slot.ts';
import { createFolderSpace, type OnDiskFull } from './disk/space.ts';
import {
  arrivedBytes,
  forgetParts,
  type IncomingFile,
  type IncomingFolder,
  openIncoming,
  type Part,
  type PartFrom,
  prepareIncoming,
  sweepIncoming,
} from './incoming-file.ts';
import type { Manifest, ManifestEntry } from './manifest.ts';
import { spooled } from './spool.ts';
import type { ArtifactInfo, ArtifactIntake, ArtifactStore } from './store.ts';
import { ZipRefusal } from './zip/refusal.ts';
import { type ListedZip, startZipThread, type ZipContent } from './zip/thread.ts';

/** Each archive occupies a core; further ones wait with their bytes on the disk. */
const ARCHIVES_AT_ONCE = 2;
const ARCHIVES_WAITING = 32;
/** A sender of many archives waits for its own first. */
const OF_A_SENDER = { limit: 1, queueLength: 8 };
/** Bytes that may arrive before they are counted, since each count asks the database. */
const COUNT_EVERY_BYTES = 8 * 1024 * 1024;
/** A small archive takes well under a second. */
const OVERLOADED_RETRY_MS = 5_000;

export type IncomingZip = {
  body: AsyncIterable<Uint8Array>;
  /** Null when the sender did not announce its length. */
  contentLength: number | null;
  /** Final paths that the person publishes although they would be left out. */
  publishAnyway: readonly string[];
  /**
   * The place where it continues, and is stored when it is cut off; null for an archive that comes at once or not at
   * all.
   */
  part?: PartFrom | null;
  /** Ends the work with its reason. */
  signal: AbortSignal;
};

export type StoredZip = {
  manifest: Manifest;
  /** One for each content, since two paths may share one. */
  artifacts: ArtifactInfo[];
  leftOut: { path: string; reason: string }[];
  droppedCount: number;
  totalBytes: number;
  notices: NameNotice[];
};

export type TakeZipOptions = {
  store: ArtifactStore;
  /** The sender as an account and as an address; for each, one archive is read at a time. */
  senders: readonly string[];
  /**
   * Called with the number of bytes before they are used, or while they arrive when their number was not announced:
   * first the bytes of the archive, even of one that is cut off, then those that its files take beyond. May throw.
   */
  count(bytes: number): Promise<void>;
};

export type SpoolFile = Pick<IncomingFile, 'sizeBytes' | 'write' | 'flush' | 'read' | 'close'>;

export interface ZipIntake {
  /**
   * Reads a ZIP as it arrives, checks it, and stores its files, all or none of them, and nothing of the archive
   * itself. Throws `upload_refused` with `reason` and `path`, `body_too_large`, `storage_full`, `overloaded`, the
   * errors of the body and of `count`, and the reason of the signal.
   */
  take(zip: IncomingZip, options: TakeZipOptions): Promise<StoredZip>;
  /** Returns how many bytes of an archive that was cut off wait for the rest. */
  arrived(part: Part): Promise<number>;
  /** Takes a body whose bytes are needed all at once, such as a list of files, without holding it while it arrives. */
  spool<T>(body: AsyncIterable<Uint8Array>, use: (readWhole: () => Promise<Buffer>) => Promise<T>): Promise<T>;
  /**
   * Opens an empty file on the disk of the archives, for bytes that have to be complete before they are sent. Throws
   * `storage_full`.
   */
  openSpool(): Promise<SpoolFile>;
  /** Removes the waiting parts of an account that is gone; on other instances the sweep removes them. */
  forget(accountId: string): Promise<void>;
  /** Removes abandoned parts. */
  sweep(): Promise<void>;
}

/**
 * `path` is a folder for archives on their way in: on a disk, for this installation alone. Writes are refused with
 * `storage_full` when fewer than `minFreeBytes` would stay free on that disk.
 */
export async function createZipIntake(
  { path, ...limits }: { path: string; minFreeBytes: number; onDiskFull?: OnDiskFull },
  rateCounters: RateCounters,
): Promise<ZipIntake> {
  const folder: IncomingFolder = { path, space: createFolderSpace(path, { ...limits, rateCounters }) };
  await prepareIncoming(folder);

  /** The sender may be gone long before its turn; then the slot goes to the next at once. */
  function withUnpackSlot<T>(senders: readonly string[], work: () => Promise<T>): Promise<T> {
    const slots = [
      ...senders.map((sender) => ({ key: `archives of ${sender}`, ...OF_A_SENDER })),
      { key: 'archives', limit: ARCHIVES_AT_ONCE, queueLength: ARCHIVES_WAITING },
    ];
    return withSlots(rateCounters, slots, overloaded, work);
  }

  return {
    async take(zip, options) {
      const announced = zip.contentLength ?? 0;
      const from = zip.part?.from ?? 0;
      if (from + announced > UPLOAD_LIMITS.maxZipBytes) throw tooLarge();
      await options.count(announced);
      const file = await openIncoming(folder, announced, zip.part);
      let isKept = false;
      try {
        await receive(file, zip, countArrival(options.count, announced));
        return await withUnpackSlot(options.senders, () => unpack(file, zip, options));
      } catch (error) {
        isKept = mayGoOn(error);
        throw error instanceof ZipRefusal ? refused(error) : error;
      } finally {
        await file.close(isKept ? 'keep' : undefined);
      }
    },
    arrived: (part) => arrivedBytes(folder, part),
    spool: (body, use) => spooled(folder, body, use),
    openSpool: () => openIncoming(folder, 0),
    forget: (accountId) => forgetParts(folder, accountId),
    sweep: () => sweepIncoming(folder),
  };
}

/** Errors that none of the received bytes caused: the sender went, or has to come again later. */
const PASSING: ReadonlySet<string> = new Set([
  'client_closed',
  'database_busy',
  'database_unavailable',
  'overloaded',
  'rate_limited',
]);

function mayGoOn(error: unknown): boolean {
  return error instanceof AppError && PASSING.has(error.code);
}

function overloaded(): AppError {
  return new AppError('overloaded', 'Too many ZIP files are being read right now. Try again in a few seconds.', {
    retryAfterMs: OVERLOADED_RETRY_MS,
  });
}

function tooLarge(): AppError {
  return new AppError('body_too_large', `A ZIP file can have at most ${UPLOAD_LIMITS.maxZipBytes / 1024 ** 2} MB.`, {
    hint: 'Unpack it and send the folder.',
  });
}

function refused(refusal: ZipRefusal): AppError {
  const { reason, path } = refusal;
  return new AppError('upload_refused', refusalSentence(refusal), { reason, path });
}

async function receive(file: IncomingFile, { body, signal }: IncomingZip, arrival: Arrival): Promise<void> {
  try {
    for await (const chunk of body) {
      signal.throwIfAborted();
      if (file.sizeBytes + chunk.byteLength > UPLOAD_LIMITS.maxZipBytes) throw tooLarge();
      await arrival.add(chunk.byteLength);
      await file.write(chunk);
    }
  } catch (error) {
    // The error that ended it matters more to the sender than a refusal to count more bytes today.
    await arrival.end().catch(() => undefined);
    throw error;
  }
  await arrival.end();
  await file.flush();
}

type Arrival = { add(bytes: number): Promise<void>; end(): Promise<void> };

/** Counts bytes beyond the announced ones, which were counted before, some megabytes at a time. */
function countArrival(count: TakeZipOptions['count'], announced: number): Arrival {
  let uncounted = -announced;

  async function end(): Promise<void> {
    if (uncounted <= 0) return;
    const bytes = uncounted;
    uncounted = 0;
    await count(bytes);
  }

  return {
    async add(bytes) {
      uncounted += bytes;
      if (uncounted >= COUNT_EVERY_BYTES) await end();
    },
    end,
  };
}

async function unpack(file: IncomingFile, zip: IncomingZip, { store, count }: TakeZipOptions): Promise<StoredZip> {
  zip.signal.throwIfAborted();
  const task = { file: { fd: file.fd, sizeBytes: file.sizeBytes }, publishAnyway: zip.publishAnyway };
  const thread = startZipThread(task, zip.signal);
  try {
    const listing = await thread.listed();
    await count(Math.max(0, listing.totalBytes - file.sizeBytes));
    const infos = await storeAll(store, thread.contents());
    return storedZip(listing, infos);
  } finally {
    await thread.end();
  }
}

/** Stores every file, and returns the artifacts by the index of each file in the list. */
async function storeAll(store: ArtifactStore, contents: AsyncGenerator<ZipContent, void>) {
  const infos = new Map<number, ArtifactInfo>();
  const intake = await store.intake();
  try {
    for await (const content of contents) {
      if (content.kind === 'files') await addFiles(intake, content, infos);
      else infos.set(content.index, await intake.addStream(piecesFrom(content, contents)));
    }
    await intake.commit();
    return infos;
  } catch (error) {
    await intake.abandon();
    throw error;
  }
}

async function addFiles(
  intake: ArtifactIntake,
  { slab, parts }: Extract<ZipContent, { kind: 'files' }>,
  infos: Map<number, ArtifactInfo>,
): Promise<void> {
  const adding = parts.map(({ index, start, sizeBytes, sha256, sha1 }) => {
    const info = { sha256, sha1, sizeBytes };
    infos.set(index, info);
    return intake.add(new Uint8Array(slab, start, sizeBytes), info);
  });
  // All of them have ended before the slab is given back and before anything is abandoned.
  const results = await Promise.allSettled(adding);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

type Piece = Extract<ZipContent, { kind: 'piece' }>;

/** Yields the pieces of one large file, of which the first has arrived already. */
async function* piecesFrom(first: Piece, contents: AsyncGenerator<ZipContent, void>): AsyncGenerator<Uint8Array> {
  let piece = first;
  for (;;) {
    yield new Uint8Array(piece.slab, 0, piece.sizeBytes);
    if (piece.isLast) return;
    const { value } = await contents.next();
    if (value === undefined || value.kind !== 'piece') throw new Error('A large file ended without its last piece.');
    piece = value;
  }
}

function storedZip(listing: ListedZip, infos: ReadonlyMap<number, ArtifactInfo>): StoredZip {
  const manifest = new Map<string, ManifestEntry>();
  const artifacts = new Map<string, ArtifactInfo>();
  for (const [index, { path }] of listing.files.entries()) {
    const info = infos.get(index);
    if (info === undefined) throw new Error('A file of the list was not stored.');
    manifest.set(path, { sha256: info.sha256, sizeBytes: info.sizeBytes });
    artifacts.set(info.sha256, info);
  }
  const { files: _, ...facts } = listing;
  return { manifest, artifacts: [...artifacts.values()], ...facts };
}
