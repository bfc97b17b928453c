import type { DnsZone, FoundRecordSet, RecordChange } from '../provider.ts';
import { dnsError, isFailure } from './failures.ts';

/** Ten thousand zones at the usual hundred a page: a list that never ends, or whose pages do not, is given up. */
const PAGES_MAX = 100;
const ITEMS_MAX = 10_000;

/**
 * Returns the items of all pages, as many as are looked at, from the one at `first` on; `readPage` says where the next
 * begins, null at the end.
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

/** Returns single records of one name as sets, each with the records it is made of. */
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

/** Returns the sets at the names that changes speak of, read one name after the other. */
export async function readNamed<Found>(
  changes: readonly RecordChange[],
  read: (name: string) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const name of namesOf(changes)) found.push(...(await read(name)));
  return found;
}

/** Returns the names that changes speak of, each once. */
export function namesOf(changes: readonly RecordChange[]): string[] {
  return [...new Set(changes.map(({ name }) => name))];
}

/** Throws `records_refused` where a change is of a type that the provider does not have. */
export function refuseAlias(title: string, changes: readonly RecordChange[], said = 'it has no ALIAS records'): void {
  if (changes.some(({ type }) => type === 'ALIAS')) throw dnsError('records_refused', title, { said });
}

const NAMED_MAX = 3;

/** Names an account that does not tell who it is: by its zones. */
export function identityOfZones(title: string, zones: readonly Pick<DnsZone, 'name'>[]): string {
  if (zones.length === 0) return title;
  const named = zones.slice(0, NAMED_MAX).map(({ name }) => name);
  const rest = zones.length - named.length;
  return rest === 0 ? named.join(', ') : `${named.join(', ')} and ${rest} more`;
}

/**
 * Returns what stands in the way of writing although the credential is accepted: it opens no zone, or may not read the
 * records of the first, which `warning` tells.
 */
export async function warningsFor<Zone extends Pick<DnsZone, 'name'>>(
  title: string,
  zones: readonly Zone[],
  reading?: { read(zone: Zone): Promise<unknown>; warning(zone: Zone): string },
): Promise<string[]> {
  const [zone] = zones;
  if (zone === undefined) {
    return [`${title} shows no zone to this credential. Add your domain there, or let the credential open it.`];
  }
  try {
    await reading?.read(zone);
    return [];
  } catch (error) {
    if (reading === undefined || !isFailure(error, 'permission_missing')) throw error;
    return [reading.warning(zone)];
  }
}
