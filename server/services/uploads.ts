import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import type { UploadManifestAnswer, UploadManifestInput } from '../../routers/schemas/releases.ts';
import { REFUSAL_SENTENCES, type Refusal, readUpload } from '../../routers/schemas/upload-rules.ts';
import {
  decodeManifest,
  encodeManifest,
  type Manifest,
  type ManifestEntry,
  totalBytes,
} from '../artifacts/manifest.ts';
import type { ArtifactInfo, ArtifactStore } from '../artifacts/store.ts';
import { DAY_MS } from '../durations.ts';
import { AppError, notFound } from '../errors.ts';
import { ArtifactModel, HASHES_A_QUERY, LEAVING } from '../models/artifact.ts';
import { type UploadDoc, UploadModel } from '../models/upload.ts';
import { endWhenAway, isDuplicateKey, newId } from '../mongo.ts';
import type { AccountContext } from '../service-context.ts';
import { countAgainst } from './rate-limit.ts';
import { removeUnnamedManifest } from './unnamed-manifest.ts';

/**
 * Files on their way in. A manifest announces paths and hashes; only what the account has not stored before is sent,
 * each file under its hash. What arrives belongs to nobody's site until a release is made of it.
 */
/** An upload for which nothing has arrived for so long gives its slot to a new one. */
const QUIET_MS = 30_000;
/** How often bytes move the end of an upload; often enough that one at work is never quiet. */
export const TOUCH_MS = 10_000;

/**
 * Opens an upload in one of the account's three slots; one that has been quiet for half a minute gives way.
 * Throws `quota_exhausted`.
 */
export async function openUpload(ctx: AccountContext, deploymentId: string | null): Promise<string> {
  const { accountId } = ctx.actor;
  await closeQuiet(ctx);
  for (let slot = 0; slot < UPLOAD_LIMITS.maxOpenUploads; slot += 1) {
    const id = newId();
    try {
      await UploadModel.create([{ _id: id, accountId, deploymentId, slot, expiresAt: endAfter(ctx) }]);
      return id;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
  throw new AppError(
    'quota_exhausted',
    `${UPLOAD_LIMITS.maxOpenUploads} uploads are open already, which is the most at once.`,
    {
      hint: 'Publish one of them, or wait half a minute.',
      retryAfterMs: QUIET_MS,
    },
  );
}

/** The one that was quiet longest goes, when all three slots are taken; what it brought is found again by its hashes. */
async function closeQuiet(ctx: AccountContext): Promise<void> {
  const { accountId } = ctx.actor;
  const open = await UploadModel.find({ accountId, state: 'open' });
  if (open.length < UPLOAD_LIMITS.maxOpenUploads) return;
  const quietSince = new Date(endAfter(ctx).getTime() - QUIET_MS);
  const [oldest] = open
    .filter((doc) => doc.expiresAt < quietSince)
    .sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  if (oldest !== undefined) await UploadModel.deleteOne({ _id: oldest._id, accountId, state: 'open' });
}

function endAfter(ctx: AccountContext): Date {
  return new Date(ctx.now().getTime() + UPLOAD_LIMITS.openUploadMs);
}

/** The account's own upload. Throws `not_found`, `upload_closed` when a release was made of it. */
export async function findOpenUpload(ctx: AccountContext, uploadId: string): Promise<UploadDoc> {
  const doc = await UploadModel.findOne({ _id: uploadId, accountId: ctx.actor.accountId });
  if (doc === null) throw notFound('upload');
  if (doc.state !== 'open')
    throw new AppError('upload_closed', 'A release was made of this upload already.', { hint: 'Open a new one.' });
  return doc;
}

/**
 * Takes the list of files, applies the rules of upload-rules.ts, and answers which hashes are not here yet; from the
 * account's own artifacts only, since anything else would tell what others have stored. A second list replaces the first.
 * Throws `upload_refused` with `reason` and `path`, `not_found`, `upload_closed`, `quota_exhausted`.
 */
export async function receiveManifest(
  ctx: AccountContext,
  uploadId: string,
  input: UploadManifestInput,
): Promise<UploadManifestAnswer> {
  return endWhenAway(keepManifest(ctx, uploadId, input));
}

async function keepManifest(
  ctx: AccountContext,
  uploadId: string,
  input: UploadManifestInput,
): Promise<UploadManifestAnswer> {
  const { accountId } = ctx.actor;
  await findOpenUpload(ctx, uploadId);
  const reading = readUpload(input.files, { publishAnyway: input.publishAnyway });
  if (reading.refusal !== null) throw refused(reading.refusal);
  const manifest: Manifest = new Map(reading.files.map(({ path, sha256, sizeBytes }) => [path, { sha256, sizeBytes }]));
  requireOneSizeAHash(manifest);

  await replaceManifest(ctx, uploadId, { manifest, source: 'folder' });
  const leftOut = reading.leftOut.map(({ path, reason }) => ({ path, reason }));
  return { missing: await missingHashes(accountId, manifest, 'staying'), leftOut };
}

/** Makes this the upload's list of files. Throws `not_found`, `quota_exhausted`, `storage_full`. */
export async function replaceManifest(
  ctx: AccountContext,
  uploadId: string,
  { manifest, source }: { manifest: Manifest; source: UploadDoc['source'] },
): Promise<void> {
  const { accountId } = ctx.actor;
  const { store } = ctx.providers;
  const bytes = encodeManifest(manifest);
  await countBytes(ctx, bytes.byteLength);
  const { sha256: manifestHash } = await store.writeWhole(bytes);
  const facts = { manifestHash, source, fileCount: manifest.size, totalBytes: totalBytes(manifest) };
  const before = await UploadModel.findOneAndUpdate(
    { _id: uploadId, accountId, state: 'open' },
    { $set: { ...facts, expiresAt: endAfter(ctx) } },
    { returnDocument: 'before' },
  );
  if (before === null) throw notFound('upload');
  // Whoever replaced an equal list meanwhile may have taken it away before this upload named it.
  if (!(await store.has(manifestHash))) await store.writeWhole(bytes);
  const replaced = before.manifestHash ?? manifestHash;
  if (replaced !== manifestHash) await removeUnnamedManifest(store, replaced);
}

function requireOneSizeAHash(manifest: Manifest): void {
  const sizes = new Map<string, number>();
  for (const [path, { sha256, sizeBytes }] of manifest) {
    if ((sizes.get(sha256) ?? sizeBytes) !== sizeBytes) {
      throw refused({ reason: 'size_conflict', path, message: REFUSAL_SENTENCES.size_conflict });
    }
    sizes.set(sha256, sizeBytes);
  }
}

function refused({ reason, path, message }: Refusal): AppError {
  return new AppError('upload_refused', path === '' ? message : `${path}: ${message}`, { reason, path });
}

/**
 * The hashes of a manifest that this account has not stored; of `staying` artifacts alone, what is being collected at the
 * moment is missing as well and has to come again.
 */
export async function missingHashes(
  accountId: string,
  manifest: Manifest,
  which: 'all' | 'staying' = 'all',
): Promise<string[]> {
  const staying = which === 'staying' ? { lastUsedAt: { $gt: LEAVING } } : {};
  const wanted = [...new Set([...manifest.values()].map((entry) => entry.sha256))];
  const missing: string[] = [];
  for (let start = 0; start < wanted.length; start += HASHES_A_QUERY) {
    const some = wanted.slice(start, start + HASHES_A_QUERY);
    const known = await ArtifactModel.find(
      { accountId, sha256: { $in: some }, ...staying },
      { sha256: 1, _id: 0 },
    ).lean();
    const here = new Set(known.map((doc) => doc.sha256));
    missing.push(...some.filter((sha256) => !here.has(sha256)));
  }
  return missing;
}

export type IncomingFile = {
  sha256: string;
  body: AsyncIterable<Uint8Array>;
  /** As the sender announced it, when it did. */
  contentLength: number | null;
};

/**
 * Stores one announced file, streamed and verified against its hash; sending it twice does no harm. What is asked of the
 * database is bounded; how long the sender takes is not, here.
 * Throws `not_found`, `upload_closed`, `hash_unannounced`, `hash_mismatch`, `body_too_large`, `quota_exhausted`,
 * `storage_full`.
 */
export async function receiveFile(ctx: AccountContext, uploadId: string, file: IncomingFile): Promise<void> {
  const { entry, upload } = await endWhenAway(expectFile(ctx, uploadId, file));
  const info = await ctx.providers.store.write(keepingOpen(ctx, upload, file.body), entry);
  await endWhenAway(keepFile(ctx, uploadId, info));
}

type ExpectedFile = { entry: ManifestEntry; upload: UploadDoc };

/** What the upload's list says of the file, once its bytes have been counted. */
async function expectFile(ctx: AccountContext, uploadId: string, file: IncomingFile): Promise<ExpectedFile> {
  const upload = await findOpenUpload(ctx, uploadId);
  const entry = await announced(ctx.providers.store, upload, file.sha256);
  const length = file.contentLength ?? entry.sizeBytes;
  if (length > entry.sizeBytes)
    throw new AppError('body_too_large', `The list of files says ${entry.sizeBytes} bytes, and more are sent.`);
  if (length < entry.sizeBytes)
    throw new AppError('hash_mismatch', `The list of files says ${entry.sizeBytes} bytes, and fewer are sent.`);
  await countBytes(ctx, entry.sizeBytes);
  return { entry, upload };
}

/** The bytes as they come; they keep the upload from being taken for a quiet one, however slowly they do. */
async function* keepingOpen(
  ctx: AccountContext,
  upload: UploadDoc,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let endsMs = upload.expiresAt.getTime();
  for await (const chunk of body) {
    if (endAfter(ctx).getTime() - endsMs >= TOUCH_MS) {
      endsMs = endAfter(ctx).getTime();
      // While the database is away nobody else opens an upload either: no reason to break this file off.
      await endWhenAway(touch(ctx, upload._id)).catch(() => undefined);
    }
    yield chunk;
  }
}

async function keepFile(ctx: AccountContext, uploadId: string, info: ArtifactInfo): Promise<void> {
  await remember(ctx, info);
  await touch(ctx, uploadId);
}

/** Keeps the upload from being taken for a quiet one. */
export async function touch(ctx: AccountContext, uploadId: string): Promise<void> {
  const soon = new Date(endAfter(ctx).getTime() - TOUCH_MS);
  await UploadModel.updateOne(
    { _id: uploadId, accountId: ctx.actor.accountId, expiresAt: { $lt: soon } },
    { $set: { expiresAt: endAfter(ctx) } },
  );
}

async function announced(store: ArtifactStore, upload: UploadDoc, sha256: string): Promise<ManifestEntry> {
  const entry = upload.manifestHash ? (await entriesOf(store, upload.manifestHash)).get(sha256) : undefined;
  if (entry === undefined) throw new AppError('hash_unannounced', 'No list of files of this upload names this hash.');
  return entry;
}

/** Security facts, 1.8: 10 GiB a day and account. Throws `quota_exhausted`. */
export async function countBytes(ctx: AccountContext, sizeBytes: number): Promise<void> {
  const limit = ctx.providers.limits.uploadBytesPerDay;
  const count = { name: 'upload-bytes', key: ctx.actor.accountId, limit, windowMs: DAY_MS, amount: sizeBytes };
  try {
    await countAgainst(count);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error;
    const gib = Math.round(limit / 1024 ** 3);
    throw new AppError('quota_exhausted', `An account can send ${gib} GiB a day, and that is used up.`, {
      retryAfterMs: error.retryAfterMs,
    });
  }
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

/** Manifests that files are arriving for: decoding one of 20,000 rows again for each of them would be all the work. */
const CACHED_MANIFESTS = 16;
const cache = new Map<string, Promise<ReadonlyMap<string, ManifestEntry>>>();

function entriesOf(store: ArtifactStore, manifestHash: string): Promise<ReadonlyMap<string, ManifestEntry>> {
  const cached = cache.get(manifestHash);
  cache.delete(manifestHash);
  const entries = cached ?? readEntries(store, manifestHash);
  cache.set(manifestHash, entries);
  if (cache.size > CACHED_MANIFESTS) cache.delete(cache.keys().next().value ?? '');
  return entries;
}

async function readEntries(store: ArtifactStore, manifestHash: string): Promise<ReadonlyMap<string, ManifestEntry>> {
  try {
    const manifest = decodeManifest(await store.readWhole(manifestHash));
    return new Map([...manifest.values()].map((entry) => [entry.sha256, entry]));
  } catch (error) {
    cache.delete(manifestHash);
    throw error;
  }
}
