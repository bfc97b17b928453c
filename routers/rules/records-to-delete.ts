import type { CheckedRecord, RemovedDomain } from '../schemas/domains.ts';

type Values = { readonly values: readonly string[] } | null;
type Named = RemovedDomain['deleteFirst'][number];

/**
 * Returns the records that a removed domain leaves behind, as name servers showed them: instead of an alias the name may
 * have addresses of its own.
 */
export function seenRecords(records: readonly CheckedRecord[]): Named[] {
  const found = records.filter(({ state }) => state === 'ok' || state === 'partly').flatMap(shownAs);
  return [...new Map(found.map((record) => [Object.values(record).join(' '), record])).values()];
}

function shownAs(record: CheckedRecord): Named[] {
  const { type, name, value } = record;
  const values = valuesSeen(record);
  if (type !== 'CNAME' || values.length === 0 || values.includes(value)) return [{ type, name, value }];
  const addresses = values.filter(isAddress);
  return addresses.map((address) => ({ type: address.includes(':') ? 'AAAA' : 'A', name, value: address }));
}

/** Returns the values of a set that the other has not: of a planned set and the previous one, what the plan writes. */
export function valuesBeside(set: Values, other: Values): string[] {
  return (set?.values ?? []).filter((value) => !other?.values.includes(value));
}

/** Returns all that name servers answered for a record. */
export function valuesSeen({ seen }: Pick<CheckedRecord, 'seen'>): string[] {
  return seen.flatMap(({ isAuthority, values }) => (isAuthority ? (values ?? []) : []));
}

/** Returns whether a value that a name server answered is an address; the others are names. */
export function isAddress(value: string): boolean {
  return value.includes(':') || Number.isFinite(Number(value.replaceAll('.', '')));
}
