import { JobModel } from '../database/models/job.ts';
import { isDuplicateKey } from '../database/mongo.ts';

/** An operator looks at the jobs of every account. */
const OPERATOR = { acrossAccounts: 'jobs' } as const;
/** They are kept for two weeks, and read by a person. */
const LISTED_MAX = 1_000;

export type DeadLetter = { id: string; name: string; attempt: number; lastError: string; finishedAt: Date | null };

/** Returns the dead letters of the last two weeks, oldest first. */
export async function listDeadLetters(): Promise<DeadLetter[]> {
  const docs = await JobModel.find({ status: 'dead' }, { name: 1, attempt: 1, lastError: 1, finishedAt: 1 })
    .setOptions(OPERATOR)
    .sort({ finishedAt: 1 })
    .limit(LISTED_MAX)
    .lean();
  return docs.map(({ _id: id, name, attempt, lastError, finishedAt }) => ({
    id,
    name,
    attempt,
    lastError: lastError ?? '',
    finishedAt: finishedAt ?? null,
  }));
}

/**
 * Runs a dead letter again from its start, with all its attempts. The effects of its end stay: a failed release is
 * published again by its owner. Returns `unknown` when there is no such dead letter, `open` when another job for the
 * same thing waits or runs.
 */
export async function rerunDeadLetter(id: string): Promise<'queued' | 'unknown' | 'open'> {
  const fields = { status: 'queued', runAt: '$$NOW', attempt: 0, finishedAt: null, lastError: null };
  try {
    const { matchedCount } = await JobModel.updateOne({ _id: id, status: 'dead' }, [{ $set: fields }], {
      updatePipeline: true,
    }).setOptions(OPERATOR);
    return matchedCount === 1 ? 'queued' : 'unknown';
  } catch (error) {
    if (isDuplicateKey(error, 'dedupeKey')) return 'open';
    throw error;
  }
}
