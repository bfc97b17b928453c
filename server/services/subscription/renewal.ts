import type { ClientSession } from 'mongoose';
import { DAY_MS } from '../../lib/durations.ts';
import { hastenJob } from '../../queue/queue.ts';

/** A payment service draws up the invoice of a renewal first, and takes the money an hour later. */
const RENEWAL_TAKES_MS = DAY_MS;

/** Returns until when a plan goes on past its end, where a payment service renews it. */
export function graceAfter(endsAt: Date): Date {
  return new Date(endsAt.getTime() + RENEWAL_TAKES_MS);
}

/** Has a job ask the payment service about the account, in the caller's transaction: one that runs may have asked already. */
export async function askAbout(session: ClientSession, accountId: string): Promise<void> {
  await hastenJob(session, { name: 'sync-payments', payload: {}, accountId, key: `sync-payments ${accountId}` });
}
