import type { AccountContext } from '../../context.ts';
import { ArtifactModel } from '../../database/models/publishing/artifact.ts';
import { isDuplicateKey, newId } from '../../database/mongo.ts';
import type { ArtifactInfo } from '../../store/store.ts';
import { missingHashes } from './missing.ts';

/**
 * Records thousands of artifacts at a time: a row for each that is new to the account, and a younger age for the
 * others.
 */
export async function rememberAll(ctx: AccountContext, artifacts: readonly ArtifactInfo[]): Promise<void> {
  const { accountId } = ctx.actor;
  const lastUsedAt = ctx.now();
  const byHash = new Map(artifacts.map((artifact) => [artifact.sha256, artifact]));
  const absent = new Set(await missingHashes(accountId, byHash));
  const known = artifacts.filter(({ sha256 }) => !absent.has(sha256)).map(({ sha256 }) => sha256);
  if (known.length > 0) {
    await ArtifactModel.updateMany({ accountId, sha256: { $in: known } }, { $set: { lastUsedAt } });
  }
  const rows = artifacts
    .filter(({ sha256 }) => absent.has(sha256))
    .map(({ sha256, sha1, sizeBytes }) => ({ _id: newId(), accountId, sha256, sha1, sizeBytes, lastUsedAt }));
  try {
    // Rows are built here to the last field: hydrating and validating each costs more than writing it.
    await ArtifactModel.insertMany(rows, { ordered: false, lean: true });
  } catch (error) {
    // The same files came twice at once: the other upload has written rows of them.
    if (!isDuplicateKey(error) || (await missingHashes(accountId, byHash)).length > 0) throw error;
  }
}
