import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Performance facts, section 4: small files are read 32 ahead, files over 64 MB go through an incremental hash. */
const READ_AHEAD_FILES = 32;
const WHOLE_FILE_MAX_BYTES = 64 * 1024 * 1024;
/** What the read-ahead may hold in memory at once. */
const READ_AHEAD_BYTES = 2 * WHOLE_FILE_MAX_BYTES;

export type HashResult = { index: number; sha256: string } | { index: number; problem: string };

/**
 * SHA-256 of a file in lower-case hex. `subtle` is missing outside a secure context (plain http off localhost); it also
 * knows no slices, so a large file is hashed in JavaScript as it is read.
 */
export async function hashBlob(
  blob: Blob,
  subtle: SubtleCrypto | null = subtleOfPage(),
  onBytes: (bytes: Uint8Array<ArrayBuffer>, at: number) => void = () => undefined,
): Promise<string> {
  if (subtle !== null && blob.size <= WHOLE_FILE_MAX_BYTES) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    onBytes(bytes, 0);
    return bytesToHex(new Uint8Array(await subtle.digest('SHA-256', bytes)));
  }
  const hash = sha256.create();
  const reader = blob.stream().getReader();
  let at = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    hash.update(part.value);
    onBytes(part.value, at);
    at += part.value.byteLength;
  }
  return bytesToHex(hash.digest());
}

/** The DOM types hold that `subtle` is always there. */
function subtleOfPage(): SubtleCrypto | null {
  return globalThis.isSecureContext === false ? null : crypto.subtle;
}

/** Bytes as they are read, of the blob `index`, from the place `at` in it. */
export type ByteListener = (index: number, bytes: Uint8Array<ArrayBuffer>, at: number) => void;

/** Hashes all of them, some ahead of one another, and tells each as it is known; `onBytes` gets what was read for it. */
export async function hashBlobs(
  blobs: readonly Blob[],
  onResult: (result: HashResult) => void,
  onBytes: ByteListener = () => undefined,
): Promise<void> {
  let next = 0;
  let bytesHeld = 0;
  await new Promise<void>((resolve) => {
    let running = 0;
    const startMore = () => {
      while (running < READ_AHEAD_FILES && next < blobs.length) {
        const blob = blobs[next];
        if (blob === undefined || (running > 0 && bytesHeld + blob.size > READ_AHEAD_BYTES)) break;
        const index = next;
        next += 1;
        running += 1;
        bytesHeld += blob.size;
        void hashBlob(blob, subtleOfPage(), (bytes, at) => onBytes(index, bytes, at))
          .then(
            (hash) => onResult({ index, sha256: hash }),
            (cause) => onResult({ index, problem: cause instanceof Error ? cause.message : String(cause) }),
          )
          .finally(() => {
            running -= 1;
            bytesHeld -= blob.size;
            if (running === 0 && next >= blobs.length) resolve();
            else startMore();
          });
      }
      if (blobs.length === 0) resolve();
    };
    startMore();
  });
}
