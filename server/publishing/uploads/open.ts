import { UPLOAD_LIMITS } from '../../../routers/schemas/limits.ts';
import type { AccountContext } from '../../context.ts';
import { type UploadDoc, UploadModel } from '../../database/models/publishing/upload.ts';
import { isDuplicateKey, newId } from '../../database/mongo.ts';
import { AppError, notFound } from '../../lib/errors.ts';

/** An upload that has received nothing for this long gives its slot to a new one. */
const QUIET_MS = 30_000;
/** Bytes move the end of an upload at this interval; often enough that a running one is never quiet. */
export const TOUCH_MS = 10_000;

/**
 * Opens an upload in one of the account's three slots; one that has been quiet for half a minute gives way. Throws
 * `quota_exhausted`.
 */
export async function openUpload(ctx: AccountContext, deploymentId: string | null): Promise<string> {
  const id =
    (await takeSlot(ctx, deploymentId)) ?? ((await closeQuiet(ctx)) ? await takeSlot(ctx, deploymentId) : null);
  if (id !== null) return id;
  throw new AppError('quota_exhausted', `${UPLOAD_LIMITS.maxOpenUploads} uploads are open, which is the limit.`, {
    hint: 'Publish one of them, or wait half a minute.',
    retryAfterMs: QUIET_MS,
  });
}

/** Returns the id of the new upload; null when all slots are taken. */
async function takeSlot(ctx: AccountContext, deploymentId: string | null): Promise<string | null> {
  const { accountId } = ctx.actor;
  for (let slot = 0; slot < UPLOAD_LIMITS.maxOpenUploads; slot += 1) {
    const id = newId();
    try {
      await UploadModel.create([{ _id: id, accountId, deploymentId, slot, expiresAt: endAfter(ctx) }]);
      return id;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
  return null;
}

/** Closes the upload that was quiet longest, if one is; its files are found again by their hashes. */
async function closeQuiet(ctx: AccountContext): Promise<boolean> {
  const { accountId } = ctx.actor;
  const [oldest] = (await UploadModel.find({ accountId, state: 'open' }))
    .filter((doc) => doc.expiresAt <= quietEnd(ctx))
    .sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  if (oldest === undefined) return false;
  await UploadModel.deleteOne({ _id: oldest._id, accountId, state: 'open' });
  return true;
}

/** Returns when the upload ends if nothing more arrives for it. */
export function endAfter(ctx: AccountContext): Date {
  return new Date(ctx.now().getTime() + UPLOAD_LIMITS.openUploadMs);
}

/** Returns the end of an idle upload, which gives its slot to one that needs it. */
export function quietEnd(ctx: AccountContext): Date {
  return new Date(endAfter(ctx).getTime() - QUIET_MS);
}

/** Returns the account's own upload. Throws `not_found`, `upload_closed` when a release was made of it. */
export async function findOpenUpload(ctx: AccountContext, uploadId: string): Promise<UploadDoc> {
  const doc = await UploadModel.findOne({ _id: uploadId, accountId: ctx.actor.accountId });
  if (doc === null) throw notFound('upload');
  if (doc.state !== 'open')
    throw new AppError('upload_closed', 'This upload has already become a release.', { hint: 'Open a new one.' });
  return doc;
}

/**
 * Checks that an upload that was read before is still open, with the same list: another one takes it out of the store,
 * where reading it would be reported as a corruption. Throws `upload_closed`.
 */
export async function requireUnchanged(
  { actor: { accountId } }: AccountContext,
  { uploadId: _id, manifestHash }: { uploadId: string; manifestHash: string },
): Promise<void> {
  const same = await UploadModel.exists({ _id, accountId, state: 'open', manifestHash });
  if (same === null) throw uploadChanged();
}

export function uploadChanged(): AppError {
  return new AppError('upload_closed', 'This upload was changed or used in the meantime.');
}

/** Keeps the upload from counting as quiet; one that was read a moment ago may have been kept so already. */
export async function touch(ctx: AccountContext, { _id, expiresAt }: UploadDoc): Promise<void> {
  const soon = new Date(endAfter(ctx).getTime() - TOUCH_MS);
  if (expiresAt >= soon) return;
  await UploadModel.updateOne(
    { _id, accountId: ctx.actor.accountId, expiresAt: { $lt: soon } },
    { $set: { expiresAt: endAfter(ctx) } },
  );
}
