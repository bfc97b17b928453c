import { formatCount } from '../../../routers/schemas/format-count.ts';
import { type Count, countAgainst, requireRoomFor } from '../../account/rate-limit.ts';
import type { AccountContext } from '../../context.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { requireRoomForRow } from '../uploads/index.ts';

/**
 * Counts an act that has a release published: a new one, another try, a rollback. Throws `rate_limited`, and
 * `quota_exhausted` for an account that has very many.
 */
export async function countRelease(ctx: AccountContext): Promise<void> {
  await requireRoomForRow(ctx);
  await countAgainst(releasesOf(ctx));
}

/** Throws the errors of `countRelease`, and counts nothing. */
export async function requireRoomForRelease(ctx: AccountContext): Promise<void> {
  await requireRoomForRow(ctx);
  await requireRoomFor(releasesOf(ctx));
}

function releasesOf({ actor, providers }: AccountContext): Count {
  const limit = providers.limits.releasesPerHour;
  const rule = `An account can publish ${formatCount(limit, 'release')} an hour.`;
  return { name: 'releases', key: actor.accountId, limit, windowMs: HOUR_MS, rule };
}
