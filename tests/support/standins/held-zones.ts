import { randomBytes } from 'node:crypto';

/** A record as a zone file has it: names whole and without their last dot, TXT as one text without quotes. */
export type HeldRecord = {
  id: string;
  type: string;
  name: string;
  ttl: number;
  value: string;
  /** The provider's own form of a TXT value, where it is not the usual one. */
  raw?: string | undefined;
  isProxied: boolean;
};

export type HeldZone = { id: string; name: string; records: HeldRecord[] };

type PlacedSet = {
  type: string;
  name: string;
  ttl: number;
  values: readonly string[];
  isProxied?: boolean;
  /** The values are in the provider's own form. */
  areRaw?: true;
};

export const OURS = 'ours.test';

/** Records that were in the zone before; no test may change them. */
const FOREIGN: readonly PlacedSet[] = [
  { type: 'NS', name: OURS, ttl: 86_400, values: ['ns1.provider.example', 'ns2.provider.example'] },
  { type: 'TXT', name: `mail._domainkey.${OURS}`, ttl: 3_600, values: ['v=DKIM1; k=rsa; p=MIGf'] },
  { type: 'A', name: `app.${OURS}`, ttl: 600, values: ['198.51.100.20', '198.51.100.21'] },
  { type: 'CNAME', name: `blog.${OURS}`, ttl: 600, values: ['blogs.example.net'] },
];

/** The zones of a stand-in, by id: `ours.test` with its records, and one of somebody else's in the same account. */
export function createHeldZones(): Map<string, HeldZone> {
  const zones = new Map<string, HeldZone>();
  const ours = addHeldZone(zones, OURS);
  for (const set of FOREIGN) placeHeldSet(ours, set);
  placeHeldSet(addHeldZone(zones, 'other.test'), { type: 'A', name: 'other.test', ttl: 300, values: ['203.0.113.1'] });
  return zones;
}

export function addHeldZone(zones: Map<string, HeldZone>, name: string): HeldZone {
  const zone: HeldZone = { id: newId(), name, records: [] };
  zones.set(zone.id, zone);
  return zone;
}

/** Puts a set in place of the one that is there. */
export function placeHeldSet(zone: HeldZone, { type, name, ttl, values, isProxied = false, areRaw }: PlacedSet): void {
  zone.records = zone.records.filter((record) => record.type !== type || record.name !== name);
  zone.records.push(
    ...values.map((value) => ({ id: newId(), type, name, ttl, value, isProxied, ...(areRaw && { raw: value }) })),
  );
}

export function newId(): string {
  return randomBytes(16).toString('hex');
}

export function heldZoneNamed(zones: ReadonlyMap<string, HeldZone>, name: string): HeldZone {
  const zone = [...zones.values()].find((one) => one.name === name);
  if (zone === undefined) throw new Error(`There is no zone ${name}.`);
  return zone;
}

/** Everything in the zone as sorted lines. */
export function dumpHeldZone({ records }: HeldZone): string[] {
  return records
    .map(
      ({ name, ttl, type, value, raw = value, isProxied }) =>
        `${name} ${ttl} ${type} ${raw}${isProxied ? ' proxied' : ''}`,
    )
    .sort();
}

/** Returns why a zone may not hold this record beside the others, or null (RFC 1034, section 3.6.2). */
export function conflictIn(zone: HeldZone, { type, name, value, id }: HeldRecord): 'same' | 'alias' | null {
  const beside = zone.records.filter((record) => record.name === name && record.id !== id);
  if (beside.some((record) => record.type === type && record.value === value)) return 'same';
  const isAlias = type === 'CNAME' || beside.some((record) => record.type === 'CNAME');
  return isAlias && beside.length > 0 ? 'alias' : null;
}

/** Returns one page of a list, counted from 1. */
export function pageOf<T>(all: readonly T[], page: number, size: number): readonly T[] {
  return all.slice((page - 1) * size, page * size);
}
