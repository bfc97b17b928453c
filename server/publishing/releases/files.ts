import type { Download } from '../../account/download-ticket.ts';
import type { AccountContext } from '../../context.ts';
import { notFound } from '../../lib/errors.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { entriesOf } from '../uploads/index.ts';
import { findRelease } from './read.ts';

/**
 * Returns the stored list of a release's files, rows of path, hash and size (`readReleaseFiles`). It may have 11 MB,
 * so it is streamed and never parsed here. Throws `not_found`, `artifact_corrupted`.
 */
export async function openFileList(ctx: AccountContext, releaseId: string): Promise<Download> {
  const { manifestHash, number } = await findRelease(ctx, releaseId);
  const name = `release-${number}.json`;
  return openStored(ctx.providers.store, manifestHash, { name, contentType: 'application/json' });
}

/**
 * Returns a file of a release by its hash, for the editor. Throws `not_found` for a hash that the release does not
 * name, `artifact_corrupted`.
 */
export async function openFile(ctx: AccountContext, releaseId: string, sha256: string): Promise<Download> {
  const { manifestHash } = await findRelease(ctx, releaseId);
  const { store } = ctx.providers;
  if (!(await entriesOf(store, manifestHash)).has(sha256)) throw notFound('file');
  return openStored(store, sha256, { name: sha256, contentType: 'application/octet-stream' });
}

async function openStored(
  store: ArtifactStore,
  sha256: string,
  { name, contentType }: { name: string; contentType: string },
): Promise<Download> {
  // The file is checked before the first byte leaves, because after that an error can no longer set a status.
  const artifact = await store.open(sha256);
  await artifact.close();
  const { sizeBytes } = artifact;
  return { fileName: name, plainName: name, sizeBytes, contentType, body: (signal) => stream(store, sha256, signal) };
}

async function* stream(store: ArtifactStore, sha256: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const artifact = await store.open(sha256);
  try {
    for await (const piece of artifact.stream()) {
      signal.throwIfAborted();
      yield piece;
    }
  } finally {
    await artifact.close();
  }
}
