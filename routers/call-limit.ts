import { AppError } from '../server/errors.ts';
import { networksOf } from '../server/loopback.ts';
import type { Actor, Limits, Providers } from '../server/service-context.ts';

const WINDOW_MS = 60_000;

/** How many calls one request makes, and how long its body is to be. */
export type Called = { calls: number; bytes: number };

/**
 * Counts procedure calls of one token or session and of its account, or of an (unauthenticated) address and the networks
 * that it is in, in the current
 * minute; each call of a batch counts, or a batch would be a way around the limit. What a token or session has too many
 * does not count for the account: a script that runs wild leaves room to its owner. Of an account the bytes of the bodies
 * count as well, before they are parsed: a call with a long one is many times the work of another. The count is kept in memory, over the
 * processes of this instance: this limit protects their time, may be wrong by the number of instances, and a database
 * write for each call would cost more than most calls. The limits that guard accounts are counted in the database
 * (services/rate-limit.ts). Throws `rate_limited` with the time until the window ends.
 */
export async function countCalls(
  { limits, rateCounters }: Pick<Providers, 'limits' | 'rateCounters'>,
  caller: { actor: Actor; address: string; isCounted: boolean },
  { calls, bytes }: Called,
): Promise<void> {
  if (caller.actor.kind === 'anonymous' && !caller.isCounted) return;
  const add = async (key: string, amount: number, { limit, what }: { limit: number; what: string }): Promise<void> => {
    const { count, leftMs } = await rateCounters.count(key, amount, WINDOW_MS);
    if (count <= limit) return;
    throw new AppError('rate_limited', `More than ${what} in a minute. Please wait a moment.`, {
      retryAfterMs: leftMs,
    });
  };
  for (const { key, limit } of bucketsOf(limits, caller.actor, caller.address)) {
    await add(`calls of ${key}`, calls, { limit, what: `${limit} calls` });
  }
  if (bytes === 0 || !('accountId' in caller.actor)) return;
  const limit = limits.accountBodyBytesPerMinute;
  await add(`bodies of account ${caller.actor.accountId}`, bytes, {
    limit,
    what: `${limit.toLocaleString('en')} bytes of calls`,
  });
}

function bucketsOf(limits: Limits, actor: Actor, address: string): { key: string; limit: number }[] {
  const { callsPerMinute, accountCallsPerMinute, anonymousCallsPerMinute } = limits;
  if (actor.kind !== 'account' && actor.kind !== 'token') {
    return networksOf(address).map(({ key, times }) => ({
      key: `address ${key}`,
      limit: anonymousCallsPerMinute * times,
    }));
  }
  const own = actor.kind === 'account' ? `session ${actor.sessionId}` : `token ${actor.tokenId}`;
  return [
    { key: own, limit: callsPerMinute },
    { key: `account ${actor.accountId}`, limit: accountCallsPerMinute },
  ];
}
