import { AppError } from '../server/errors.ts';
import type { Actor, Limits, Providers } from '../server/service-context.ts';

const WINDOW_MS = 60_000;

/**
 * Counts procedure calls of one token, session or (unauthenticated) address in the current minute; each call of a batch
 * counts, or a batch would be a way around the limit. The count is kept in memory, over the processes of this instance:
 * this limit protects their time, may be wrong by the number of instances, and a database write for each call would
 * cost more than most calls. The limits that guard accounts are counted in the database (services/rate-limit.ts).
 * Throws `rate_limited` with the time until the window ends.
 */
export async function countCalls(
  { limits, rateCounters }: Pick<Providers, 'limits' | 'rateCounters'>,
  caller: { actor: Actor; address: string; isCounted: boolean },
  calls: number,
): Promise<void> {
  if (caller.actor.kind === 'anonymous' && !caller.isCounted) return;
  const { key, limit } = bucketOf(limits, caller.actor, caller.address);
  const { count, leftMs } = await rateCounters.count(`calls of ${key}`, calls, WINDOW_MS);
  if (count > limit) {
    throw new AppError('rate_limited', `More than ${limit} calls in a minute. Please wait a moment.`, {
      retryAfterMs: leftMs,
    });
  }
}

function bucketOf(limits: Limits, actor: Actor, address: string): { key: string; limit: number } {
  const { callsPerMinute, anonymousCallsPerMinute } = limits;
  if (actor.kind === 'account') return { key: `session ${actor.sessionId}`, limit: callsPerMinute };
  if (actor.kind === 'token') return { key: `token ${actor.tokenId}`, limit: callsPerMinute };
  return { key: `address ${address}`, limit: anonymousCallsPerMinute };
}
