/** A hash has twelve characters of base64url, which are nine bytes (server/host/visit-count.ts). */
const HASH_LENGTH = 12;
/** Of a site and day: beyond it nobody is told apart any more, and nobody more is counted. */
const VISITORS_MAX = 100_000;

/** The visitors of one deployment and day who have been seen so far, as salted hashes. */
export type VisitorSet = {
  /** Answers how many of these had not been seen before. */
  add(hashes: readonly string[]): number;
  toBytes(): Buffer;
};

/** Opens the set that was stored; null is an empty one. */
export function openVisitorSet(bytes: Uint8Array | null): VisitorSet {
  const text = Buffer.from(bytes ?? []).toString('base64url');
  const seen = new Set<string>();
  for (let at = 0; at < text.length; at += HASH_LENGTH) seen.add(text.slice(at, at + HASH_LENGTH));
  return {
    add(hashes) {
      const before = seen.size;
      for (const hash of hashes) {
        if (seen.size >= VISITORS_MAX) break;
        if (hash.length === HASH_LENGTH) seen.add(hash);
      }
      return seen.size - before;
    },
    toBytes: () => Buffer.from([...seen].join(''), 'base64url'),
  };
}
