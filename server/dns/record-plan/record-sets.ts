import type { DomainRecord } from '../../platforms/platform.ts';
import type { CaaQuestion } from '../caa.ts';
import type { DnsZone, FoundRecordSet, RecordData, WrittenType } from '../provider.ts';

export type RecordPlanInput = {
  zone: DnsZone;
  required: readonly DomainRecord[];
  /** Every set at the names of `namesToRead`. */
  found: readonly FoundRecordSet[];
  /** The nearest CAA records up the tree (RFC 8659, section 3), where they are not in this zone; null: none, or in it. */
  caaAbove?: { name: string; values: readonly string[] } | null;
  /** Our account and the challenges that we can answer, where the authority that is required is our own. */
  caa?: Pick<CaaQuestion, 'accountUrl' | 'methods'>;
  dnssec?: 'secure' | 'unsigned' | 'bogus' | 'unknown';
};

/** One set as it is to be; `isShared`: beside the values of others. */
export type RequiredSet = {
  type: WrittenType;
  name: string;
  ttl: number;
  values: readonly string[];
  isShared: boolean;
};

/** The types that say where a name points: one kind of them at a time. */
const ROUTES: readonly string[] = ['A', 'AAAA', 'CNAME', 'ALIAS'];
/** While something may still be wrong, a mistake must not be remembered for hours. */
const SETUP_TTL_S = 300;

/** Whether a set says where its name points. */
export function isRoute({ type }: { type: string }): boolean {
  return ROUTES.includes(type);
}

/** Returns the type by which this name can follow another; null where it cannot. */
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

/** Returns what a set holds, without its name. */
export function dataOf({ ttl, values, isProxied }: RecordData): RecordData {
  return { ttl, values: [...values], ...(isProxied !== undefined && { isProxied }) };
}
