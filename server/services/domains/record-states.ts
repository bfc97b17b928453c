import type { CheckedRecord, RecordState } from '../../../routers/schemas/domains.ts';
import type { ServerAnswer } from '../../dns/dns-client.ts';
import { canonicalAddress } from '../../dns/queries/canonical-address.ts';
import type { DomainRecord } from '../../platforms/platform.ts';
import { type DnsAnswers, setKey } from './dns-answers.ts';
import type { DomainTarget } from './required-records.ts';

/**
 * What the answers mean (pure). A record counts as there when every name server that gives an answer has it; one that is
 * silent proves nothing, neither that a record is there nor that it is gone.
 */

/** Where a name points: `unknown` when no name server says. */
export type PointsTo = 'here' | 'elsewhere' | 'unknown';

/** Of what strangers answer, as much is kept and shown as a person reads; what it means is judged by all of it. */
const SHOWN_SERVERS_MAX = 16;
const SHOWN_VALUES_MAX = 8;
const SHOWN_VALUE_LENGTH_MAX = 256;
/** Of all the answers of a domain together. Eight records that four servers and two resolvers answer are some 6 KB. */
const KEPT_ANSWERS_MAX_BYTES = 16_384;

/** Returns each record that is asked for beside what was seen of it. */
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

/** The value that is asked for is never among those that are left out. */
function shownValues({ value }: DomainRecord, values: readonly string[] | null): string[] | null {
  if (values === null) return null;
  const isCut = values.length > SHOWN_VALUES_MAX && values.includes(value);
  const ordered = isCut ? [value, ...values.filter((one) => one !== value)] : values;
  return ordered.slice(0, SHOWN_VALUES_MAX).map((one) => one.slice(0, SHOWN_VALUE_LENGTH_MAX));
}

/**
 * Returns the records with as many of their answers as are kept: of each record the first one, then of each the second,
 * and so on, until they are too long together. The name servers come before the resolvers.
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

/** Aliases are seen in the answer to a question for addresses. */
function askedKey({ name, type }: DomainRecord): string {
  return setKey({ name, type: type === 'CNAME' || type === 'ALIAS' ? 'A' : type });
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
  const places = { target, hosts: answers.hosts };
  const states = new Set(usable.map((answer) => stateSeenBy(record, answer, all, places)));
  if (states.size === 0) return 'missing';
  const [only] = states;
  if (states.size === 1 && only !== undefined) return only;
  return states.has('ok') ? 'partly' : 'wrong';
}

/** Where a name may lead: to this host, or to where the target of its alias is. */
type Places = { target: DomainTarget } & Pick<DnsAnswers, 'hosts'>;

function stateSeenBy(
  record: DomainRecord,
  { values, cname }: ServerAnswer,
  all: readonly DomainRecord[],
  places: Places,
): 'ok' | 'missing' | 'wrong' {
  const seen = values ?? [];
  const { type, name, value } = record;
  if (type === 'TXT' || type === 'CAA') {
    if (seen.includes(value)) return 'ok';
    // Of other texts there may be any number at a name that is not ours alone.
    return seen.length > 0 && name.startsWith('_fairlead.') ? 'wrong' : 'missing';
  }
  if (type === 'CNAME' || type === 'ALIAS') return aliasStateSeenBy(record, seen, cname, places);
  if (seen.length === 0) return 'missing';
  const wanted = all.filter((one) => one.type === type && one.name === name).map((one) => canonicalAddress(one.value));
  const found = seen.map(canonicalAddress);
  return found.every((one) => wanted.includes(one)) && found.includes(canonicalAddress(value)) ? 'ok' : 'wrong';
}

/** An apex that follows another name shows its addresses alone. */
function aliasStateSeenBy(
  { type, value }: DomainRecord,
  addresses: readonly string[],
  cname: string | null,
  { target, hosts }: Places,
): 'ok' | 'missing' | 'wrong' {
  const ofHost = (hosts.get(value) ?? []).map(canonicalAddress);
  const isFollowed = cname === null && addresses.every((address) => ofHost.includes(canonicalAddress(address)));
  if (cname === value || (addresses.length > 0 && (isFollowed || areAllHere(addresses, target)))) return 'ok';
  return cname === null && (addresses.length === 0 || type === 'ALIAS') ? 'missing' : 'wrong';
}

function areAllHere(addresses: readonly string[], { addresses: own }: DomainTarget): boolean {
  return addresses.every((address) => own.includes(canonicalAddress(address)));
}

/** Returns where a name points, by what every answering name server says. */
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
  // A name server that has neither address points nowhere.
  const servers = new Set([...four, ...six].map(({ address }) => address));
  const hasAddresses = [...servers].every((server) =>
    [...four, ...six].some(({ address, values }) => address === server && (values ?? []).length > 0),
  );
  return hasAddresses && isHere(four) && isHere(six) ? 'here' : 'elsewhere';
}

/** Whether every name server that answers says that there is no address and no alias. */
export function leadsNowhere(name: string, { nameServers }: DnsAnswers): boolean {
  const found = (['A', 'AAAA'] as const).map((type) => usableAnswers(nameServers.get(setKey({ name, type }))));
  return found.every((ones) => ones.length > 0 && ones.every(({ values, cname }) => !values?.length && cname === null));
}

/** Of a group of records, all of one type will do. */
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

/** Returns what name servers answer at the name of the proof, all of them together. */
export function proofValues(proofName: string, answers: DnsAnswers): Set<string> {
  const usable = usableAnswers(answers.nameServers.get(setKey({ name: proofName, type: 'TXT' })));
  return new Set(usable.flatMap(({ values }) => values ?? []));
}
