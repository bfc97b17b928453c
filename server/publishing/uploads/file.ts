import type { AccountContext } from '../../context.ts';
import { ArtifactModel } from '../../database/models/publishing/artifact.ts';
import type { UploadDoc } from '../../database/models/publishing/upload.ts';
import { endWhenAway, isDuplicateKey, newId } from '../../database/mongo.ts';
import { AppError } from '../../lib/errors.ts';
import { withSlot } from '../../lib/with-slot.ts';
import { clearStoredAgain } from '../../store/corruption.ts';
import type { ManifestEntry } from '../../store/manifest.ts';
import type { ArtifactInfo } from '../../store/store.ts';
import { entriesOf } from './entries.ts';
import { endAfter, findOpenUpload, requireUnchanged, TOUCH_MS, touch } from './open.ts';
import { countBytes } from './storage-quota.ts';

/**
 * The copies of one file that may be sent at once: a second one is its sender who comes again while the first
 * connection hangs. Disk space is reserved for each, so unlimited copies would take room that an account could never
 * use.
 */
const COPIES_AT_ONCE = 2;
const COPY_RETRY_MS = 5_000;
/** The number of bytes that may arrive uncounted; each count asks the database. */
export const COUNT_EVERY_BYTES = 1024 * 1024;

export type SentFile = {
  sha256: string;
  body: AsyncIterable<Uint8Array>;
  /** The announced length, if there is one. */
  contentLength: number | null;
};

/**
 * Stores one announced file, streamed and verified against its hash; sending it twice does no harm. Database calls
 * have a time limit, but the sender's time is not limited here. Throws `not_found`, `upload_closed`,
 * `hash_unannounced`, `hash_mismatch`, `body_too_large`, `quota_exhausted`, `rate_limited`, `storage_full`.
 */
export async function receiveFile(ctx: AccountContext, uploadId: string, file: SentFile): Promise<void> {
  const { rateCounters, store } = ctx.providers;
  const { entry, upload } = await endWhenAway(() => expectFile(ctx, uploadId, file));
  const full = (): AppError =>
    new AppError('rate_limited', 'This file is already being sent.', { retryAfterMs: COPY_RETRY_MS });
  const slots = { key: `file ${entry.sha256} of ${ctx.actor.accountId}`, limit: COPIES_AT_ONCE, full };
  const info = await withSlot(rateCounters, slots, () =>
    store.write(counting(ctx, keepingOpen(ctx, upload, file.body)), entry),
  );
  await endWhenAway(() => storeFile(ctx, upload, info));
}

type ExpectedFile = { entry: ManifestEntry; upload: UploadDoc };

/**
 * Returns the entry of the file in the upload's list, unless the rest of the day's allowance is known to be too small.
 */
async function expectFile(ctx: AccountContext, uploadId: string, file: SentFile): Promise<ExpectedFile> {
  const upload = await findOpenUpload(ctx, uploadId);
  const entry = requireAnnounced(await announcedBy(ctx, upload), file.sha256);
  const length = file.contentLength ?? entry.sizeBytes;
  if (length > entry.sizeBytes)
    throw new AppError('body_too_large', `This file is larger than the ${entry.sizeBytes} bytes in the list of files.`);
  if (length < entry.sizeBytes)
    throw new AppError('hash_mismatch', `This file is smaller than the ${entry.sizeBytes} bytes in the list of files.`);
  // A smaller file is refused no later by its first count, which saves a query to the database.
  if (entry.sizeBytes > COUNT_EVERY_BYTES) await countBytes(ctx, 0, { ahead: entry.sizeBytes });
  return { entry, upload };
}

/**
 * Yields the bytes as they arrive, and counts them: a file that breaks off costs the bytes that came. The last ones
 * are counted before the file is stored, so that parallel files stay within the limit together.
 */
export async function* counting(
  ctx: AccountContext,
  body: AsyncIterable<Uint8Array>,
  everyBytes = COUNT_EVERY_BYTES,
): AsyncGenerator<Uint8Array> {
  let uncounted = 0;
  const count = async (): Promise<void> => {
    const bytes = uncounted;
    uncounted = 0;
    if (bytes > 0) await endWhenAway(() => countBytes(ctx, bytes));
  };
  try {
    for await (const chunk of body) {
      uncounted += chunk.byteLength;
      if (uncounted >= everyBytes) await count();
      yield chunk;
    }
    await count();
  } finally {
    // The original error matters more to the sender than the exhausted allowance.
    await count().catch(() => undefined);
  }
}

/** Yields the bytes as they arrive, and keeps the upload from counting as quiet, however slow they are. */
export async function* keepingOpen(
  ctx: AccountContext,
  upload: UploadDoc,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let endsMs = upload.expiresAt.getTime();
  for await (const chunk of body) {
    if (endAfter(ctx).getTime() - endsMs >= TOUCH_MS) {
      endsMs = endAfter(ctx).getTime();
      // While the database is away nobody else can open an upload either, so this file is not broken off.
      await endWhenAway(() => touch(ctx, upload)).catch(() => undefined);
    }
    yield chunk;
  }
}

async function storeFile(ctx: AccountContext, upload: UploadDoc, info: ArtifactInfo): Promise<void> {
  await Promise.all([remember(ctx, info), clearStoredAgain([info.sha256])]);
  await touch(ctx, upload);
}

/**
 * Returns the entries of an upload's list, by hash. Throws `upload_closed` when another list has taken this one out of
 * the store meanwhile.
 */
export async function announcedBy(
  ctx: AccountContext,
  { _id: uploadId, manifestHash }: UploadDoc,
): Promise<ReadonlyMap<string, ManifestEntry>> {
  if (!manifestHash) return new Map();
  return entriesOf(ctx.providers.store, manifestHash).catch(async (error: unknown) => {
    await requireUnchanged(ctx, { uploadId, manifestHash });
    throw error;
  });
}

/** Throws `hash_unannounced`. */
export function requireAnnounced(entries: ReadonlyMap<string, ManifestEntry>, sha256: string): ManifestEntry {
  const entry = entries.get(sha256);
  if (entry !== undefined) return entry;
  throw new AppError('hash_unannounced', 'This hash is in no list of files of this upload.', { field: sha256 });
}

async function remember(ctx: AccountContext, info: ArtifactInfo): Promise<void> {
  const { accountId } = ctx.actor;
  const { sha256, sha1, sizeBytes } = info;
  const update = { $set: { lastUsedAt: ctx.now() }, $setOnInsert: { _id: newId(), sha1, sizeBytes } };
  try {
    await ArtifactModel.updateOne({ accountId, sha256 }, update, { upsert: true });
  } catch (error) {
    // The same file came twice at once: the other one has written the row.
    if (!isDuplicateKey(error)) throw error;
  }
}
