import type { AccountContext } from '../context.ts';
import { AppError } from '../lib/errors.ts';
import { customerOf } from '../lib/networks.ts';
import type { FreeSlot } from '../lib/rate-counters.ts';
import { withSlot, withSlots } from '../lib/with-slot.ts';
import { countsAddress } from './rate-limit.ts';

/** A second caller about the same thing waits for the first. */
const OF_ONE = { limit: 1, queueLength: 16 };
const OF_AN_ACCOUNT = { limit: 2, queueLength: 4 };
/** Applies however many accounts somebody has: of all running or waiting callers, two are theirs. */
const OF_AN_ADDRESS = { limit: 2, queueLength: 8 };
/** A check asks eight questions at once, of 256 in all (server/dns/queries/wire.ts): half are left to the jobs. */
const AT_ONCE = { limit: 16, queueLength: 32 };
/**
 * Everybody's first slot comes before any second one: of the 48 that run or wait, this many are second ones at most.
 */
const SECOND_PLACES = { limit: 12 };

/** Providers and name servers have slots of their own; only one caller at a time may ask about `one`. */
export type Asking = { whom: 'name servers' | 'providers'; one?: string };

/**
 * Does work that asks servers of strangers while a person waits; each server may take seconds. A few callers run at
 * once in all, for an account and for an address, and a few more wait for a slot. A caller with nothing running is
 * refused only if 36 others or more are ahead, each from a network of its own. Throws `rate_limited`.
 */
export function withAskingSlots<T>(ctx: AccountContext, { whom, one }: Asking, work: () => Promise<T>): Promise<T> {
  const { actor, origin, providers } = ctx;
  const isCounted = countsAddress(ctx);
  const slots = [
    ...(one === undefined ? [] : [{ key: `asking about ${one}`, ...OF_ONE }]),
    { key: `asking ${whom} for ${actor.accountId}`, ...OF_AN_ACCOUNT },
    ...(isCounted ? [{ key: `asking ${whom} from ${origin.address}`, ...OF_AN_ADDRESS }] : []),
  ];
  const party = isCounted ? customerOf(origin.address) : actor.accountId;
  const inPlace = async () => {
    const freePlace = await takePlace(ctx, whom, party);
    try {
      return await withSlot(providers.rateCounters, { key: `asking ${whom}`, ...AT_ONCE, full: tooManyAsking }, work);
    } finally {
      freePlace();
    }
  };
  return withSlots(providers.rateCounters, slots, tooManyAsking, inPlace);
}

/** Takes a party's first slot if it is free, else one of the second slots, else the first one when it is free again. */
async function takePlace({ providers }: AccountContext, whom: Asking['whom'], party: string): Promise<FreeSlot> {
  const first = `first place asking ${whom} of ${party}`;
  const place =
    (await providers.rateCounters.takeSlot(first, { limit: 1 })) ??
    (await providers.rateCounters.takeSlot(`second places asking ${whom}`, SECOND_PLACES)) ??
    (await providers.rateCounters.takeSlot(first, { limit: 1, queueLength: OF_AN_ADDRESS.queueLength }));
  if (place === null) throw tooManyAsking();
  return place;
}

export function tooManyAsking(): AppError {
  return new AppError('rate_limited', 'Too many checks are running right now. Try again in a few seconds.', {
    retryAfterMs: 5_000,
  });
}
