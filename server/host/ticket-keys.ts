import { randomBytes } from 'node:crypto';
import type { Providers } from '../context.ts';
import { TicketKeysModel } from '../database/models/ticket-keys.ts';
import { isDuplicateKey } from '../database/mongo.ts';
import { HOUR_MS } from '../lib/durations.ts';

/** For this time a visitor comes back by a ticket without a whole handshake; then one follows, and no error. */
const PERIOD_MS = 12 * HOUR_MS;
/** Node takes a name, a key that encrypts and one that signs, 16 bytes each. */
const KEYS_BYTES = 48;

/**
 * Returns the keys of the present period, which the first process makes and all others share. They are random, and
 * deleted with their period: keys that could be made again would open recorded connections (RFC 5077, section 4).
 */
export async function ticketKeys({ secrets, now }: Pick<Providers, 'secrets' | 'now'>): Promise<Buffer> {
  const begin = Math.floor(now().getTime() / PERIOD_MS) * PERIOD_MS;
  const _id = new Date(begin).toISOString();
  const context = `ticket_keys:${_id}:keys:`;
  const sealedKeys = secrets.seal(randomBytes(KEYS_BYTES).toString('base64url'), context);
  const fresh = { sealedKeys, expiresAt: new Date(begin + PERIOD_MS) };
  const make = () =>
    TicketKeysModel.findOneAndUpdate({ _id }, { $setOnInsert: fresh }, { upsert: true, returnDocument: 'after' });
  // When two processes create them at once, one gets a duplicate key and then finds the other's.
  const doc = await make().catch((error: unknown) => (isDuplicateKey(error) ? make() : Promise.reject(error)));
  return Buffer.from(secrets.open(doc.sealedKeys, context), 'base64url');
}
