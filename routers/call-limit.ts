import { AppError } from '../server/errors.ts';
import type { Actor, Providers } from '../server/service-context.ts';

const WINDOW_MS = 60_000;

type CallWindow = { endsAt: number; counts: Map<string, number> };

/**
 * Per process and in memory: this limit protects the process's own time, is exact enough when it is wrong by the number
 * of instances, and a database write a call would cost more than most calls. The limits that guard accounts are counted
 * in the database (services/rate-limit.ts).
 */
const windows = new WeakMap<Providers, CallWindow>();

/**
 * Counts procedure calls of one token, session or (unauthenticated) address in the current minute; each call of a batch
 * counts (security facts, 1.8). One window for all, thrown away when it ends, keeps the map small.
 * Throws `rate_limited` with the time until the window ends.
 */
export function countCalls(
  providers: Providers,
  caller: { actor: Actor; address: string; isCounted: boolean },
  calls: number,
): void {
  const { key, limit } = bucketOf(providers, caller.actor, caller.address);
  if (caller.actor.kind === 'anonymous' && !caller.isCounted) return;
  const now = Date.now();
  let current = windows.get(providers);
  if (current === undefined || current.endsAt <= now) {
    current = { endsAt: now + WINDOW_MS, counts: new Map() };
    windows.set(providers, current);
  }
  const count = (current.counts.get(key) ?? 0) + calls;
  current.counts.set(key, count);
  if (count > limit) {
    throw new AppError('rate_limited', `More than ${limit} calls in a minute. Please wait a moment.`, {
      retryAfterMs: current.endsAt - now,
    });
  }
}

function bucketOf(providers: Providers, actor: Actor, address: string): { key: string; limit: number } {
  const { callsPerMinute, anonymousCallsPerMinute } = providers.limits;
  if (actor.kind === 'account') return { key: `session ${actor.sessionId}`, limit: callsPerMinute };
  if (actor.kind === 'token') return { key: `token ${actor.tokenId}`, limit: callsPerMinute };
  return { key: `address ${address}`, limit: anonymousCallsPerMinute };
}
