import type { AccountContext } from '../../context.ts';
import { ArtifactModel } from '../../database/models/artifact.ts';
import { isDuplicateKey, newId } from '../../database/mongo.ts';
import type { ArtifactInfo } from '../../store/store.ts';
import { missingHashes } from './missing.ts';

/** Thousands at a time: a row for each that the account has not stored yet, and a younger age for the others. */
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
    // Made here to the last field: to hydrate and validate each of them costs more than to write it.
    await ArtifactModel.insertMany(rows, { ordered: false, lean: true });
  } catch (error) {
    // The same files came twice at once: the other one has written rows of them.
    if (!isDuplicateKey(error) || (await missingHashes(accountId, byHash)).length > 0) throw error;
  }
}
