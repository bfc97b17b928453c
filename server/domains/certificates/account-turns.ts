import { MINUTE_MS } from '../../lib/durations.ts';

/** Even with one more turn it ends before the next run: every five minutes (server/queue/recurring.ts). */
const RUN_MS = 4 * MINUTE_MS;

export type AccountTurns = {
  /** Returns the account that has waited longest for due work; null when there is none. */
  next(dueBy: Date): Promise<string | null>;
  /** Does the work of an account for a limited time. */
  take(accountId: string, dueBy: Date): Promise<void>;
  /** Postpones the rest of the account's work. */
  postpone(accountId: string, dueBy: Date, until: Date): Promise<void>;
};

/**
 * Does work that waits for servers of accounts, for a limited time in all; the rest is left to the next run. The
 * account that has waited longest has its turn first, and goes to the end of the queue with the rest of its work:
 * neither many accounts nor one with much work can keep another from its turn for good.
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
