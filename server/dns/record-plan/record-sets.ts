import type { DomainRecord } from '../../publishing/platforms/platform.ts';
import type { CaaQuestion } from '../caa.ts';
import type { DnsZone, FoundRecordSet, RecordData, WrittenType } from '../provider.ts';

export type RecordPlanInput = {
  zone: DnsZone;
  required: readonly DomainRecord[];
  /** Every set at the names of `namesToRead`. */
  found: readonly FoundRecordSet[];
  /**
   * The nearest CAA records up the tree (RFC 8659, section 3), when they are outside this zone; null: none, or in it.
   */
  caaAbove?: { name: string; values: readonly string[] } | null;
  /** Our account and the challenges that we can answer, when the required authority is our own. */
  caa?: Pick<CaaQuestion, 'accountUrl' | 'methods'>;
  dnssec?: 'secure' | 'unsigned' | 'bogus' | 'unknown';
};

/** The wanted state of a set; `isShared`: beside the values of others. */
export type RequiredSet = {
  type: WrittenType;
  name: string;
  ttl: number;
  values: readonly string[];
  isShared: boolean;
};

/** The types that say where a name points; a name has only one kind of them. */
const ROUTES: readonly string[] = ['A', 'AAAA', 'CNAME', 'ALIAS'];
/** During setup, a mistake must not be cached for hours. */
const SETUP_TTL_S = 300;

/** Returns whether a set says where its name points. */
export function isRoute({ type }: { type: string }): boolean {
  return ROUTES.includes(type);
}

/** Returns the type by which this name can follow another; null when it cannot. */
export function aliasType(zone: DnsZone, name: string): 'CNAME' | 'ALIAS' | null {
  return name === zone.name ? zone.apexAlias : 'CNAME';
}

/** Returns the records as sets: one for each type and name. */
export function setsOf(records: readonly DomainRecord[]): readonly RequiredSet[] {
  const sets = new Map<string, RequiredSet>();
  for (const { type, name, value, ttl } of records) {
    const key = `${type} ${name}`;
    const before = sets.get(key);
    const values = [...new Set([...(before?.values ?? []), value])];
    const isShared = type === 'TXT' || type === 'CAA';
    sets.set(key, { type, name, ttl: Math.min(ttl, before?.ttl ?? SETUP_TTL_S, SETUP_TTL_S), values, isShared });
  }
  return [...sets.values()];
}

/** Returns the content of a set, without its name. */
export function dataOf({ ttl, values, isProxied }: RecordData): RecordData {
  return { ttl, values: [...values], ...(isProxied !== undefined && { isProxied }) };
}
