import { caaText } from '../caa.ts';
import type { FoundRecordSet } from '../provider.ts';
import { isWithin } from '../zone-names.ts';
import { forbiddingSet } from './caa-sets.ts';
import { aliasType, isRoute, type RecordPlanInput, type RequiredSet } from './record-sets.ts';

/** A conflict that a person should know before agreeing; the code is stable. */
export type RecordPlanConflict = { code: ConflictCode; message: string };

export type ConflictCode =
  | 'outside_zone'
  | 'delegated'
  | 'apex_without_alias'
  | 'cname_beside_others'
  | 'records_fixed'
  | 'proxied'
  | 'aaaa_elsewhere'
  | 'caa_forbids'
  | 'dnssec_broken'
  | 'doubled_name';

type Found = RecordPlanConflict & {
  /** The name that gets no changes because of it. */
  blocks?: string;
};

/** Returns the conflicts, and the names that are left alone because of them. */
export function recordPlanConflicts(
  input: RecordPlanInput,
  sets: readonly RequiredSet[],
): { conflicts: readonly RecordPlanConflict[]; blocked: readonly string[] } {
  const all = [
    ...outside(input),
    ...brokenDnssec(input),
    ...delegated(input, sets),
    ...withoutAlias(input),
    ...[...new Set(sets.map(({ name }) => name))].flatMap((name) => atName(input, sets, name)),
    ...forbidden(input),
    ...doubled(input),
  ];
  return {
    conflicts: all.map(({ code, message }) => ({ code, message })),
    blocked: all.flatMap(({ blocks }) => blocks ?? []),
  };
}

function outside({ zone, required }: RecordPlanInput): readonly Found[] {
  const names = new Set(required.map(({ name }) => name).filter((name) => !isWithin(name, zone.name)));
  return [...names].map((name) => ({
    code: 'outside_zone',
    message: `${name} is not in the zone ${zone.name}. Add its records where its DNS is kept.`,
    blocks: name,
  }));
}

function brokenDnssec({ zone, dnssec }: RecordPlanInput): readonly Found[] {
  if (dnssec !== 'bogus') return [];
  const { message, hint } = brokenDnssecText(zone.name);
  return [{ code: 'dnssec_broken', message: `${message} ${hint}` }];
}

/** Returns the message for a person about a name with broken signatures. */
export function brokenDnssecText(name: string): Explained {
  return {
    message: `DNSSEC of ${name} is broken: resolvers that check signatures refuse every answer, so some of your visitors and the certificate authority see nothing.`,
    hint: 'Correct the DS record at your registrar, or remove it there.',
  };
}

type Explained = { message: string; hint: string };

const SHOWN_MAX = 4;

/**
 * Returns the message for a person about a name that leads elsewhere; `hasAlias` when it is an alias, `beside` when
 * other records there allow none.
 */
export function elsewhereText(
  { type, name, value }: { type: string; name: string; value: string },
  { found, hasAlias, beside }: { found: readonly string[]; hasAlias: boolean; beside: Explained | null },
): Explained {
  const shown = [...new Set(found)].slice(0, SHOWN_MAX).join(', ');
  const first = type === 'CNAME' && !hasAlias ? `Remove the A and AAAA records of ${name}, then set` : 'Set';
  const message = `${name} points to ${shown} instead of your deployment.`;
  return {
    message,
    hint: beside === null ? `${first} its ${type} record to ${value}.` : `${beside.message} ${beside.hint}`,
  };
}

function delegated({ zone, found }: RecordPlanInput, sets: readonly RequiredSet[]): readonly Found[] {
  const cuts = found.filter(({ type, name }) => type === 'NS' && name !== zone.name);
  return sets.flatMap(({ name }) => {
    const cut = cuts.find((one) => isWithin(name, one.name));
    if (cut === undefined) return [];
    const message = `${cut.name} has name servers of its own (${cut.values.join(', ')}): records for ${name} have to be added there.`;
    return [{ code: 'delegated', message, blocks: name }];
  });
}

/** Reports that the zone's own name must follow another name, but can neither do that nor have addresses. */
function withoutAlias({ zone, required }: RecordPlanInput): readonly Found[] {
  const routes = required.filter((record) => record.name === zone.name && isRoute(record));
  const alias = routes.find(({ type }) => type === 'CNAME' || type === 'ALIAS');
  const hasAddresses = routes.some(({ type }) => type === 'A');
  if (alias === undefined || hasAddresses || aliasType(zone, zone.name) !== null) return [];
  const message = `${zone.name} should point to ${alias.value}, but your DNS provider has no ALIAS records for a bare domain. Use www.${zone.name}, or move the DNS to a provider that has them.`;
  return [{ code: 'apex_without_alias', message, blocks: zone.name }];
}

function atName({ zone, found }: RecordPlanInput, sets: readonly RequiredSet[], name: string): readonly Found[] {
  const required = sets.filter((set) => set.name === name);
  const there = found.filter((set) => set.name === name);
  const changed = there.filter((set) => isTouched(set, required));
  const fixed = changed.filter(({ isFixed }) => isFixed === true);
  const proxied = there.filter(({ isProxied }) => isProxied === true);
  return [
    ...besideCname(zone.name, name, required, there),
    ...fixed.map(({ type }): Found => {
      const message = `Your DNS provider keeps the ${type} record of ${name} in a form that Fairlead cannot change. Remove it there, then work out the changes again.`;
      return { code: 'records_fixed', message, blocks: name };
    }),
    ...proxied.slice(0, 1).map((): Found => {
      const message = `Your DNS provider answers for ${name} with its own addresses (proxied). Redirects and caching there can get in the way of the certificate: if it is not issued, switch the proxy off for this name.`;
      return { code: 'proxied', message };
    }),
    ...foreignIpv6(name, required, there),
  ];
}

/** Returns whether the plan writes or removes this set. */
function isTouched(set: FoundRecordSet, required: readonly RequiredSet[]): boolean {
  return required.some(({ type }) => type === set.type) || (isRoute(set) && required.some(isRoute));
}

/** RFC 1034, section 3.6.2: nothing may be beside a CNAME. Some servers silently drop the new record. */
function besideCname(
  apex: string,
  name: string,
  required: readonly RequiredSet[],
  there: readonly FoundRecordSet[],
): readonly Found[] {
  // A provider that flattens the CNAME of a zone's own name allows others beside it.
  if (name === apex) return [];
  const requiresCname = required.some(({ type }) => type === 'CNAME');
  const staying = [
    ...there.filter((set) => !isRoute(set) && !['RRSIG', 'NSEC', 'NSEC3'].includes(set.type)).map(({ type }) => type),
    ...required.filter((set) => !isRoute(set)).map(({ type }) => type),
  ];
  if (requiresCname && staying.length > 0) {
    const { message, hint } = othersAtCnameText(name, [...new Set(staying)]);
    return [{ code: 'cname_beside_others', message: `${message} ${hint}`, blocks: name }];
  }
  const cname = there.find(({ type }) => type === 'CNAME');
  if (cname === undefined || required.some(isRoute) || required.length === 0) return [];
  const types = required.map(({ type }) => type);
  const { message, hint } = cnameInPlaceText(name, cname.values.join(', '), types);
  return [{ code: 'cname_beside_others', message: `${message} ${hint}`, blocks: name }];
}

/** Returns the message for a person about records of these types at a name that should be a CNAME. */
export function othersAtCnameText(name: string, types: readonly string[]): Explained {
  return {
    message: `${name} should be a CNAME record, but has ${types.join(' and ')} records, and no other record can exist beside a CNAME.`,
    hint: 'Use another name, or move those records.',
  };
}

/** Returns the message for a person about a CNAME at a name that needs records of these types. */
export function cnameInPlaceText(name: string, target: string, types: readonly string[]): Explained {
  return {
    message: `${name} is a CNAME record that points to ${target}, and no other record can exist beside a CNAME.`,
    hint: `Remove it, or add the ${types.join(' and ')} record where it points.`,
  };
}

/** Visitors with IPv6 prefer it, and would keep reaching the old place. */
function foreignIpv6(
  name: string,
  required: readonly RequiredSet[],
  there: readonly FoundRecordSet[],
): readonly Found[] {
  const ipv6 = there.find(({ type }) => type === 'AAAA');
  const isReplaced = required.some(({ type }) => type === 'AAAA');
  if (ipv6 === undefined || isReplaced || !required.some(({ type }) => type === 'A')) return [];
  const message = `${name} has an AAAA record that points elsewhere (${ipv6.values.join(', ')}), so visitors with IPv6 would not see your site. These changes remove it.`;
  return [{ code: 'aaaa_elsewhere', message }];
}

function forbidden(input: RecordPlanInput): readonly Found[] {
  const reported = new Set<string>();
  return input.required.flatMap((record): readonly Found[] => {
    const set = forbiddingSet(input, record);
    if (set === null || reported.has(`${set.name} ${set.issuer}`)) return [];
    reported.add(`${set.name} ${set.issuer}`);
    const isOurs = isWithin(set.name, input.zone.name);
    const added = isOurs ? `These changes add ${set.add}.` : `Add the record ${set.add} there.`;
    const remedy = set.add === null ? 'Remove it there.' : added;
    return [{ code: 'caa_forbids', message: `${caaText(set, set.name, set.issuer)} ${remedy}` }];
  });
}

function doubled({ zone, found, required }: RecordPlanInput): readonly Found[] {
  return found
    .filter((set) => required.some(({ type, name }) => set.name === `${name}.${zone.name}` && set.type === type))
    .map(({ type, name }) => {
      const message = `${doubledText(type, name, zone.name)} You can delete this record.`;
      return { code: 'doubled_name', message };
    });
}

/** Returns the message for a person about a record whose name ends with that of its zone twice. */
export function doubledText(type: string, name: string, apex: string): string {
  return `The ${type} record at ${name} has ${apex} twice in its name: your DNS provider adds ${apex} automatically.`;
}
