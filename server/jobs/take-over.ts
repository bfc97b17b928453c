import type { Log } from '../log.ts';
import { withTimeout } from '../with-timeout.ts';
import { errorText } from './failure.ts';
import { endLease, leasesOf } from './queue.ts';

/** Far more than the database needs for it, unless something stands in the way. */
const PATIENCE_MS = 1_000;

/**
 * Ends the leases of workers that are known to be dead: whoever claims next takes their jobs over, and nobody waits for
 * the leases. It is given little time: a transaction that lost its process holds the row of its job until the database
 * gives it up, and a start does not wait for that.
 */
export async function takeOverJobs(dead: readonly string[], log: Log, patienceMs = PATIENCE_MS): Promise<void> {
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
