import { rowsOf } from '../database/cursor-rows.ts';
import { MAINTENANCE } from '../database/models/account-scope.ts';
import { DomainModel, type DomainRow } from '../database/models/domains/domain.ts';
import { JobModel } from '../database/models/job.ts';
import { MINUTE_MS } from '../lib/durations.ts';
import { continueRemoval } from './detach.ts';
import { checkKeyOf, enqueueCheck } from './schedule.ts';

type InTransaction = <T>(work: (session: Parameters<typeof enqueueCheck>[0]) => Promise<T>) => Promise<T>;

const BATCH = 100;
/** Even with one more turn it ends before the next run: every five minutes (server/queue/recurring.ts). */
const RUN_MS = 4 * MINUTE_MS;

type DueRow = Pick<DomainRow, '_id' | 'accountId' | 'state'>;

/**
 * Enqueues a check of every due domain: working ones are checked at intervals, and a lost check or removal begins
 * again. Domains whose check already waits cost no transaction. The longest due come first, and the rest is left to
 * the next run.
 */
export async function enqueueDueChecks(now: Date, signal: AbortSignal, inTransaction: InTransaction): Promise<number> {
  const over = AbortSignal.timeout(RUN_MS);
  let count = 0;
  for await (const batch of dueBatches(now)) {
    for (const domain of await withoutOpenChecks(batch)) {
      signal.throwIfAborted();
      if (over.aborted) return count;
      await inTransaction((session) =>
        domain.state === 'removing' ? continueRemoval(session, now, domain) : enqueueCheck(session, domain),
      );
      count += 1;
    }
  }
  return count;
}

async function* dueBatches(now: Date): AsyncGenerator<DueRow[]> {
  const due = DomainModel.find({ nextCheckAt: { $lte: now } }, { accountId: 1, state: 1 })
    .setOptions(MAINTENANCE)
    .hint('due')
    .lean()
    .cursor({ batchSize: BATCH });
  let batch: DueRow[] = [];
  for await (const domain of rowsOf<DueRow>(due)) {
    batch.push(domain);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function withoutOpenChecks(domains: readonly DueRow[]): Promise<DueRow[]> {
  const open = await JobModel.find(
    {
      status: { $in: ['queued', 'running'] },
      dedupeKey: { $in: domains.map(({ _id }) => checkKeyOf(_id)), $type: 'string' as const },
    },
    { dedupeKey: 1 },
  )
    .setOptions(MAINTENANCE)
    .hint('one_open_a_dedupe_key')
    .lean();
  const keys = new Set(open.map(({ dedupeKey }) => dedupeKey));
  return domains.filter(({ _id }) => !keys.has(checkKeyOf(_id)));
}
