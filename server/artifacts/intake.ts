import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { AppError } from '../errors.ts';
import { inPlace } from '../in-place.ts';
import type { Tally } from '../tally.ts';
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
import type { ArtifactInfo, ArtifactIntake, ArtifactStore } from './store.ts';
import { ZipRefusal } from './zip-refusal.ts';
import { type ListedZip, startZipThread, type ZipContent } from './zip-thread.ts';

/** A thread takes a core; more archives wait with their bytes on the disk. */
const ARCHIVES_AT_ONCE = 2;
const ARCHIVES_WAITING = 32;
/** A small archive takes well under a second. */
const OVERLOADED_RETRY_MS = 5_000;

export type IncomingZip = {
  body: AsyncIterable<Uint8Array>;
  /** As the sender announced it, when it did. */
  contentLength: number | null;
  /** Final paths that the person publishes although they would be left out. */
  publishAnyway: readonly string[];
  /** Where it goes on, and is kept when it is cut off; null for one that comes at once or not at all. */
  part?: PartFrom | null;
  /** Ends the work with its reason. */
  signal: AbortSignal;
};

export type StoredZip = {
  manifest: Manifest;
  /** One a content: two paths may share one. */
  artifacts: ArtifactInfo[];
  leftOut: { path: string; reason: string }[];
  droppedCount: number;
  totalBytes: number;
};

export type TakeZipOptions = {
  store: ArtifactStore;
  /** Called with what is about to be used: the archive's bytes, then what its files take beyond. May throw. */
  count(bytes: number): Promise<void>;
};

export interface ZipIntake {
  /**
   * Reads a ZIP as it comes, checks it, and brings its files into the store, all or none of them; of the archive itself
   * nothing stays. Throws `upload_refused` with `reason` and `path`, `body_too_large`, `storage_full`, `overloaded`, what
   * the body throws, what `count` throws, and the reason of the signal.
   */
  take(zip: IncomingZip, options: TakeZipOptions): Promise<StoredZip>;
  /** How many bytes of an archive that was cut off wait for the rest. */
  arrived(part: Part): Promise<number>;
  /** Takes away what waits of an account that is gone; elsewhere it goes with what nobody goes on with. */
  forget(accountId: string): Promise<void>;
  /** Takes away what nobody goes on with. */
  sweep(): Promise<void>;
}

/** `folder` is for archives on their way in: on a disk, for this installation alone. */
export async function createZipIntake(folder: IncomingFolder, tally: Tally): Promise<ZipIntake> {
  await prepareIncoming(folder);

  /** A turn may be waited for long after the sender has gone: then it goes to the next at once. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const places = { key: 'archives', limit: ARCHIVES_AT_ONCE, inLine: ARCHIVES_WAITING, full: overloaded };
    return inPlace(tally, places, work);
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
        await receive(file, zip);
        await options.count(Math.max(0, file.sizeBytes - from - announced));
        return await inTurn(() => unpack(file, zip, options));
      } catch (error) {
        isKept = mayGoOn(error);
        throw error instanceof ZipRefusal ? refused(error) : error;
      } finally {
        await file.close(isKept ? 'keep' : undefined);
      }
    },
    arrived: (part) => arrivedBytes(folder, part),
    forget: (accountId) => forgetParts(folder, accountId),
    sweep: () => sweepIncoming(folder),
  };
}

/** What is wrong with none of the bytes that came: the sender went, or is to come again later. */
const PASSING: ReadonlySet<string> = new Set(['client_closed', 'database_unavailable', 'overloaded', 'rate_limited']);

function mayGoOn(error: unknown): boolean {
  return error instanceof AppError && PASSING.has(error.code);
}

function overloaded(): AppError {
  return new AppError('overloaded', 'Too many ZIP files are being read at this moment. Try again in a few seconds.', {
    retryAfterMs: OVERLOADED_RETRY_MS,
  });
}

function tooLarge(): AppError {
  return new AppError('body_too_large', `A ZIP file has at most ${UPLOAD_LIMITS.maxZipBytes / 1024 ** 2} MiB.`, {
    hint: 'Unpack it, and send the folder.',
  });
}

function refused({ reason, path, message }: ZipRefusal): AppError {
  return new AppError('upload_refused', path === '' ? message : `${path}: ${message}`, { reason, path });
}

async function receive(file: IncomingFile, { body, signal }: IncomingZip): Promise<void> {
  for await (const chunk of body) {
    signal.throwIfAborted();
    if (file.sizeBytes + chunk.byteLength > UPLOAD_LIMITS.maxZipBytes) throw tooLarge();
    await file.write(chunk);
  }
  await file.flush();
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

/** What was stored, by the place of each file in the list. */
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
  // All of them have ended before the slab goes back and before anything is abandoned.
  const results = await Promise.allSettled(adding);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

type Piece = Extract<ZipContent, { kind: 'piece' }>;

/** The pieces of one large file, of which the first has come already. */
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
  const { leftOut, droppedCount, totalBytes } = listing;
  return { manifest, artifacts: [...artifacts.values()], leftOut, droppedCount, totalBytes };
}
