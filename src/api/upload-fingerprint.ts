import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { isZip, type Picked } from './upload-picks.ts';

/** Of the names and sizes that would be published: what is chosen again is the same, or is told as another. */
export function fingerprintOf(published: Picked): string {
  const rows = isZip(published)
    ? published.entries.map(({ path, sizeBytes }) => `${path}\0${sizeBytes}`)
    : published.files.map(({ path, file }) => `${path}\0${file.size}`);
  return bytesToHex(sha256(new TextEncoder().encode(rows.sort().join('\n'))));
}
