import { createHash, createHmac, randomBytes } from 'node:crypto';

/**
 * The keys that seal TLS session tickets. A ticket of TLS 1.2 holds what its whole session is encrypted by (RFC 5077,
 * section 4), so a key that could be made again would open what somebody has recorded. So they come from a random root that
 * is in memory alone; with each period it is replaced by its hash, from which nobody comes back to the one before. A client
 * with an older ticket shakes hands in full.
 */
export type TicketRoot = { period: number; secret: string };

const PERIOD_MS = 12 * 60 * 60_000;
/** Node takes a name, a key that encrypts and one that signs, 16 bytes each. */
const KEYS_BYTES = 48;
const ROOT_BYTES = 32;

export type TicketKeys = {
  /** The keys of the period; those of an earlier one are gone. */
  at(now: Date): Buffer;
  /** Hands the root on to another process of the instance, which has the same keys from then on. */
  rootAt(now: Date): TicketRoot;
};

export function createTicketKeys(now: Date, root?: TicketRoot): TicketKeys {
  let { period, secret } = root ?? { period: periodOf(now), secret: randomBytes(ROOT_BYTES).toString('hex') };

  function goOn(until: number): void {
    for (; period < until; period += 1) secret = createHash('sha256').update(`next ${secret}`).digest('hex');
  }

  return {
    at(time) {
      goOn(periodOf(time));
      return createHmac('sha512', secret).update('keys').digest().subarray(0, KEYS_BYTES);
    },
    rootAt(time) {
      goOn(periodOf(time));
      return { period, secret };
    },
  };
}

function periodOf(now: Date): number {
  return Math.floor(now.getTime() / PERIOD_MS);
}
