import { endTransactionsOf } from '../database/mongo.ts';
import type { Log } from '../lib/log.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { errorText } from './failure.ts';
import { endLease, leasesOf } from './queue.ts';

/** Far more than the database needs, unless something blocks it. */
const PATIENCE_MS = 1_000;

/**
 * Ends what dead workers have left open: first their transactions, then the leases of their jobs, so that the next
 * claim takes these over at once. The time is short: a transaction that we may not end locks the row of its job until
 * the database aborts it, and a start does not wait for that.
 */
export async function takeOverJobs(dead: readonly string[], log: Log, patienceMs = PATIENCE_MS): Promise<void> {
  if (dead.length === 0) return;
  await withTimeout(endTransactions(dead, log), patienceMs, () => undefined);
  const leases = (await Promise.all(dead.map(leasesOf))).flat();
  if (leases.length === 0) return;
  const jobs = leases.length;
  const ending = Promise.all(leases.map(endLease)).then(
    () => log.info('Jobs that a killed process worked on are taken over', { jobs }),
    (error: unknown) =>
      log.info('Jobs of a killed process are taken over when their leases run out', { jobs, error: errorText(error) }),
  );
  await withTimeout(ending, patienceMs, () => undefined);
}

async function endTransactions(dead: readonly string[], log: Log): Promise<void> {
  try {
    const transactions = await endTransactionsOf(dead);
    if (transactions > 0) log.info('Transactions that a killed process left open are ended', { transactions });
  } catch (error) {
    log.info('Transactions of a killed process are left to the database to end', { error: errorText(error) });
  }
}
