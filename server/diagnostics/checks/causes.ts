import { CHECK_IDS, type CheckId } from '../../../routers/schemas/diagnostics.ts';

/** These checks only read records, wherever the addresses of the name point. */
const OF_RECORDS: readonly CheckId[] = ['ownership', 'ttl', 'caa', 'challenge-record', 'email-untouched'];
const OF_VISITS = CHECK_IDS.filter((id) => !OF_RECORDS.includes(id));
/** These describe a visit to the wrong server, or to none. */
const OF_SERVER: readonly CheckId[] = ['certificate', 'url-up', 'redirects'];

/** The later checks that fail with this one. A check that is missing here explains no other. */
const EXPLAINS: Partial<Record<CheckId, readonly CheckId[]>> = {
  delegation: CHECK_IDS,
  dnssec: CHECK_IDS,
  dangling: OF_VISITS,
  'reserved-address': OF_VISITS,
  resolves: OF_VISITS,
  // A name without proof is not served, and no certificate is ordered for it.
  ownership: ['certificate', 'url-up'],
  'port-80': OF_SERVER,
  ipv6: OF_SERVER,
  proxied: OF_SERVER,
  // A certificate that browsers refuse prevents every visit.
  certificate: ['url-up', 'protocol', 'redirects', 'hsts', 'reply-time'],
  'url-up': ['redirects', 'reply-time'],
};

/** Returns the earliest failed check that explains this one; null when none does (pure). */
export function causeOf(id: CheckId, failedBefore: readonly CheckId[]): CheckId | null {
  return failedBefore.find((earlier) => EXPLAINS[earlier]?.includes(id)) ?? null;
}
