import { ReleaseModel, type ReleaseRow } from '../../database/models/publishing/release.ts';
import { AppError } from '../../lib/errors.ts';
import { decodeManifest, type Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';

/** Returns the release to compare with: the one that visitors had when it was made, or null. */
export async function comparedRelease(release: ReleaseRow): Promise<ReleaseRow | null> {
  const { accountId, deploymentId, number, previousReleaseId } = release;
  if (previousReleaseId === undefined) return previousRelease(accountId, deploymentId, number);
  return previousReleaseId === null ? null : ReleaseModel.findOne({ _id: previousReleaseId, accountId }).lean();
}

/** Returns the last release before this number that was ever live. */
export async function previousRelease(
  accountId: string,
  deploymentId: string,
  number: number,
): Promise<ReleaseRow | null> {
  return ReleaseModel.findOne({ accountId, deploymentId, number: { $lt: number }, verifiedAt: { $gt: new Date(0) } })
    .sort({ number: -1 })
    .hint('account_deployment_newest')
    .lean();
}

/** Returns the files of a release. Throws `artifact_corrupted` when the store has lost the list. */
export async function readManifest(store: ArtifactStore, manifestHash: string): Promise<Manifest> {
  return decodeManifest(await store.readWhole(manifestHash));
}

/** Returns the list of an earlier release; null when the store has lost it, which must not stop a later release. */
export async function unlessLost(read: Promise<Manifest>): Promise<Manifest | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof AppError && error.code === 'artifact_corrupted') return null;
    throw error;
  }
}
