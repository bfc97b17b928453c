import { formatCount } from '../../../routers/schemas/format-count.ts';
import { HOUR_MS } from '../../durations.ts';
import type { AccountContext } from '../../service-context.ts';
import { countAgainst } from '../rate-limit.ts';

/** Counts an act that has a release published: a new one, another try, a roll back. Throws `rate_limited`. */
export function countRelease({ actor, providers }: AccountContext): Promise<void> {
  const limit = providers.limits.releasesPerHour;
  const rule = `An account can publish ${formatCount(limit, 'release')} an hour.`;
  return countAgainst({ name: 'releases', key: actor.accountId, limit, windowMs: HOUR_MS, rule });
}
