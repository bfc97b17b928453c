import { isPrivateKey, KEY_READ_BYTES, mayBePrivateKey } from '../../../routers/rules/uploads/private-keys.ts';
import { REFUSAL_SENTENCES, refusalSentence } from '../../../routers/rules/uploads/upload-rules.ts';
import { AppError } from '../../lib/errors.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';

/** The limit while a request waits: reading this takes some 50 milliseconds. */
export const KEYS_A_REQUEST = { files: 512, bytes: 8 * 1024 * 1024 };
/** These are read ahead in parallel, and judged within some milliseconds. */
const KEYS_AT_ONCE = 16;

type Most = { files: number; bytes: number };
const ALL: Most = { files: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/**
 * Reads files that may be private keys, once they have arrived: a list of files holds names alone. Resolves with the
 * first path beyond `most`, or null. Throws `upload_refused` with `reason` and `path`, and the signal's reason.
 */
export async function refusePrivateKeys(
  store: Pick<ArtifactStore, 'readStart'>,
  manifest: Manifest,
  { most = ALL, signal }: { most?: Most; signal?: AbortSignal } = {},
): Promise<string | null> {
  const asked = [...manifest].filter(([path]) => mayBePrivateKey(path));
  let bytes = 0;
  for (let first = 0; first < asked.length; first += KEYS_AT_ONCE) {
    signal?.throwIfAborted();
    const some = asked.slice(first, first + KEYS_AT_ONCE);
    if (first >= most.files || bytes >= most.bytes) return some[0]?.[0] ?? null;
    const starts = await Promise.all(some.map(([, { sha256 }]) => store.readStart(sha256, KEY_READ_BYTES)));
    for (const [index, [path]] of some.entries()) {
      const start = starts[index] ?? Buffer.alloc(0);
      if (isPrivateKey(path, start)) throw privateKeyRefusal(path);
      bytes += start.byteLength;
    }
  }
  return null;
}

export function privateKeyRefusal(path: string): AppError {
  const refusal = { reason: 'private_key', path, message: REFUSAL_SENTENCES.private_key } as const;
  return new AppError('upload_refused', refusalSentence(refusal), {
    ...{ reason: refusal.reason, path },
    hint: 'Publish the files without it.',
  });
}
