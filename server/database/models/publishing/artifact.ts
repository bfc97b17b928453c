import { type ClientSession, model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';

/**
 * Stands in `lastUsedAt` while garbage collection deletes the artifact. A call that uses the artifact now overwrites
 * it with a time of its own.
 */
export const BEING_COLLECTED = new Date(0);

/** Hashes in one query. */
export const HASHES_A_QUERY = 5_000;

/**
 * One row for each account that has stored these bytes, which the store holds once for all. "Is it here already?" is
 * answered from the account's own rows alone, since any other answer would reveal what others have stored.
 */
const artifactDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    sha256: { type: String, required: true },
    /**
     * Netlify and Vercel ask for SHA-1. It is computed in the same pass as SHA-256, so that no release has to hash
     * again.
     */
    sha1: { type: String, required: true },
    sizeBytes: { type: Number, required: true },
    lastUsedAt: { type: Date, required: true },
  },
  { collection: 'artifacts' },
);
artifactDocSchema.index({ accountId: 1, sha256: 1 }, { name: 'account_sha256', unique: true });
// Garbage collection asks for thousands of hashes at once who needs them; the index alone answers.
artifactDocSchema.index({ sha256: 1, lastUsedAt: 1, accountId: 1 }, { name: 'sha256_used' });
/** The index alone gives the sum of what an account stores. */
artifactDocSchema.index({ accountId: 1, sizeBytes: 1 }, { name: 'account_size' });
artifactDocSchema.plugin(accountScope);

export const ArtifactModel = model('Artifact', artifactDocSchema);

/** Returns the number and size of an account's artifacts; equal contents count once. */
export async function sumOfArtifacts(
  accountId: string,
  session: ClientSession | null,
): Promise<{ sizeBytes: number; files: number }> {
  const [sums] = await ArtifactModel.aggregate<{ sizeBytes: number; files: number }>([
    { $match: { accountId } },
    { $group: { _id: null, sizeBytes: { $sum: '$sizeBytes' }, files: { $sum: 1 } } },
  ])
    .hint('account_size')
    .session(session);
  return { sizeBytes: sums?.sizeBytes ?? 0, files: sums?.files ?? 0 };
}
