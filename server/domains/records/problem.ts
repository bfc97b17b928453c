import { isAddress, valuesSeen } from '../../../routers/rules/records-to-delete.ts';
import type { CheckedRecord } from '../../../routers/schemas/domains.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { DomainRow, FormerDestination } from '../../database/models/domains/domain.ts';
import { brokenDnssecText, elsewhereText } from '../../dns/record-plan/conflicts.ts';
import { misplacedProofText } from '../../dns/record-plan/misplaced-proof.ts';
import { type DnsAnswers, setKey } from './dns-answers.ts';
import { noAnswerProblem, type Problem, someLameProblem } from './name-server-problem.ts';
import { pointsToOf } from './record-states.ts';
import type { DomainTarget } from './required-records.ts';
import { strayAddress, strayBefore } from './stray-address.ts';

export type { Problem };

type CheckedDomain = {
  domain: Pick<
    DomainRow,
    'name' | 'servedName' | 'unit' | 'proof' | 'provedAt' | 'rightRecords' | 'nameServers' | 'attached'
  >;
  answers: DnsAnswers;
  records: readonly CheckedRecord[];
  target: DomainTarget;
  /** The problem of CAA records with our authority. */
  caa?: Problem | null | undefined;
  /** The problem of the certificate that visitors get. */
  certificate?: Problem | null;
  /** The sets that the account itself has put back, like `A example.com`. */
  undone?: ReadonlySet<string> | undefined;
};
/** `leaving`: the previous destinations that still serve the names. */
type Obstructed = CheckedDomain & { leaving: readonly FormerDestination[] };

const SHOWN_MAX = 4;

/**
 * Returns the obstacle, in words for a person, or null when only records are missing, which the table of records
 * shows. A problem that stops everything comes before one that stops a part.
 */
export function problemOf(found: Obstructed): Problem | null {
  const { domain, answers, records, leaving } = found;
  const { unit } = domain;
  return (
    noAnswerProblem(unit, answers) ??
    proofElsewhere(found) ??
    brokenDnssec(unit, answers) ??
    refusal(domain) ??
    move(domain, leaving) ??
    danglingAlias(records, answers) ??
    strayAddress(found) ??
    found.certificate ??
    found.caa ??
    strayBefore(found) ??
    otherNameServers(
      domain,
      answers,
      proofGone(found) === null ? (nameElsewhere(found)?.message ?? RIGHT_THERE) : 'The proof is not there.',
    ) ??
    proofGone(found) ??
    nameElsewhere(found) ??
    someLameProblem(unit, answers) ??
    conflictOf(found)
  );
}

/** Returns the error of a platform that refused the names, or does not answer. */
function refusal({ attached }: CheckedDomain['domain']): Problem | null {
  const error = attached?.error;
  return error ? { code: error.code, message: error.message, hint: error.hint ?? null } : null;
}

/** Returns the next act before the names can be detached from the previous destination. */
function move({ name }: CheckedDomain['domain'], leaving: readonly FormerDestination[]): Problem | null {
  const ending = leaving.find(({ isEnding }) => isEnding);
  if (ending !== undefined) {
    const message = `${name} is being removed from its previous site at ${PLATFORMS[ending.platform].title}.`;
    return { code: 'domain_moving', message, hint: 'It is then added to the new one automatically.' };
  }
  const [before] = leaving;
  if (before === undefined) return null;
  const names = before.names.join(' and ');
  const { title } = PLATFORMS[before.platform];
  return {
    code: 'domain_moving',
    message: `The records of ${names} still point to ${title}, which keeps serving your visitors.`,
    hint: 'Set them as shown below. The move is complete once Fairlead sees them.',
  };
}

/** Returns whether no name server has answered. */
export function isSilent({ answers, records }: Pick<CheckedDomain, 'answers' | 'records'>): boolean {
  if (answers.zone === null) return answers.isUnanswered;
  return !records.some(isAnswered);
}

function isAnswered({ seen }: CheckedRecord): boolean {
  return seen.some(({ values, isAuthority }) => isAuthority && values !== null);
}

function proofElsewhere({ domain: { proof, provedAt }, answers, records }: CheckedDomain): Problem | null {
  const { zone, misplacedProof } = answers;
  if (zone !== null && misplacedProof !== null)
    return misplacedProofText({ proofName: proof.name, apex: zone.apex }, misplacedProof);
  const isOther = records.some(({ purpose, state }) => purpose === 'proof' && state === 'wrong');
  if (!isOther || provedAt instanceof Date) return null;
  const message = `The text in the TXT record of ${proof.name} is not your proof.`;
  return {
    code: 'proof_differs',
    message,
    hint: 'Set it to the whole value shown: copy it with the button beside it.',
  };
}

/** Reports that the proof is gone: the name stays proved, but another account that proves it gets it. */
function proofGone({ domain: { proof, provedAt, unit }, records }: CheckedDomain): Problem | null {
  const isGone = records.some(
    (record) => record.purpose === 'proof' && ['missing', 'wrong'].includes(record.state) && isAnswered(record),
  );
  if (!isGone || !(provedAt instanceof Date)) return null;
  const message = `The proof at ${proof.name} is gone. ${unit} keeps working, but another account can claim it.`;
  return { code: 'proof_gone', message, hint: 'Add the TXT record again, as shown.' };
}

function brokenDnssec(unit: string, { isDnssecBroken }: DnsAnswers): Problem | null {
  if (!isDnssecBroken) return null;
  return { code: 'dnssec_broken', ...brokenDnssecText(unit) };
}

/** Reports an alias whose target is gone: a stranger who takes that name would answer for the domain. */
function danglingAlias(records: readonly CheckedRecord[], answers: DnsAnswers): Problem | null {
  for (const { name, value } of records.filter(({ purpose, state }) => purpose === 'route' && state !== 'ok')) {
    const alias = aliasAt(name, answers);
    if (alias === null || alias.cname === value || alias.addresses.length > 0) continue;
    const message = `${name} is an alias (CNAME) of ${alias.cname}, where no address is found.`;
    const hint = `Remove the CNAME record of ${name}: whoever takes ${alias.cname} could show their own pages there. Then set the records shown.`;
    return { code: 'alias_dangling', message, hint };
  }
  return null;
}

/** Returns the target of a name that is an alias, if all its name servers agree. */
function aliasAt(name: string, { nameServers }: DnsAnswers): { cname: string; addresses: string[] } | null {
  const found = ['A', 'AAAA'].flatMap((type) => nameServers.get(setKey({ name, type })) ?? []);
  const cname = found.find((answer) => answer.cname !== null)?.cname;
  return cname == null ? null : { cname, addresses: [...new Set(found.flatMap(({ values }) => values ?? []))] };
}

/** The other name leads elsewhere, while the main one works. */
export const NAME_ELSEWHERE = 'name_elsewhere';

/** Reports the name that leads elsewhere beside the one that works; one that nobody has set up is no problem. */
function nameElsewhere({ domain: { servedName }, records, answers, target }: CheckedDomain): Problem | null {
  const whereIs = (name: string) => pointsToOf(name, records, answers, target);
  if (whereIs(servedName) !== 'here') return null;
  const wrong = records.find(
    ({ purpose, state, name }) => purpose === 'route' && state === 'wrong' && whereIs(name) === 'elsewhere',
  );
  if (wrong === undefined) return null;
  const hasAlias = aliasAt(wrong.name, answers) !== null;
  const beside = answers.conflict?.name === wrong.name ? answers.conflict : null;
  return { code: NAME_ELSEWHERE, ...elsewhereText(wrong, { found: valuesSeen(wrong), hasAlias, beside }) };
}

/**
 * Reports what keeps a missing record from being seen. A name that nobody has set up is no problem while the domain
 * works, but a record that was meant for it is.
 */
function conflictOf({ domain, records, answers, target }: CheckedDomain): Problem | null {
  const { conflict } = answers;
  if (conflict === null) return null;
  const { name, ...told } = conflict;
  if (told.code === 'doubled_name') return told;
  const hasWorked = [domain.servedName, name].some((one) => pointsToOf(one, records, answers, target) === 'here');
  return hasWorked || domain.rightRecords.length > 0 ? null : told;
}

const RIGHT_THERE = 'They have the right records.';
export const SERVERS_CHANGED = 'name_servers_changed';

/** Returns whether the registrar names none of the name servers that a proved domain had before. */
export function hasOtherServers(
  { nameServers, provedAt }: Pick<DomainRow, 'nameServers' | 'provedAt'>,
  { zone }: Pick<DnsAnswers, 'zone'>,
): boolean {
  const isMoved = zone?.servers.every(({ name }) => !nameServers.includes(name)) === true;
  return isMoved && nameServers.length > 0 && provedAt instanceof Date;
}

/** Reports that the registrar names none of the name servers of before; `there` says how the new ones answer. */
function otherNameServers(domain: CheckedDomain['domain'], { zone }: DnsAnswers, there: string): Problem | null {
  if (!hasOtherServers(domain, { zone })) return null;
  const { unit, nameServers } = domain;
  const servers = zone?.servers.map(({ name }) => name) ?? [];
  const before = nameServers.slice(0, SHOWN_MAX).join(', ');
  return {
    code: SERVERS_CHANGED,
    message: `${unit} has other name servers now: ${servers.slice(0, SHOWN_MAX).join(', ')}. ${there}`,
    hint:
      there === RIGHT_THERE
        ? `If this was not you, go back to ${before} at your registrar, and change your password there.`
        : `Set the records there, or go back to ${before} at your registrar.`,
  };
}

/** Says which records are no longer as they were when all was right: the first, and how many more. */
function absentText(records: readonly CheckedRecord[], before: ReadonlySet<string>): string {
  const answered = records.filter((record) => record.purpose !== 'certificate' && isAnswered(record));
  if (answered.length === 0) return 'Their records could not be read.';
  const absent = answered.filter((record) => record.state !== 'ok' && before.has(recordKey(record)));
  const [first, ...more] = absent;
  if (first === undefined) return RIGHT_THERE;
  const how = absent.every(isGone) ? 'missing' : absent.some(isGone) ? 'missing or wrong' : 'wrong';
  const others = more.length === 0 ? ' is' : ` and ${formatCount(more.length, 'other record')} are`;
  return `The ${first.type} record of ${first.name}${others} ${how} there.`;
}

/** Returns whether nothing stands in place of a record; addresses alone may stand in place of an ALIAS. */
function isGone(record: CheckedRecord): boolean {
  return record.state === 'missing' && (record.type !== 'ALIAS' || valuesSeen(record).length === 0);
}

/** Describes for a person what they or somebody else have changed since the records were right. */
export function changeOf(found: CheckedDomain): Problem {
  const { domain, answers, records, caa, certificate, undone } = found;
  const unanswered = noAnswerProblem(domain.unit, answers);
  if (unanswered !== null) return unanswered;
  const hint = 'Set the records as shown. Fairlead notices within a minute.';
  const unsigned = brokenDnssec(domain.unit, answers);
  if (unsigned !== null) return unsigned;
  const before = new Set(domain.rightRecords);
  const there = absentText(records, before);
  const moved = otherNameServers(domain, answers, there);
  if (moved !== null) return (there === RIGHT_THERE ? (certificate ?? caa) : null) ?? moved;
  const dangling = danglingAlias(records, answers);
  if (dangling !== null) return dangling;
  const wrong = records.filter((one) => one.purpose === 'route' && one.state !== 'ok' && isAnswered(one));
  const changed = wrong.find((one) => before.has(recordKey(one)));
  const other = changed === undefined ? (strayAddress(found) ?? certificate ?? caa) : undefined;
  if (other) return other;
  const record = changed ?? wrong[0];
  const message = record && changeText(record, records, answers);
  if (record && undone?.has(`${record.type} ${record.name}`)) {
    return { code: 'records_undone', message: `${message} You undid the change that had set it.`, hint };
  }
  return { code: 'records_changed', message: message ?? `The records of ${domain.unit} point elsewhere.`, hint };
}

function changeText(record: CheckedRecord, records: readonly CheckedRecord[], answers: DnsAnswers): string {
  const { type, name, value, state, seen } = record;
  if (isGone(record)) return `The ${type} record of ${name} is gone.`;
  const authoritative = seen.filter(({ isAuthority, values }) => isAuthority && values !== null);
  const wanted = records.filter((one) => one.type === type && one.name === name).map((one) => one.value);
  const areAddresses = type === 'A' || type === 'AAAA';
  const isOther = (found: readonly string[]) =>
    !found.includes(value) || (areAddresses && found.some((one) => !wanted.includes(one)));
  const without = authoritative.filter(({ values }) => isOther(values ?? []));
  const other = without.length > 0 ? without : authoritative;
  const seenThere = [...new Set(other.flatMap(({ values }) => values ?? []))];
  const shown = seenThere.slice(0, SHOWN_MAX).join(', ');
  if (state === 'partly') {
    const servers = [...new Set(other.map(({ server }) => server))].slice(0, SHOWN_MAX).join(', ');
    const answer = shown === '' ? `it is missing at ${servers}` : `${servers} answered ${shown}`;
    return `Not all name servers have the ${type} record of ${name} any more: ${answer}.`;
  }
  const alias = type === 'CNAME' ? null : aliasAt(name, answers);
  if (alias !== null) return `${name} is an alias (CNAME) of ${alias.cname} now, which leads to ${shown}.`;
  // The provider shows an ALIAS as addresses itself; a CNAME never.
  if (type === 'ALIAS') return `The ALIAS record of ${name} was changed: it leads to ${shown} now.`;
  if (type === 'CNAME' && seenThere.every(isAddress))
    return `${name} has an address of its own now, ${shown}, in place of its CNAME record.`;
  return `The ${type} record of ${name} was changed: it is ${shown} now.`;
}

/** Returns the key by which a right record is remembered. */
export function recordKey({ type, name, value }: { type: string; name: string; value: string }): string {
  return `${type} ${name} ${value}`;
}
