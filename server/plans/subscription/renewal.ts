import type { ClientSession } from 'mongoose';
import { DAY_MS } from '../../lib/durations.ts';
import { expediteJob } from '../../queue/queue.ts';

/** A payment service first draws up the invoice of a renewal, and takes the money an hour later. */
const RENEWAL_TAKES_MS = DAY_MS;

/** Returns how long a plan continues past its end while a payment service renews it. */
export function graceAfter(endsAt: Date): Date {
  return new Date(endsAt.getTime() + RENEWAL_TAKES_MS);
}

/**
 * Enqueues a query to the payment service about the account, in the caller's transaction: a running job may be past
 * its query.
 */
export async function askAbout(session: ClientSession, accountId: string): Promise<void> {
  await expediteJob(session, { name: 'sync-payments', payload: {}, accountId, key: `sync-payments ${accountId}` });
}
