import { isRegistrableDomain } from '../../lib/site-domain.ts';
import type { DomainRecord } from './platform.ts';

/** An hour, as platforms recommend for permanent records. */
const TTL_S = 3_600;

/** Returns a record without which the domain does not work. */
export function requiredRecord(
  record: Pick<DomainRecord, 'type' | 'name' | 'value'> & Partial<Pick<DomainRecord, 'purpose' | 'alternativeGroup'>>,
): DomainRecord {
  return { ttl: TTL_S, purpose: 'route', required: true, alternativeGroup: null, ...record };
}

/**
 * Returns the records that point a name to a platform: a CNAME to `host`, or, for a name that cannot be a CNAME, an
 * ALIAS or the addresses.
 */
export function routeRecords(
  name: string,
  { host, alias = host, addresses }: { host: string; alias?: string; addresses: readonly string[] },
): DomainRecord[] {
  if (!isRegistrableDomain(name)) return [requiredRecord({ type: 'CNAME', name, value: host })];
  const alternativeGroup = `route ${name}`;
  return [
    requiredRecord({ type: 'ALIAS', name, value: alias, alternativeGroup }),
    ...addresses.map((value) => requiredRecord({ type: 'A', name, value, alternativeGroup })),
  ];
}
