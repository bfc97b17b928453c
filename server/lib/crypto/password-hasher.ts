import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { AppError } from '../errors.ts';
import { loadOnce } from '../load-once.ts';
import { createRateCounters, type RateCounters, type SlotLimit } from '../rate-counters.ts';
import { withSlot } from '../with-slot.ts';
import type { PasswordHasher } from './secrets.ts';

/**
 * More than the least that OWASP recommends ("Password Storage Cheat Sheet"): 64 MiB, three passes, one lane; about 43
 * ms.
 */
const MEMORY_KIB = 65_536;
const ITERATIONS = 3;
const LANES = 1;
/**
 * Hashing is the cheapest way to use up our processor: two run at once, 32 wait, and the rest are refused. Each first
 * waits behind others of its own account and address (account/auth/password/hashing-slot.ts).
 */
const AT_ONCE = 2;
const QUEUE_LENGTH = 32;
/** A full queue of 32 is worked off in about a second and a half on a small machine. */
const OVERLOADED_RETRY_MS = 2_000;
/** @node-rs/argon2 writes hashes of these sizes; the dummy has to look the same. */
const SALT_BYTES = 16;
const OUTPUT_BYTES = 32;

export type PasswordHasherOptions = {
  memoryKiB?: number;
  iterations?: number;
  atOnce?: number;
  queueLength?: number;
  /** Counts over all processes of the instance; without it, this hasher counts alone. */
  rateCounters?: RateCounters;
};

/** Returns the number of passwords to hash at once: the last core is left free to answer everybody else. */
export function hashesAtOnce(cores: number): number {
  return Math.max(1, Math.min(AT_ONCE, cores - 1));
}

/** A library of machine code, which takes long to open: no start waits for it. */
export function loadPasswordLibrary() {
  return import('@node-rs/argon2');
}

/**
 * Argon2id behind a semaphore. Passwords are taken unchanged: no trimming, no truncation, no normalization. Throws
 * `overloaded` with `retryAfterMs` when the queue is full.
 */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const memoryCost = options.memoryKiB ?? MEMORY_KIB;
  const timeCost = options.iterations ?? ITERATIONS;
  const slots = {
    limit: options.atOnce ?? hashesAtOnce(availableParallelism()),
    queueLength: options.queueLength ?? QUEUE_LENGTH,
  };
  const run = createSemaphore(options.rateCounters ?? createRateCounters(), slots);
  const dummy = dummyHash(memoryCost, timeCost);
  const argon2 = loadOnce(loadPasswordLibrary);

  async function needsRehash(phc: string): Promise<boolean> {
    const used = (await argon2()).parseOptions(phc);
    return used.memoryCost !== memoryCost || used.timeCost !== timeCost || used.parallelism !== LANES;
  }

  return {
    hash: (password) => run(async () => (await argon2()).hash(password, { memoryCost, timeCost, parallelism: LANES })),
    async verify(password, phc) {
      const matches = await run(async () => (await argon2()).verify(phc ?? dummy, password));
      // The dummy is the hash of nothing: it cannot match.
      if (phc === null) return { matches: false, needsRehash: false };
      return { matches, needsRehash: matches && (await needsRehash(phc)) };
    },
    noPassword: () => dummyHash(memoryCost, timeCost),
  };
}

/**
 * Returns a well-formed hash of nothing: verifying against it costs exactly as much as a real one, and no password
 * matches.
 */
function dummyHash(memoryCost: number, timeCost: number): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${LANES}$${part(SALT_BYTES)}$${part(OUTPUT_BYTES)}`;
}

function createSemaphore(rateCounters: RateCounters, slots: SlotLimit): <T>(work: () => Promise<T>) => Promise<T> {
  const full = (): AppError =>
    new AppError('overloaded', 'Too many people are logging in right now. Try again in a few seconds.', {
      retryAfterMs: OVERLOADED_RETRY_MS,
    });
  return (work) => withSlot(rateCounters, { key: 'passwords', ...slots, full }, work);
}
