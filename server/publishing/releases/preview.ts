import type { PreviewUploadInput, UploadPreview } from '../../../routers/schemas/releases.ts';
import type { AccountContext } from '../../context.ts';
import { UploadModel } from '../../database/models/publishing/upload.ts';
import { uploadUrlOf } from '../../database/site-address.ts';
import { AppError } from '../../lib/errors.ts';
import { requireWritable } from '../../plans/subscription/writable.ts';
import { readManifest } from '../publication/release-files.ts';
import { withFileListSlot } from '../uploads/file-list-slot.ts';
import { findOpenUpload, quietEnd, requireUnchanged } from '../uploads/index.ts';
import { requireAllFiles } from './create.ts';

/**
 * Lets the built-in host serve an open upload of a deployment, with its current list of files, at an address of its
 * own that nobody guesses. It ends with another list, with a release of the upload, or with the upload itself. Visits
 * are not counted. Throws `not_found`, `plan_required`, `upload_incomplete`, `upload_refused`, `upload_closed`,
 * `rate_limited`.
 */
export async function previewUpload(ctx: AccountContext, { uploadId }: PreviewUploadInput): Promise<UploadPreview> {
  const { deploymentId, manifestHash } = await findOpenUpload(ctx, uploadId);
  if (!deploymentId) throw new AppError('conflict', 'This upload does not belong to a deployment.');
  if (!manifestHash) throw new AppError('upload_incomplete', 'The list of files has not arrived yet.');
  await requireWritable(null, ctx, deploymentId);
  const { store, addresses } = ctx.providers;
  const unread = await withFileListSlot(ctx, async () => {
    await requireUnchanged(ctx, { uploadId, manifestHash });
    return requireAllFiles(ctx, await readManifest(store, manifestHash));
  });
  if (unread !== null) throw tooManyKeys(unread);
  await UploadModel.updateOne(
    { _id: uploadId, accountId: ctx.actor.accountId, state: 'open', manifestHash },
    // The upload is complete, and can be previewed as long as its slot is not needed, so that trying one template after
    // another uses up no slots.
    { $set: { previewHash: manifestHash, expiresAt: quietEnd(ctx) } },
  );
  return { url: uploadUrlOf(addresses, uploadId) };
}

/** A preview answers at once and does not wait for a search of all of them. */
function tooManyKeys(path: string): AppError {
  const message = 'There are too many key and certificate files to check them all for a preview.';
  const hint = 'Publish instead: a release checks all of them before anything is sent.';
  return new AppError('upload_refused', message, { reason: 'private_key', path, hint });
}
