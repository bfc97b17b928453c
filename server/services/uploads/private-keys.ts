import { isPrivateKey, KEY_READ_BYTES, mayBePrivateKey } from '../../../routers/schemas/private-keys.ts';
import { REFUSAL_SENTENCES, refusalSentence } from '../../../routers/schemas/upload-rules.ts';
import type { Manifest } from '../../artifacts/manifest.ts';
import type { ArtifactStore } from '../../artifacts/store.ts';
import { AppError } from '../../errors.ts';

/**
 * Looks into what may be a private key, once it has arrived: a list of files holds names alone. Throws `upload_refused`
 * with `reason` and `path`.
 */
export async function refusePrivateKeys(store: Pick<ArtifactStore, 'open'>, manifest: Manifest): Promise<void> {
  for (const [path, { sha256 }] of manifest) {
    if (!mayBePrivateKey(path)) continue;
    const artifact = await store.open(sha256);
    try {
      const start = await artifact.read(0, Math.min(artifact.sizeBytes, KEY_READ_BYTES));
      if (!isPrivateKey(path, start)) continue;
    } finally {
      await artifact.close();
    }
    const refusal = { reason: 'private_key', path, message: REFUSAL_SENTENCES.private_key } as const;
    throw new AppError('upload_refused', refusalSentence(refusal), { reason: refusal.reason, path });
  }
}
