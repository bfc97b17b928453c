import { createHash, hash } from 'node:crypto';
import { UPLOAD_LIMITS } from '../../../routers/schemas/limits.ts';
import type { AccountContext } from '../../context.ts';
import type { UploadDoc } from '../../database/models/publishing/upload.ts';
import { endWhenAway } from '../../database/mongo.ts';
import { AppError } from '../../lib/errors.ts';
import { runInTimeSlices } from '../../lib/time-slices.ts';
import { withSlots } from '../../lib/with-slot.ts';
import { clearStoredAgain } from '../../store/corruption.ts';
import type { ManifestEntry } from '../../store/manifest.ts';
import type { ArtifactInfo, ArtifactStore } from '../../store/store.ts';
import { announcedBy, COUNT_EVERY_BYTES, counting, keepingOpen, requireAnnounced, type SentFile } from './file.ts';
import { missingHashes } from './missing.ts';
import { findOpenUpload, touch } from './open.ts';
import { rememberAll } from './remember.ts';
import { countBytes } from './storage-quota.ts';

/** Each file is preceded by its hash and a line feed; the list of files has its length. */
const HEADER_CHARS = 64 + 1;
/** A bundle is held whole while it is stored, and waits for the disk, so only a few are accepted at once. */
const OF_AN_ACCOUNT = { limit: 2, queueLength: 8 };
const AT_ONCE = { limit: 6, queueLength: 200 };
/** Hashing this much takes a millisecond. */
const HASHED_AT_ONCE_BYTES = 256 * 1024;

type Sent = { bytes: Buffer; info: ArtifactInfo };
type Bundle = { files: Sent[]; fault: AppError | null };

/**
 * Stores many announced files from one body, as `receiveFile` does one. Whole files before the end of a broken body,
 * or before a wrong file, are kept. Throws as `receiveFile` does, `bad_request`, and the errors of the body; `field`
 * is the hash of the wrong file.
 */
export async function receiveBundle(
  ctx: AccountContext,
  uploadId: string,
  { body, contentLength }: Pick<SentFile, 'body' | 'contentLength'>,
): Promise<void> {
  const { store, zips } = ctx.providers;
  const upload = await endWhenAway(() => findOpenUpload(ctx, uploadId));
  const entries = await announcedBy(ctx, upload);
  if (contentLength !== null && contentLength > COUNT_EVERY_BYTES) {
    await endWhenAway(() => countBytes(ctx, 0, { ahead: contentLength }));
  }
  const arriving = untilCut(counting(ctx, keepingOpen(ctx, upload, body), UPLOAD_LIMITS.maxBundleBytes));
  await zips.spool(arriving.bytes, async (readWhole) => {
    const { files, fault } = await withBundleSlot(ctx, async () => {
      const bundle = await runInTimeSlices(bundleReadingSteps(await readWhole(), entries));
      await storeAll(store, bundle.files);
      return bundle;
    });
    await endWhenAway(() => storeFiles(ctx, upload, files));
    const problem = arriving.cut ?? fault;
    if (problem !== null) throw problem;
  });
}

/**
 * Returns the hashes of an upload's list that the account has not stored, so that a sender whose body was cut off can
 * continue.
 */
export async function missingOfUpload(ctx: AccountContext, uploadId: string): Promise<string[]> {
  return endWhenAway(async () => {
    const entries = await announcedBy(ctx, await findOpenUpload(ctx, uploadId));
    return missingHashes(ctx.actor.accountId, entries, { which: 'staying' });
  });
}

function withBundleSlot<T>(ctx: AccountContext, work: () => Promise<T>): Promise<T> {
  const own = { key: `bundles of ${ctx.actor.accountId}`, ...OF_AN_ACCOUNT };
  const full = (): AppError =>
    new AppError('overloaded', 'Too many files are being stored right now. Try again in a second.', {
      retryAfterMs: 1_000,
    });
  return withSlots(ctx.providers.rateCounters, [own, { key: 'bundles', ...AT_ONCE }], full, work);
}

/** Yields the bytes until the sender disconnects, and keeps that error. */
function untilCut(body: AsyncIterable<Uint8Array>) {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'client_closed')) throw error;
      arriving.cut = error;
    }
  }
  const arriving: { cut: AppError | null; bytes: AsyncIterable<Uint8Array> } = { cut: null, bytes: bytes() };
  return arriving;
}

/** Reads file after file, up to the first that differs from its announcement. */
export function* bundleReadingSteps(
  body: Buffer,
  entries: ReadonlyMap<string, ManifestEntry>,
): Generator<void, Bundle> {
  const files: Sent[] = [];
  const seen = new Set<string>();
  try {
    for (let at = 0; at < body.length; ) {
      const entry = readHeader(body.toString('latin1', at, at + HEADER_CHARS), entries);
      if (seen.has(entry.sha256)) throw wrong('bad_request', 'The body contains this file twice.', entry);
      seen.add(entry.sha256);
      const start = at + HEADER_CHARS;
      at = start + entry.sizeBytes;
      files.push(yield* readingSteps(body.subarray(start, at), entry));
      yield;
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { files, fault: error };
  }
  return { files, fault: null };
}

function readHeader(header: string, entries: ReadonlyMap<string, ManifestEntry>): ManifestEntry {
  if (/^[0-9a-f]{64}\n$/.test(header)) return requireAnnounced(entries, header.slice(0, -1));
  throw new AppError('bad_request', 'Before each file, send its hash (64 lowercase hex digits) and a line feed.');
}

function* readingSteps(bytes: Buffer, entry: ManifestEntry): Generator<void, Sent> {
  const info = { ...(yield* hashingSteps(bytes)), sizeBytes: bytes.length };
  if (info.sha256 === entry.sha256 && info.sizeBytes === entry.sizeBytes) return { bytes, info };
  throw wrong('hash_mismatch', 'The file that arrived does not match its hash. Send it again.', entry);
}

function* hashingSteps(bytes: Buffer): Generator<void, Pick<ArtifactInfo, 'sha256' | 'sha1'>> {
  // Most files are small, and hashed sooner in one call.
  if (bytes.length <= HASHED_AT_ONCE_BYTES) return { sha256: hash('sha256', bytes), sha1: hash('sha1', bytes) };
  const [sha256, sha1] = [createHash('sha256'), createHash('sha1')];
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE_BYTES) {
    const piece = bytes.subarray(at, at + HASHED_AT_ONCE_BYTES);
    sha256.update(piece);
    sha1.update(piece);
    yield;
  }
  return { sha256: sha256.digest('hex'), sha1: sha1.digest('hex') };
}

function wrong(code: 'bad_request' | 'hash_mismatch', message: string, { sha256 }: ManifestEntry): AppError {
  return new AppError(code, message, { field: sha256 });
}

async function storeFiles(ctx: AccountContext, upload: UploadDoc, files: readonly Sent[]): Promise<void> {
  const infos = files.map(({ info }) => info);
  await Promise.all([rememberAll(ctx, infos), clearStoredAgain(infos.map(({ sha256 }) => sha256))]);
  await touch(ctx, upload);
}

/** Stores the files so that all of them are durable at one moment. */
async function storeAll(store: ArtifactStore, files: readonly Sent[]): Promise<void> {
  if (files.length === 0) return;
  const intake = await store.intake();
  try {
    for (const { bytes, info } of files) await intake.add(bytes, info);
    await intake.commit();
  } catch (error) {
    await intake.abandon();
    throw error;
  }
}
