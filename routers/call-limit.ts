import { LRUCache } from 'lru-cache';
import type { Actor, Limits, Providers } from '../server/context.ts';
import { AppError } from '../server/lib/errors.ts';
import { networksOf } from '../server/lib/networks.ts';

const WINDOW_MS = 60_000;

const REFUSED_MAX = 10_000;
/** Bearer tokens that have made too many calls, with the limit that they met, until the minute ends. */
const refusedBearers = new WeakMap<Providers['rateCounters'], LRUCache<string, number>>();

function refusedOf(rateCounters: Providers['rateCounters']): LRUCache<string, number> {
  const known = refusedBearers.get(rateCounters) ?? new LRUCache({ max: REFUSED_MAX, ttlResolution: 0 });
  refusedBearers.set(rateCounters, known);
  return known;
}

/**
 * Throws `rate_limited` for a token with too many calls in this minute, before its account is looked up: otherwise
 * each further call would cost a query to the database.
 */
export function requireMayCall({ rateCounters }: Pick<Providers, 'rateCounters'>, bearer: string): void {
  const refused = refusedOf(rateCounters);
  const limit = refused.get(bearer);
  if (limit !== undefined) throw tooMany(`${limit} calls`, Math.max(1, refused.getRemainingTTL(bearer)));
}

function tooMany(what: string, leftMs: number): AppError {
  return new AppError('rate_limited', `More than ${what} in a minute. Wait a moment, then try again.`, {
    retryAfterMs: Math.ceil(leftMs),
  });
}

/** The number of calls in a request, and the announced length of its body. */
export type Called = { calls: number; bytes: number };

/**
 * Counts procedure calls of one token or session and of its account, or of an (unauthenticated) address and its
 * networks, in the current minute; each call of a batch counts, or a batch would be a way around the limit. Calls
 * above the limit of a token or session do not count for the account: a script that runs wild leaves room to its
 * owner. For an account the bytes of the bodies count as well, before they are parsed, since a call with a long one is
 * many times the work of another. The count is kept in memory, over the processes of this instance: this limit
 * protects their time, may be wrong by the number of instances, and a database write for each call would cost more
 * than most calls. The limits that guard accounts are counted in the database (server/account/rate-limit.ts). Throws
 * `rate_limited` with the time until the window ends.
 */
export async function countCalls(
  { limits, rateCounters }: Pick<Providers, 'limits' | 'rateCounters'>,
  caller: { actor: Actor; address: string; bearer?: string | undefined; isCounted: boolean },
  { calls, bytes }: Called,
): Promise<void> {
  const { actor, address, bearer, isCounted } = caller;
  if (actor.kind === 'anonymous' && !isCounted) return;
  for (const { key, limit } of bucketsOf(limits, actor, address)) {
    const { count, leftMs } = await rateCounters.count(`calls of ${key}`, calls, WINDOW_MS);
    if (count <= limit) continue;
    if ('accountId' in actor && bearer !== undefined) refusedOf(rateCounters).set(bearer, limit, { ttl: leftMs });
    throw tooMany(`${limit} calls`, leftMs);
  }
  if (bytes === 0 || !('accountId' in actor)) return;
  const limit = limits.accountBodyBytesPerMinute;
  const { count, leftMs } = await rateCounters.count(`bodies of account ${actor.accountId}`, bytes, WINDOW_MS);
  if (count > limit) throw tooMany(`${limit.toLocaleString('en')} bytes of calls`, leftMs);
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
