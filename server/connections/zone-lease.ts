import { createHash } from 'node:crypto';
import type { Providers } from '../context.ts';
import { ZoneLeaseModel } from '../database/models/domains/zone-lease.ts';
import { isDuplicateKey, newId } from '../database/mongo.ts';
import type { DnsProvider, DnsProviderCall, DnsZone } from '../dns/provider.ts';
import { MINUTE_MS } from '../lib/durations.ts';

/**
 * Ends the lease of a run that died, whose job is claimed again after the same time (server/queue/queue.ts); a running
 * one renews it.
 */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/**
 * Longer than any provider needs for a write. Then others have their turn, because a zone may be written by accounts
 * that are strangers to each other.
 */
const HELD_MAX_MS = 5 * MINUTE_MS;
const LOOK_AGAIN_MS = 200;

export type ZoneWriter = {
  provider: Pick<DnsProvider, 'id' | 'serverOf'>;
  call: Pick<DnsProviderCall, 'credentials' | 'signal'>;
  zone: Pick<DnsZone, 'id' | 'name'>;
};

/**
 * Runs work that writes to a zone while nobody else does, of this account or another: several providers lose the values
 * of one of two writers. That holds for `HELD_MAX_MS`, and a server that has two names counts as two. The work waits for
 * its turn until the signal of the call ends that.
 */
export async function withZoneLease<T>(
  providers: Pick<Providers, 'now' | 'wait' | 'log'>,
  { provider, call, zone }: ZoneWriter,
  work: () => Promise<T>,
): Promise<T> {
  // The holder is this run alone: two runs for the same certificate or plan would collide like any others.
  const lease = { _id: idOf(provider, call, zone), holder: newId() };
  while (!(await take(lease, providers.now()))) await providers.wait(LOOK_AGAIN_MS, call.signal);
  const heldUntil = providers.now().getTime() + HELD_MAX_MS;
  const renewal = setInterval(() => {
    if (providers.now().getTime() > heldUntil) return;
    const endsAt = endFrom(providers.now());
    ZoneLeaseModel.updateOne(lease, { $set: { endsAt } }).catch((error: unknown) =>
      providers.log.warn('The lease of a zone was not renewed', { zone: zone.name, error: String(error) }),
    );
  }, RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await ZoneLeaseModel.deleteOne(lease);
  }
}

/** Returns the name of what is written to, the same for every writer; hashed, because it belongs to no account. */
function idOf({ id, serverOf }: ZoneWriter['provider'], { credentials }: ZoneWriter['call'], zone: { id: string }) {
  const place = JSON.stringify([id, serverOf?.(credentials), zone.id]);
  return createHash('sha256').update(place).digest('base64url');
}

type Lease = { _id: string; holder: string };

async function take({ _id, holder }: Lease, now: Date): Promise<boolean> {
  const endsAt = endFrom(now);
  try {
    await ZoneLeaseModel.updateOne({ _id, endsAt: { $lt: now } }, { $set: { holder, endsAt } }, { upsert: true });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

function endFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}
