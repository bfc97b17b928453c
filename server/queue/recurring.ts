import { NO_ACCOUNT } from '../database/models/account-scope.ts';
import { JobModel } from '../database/models/job.ts';
import { transaction } from '../database/mongo.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.ts';
import type { Log } from '../lib/log.ts';
import { errorText } from './failure.ts';
import type { JobName, JobPayload } from './payloads.ts';
import { enqueueJob } from './queue.ts';

/** Jobs without a payload, which the clock starts. */
type Recurring = { [Name in JobName]: Record<string, never> extends JobPayload<Name> ? Name : never }[JobName];

const EVERY: Partial<Record<Recurring, number>> = {
  'collect-garbage': HOUR_MS,
  'check-domains': 5 * MINUTE_MS,
  'check-deployments': 5 * MINUTE_MS,
  // Each runs once a day, at the same hour.
  'check-connections': HOUR_MS,
  // Half of the shortest lifetime in use is days; urgent work for a domain is enqueued at once.
  'renew-certificates': 5 * MINUTE_MS,
  'rehearse-renewals': 5 * MINUTE_MS,
  'remove-challenges': 5 * MINUTE_MS,
  // Plans are renewed ten minutes ahead.
  'expire-subscriptions': 5 * MINUTE_MS,
  'reconcile-payments': 5 * MINUTE_MS,
  /** Finds a bad sector before the copies that could repair it are gone. */
  'check-integrity': 7 * DAY_MS,
  // Intervals are counted from midnight UTC, so that a day's run begins at night.
  'recount-deployments': DAY_MS,
  'roll-up-visits': 5 * MINUTE_MS,
  'forget-visits': DAY_MS,
  'remove-old-releases': DAY_MS,
};

/** An instance checks at this interval whether the next run of a job is due. */
const LOOK_EVERY_MS = 5 * 60_000;
/** A process that has just started is busy with more important work. */
const FIRST_DELAY_MS = 60_000;

/**
 * Enqueues each recurring job once in its interval, however many instances check: the job's id names the interval, and
 * finished jobs are kept for longer than that. A job whose last run has not ended is left out.
 */
export async function enqueueDue(now: Date, delayMs = FIRST_DELAY_MS): Promise<void> {
  for (const [name, everyMs] of Object.entries(EVERY)) {
    if (!isRecurring(name)) continue;
    const id = `${name} ${Math.floor(now.getTime() / everyMs)}`;
    await transaction(async (session) => {
      if ((await JobModel.exists({ _id: id, accountId: NO_ACCOUNT }).session(session)) !== null) return;
      await enqueueJob(session, { id, name, payload: {}, accountId: NO_ACCOUNT, key: name, dedupeKey: name, delayMs });
    });
  }
}

function isRecurring(name: string): name is Recurring {
  return Object.hasOwn(EVERY, name);
}

/** Checks now and at intervals. The returned function stops that, and waits for a check that is under way. */
export function scheduleRecurringJobs(log: Log, now: () => Date): () => Promise<void> {
  let looking = Promise.resolve();
  const look = (): void => {
    looking = enqueueDue(now()).catch((error: unknown) => {
      log.warn('Recurring jobs could not be enqueued; trying again soon', { error: errorText(error) });
    });
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
