import { formatCount } from '../../../routers/schemas/format-count.ts';
import { HOUR_MS } from '../../durations.ts';
import type { AccountContext } from '../../service-context.ts';
import { type Count, countAgainst, requireRoomFor } from '../rate-limit.ts';

/** Counts an act that has a release published: a new one, another try, a roll back. Throws `rate_limited`. */
export function countRelease(ctx: AccountContext): Promise<void> {
  return countAgainst(releasesOf(ctx));
}

/** Throws what `countRelease` would, and counts nothing. */
export function requireRoomForRelease(ctx: AccountContext): Promise<void> {
  return requireRoomFor(releasesOf(ctx));
}

function releasesOf({ actor, providers }: AccountContext): Count {
  const limit = providers.limits.releasesPerHour;
  const rule = `An account can publish ${formatCount(limit, 'release')} an hour.`;
  return { name: 'releases', key: actor.accountId, limit, windowMs: HOUR_MS, rule };
}
