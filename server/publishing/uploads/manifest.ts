import {
  REFUSAL_SENTENCES,
  type Refusal,
  refusalSentence,
  uploadReadingSteps,
} from '../../../routers/rules/uploads/upload-rules.ts';
import type { UploadManifestAnswer, UploadManifestInput } from '../../../routers/schemas/releases.ts';
import type { AccountContext } from '../../context.ts';
import { type UploadDoc, UploadModel } from '../../database/models/publishing/upload.ts';
import { endWhenAway, transaction } from '../../database/mongo.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { runInTimeSlices } from '../../lib/time-slices.ts';
import { clearStoredAgain } from '../../store/corruption.ts';
import { encodeManifest, type Manifest, type ManifestEntry, totalBytes } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { entriesOf } from './entries.ts';
import { missingHashes, storedSizes } from './missing.ts';
import { endAfter, findOpenUpload } from './open.ts';
import { countBytes, type FileLists, requireStorageQuota } from './storage-quota.ts';
import { removeUnnamedManifest } from './unnamed-manifest.ts';

/**
 * Takes the list of files, applies the rules of upload-rules.ts, and returns the missing hashes; it considers the
 * account's own artifacts only, since others would reveal what other people have stored. A second list replaces the
 * first. Throws `upload_refused` with `reason` and `path`, `not_found`, `upload_closed`, `quota_exhausted`.
 */
export async function receiveManifest(
  ctx: AccountContext,
  uploadId: string,
  input: UploadManifestInput,
): Promise<UploadManifestAnswer> {
  return endWhenAway(() => storeManifest(ctx, uploadId, input));
}

async function storeManifest(
  ctx: AccountContext,
  uploadId: string,
  input: UploadManifestInput,
): Promise<UploadManifestAnswer> {
  const { accountId } = ctx.actor;
  await findOpenUpload(ctx, uploadId);
  const reading = await runInTimeSlices(uploadReadingSteps(input.files, { publishAnyway: input.publishAnyway }));
  if (reading.refusal !== null) throw refused(reading.refusal);
  const manifest: Manifest = new Map(reading.files.map(({ path, sha256, sizeBytes }) => [path, { sha256, sizeBytes }]));
  requireOneSizeAHash(manifest);
  const stored = await storedSizes(accountId, manifest);
  requireStoredSizes(stored, manifest);

  await replaceManifest(ctx, uploadId, { manifest, source: 'folder', ahead: missingBytes(stored, manifest) });
  const leftOut = reading.leftOut.map(({ path, reason }) => ({ path, reason }));
  const missing = await missingHashes(accountId, manifest, { which: 'staying' });
  const { droppedCount, notices } = reading;
  return { missing, leftOut, droppedCount, notices };
}

/**
 * Makes this the upload's list of files, of which so many bytes are `ahead`. Throws `not_found`, `quota_exhausted`,
 * `storage_full`.
 */
export async function replaceManifest(
  ctx: AccountContext,
  uploadId: string,
  { manifest, source, ahead = 0 }: { manifest: Manifest; source: UploadDoc['source']; ahead?: number },
): Promise<void> {
  const { accountId } = ctx.actor;
  const { store } = ctx.providers;
  const bytes = await encodeManifest(manifest);
  // A day's allowance that is too small would otherwise be noticed in the middle of the files.
  await countBytes(ctx, bytes.byteLength, { ahead });
  const { sha256: manifestHash } = await store.writeWhole(bytes);
  const facts = { manifestHash, source, fileCount: manifest.size, totalBytes: totalBytes(manifest) };
  const before = await withFileLists(store, (lists) =>
    transaction(async (session) => {
      const unread = await requireStorageQuota(session, ctx, { uploadId, manifest, lists });
      if (unread.length > 0) return { unread };
      const doc = await UploadModel.findOneAndUpdate(
        { _id: uploadId, accountId, state: 'open' },
        { $set: { ...facts, expiresAt: endAfter(ctx) } },
        { returnDocument: 'before', session },
      );
      return { doc };
    }),
  );
  if (before === null) throw notFound('upload');
  // A replacement of an equal list meanwhile may have removed it before this upload named it.
  if (!(await store.has(manifestHash))) await store.writeWhole(bytes);
  await clearStoredAgain([manifestHash]);
  const replaced = before.manifestHash ?? manifestHash;
  if (replaced !== manifestHash) await removeUnnamedManifest(ctx.providers, replaced);
}

/** Runs `work`, and reads the lists that it misses between two runs, not within its transaction. */
async function withFileLists<T>(
  store: ArtifactStore,
  work: (lists: FileLists) => Promise<{ unread: readonly string[] } | { doc: T }>,
): Promise<T> {
  const lists = new Map<string, ReadonlyMap<string, ManifestEntry>>();
  for (;;) {
    const result = await work(lists);
    if ('doc' in result) return result.doc;
    for (const manifestHash of result.unread) lists.set(manifestHash, await entriesOf(store, manifestHash));
  }
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

/**
 * Compares sizes with stored files, which are not sent again: otherwise a wrong list would only be noticed in the
 * release.
 */
function requireStoredSizes(stored: ReadonlyMap<string, number>, manifest: Manifest): void {
  for (const [path, { sha256, sizeBytes }] of manifest) {
    if ((stored.get(sha256) ?? sizeBytes) !== sizeBytes) {
      throw refused({ reason: 'size_differs', path, message: REFUSAL_SENTENCES.size_differs });
    }
  }
}

/** Returns the size of what has to be sent: contents that are not stored, each of them once. */
function missingBytes(stored: ReadonlyMap<string, number>, manifest: Manifest): number {
  const missing = new Map([...manifest.values()].map(({ sha256, sizeBytes }) => [sha256, sizeBytes]));
  return [...missing].reduce((sum, [sha256, sizeBytes]) => (stored.has(sha256) ? sum : sum + sizeBytes), 0);
}

function refused(refusal: Refusal): AppError {
  const { reason, path } = refusal;
  return new AppError('upload_refused', refusalSentence(refusal), { reason, path });
}
