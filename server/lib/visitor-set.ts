/** A hash has twelve characters of base64url, which are nine bytes (server/host/visit-count.ts). */
const HASH_LENGTH = 12;
const HASH_BYTES = 9;
/**
 * This many registers err by 1.6% (1.04 / √4096), however many visitors there are. No list of whole hashes has this
 * length.
 */
const REGISTERS = 4_096;
/** Up to this many, visitors are counted exactly: their hashes take no more room than the registers. */
const EXACT_MAX = Math.floor(REGISTERS / HASH_BYTES);
/** Corrects the bias of the harmonic mean of the registers. */
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

/**
 * The visitors seen so far: salted hashes while they are few, then a HyperLogLog of fixed size, with linear counting
 * below 2.5 visitors a register (Flajolet, Fusy, Gandouet and Meunier, 2007). Each register holds the longest run of
 * zeros among its hashes, so the same visitor changes nothing.
 */
export type VisitorSet = {
  /** Adds the texts of other sets; returns how many visitors are new. */
  add(texts: readonly string[]): number;
  /** Returns one text a hash, or a single text of the registers. */
  toTexts(): string[];
  toBytes(): Buffer;
};

/** Opens a stored set; null is an empty one. */
export function openVisitorSet(stored: Uint8Array | null): VisitorSet {
  const seen = new Set<string>();
  let registers: Uint8Array | null = null;

  function addBytes(bytes: Uint8Array): void {
    if (bytes.length === REGISTERS) {
      const known = toRegisters();
      for (const [index, rank] of bytes.entries()) known[index] = Math.max(known[index] ?? 0, rank);
      return;
    }
    for (let at = 0; at + HASH_BYTES <= bytes.length; at += HASH_BYTES) addHash(bytes.subarray(at, at + HASH_BYTES));
  }

  function addHash(hash: Uint8Array): void {
    if (registers !== null) mark(registers, hash);
    else seen.add(Buffer.from(hash).toString('base64url'));
    if (seen.size > EXACT_MAX) toRegisters();
  }

  function toRegisters(): Uint8Array {
    if (registers !== null) return registers;
    registers = new Uint8Array(REGISTERS);
    for (const hash of seen) mark(registers, Buffer.from(hash, 'base64url'));
    seen.clear();
    return registers;
  }

  const count = (): number => (registers === null ? seen.size : estimate(registers));
  const toBytes = (): Buffer => Buffer.from(registers ?? Buffer.from([...seen].join(''), 'base64url'));
  if (stored !== null) addBytes(stored);
  return {
    add(texts) {
      const before = count();
      for (const text of texts) {
        const bytes = Buffer.from(text, 'base64url');
        if (text.length === HASH_LENGTH || bytes.length === REGISTERS) addBytes(bytes);
      }
      // At the change from exact counting to the estimate the number may fall a little.
      return Math.max(0, count() - before);
    },
    toTexts: () => (registers === null ? [...seen] : [toBytes().toString('base64url')]),
    toBytes,
  };
}

/** Marks a visitor. The first twelve bits of the hash choose its register; the run of zeros is counted in 32 others. */
function mark(registers: Uint8Array, hash: Uint8Array): void {
  const [first = 0, second = 0, ...others] = hash;
  const index = (first << 4) | (second >>> 4);
  const [a = 0, b = 0, c = 0, d = 0] = others;
  const rank = Math.clz32((a << 24) | (b << 16) | (c << 8) | d) + 1;
  registers[index] = Math.max(registers[index] ?? 0, rank);
}

function estimate(registers: Uint8Array): number {
  let sum = 0;
  let zeros = 0;
  for (const rank of registers) {
    sum += 2 ** -rank;
    if (rank === 0) zeros += 1;
  }
  const raw = (ALPHA * REGISTERS ** 2) / sum;
  const isSparse = raw <= 2.5 * REGISTERS && zeros > 0;
  return Math.round(isSparse ? REGISTERS * Math.log(REGISTERS / zeros) : raw);
}
