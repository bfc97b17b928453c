import { randomBytes } from 'node:crypto';

/** 64 MiB: up to 20 million hashes it errs once in some thousand, beyond that more and more often. */
const BITS_MAX = 2 ** 29;
const BITS_MIN = 2 ** 20;
const BITS_A_HASH = 16;
/** A SHA-256 in hex is eight of these. */
const WORD_DIGITS = 8;
const WORDS = 8;

export type BloomFilter = {
  add(sha256: string): void;
  /** False for what was never added; true for all that was, and now and then for something else. */
  mayHave(sha256: string): boolean;
  readonly sizeBytes: number;
};

/**
 * A Bloom filter of hashes: what any number of releases names, in memory that does not grow with it. Where it errs differs
 * from one filter to the next, so that nobody can choose files about which all of them err.
 */
export function createBloomFilter(expected: number): BloomFilter {
  const wanted = 2 ** Math.ceil(Math.log2(Math.max(1, expected) * BITS_A_HASH));
  const bits = Math.min(BITS_MAX, Math.max(BITS_MIN, wanted));
  const bytes = new Uint8Array(bits / 8);
  const salt = new Uint32Array(randomBytes(4 * WORDS).buffer.slice(0, 4 * WORDS));

  function placeOf(sha256: string, word: number): number {
    const value = Number.parseInt(sha256.slice(word * WORD_DIGITS, (word + 1) * WORD_DIGITS), 16);
    // An odd factor reaches every place; the upper bits, which it mixes best, choose it.
    return Math.floor(((Math.imul(value ^ (salt[word] ?? 0), 0x9e3779b1) >>> 0) / 2 ** 32) * bits);
  }

  return {
    sizeBytes: bytes.byteLength,
    add(sha256) {
      for (let word = 0; word < WORDS; word += 1) {
        const place = placeOf(sha256, word);
        bytes[place >>> 3] = (bytes[place >>> 3] ?? 0) | (1 << (place & 7));
      }
    },
    mayHave(sha256) {
      for (let word = 0; word < WORDS; word += 1) {
        const place = placeOf(sha256, word);
        if (((bytes[place >>> 3] ?? 0) & (1 << (place & 7))) === 0) return false;
      }
      return true;
    },
  };
}
