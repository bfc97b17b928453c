import type { AccountContext } from '../../context.ts';
import { AppError } from '../../lib/errors.ts';
import { withSlots } from '../../lib/with-slot.ts';

/** A list of 20,000 long paths has some 11 MB, and several times that while it is read; most have a few kilobytes. */
const AT_ONCE = { limit: 4, queueLength: 200 };
/** A batch of calls waits in line. */
const OF_AN_ACCOUNT = { limit: 1, queueLength: 20 };

/**
 * Does work that holds whole lists of files, one at a time for each account and a few at a time in all; a call waits
 * for its turn. Throws `rate_limited` when too many wait.
 */
export function withFileListSlot<T>(ctx: AccountContext, work: () => Promise<T>): Promise<T> {
  const own = { key: `lists of files of ${ctx.actor.accountId}`, ...OF_AN_ACCOUNT };
  return withSlots(ctx.providers.rateCounters, [own, { key: 'lists of files', ...AT_ONCE }], tooMany, work);
}

function tooMany(): AppError {
  return new AppError('rate_limited', 'Too many lists of files are being read right now. Try again in a second.', {
    retryAfterMs: 1_000,
  });
}
