import { randomBytes, randomInt } from 'node:crypto';

const BYTES_MAX = 64 * 1024 * 1024;
const BYTES_MIN = 128 * 1024;
/** At its capacity it errs in 6 of 10,000, by (1 - e^(-8/16))^8. */
const BITS_A_HASH = 16;
/** A SHA-256 in hex is eight of these. */
const WORD_DIGITS = 8;
const WORDS = 8;

export type BloomFilter = {
  add(sha256: string): void;
  /** Returns true for every hash that was added, and rarely for another. */
  mayHave(sha256: string): boolean;
  readonly sizeBytes: number;
};

/**
 * A Bloom filter of hashes: the names of any number of releases, in memory that does not grow with them. Each filter
 * errs on other hashes, so that nobody can choose files on which all of them err.
 */
export function createBloomFilter(expected: number, bytesMax = BYTES_MAX): BloomFilter {
  const wanted = 2 ** Math.ceil(Math.log2((Math.max(1, expected) * BITS_A_HASH) / 8));
  const bytes = new Uint8Array(Math.min(bytesMax, Math.max(BYTES_MIN, wanted)));
  const bits = bytes.length * 8;
  const salt = new Uint32Array(randomBytes(4 * WORDS).buffer.slice(0, 4 * WORDS));

  function bitOf(sha256: string, word: number): number {
    return hashOfWord(sha256, word, { salt: salt[word] ?? 0, factor: 0x9e3779b1, range: bits });
  }

  return {
    sizeBytes: bytes.byteLength,
    add(sha256) {
      for (let word = 0; word < WORDS; word += 1) {
        const bit = bitOf(sha256, word);
        bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) | (1 << (bit & 7));
      }
    },
    mayHave(sha256) {
      for (let word = 0; word < WORDS; word += 1) {
        const bit = bitOf(sha256, word);
        if (((bytes[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
      }
      return true;
    },
  };
}

type Hashing = { salt: number; factor: number; range: number };

/**
 * Returns the bit of a word. An odd factor reaches every bit; the upper bits of the product, which are mixed best,
 * choose it.
 */
function hashOfWord(sha256: string, word: number, { salt, factor, range }: Hashing): number {
  const value = Number.parseInt(sha256.slice(word * WORD_DIGITS, (word + 1) * WORD_DIGITS), 16);
  return Math.floor(((Math.imul(value ^ salt, factor) >>> 0) / 2 ** 32) * range);
}

/** A part of all hashes, small enough for one filter. */
export type HashPart = { includes(sha256: string): boolean; createFilter(): BloomFilter };

/**
 * Divides all hashes into enough parts that the filter of each errs in fewer than one of a thousand, however many
 * hashes are expected. Each hash is in one part, and nobody can choose in which.
 */
export function divideHashes(expected: number, bytesMax = BYTES_MAX): HashPart[] {
  const parts = Math.max(1, Math.ceil((expected * BITS_A_HASH) / (bytesMax * 8)));
  // This factor differs from that of the filters, whose bits would otherwise depend on the part.
  const hashing = { salt: randomInt(2 ** 32), factor: 0x85ebca6b, range: parts };
  return Array.from({ length: parts }, (_, part) => ({
    includes: (sha256) => hashOfWord(sha256, 0, hashing) === part,
    createFilter: () => createBloomFilter(Math.ceil(expected / parts), bytesMax),
  }));
}
