import type { DnsZone, FoundRecordSet, RecordChange } from '../provider.ts';
import { dnsError, isFailure } from './failures.ts';

/** Ten thousand zones at the usual hundred a page: a longer list, or an endless one, is cut off. */
const PAGES_MAX = 100;
const ITEMS_MAX = 10_000;

/**
 * Returns the items of all pages, up to the limit, beginning at `first`; `readPage` returns the position of the next
 * page, null at the end.
 */
export async function everyPage<T, Position>(
  first: Position,
  readPage: (at: Position) => Promise<{ items: readonly T[]; next: Position | null }>,
): Promise<T[]> {
  const all: T[] = [];
  let at: Position | null = first;
  for (let pages = 0; at !== null && pages < PAGES_MAX && all.length < ITEMS_MAX; pages += 1) {
    const { items, next }: { items: readonly T[]; next: Position | null } = await readPage(at);
    all.push(...items.slice(0, ITEMS_MAX - all.length));
    at = items.length === 0 ? null : next;
  }
  return all;
}

/** Groups single records of one name into sets, each with its records. */
export function toRecordSets<Held extends { type: string; ttl: number }>(
  name: string,
  records: readonly Held[],
  textOf: (record: Held) => string,
): (FoundRecordSet & { records: readonly Held[] })[] {
  return [...new Set(records.map(({ type }) => type))].map((type) => {
    const held = records.filter((record) => record.type === type);
    const ttl = Math.min(...held.map((record) => record.ttl));
    return { type, name, ttl, values: [...new Set(held.map(textOf))], records: held };
  });
}

/** Reads the sets at the names of the changes, one name after the other. */
export async function readNamed<Found>(
  changes: readonly RecordChange[],
  read: (name: string) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const name of namesOf(changes)) found.push(...(await read(name)));
  return found;
}

/** Returns the names of the changes, without duplicates. */
export function namesOf(changes: readonly RecordChange[]): string[] {
  return [...new Set(changes.map(({ name }) => name))];
}

/** Throws `records_refused` for a change of a type that the provider does not have. */
export function refuseAlias(title: string, changes: readonly RecordChange[], said = 'it has no ALIAS records'): void {
  if (changes.some(({ type }) => type === 'ALIAS')) throw dnsError('records_refused', title, { said });
}

const NAMED_MAX = 3;

/** Describes an account by its zones, when it has no name. */
export function identityOfZones(title: string, zones: readonly Pick<DnsZone, 'name'>[]): string {
  if (zones.length === 0) return title;
  const named = zones.slice(0, NAMED_MAX).map(({ name }) => name);
  const rest = zones.length - named.length;
  return rest === 0 ? named.join(', ') : `${named.join(', ')} and ${rest} more`;
}

/**
 * Returns reasons why an accepted credential cannot write: it opens no zone, or may not read the records of the first;
 * `warning` is the sentence for that.
 */
export async function warningsFor<Zone extends Pick<DnsZone, 'name'>>(
  title: string,
  zones: readonly Zone[],
  reading?: { read(zone: Zone): Promise<unknown>; warning(zone: Zone): string },
): Promise<string[]> {
  const [zone] = zones;
  if (zone === undefined) {
    return [
      `With these credentials, ${title} shows no zone. Add your domain there, or give the credentials access to its zone.`,
    ];
  }
  try {
    await reading?.read(zone);
    return [];
  } catch (error) {
    if (reading === undefined || !isFailure(error, 'permission_missing')) throw error;
    return [reading.warning(zone)];
  }
}
