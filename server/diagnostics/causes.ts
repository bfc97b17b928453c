import { CHECK_IDS, type CheckId } from '../../routers/schemas/diagnostics.ts';

/** What is read from records by itself, wherever the addresses of the name lead. */
const OF_RECORDS: readonly CheckId[] = ['ownership', 'ttl', 'caa', 'challenge-record', 'email-untouched'];
const OF_VISITS = CHECK_IDS.filter((id) => !OF_RECORDS.includes(id));
/** What a visitor meets who comes to the wrong server, or to none. */
const OF_SERVER: readonly CheckId[] = ['certificate', 'url-up', 'redirects'];

/** The later checks that fail where this one does. A check that is not named explains no other. */
const EXPLAINS: Partial<Record<CheckId, readonly CheckId[]>> = {
  delegation: CHECK_IDS,
  dnssec: CHECK_IDS,
  dangling: OF_VISITS,
  'reserved-address': OF_VISITS,
  resolves: OF_VISITS,
  // A name that is not proved is not served, and no certificate is ordered for it.
  ownership: ['certificate', 'url-up'],
  'port-80': OF_SERVER,
  ipv6: OF_SERVER,
  proxied: OF_SERVER,
  // No visit is made past a certificate that browsers refuse.
  certificate: ['url-up', 'protocol', 'redirects', 'hsts', 'reply-time'],
  'url-up': ['redirects', 'reply-time'],
};

/** Returns the earliest of the checks that failed before this one and explain it; null where none does (pure). */
export function causeOf(id: CheckId, failedBefore: readonly CheckId[]): CheckId | null {
  return failedBefore.find((earlier) => EXPLAINS[earlier]?.includes(id)) ?? null;
}
