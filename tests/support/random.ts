import { createHash, randomInt } from 'node:crypto';

/** Given as `TEST_SEED`, it makes a test choose the same again. */
export const SEED = process.env.TEST_SEED ?? String(randomInt(1e9));

/** Choices that are the same whenever they are made from the same seed. */
export type Random = {
  /** Returns a whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  bytes(count: number): Buffer;
  /** The same items in another order. */
  shuffled<T>(items: readonly T[]): T[];
  /** So many results of `make`, from `least` to `most`. */
  many<T>(least: number, most: number, make: () => T): T[];
};

let isSeedPrinted = false;

/** The seed reproduces a failed random test, so each process of tests prints it once, before the first choice. */
function printSeed(): void {
  if (!isSeedPrinted) process.stdout.write(`Random choices by TEST_SEED=${SEED}\n`);
  isSeedPrinted = true;
}

/** Returns the choices that belong to these names: what one round does is not changed by the rounds beside it. */
export function randomOf(...names: readonly (string | number)[]): Random {
  printSeed();
  const hash = createHash('sha256').update(names.join('/')).digest();
  let state = hash.readUInt32LE(0);
  // mulberry32, by Tommy Ettinger (public domain).
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: <T>(choices: readonly T[]) => {
      for (const choice of choices.slice(below(choices.length))) return choice;
      throw new Error('There is nothing to pick from.');
    },
    shuffled: (items) =>
      items
        .map((item) => ({ item, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
    many: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make),
  };
}
