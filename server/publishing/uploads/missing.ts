import type { ClientSession } from 'mongoose';
import { ArtifactModel, BEING_COLLECTED, HASHES_A_QUERY } from '../../database/models/publishing/artifact.ts';
import type { Manifest } from '../../store/manifest.ts';

/**
 * Returns the hashes of a manifest that this account has not stored; with `staying`, those that are being collected
 * count as missing as well and must be sent again.
 */
export async function missingHashes(
  accountId: string,
  manifest: Manifest,
  { which = 'all', session = null }: { which?: 'all' | 'staying'; session?: ClientSession | null } = {},
): Promise<string[]> {
  const staying = which === 'staying' ? { lastUsedAt: { $gt: BEING_COLLECTED } } : {};
  const wanted = [...new Set([...manifest.values()].map((entry) => entry.sha256))];
  const missing: string[] = [];
  for (let start = 0; start < wanted.length; start += HASHES_A_QUERY) {
    const some = wanted.slice(start, start + HASHES_A_QUERY);
    const known = await ArtifactModel.find({ accountId, sha256: { $in: some }, ...staying }, { sha256: 1, _id: 0 })
      .session(session)
      .lean();
    const here = new Set(known.map((doc) => doc.sha256));
    missing.push(...some.filter((sha256) => !here.has(sha256)));
  }
  return missing;
}

/** Returns the sizes of the manifest's files that the account has stored, by hash. */
export async function storedSizes(accountId: string, manifest: Manifest): Promise<ReadonlyMap<string, number>> {
  const wanted = [...new Set([...manifest.values()].map((entry) => entry.sha256))];
  const sizes = new Map<string, number>();
  for (let start = 0; start < wanted.length; start += HASHES_A_QUERY) {
    const some = wanted.slice(start, start + HASHES_A_QUERY);
    const known = await ArtifactModel.find(
      { accountId, sha256: { $in: some } },
      { sha256: 1, sizeBytes: 1, _id: 0 },
    ).lean();
    for (const { sha256, sizeBytes } of known) sizes.set(sha256, sizeBytes);
  }
  return sizes;
}
