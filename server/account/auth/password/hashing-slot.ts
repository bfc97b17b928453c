import type { ServiceContext } from '../../../context.ts';
import { MINUTE_MS } from '../../../lib/durations.ts';
import { AppError } from '../../../lib/errors.ts';
import { customerOf } from '../../../lib/networks.ts';
import { withSlots } from '../../../lib/with-slot.ts';
import { countsAddress, tooMany } from '../../rate-limit.ts';

/** Callers for one name wait for each other before they wait with all others: the common queue has one of each. */
const OF_A_NAME = { limit: 1, queueLength: 32 };
/** Many people behind one address may sign in at the same time in the morning. */
const OF_AN_ADDRESS = { limit: 1, queueLength: 16 };
const RETRY_MS = 1_000;
const RIGHT_WINDOW_MS = 10 * MINUTE_MS;

/**
 * Does work that hashes a password: one at a time for a name, and for an address. The common queue is the hasher's
 * own. Throws `rate_limited` when too many of the same wait.
 */
export function withHashingSlot<T>(ctx: ServiceContext, line: string | null, work: () => Promise<T>): Promise<T> {
  const { rateCounters } = ctx.providers;
  const slots = [
    ...(line === null ? [] : [{ key: `passwords of ${line}`, ...OF_A_NAME }]),
    ...(countsAddress(ctx) ? [{ key: `passwords from ${customerOf(ctx.origin.address)}`, ...OF_AN_ADDRESS }] : []),
  ];
  return withSlots(rateCounters, slots, tooManyAtOnce, work);
}

/**
 * Checks a password unless the account has given right ones too often already: they cost as much as wrong ones. Throws
 * `rate_limited`.
 */
export async function withinRightPasswords<T extends { matches: boolean }>(
  { providers: { rateCounters, limits } }: ServiceContext,
  nameKey: string,
  check: () => Promise<T>,
): Promise<T> {
  const count = (amount: number) => rateCounters.count(`right passwords of ${nameKey}`, amount, RIGHT_WINDOW_MS);
  const before = await count(0);
  if (before.count >= limits.rightPasswordsPerTenMinutes) throw tooMany(before.leftMs);
  const checked = await check();
  if (checked.matches) await count(1);
  return checked;
}

function tooManyAtOnce(): AppError {
  return new AppError('rate_limited', 'Too many attempts at once. Try again in a second.', {
    retryAfterMs: RETRY_MS,
  });
}
