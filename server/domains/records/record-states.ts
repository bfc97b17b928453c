import type { CheckedRecord, RecordState } from '../../../routers/schemas/domains.ts';
import type { ServerAnswer } from '../../dns/dns-client.ts';
import { canonicalAddress } from '../../dns/queries/canonical-address.ts';
import type { DomainRecord } from '../../publishing/platforms/platform.ts';
import { askedKey, type DnsAnswers, setKey } from './dns-answers.ts';
import type { DomainTarget } from './required-records.ts';

// These functions interpret the answers (pure). A record exists when every answering name server has it; a silent one
// proves nothing, neither that a record is there nor that it is gone.

/** The target of a name: `unknown` when no name server answers. */
export type PointsTo = 'here' | 'elsewhere' | 'unknown';

/** Strangers choose the answers, so only as much is stored and shown as a person reads; the judgement uses all. */
const SHOWN_SERVERS_MAX = 16;
const SHOWN_VALUES_MAX = 8;
const SHOWN_VALUE_LENGTH_MAX = 256;
/**
 * The limit for all answers of a domain together. Eight records with answers of four servers and two resolvers are
 * some 6 KB.
 */
const KEPT_ANSWERS_MAX_BYTES = 16_384;

/** Returns each required record beside the answers about it. */
export function recordStates(
  records: readonly DomainRecord[],
  answers: DnsAnswers,
  target: DomainTarget,
): CheckedRecord[] {
  return records.map((record) => ({
    ...record,
    state: stateOf(record, records, answers, target),
    seen: [...shownAnswers(record, answers.nameServers, true), ...shownAnswers(record, answers.resolvers, false)],
  }));
}

function shownAnswers(
  record: DomainRecord,
  answers: DnsAnswers['nameServers'],
  isAuthority: boolean,
): CheckedRecord['seen'] {
  const shown = (answers.get(askedKey(record)) ?? []).slice(0, SHOWN_SERVERS_MAX);
  return shown.map(({ server, address, values, ttl, error, cname }) => ({
    ...{ server, address, isAuthority, ttl, error },
    values: shownValues(record, record.type === 'CNAME' && cname !== null ? [cname] : values),
  }));
}

/** Shortens the values, but never leaves the required one out. */
function shownValues({ value }: DomainRecord, values: readonly string[] | null): string[] | null {
  if (values === null) return null;
  const isCut = values.length > SHOWN_VALUES_MAX && values.includes(value);
  const ordered = isCut ? [value, ...values.filter((one) => one !== value)] : values;
  return ordered.slice(0, SHOWN_VALUES_MAX).map((one) => one.slice(0, SHOWN_VALUE_LENGTH_MAX));
}

/**
 * Returns the records with as many of their answers as are stored: the first of each record, then the second of each,
 * and so on, up to the limit. The name servers come before the resolvers.
 */
export function boundedAnswers(records: readonly CheckedRecord[]): CheckedRecord[] {
  const bounded = records.map((record): CheckedRecord => ({ ...record, seen: [] }));
  const longest = Math.max(0, ...records.map(({ seen }) => seen.length));
  let leftBytes = KEPT_ANSWERS_MAX_BYTES;
  for (let index = 0; index < longest; index += 1) {
    for (const [at, { seen }] of records.entries()) {
      const answer = seen[index];
      if (answer === undefined) continue;
      leftBytes -= Buffer.byteLength(JSON.stringify(answer));
      if (leftBytes < 0) return bounded;
      bounded[at]?.seen.push(answer);
    }
  }
  return bounded;
}

function usableAnswers(answers: readonly ServerAnswer[] | undefined): readonly ServerAnswer[] {
  return (answers ?? []).filter(({ values }) => values !== null);
}

function stateOf(
  record: DomainRecord,
  all: readonly DomainRecord[],
  answers: DnsAnswers,
  target: DomainTarget,
): RecordState {
  const usable = usableAnswers(answers.nameServers.get(askedKey(record)));
  const allowed = { target, hosts: answers.hosts };
  const states = new Set(usable.map((answer) => stateSeenBy(record, answer, all, allowed)));
  if (states.size === 0) return 'missing';
  const [only] = states;
  if (states.size === 1 && only !== undefined) return only;
  return states.has('ok') ? 'partly' : 'wrong';
}

/** The targets that a name may point to: this host, or the addresses of its alias's target. */
type AllowedTargets = { target: DomainTarget } & Pick<DnsAnswers, 'hosts'>;

function stateSeenBy(
  record: DomainRecord,
  { values, cname }: ServerAnswer,
  all: readonly DomainRecord[],
  allowed: AllowedTargets,
): 'ok' | 'missing' | 'wrong' {
  const seen = values ?? [];
  const { type, name, value } = record;
  if (type === 'TXT' || type === 'CAA') {
    if (seen.includes(value)) return 'ok';
    // There may be any number of other texts at a name that is not ours alone.
    return seen.length > 0 && name.startsWith('_fairlead.') ? 'wrong' : 'missing';
  }
  if (type === 'CNAME' || type === 'ALIAS') return aliasStateSeenBy(record, all, { addresses: seen, cname }, allowed);
  if (seen.length === 0) return 'missing';
  const wanted = all.filter((one) => one.type === type && one.name === name).map((one) => canonicalAddress(one.value));
  const found = seen.map(canonicalAddress);
  return found.every((one) => wanted.includes(one)) && found.includes(canonicalAddress(value)) ? 'ok' : 'wrong';
}

/**
 * Judges a name that follows another one, of which an apex shows the addresses alone. Those of a name that needs records
 * itself prove nothing: both may lead elsewhere.
 */
function aliasStateSeenBy(
  { type, value }: DomainRecord,
  all: readonly DomainRecord[],
  { addresses, cname }: { addresses: readonly string[]; cname: string | null },
  { target, hosts }: AllowedTargets,
): 'ok' | 'missing' | 'wrong' {
  const ofHost = (hosts.get(value) ?? []).map(canonicalAddress);
  const needsRecords = all.some(({ name }) => name === value);
  const isFollowed =
    !needsRecords && cname === null && addresses.every((address) => ofHost.includes(canonicalAddress(address)));
  if (cname === value || (addresses.length > 0 && (isFollowed || areAllHere(addresses, target)))) return 'ok';
  return cname === null && (addresses.length === 0 || type === 'ALIAS') ? 'missing' : 'wrong';
}

function areAllHere(addresses: readonly string[], { addresses: own }: DomainTarget): boolean {
  return addresses.every((address) => own.includes(canonicalAddress(address)));
}

/** Returns where a name points, by the answers of all its name servers. */
export function pointsToOf(
  name: string,
  records: readonly CheckedRecord[],
  answers: DnsAnswers,
  target: DomainTarget,
): PointsTo {
  const route = records.filter((record) => record.name === name && record.purpose === 'route');
  if (!target.isServedHere) return pointsToPlatform(route);
  const four = usableAnswers(answers.nameServers.get(setKey({ name, type: 'A' })));
  const six = usableAnswers(answers.nameServers.get(setKey({ name, type: 'AAAA' })));
  if (four.length === 0 && six.length === 0) return 'unknown';
  const isHere = (answers: readonly ServerAnswer[]) => answers.every(({ values }) => areAllHere(values ?? [], target));
  // A name server without either kind of address points nowhere.
  const servers = new Set([...four, ...six].map(({ address }) => address));
  const hasAddresses = [...servers].every((server) =>
    [...four, ...six].some(({ address, values }) => address === server && (values ?? []).length > 0),
  );
  return hasAddresses && isHere(four) && isHere(six) ? 'here' : 'elsewhere';
}

/** Returns whether every answering name server says that there is no address and no alias. */
export function leadsNowhere(name: string, { nameServers }: DnsAnswers): boolean {
  const found = (['A', 'AAAA'] as const).map((type) => usableAnswers(nameServers.get(setKey({ name, type }))));
  return found.every((ones) => ones.length > 0 && ones.every(({ values, cname }) => !values?.length && cname === null));
}

/** Returns where the names point; in a group of records, all of one type are enough. */
function pointsToPlatform(route: readonly CheckedRecord[]): PointsTo {
  if (route.length === 0) return 'elsewhere';
  if (route.every(({ seen }) => !seen.some(({ values, isAuthority }) => isAuthority && values !== null)))
    return 'unknown';
  const groups = new Set(route.map(({ alternativeGroup }) => alternativeGroup));
  const isMet = [...groups].every((group) => {
    const members = route.filter(({ alternativeGroup }) => alternativeGroup === group);
    if (group === null) return members.every(({ required, state }) => !required || state === 'ok');
    const types = new Set(members.map(({ type }) => type));
    return [...types].some((type) => members.every((one) => one.type !== type || one.state === 'ok'));
  });
  return isMet ? 'here' : 'elsewhere';
}

/** Returns the values of all name servers at the name of the proof. */
export function proofValues(proofName: string, answers: DnsAnswers): Set<string> {
  const usable = usableAnswers(answers.nameServers.get(setKey({ name: proofName, type: 'TXT' })));
  return new Set(usable.flatMap(({ values }) => values ?? []));
}
