import type { Providers } from '../context.ts';
import { ZoneLeaseModel } from '../database/models/domains/zone-lease.ts';
import { isDuplicateKey, newId } from '../database/mongo.ts';

/**
 * Ends the lease of a run that died, whose job is claimed again after the same time (server/queue/queue.ts); a running
 * one renews it.
 */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const LOOK_AGAIN_MS = 200;

export type ZoneWriter = { accountId: string; zone: string; signal: AbortSignal };

/**
 * Runs work that writes to a zone while no other process writes for the account: several providers lose the values of
 * one of two writers. Waits for its turn until `signal` ends that; the work may take as long as it needs.
 */
export async function withZoneLease<T>(
  providers: Pick<Providers, 'now' | 'wait' | 'log'>,
  { accountId, zone, signal }: ZoneWriter,
  work: () => Promise<T>,
): Promise<T> {
  // The id is of this run alone: two runs for the same certificate or plan would collide like any others.
  const lease = { _id: `${accountId} ${zone}`, accountId, holder: newId() };
  while (!(await take(lease, providers.now()))) await providers.wait(LOOK_AGAIN_MS, signal);
  const renewal = setInterval(() => {
    const endsAt = endFrom(providers.now());
    ZoneLeaseModel.updateOne(lease, { $set: { endsAt } }).catch((error: unknown) =>
      providers.log.warn('The lease of a zone was not renewed', { zone, error: String(error) }),
    );
  }, RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await ZoneLeaseModel.deleteOne(lease);
  }
}

type Lease = { _id: string; accountId: string; holder: string };

async function take({ _id, accountId, holder }: Lease, now: Date): Promise<boolean> {
  const endsAt = endFrom(now);
  try {
    await ZoneLeaseModel.updateOne(
      { _id, accountId, endsAt: { $lt: now } },
      { $set: { holder, endsAt } },
      { upsert: true },
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

function endFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}
