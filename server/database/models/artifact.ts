import { type ClientSession, model, Schema } from 'mongoose';
import { accountScope } from './account-scope.ts';

/** As `lastUsedAt`: garbage collection has it in its hand. Whoever uses it now writes a time of their own over it. */
export const BEING_COLLECTED = new Date(0);

/** Hashes asked for in one query. */
export const HASHES_A_QUERY = 5_000;

/**
 * That an account has stored these bytes. The bytes are in the store once for all; this row is per account, since "is
 * it here already" is answered from the account's own artifacts only: anything else would tell what others have stored.
 */
const artifactDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    sha256: { type: String, required: true },
    /** Netlify and Vercel ask for SHA-1: computed in the same pass, so that no release hashes again. */
    sha1: { type: String, required: true },
    sizeBytes: { type: Number, required: true },
    lastUsedAt: { type: Date, required: true },
  },
  { collection: 'artifacts' },
);
artifactDocSchema.index({ accountId: 1, sha256: 1 }, { name: 'account_sha256', unique: true });
// Garbage collection asks thousands of hashes at once who needs them: the index alone answers.
artifactDocSchema.index({ sha256: 1, lastUsedAt: 1, accountId: 1 }, { name: 'sha256_used' });
/** What an account stores is added up from the index alone. */
artifactDocSchema.index({ accountId: 1, sizeBytes: 1 }, { name: 'account_size' });
artifactDocSchema.plugin(accountScope);

export const ArtifactModel = model('Artifact', artifactDocSchema);

/** Returns what an account has stored, each content once. */
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
