import { createHash, createHmac, randomBytes } from 'node:crypto';

/**
 * The keys that seal TLS session tickets. A ticket of TLS 1.2 holds the key of its whole session (RFC 5077, section
 * 4), so a ticket key that could be made again would decrypt recorded traffic. So they are derived from a random root
 * that is in memory alone; each period replaces it by its hash, which cannot be reversed. A client with an older
 * ticket does a full handshake.
 */
export type TicketRoot = { period: number; secret: string };

const PERIOD_MS = 12 * 60 * 60_000;
/** Node takes a name, an encryption key and a signing key, 16 bytes each. */
const KEYS_BYTES = 48;
const ROOT_BYTES = 32;

export type TicketKeys = {
  /** Returns the keys of the period; those of an earlier one are gone. */
  at(now: Date): Buffer;
  /** Returns the root for another process of the instance, which then has the same keys. */
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
