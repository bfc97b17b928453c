import type { DomainRecord } from '../../publishing/platforms/platform.ts';
import type { DnsZone, FoundRecordSet, RecordChange, WrittenType } from '../provider.ts';
import { isWithin } from '../zone-names.ts';
import { certificateSets } from './caa-sets.ts';
import { sameValues } from './changes.ts';
import { type RecordPlanConflict, recordPlanConflicts } from './conflicts.ts';
import { aliasType, dataOf, isRoute, type RecordPlanInput, type RequiredSet, setsOf } from './record-sets.ts';

export type PlannedChange = RecordChange & { action: 'add' | 'replace' | 'remove' | 'leave' };

export type RecordPlan = {
  changes: readonly PlannedChange[];
  conflicts: readonly RecordPlanConflict[];
};

/** Several providers need a request for each name. Only a name of some thirty labels has more. */
const NAMES_MAX = 40;

/**
 * Returns the changes that make a name point where it should, and nothing more, by comparing the required records with
 * the existing ones. Addresses and aliases of a name all say where it points: the required ones replace all others.
 * TXT and CAA sets are shared with others, so a value is added and the rest stays. Every other type, above all those
 * of mail, is never written.
 *
 * A name with an obstacle gets no changes at all: half of them would be worse than none. The conflicts explain it;
 * other conflicts are only warnings.
 */
export function planRecords(input: RecordPlanInput): RecordPlan {
  const sets = requiredSets(input);
  const { conflicts, blocked } = recordPlanConflicts(input, sets);
  const open = sets.filter(({ name }) => !blocked.includes(name));
  const changes = [...goneFor(open, input.found), ...open.map((set) => changeTo(set, input.found))];
  return { changes, conflicts };
}

/**
 * Returns the names whose sets a plan needs: the required ones, all names above them up to the zone (a delegation or
 * CAA records there matter as well), and those with the zone's name twice, the usual mistake of pasting a whole name
 * into a field for its first part. The required ones come first, and the rest as far as there is room.
 */
export function namesToRead({ name: apex }: DnsZone, required: readonly DomainRecord[]): readonly string[] {
  const within = required.filter((record) => isWithin(record.name, apex));
  const names = new Set<string>([apex, ...within.map(({ name }) => name)]);
  for (const { name } of within) {
    names.add(`${name}.${apex}`);
    for (let at = name; at !== apex; at = at.slice(at.indexOf('.') + 1)) names.add(at);
  }
  return [...names].slice(0, NAMES_MAX);
}

/** Returns the zone that holds the name; the deepest of several. */
export function zoneOf(zones: readonly DnsZone[], name: string): DnsZone | null {
  const holding = zones.filter((zone) => isWithin(name, zone.name));
  return holding.reduce<DnsZone | null>(
    (best, zone) => (best && best.name.length >= zone.name.length ? best : zone),
    null,
  );
}

function requiredSets(input: RecordPlanInput): readonly RequiredSet[] {
  const within = input.required.filter(({ name }) => isWithin(name, input.zone.name));
  const routed = new Set(within.filter(isRoute).map(({ name }) => name));
  const routes = [...routed].flatMap((name) =>
    routeOf(
      input,
      within.filter((record) => record.name === name && isRoute(record)),
    ),
  );
  const texts = setsOf(within.filter(({ type }) => type === 'TXT'));
  return [...routes, ...texts, ...certificateSets(input, within)];
}

/** Chooses among alternatives: the one that is there already, else an alias, else addresses. */
function routeOf({ zone, found }: RecordPlanInput, records: readonly DomainRecord[]): readonly RequiredSet[] {
  const addresses = setsOf(records.filter(({ type }) => type === 'A' || type === 'AAAA'));
  const isThere = ({ type, name, values }: RequiredSet): boolean =>
    sameValues(found.find((set) => set.type === type && set.name === name) ?? null, { ttl: 0, values });
  if (addresses.length > 0 && addresses.every(isThere)) return addresses;
  const [alias] = records.filter(({ type }) => type === 'CNAME' || type === 'ALIAS');
  const type = alias === undefined ? null : aliasType(zone, alias.name);
  return alias === undefined || type === null ? addresses : setsOf([{ ...alias, type }]);
}

/**
 * Returns the removals: every other record that says where a name points. They come first, since nothing may be beside
 * a CNAME.
 */
function goneFor(sets: readonly RequiredSet[], found: readonly FoundRecordSet[]): readonly PlannedChange[] {
  const names = new Set(sets.filter(isRoute).map(({ name }) => name));
  return found.flatMap((set) => {
    const isGone = names.has(set.name) && !sets.some(({ type, name }) => type === set.type && name === set.name);
    const type = routeType(set.type);
    return isGone && type !== null
      ? [{ action: 'remove' as const, type, name: set.name, before: dataOf(set), after: null }]
      : [];
  });
}

function routeType(type: string): WrittenType | null {
  return type === 'A' || type === 'AAAA' || type === 'CNAME' || type === 'ALIAS' ? type : null;
}

function changeTo(required: RequiredSet, found: readonly FoundRecordSet[]): PlannedChange {
  const { type, name, ttl, isShared } = required;
  const there = found.find((set) => set.type === type && set.name === name);
  if (there === undefined) return { action: 'add', type, name, before: null, after: { ttl, values: required.values } };
  const before = dataOf(there);
  const values = isShared ? [...new Set([...before.values, ...required.values])] : required.values;
  const after = { ...before, values };
  if (sameValues(before, after)) return { action: 'leave', type, name, before, after: before };
  return { action: 'replace', type, name, before, after: isShared ? after : { ...after, ttl } };
}
