import type { UploadManifestInput } from '../../routers/schemas/releases.ts';
import { sessionFetch } from '../api/session/session.ts';
import { type HashedFile, hashBlob } from './hash.ts';
import { type RequestOptions, UploadError } from './request.ts';
import { offerList, sendFiles } from './send.ts';

/** A file of a future release: one that the server has from an earlier release, or the bytes of a new one. */
export type EditedFile = { path: string } & ({ sha256: string; sizeBytes: number } | { blob: Blob });

/**
 * Gives an open upload these files: the list of all, and the bytes of those alone that the account has not stored.
 * `publishAnyway` names files that would be left out by default.
 *
 * @throws UploadError; the signal's reason
 */
export async function sendEdited(
  uploadId: string,
  files: readonly EditedFile[],
  publishAnyway: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const options: RequestOptions = { fetch: sessionFetch, signal };
  const own = new Map<string, HashedFile>();
  const list: UploadManifestInput['files'] = [];
  for (const edited of files) {
    const { path } = edited;
    if ('sha256' in edited) list.push({ path, sha256: edited.sha256, sizeBytes: edited.sizeBytes });
    else {
      const sha256 = await hashBlob(edited.blob);
      own.set(sha256, { path, sha256, file: new File([edited.blob], path) });
      list.push({ path, sha256, sizeBytes: edited.blob.size });
    }
  }
  const { missing } = await offerList(uploadId, list, publishAnyway, options);
  const outgoing = missing.map((sha256) => own.get(sha256) ?? lost(list.find((file) => file.sha256 === sha256)?.path));
  await sendFiles(uploadId, outgoing, { ...options, onSent: () => undefined, onSentBytes: () => undefined });
}

/** A file of an earlier release that the server has lost cannot be sent from here. */
function lost(path = 'A file'): never {
  throw new UploadError('artifact_corrupted', `${path} can no longer be read.`, {
    hint: 'Upload this file again, then publish.',
    path,
  });
}
