import { MINUTE_MS } from '../../lib/durations.ts';

/** A turn more, and it is over before the next run begins: every five minutes (server/queue/recurring.ts). */
const RUN_MS = 4 * MINUTE_MS;

export type AccountTurns = {
  /** Returns the account that has waited longest for something due by then; null when nothing is. */
  next(dueBy: Date): Promise<string | null>;
  /** Does what it comes to in a limited time. */
  take(accountId: string, dueBy: Date): Promise<void>;
  /** Has what is left of the account's wait until then. */
  postpone(accountId: string, dueBy: Date, until: Date): Promise<void>;
};

/**
 * Does work that waits for servers of accounts, for so long in all and the rest in the next run. The account that has waited
 * longest has its turn first, and stands behind all others with what it has left after it: neither many accounts nor much
 * of one keep another from its turn for good.
 */
export async function takeTurns(now: Date, signal: AbortSignal, turns: AccountTurns): Promise<void> {
  const over = AbortSignal.timeout(RUN_MS);
  const afterThisRun = new Date(now.getTime() + 1);
  while (!over.aborted) {
    signal.throwIfAborted();
    const accountId = await turns.next(now);
    if (accountId === null) return;
    await turns.take(accountId, now);
    await turns.postpone(accountId, now, afterThisRun);
  }
}
