import type { DnsClient, Lookups, RecordType, ServerAnswer, Zone } from '../../dns/dns-client.ts';
import { conflictOfUnseen } from '../../dns/queries/unseen-record.ts';
import { misplacedProofNames } from '../../dns/record-plan/misplaced-proof.ts';
import type { DomainRecord } from '../../publishing/platforms/platform.ts';

/** The number of aliases to follow from a name to its addresses; resolvers stop at about as many. */
const HOPS_MAX = 4;
/** The limit for one name; more than anybody has. */
const VALUES_BEHIND_MAX = 16;

/** The present answers of a domain's name servers. */
export type DnsAnswers = {
  /** Null when the domain is not registered. */
  zone: Zone | null;
  /** True when the way to the name servers had no answer, so that nothing is known. */
  isUnanswered: boolean;
  /** The answers of each name server, by name and type, including addresses at the end of an alias. */
  nameServers: ReadonlyMap<string, readonly ServerAnswer[]>;
  /** The resolvers' present answers, for sets that the name servers have. */
  resolvers: ReadonlyMap<string, readonly ServerAnswer[]>;
  /** The addresses of the hosts that records should point to, for names that have addresses and no alias. */
  hosts: ReadonlyMap<string, readonly string[]>;
  /** The name where the proof is by mistake (server/dns/record-plan/misplaced-proof.ts); null when it is at none. */
  misplacedProof: string | null;
  /** The conflict that keeps the record of a name from the name servers; null when none is seen. */
  conflict: (NonNullable<Awaited<ReturnType<typeof conflictOfUnseen>>> & { name: string }) | null;
  /** True when validating resolvers refuse every answer of the zone. */
  isDnssecBroken: boolean;
};

const NO_ANSWERS: DnsAnswers['nameServers'] = new Map();
const NO_HOSTS: DnsAnswers['hosts'] = new Map();

/** Returns the key of a set in the answers. */
export function setKey({ name, type }: { name: string; type: string }): string {
  return `${name} ${type}`;
}

/** Returns the key of the question for a record; an alias shows in the answer to a question for addresses. */
export function askedKey({ name, type }: DomainRecord): string {
  return setKey({ name, type: type === 'CNAME' || type === 'ALIAS' ? 'A' : type });
}

type Question = { name: string; type: 'A' | 'AAAA' | 'TXT' | 'CAA' };

/**
 * Asks the name servers for everything that these records need, and the resolvers for sets that exist. All of it
 * together has the limits of one check, since strangers choose what their name servers answer and when: a late answer
 * counts as none.
 */
export async function gatherDnsAnswers(
  dns: Pick<DnsClient, 'withLookups'>,
  unit: string,
  records: readonly DomainRecord[],
  signal: AbortSignal,
): Promise<DnsAnswers> {
  return dns.withLookups(signal, (lookups) => askWith(lookups, unit, records));
}

async function askWith(dns: Lookups, unit: string, records: readonly DomainRecord[]): Promise<DnsAnswers> {
  let zone: Zone | null;
  try {
    zone = await dns.zoneOf(unit);
  } catch {
    return noAnswers();
  }
  if (zone === null) return { ...noAnswers(), isUnanswered: false };
  const questions = questionsOf(records);
  const nameServers = await asked(questions, (question) => addressesBehind(dns, question));
  // A resolver may ask any of them, and remembers a negative answer of an outdated one.
  const there = questions.filter((question) => {
    const usable = nameServers.get(setKey(question))?.filter(({ values }) => values !== null) ?? [];
    return usable.length > 0 && usable.every(hasValues);
  });
  const [resolvers, hosts, misplacedProof] = await Promise.all([
    asked(there, ({ name, type }) => dns.askResolvers(name, type)),
    hostsOf(dns, records, nameServers),
    findMisplaced(dns, zone, records, nameServers),
  ]);
  const isDnssecBroken = await findBrokenDnssec(dns, zone, resolvers);
  // The last questions, so that none of the others is beyond the limit because of them.
  const conflict = misplacedProof === null ? await findConflict(dns, zone, records, nameServers) : null;
  return { zone, isUnanswered: false, nameServers, resolvers, hosts, misplacedProof, conflict, isDnssecBroken };
}

/** Returns the knowledge when nobody has answered, or was asked. */
export function noAnswers(): DnsAnswers {
  const nothing = { misplacedProof: null, conflict: null, isDnssecBroken: false, hosts: NO_HOSTS };
  return { zone: null, isUnanswered: true, ...nothing, nameServers: NO_ANSWERS, resolvers: NO_ANSWERS };
}

/** Returns the questions that these records need. */
function questionsOf(records: readonly DomainRecord[]): Question[] {
  const questions = records.flatMap(({ name, type }): Question[] =>
    type === 'TXT' || type === 'CAA'
      ? [{ name, type }]
      : [
          { name, type: 'A' },
          { name, type: 'AAAA' },
        ],
  );
  return [...new Map(questions.map((question) => [setKey(question), question])).values()];
}

async function asked(
  questions: readonly Question[],
  ask: (question: Question) => Promise<readonly ServerAnswer[]>,
): Promise<Map<string, readonly ServerAnswer[]>> {
  const answers = questions.map(async (question) => [setKey(question), await unlessUnanswered(ask(question))] as const);
  return new Map(await Promise.all(answers));
}

/** Returns no answers when one question fails, so that the others still count. */
async function unlessUnanswered(asking: Promise<readonly ServerAnswer[]>): Promise<readonly ServerAnswer[]> {
  return asking.catch(() => []);
}

/** Finds the addresses behind an alias: a name server only knows them in its own zones. */
export async function addressesBehind(dns: Lookups, { name, type }: Question): Promise<readonly ServerAnswer[]> {
  const { answers } = await dns.askNameServers(name, type);
  const alias = openAlias(answers);
  if (alias === null || alias === name) return answers;
  const values = await valuesAt(dns, { name: alias, type });
  return answers.map((answer) => (isOpen(answer) ? { ...answer, values } : answer));
}

/**
 * Finds the addresses of the hosts. An ALIAS, and a CNAME that the provider flattens, shows as the addresses of its
 * target. Both the target's name servers and the resolvers are asked, since a load-balanced host answers each time
 * with others.
 */
async function hostsOf(
  dns: Lookups,
  records: readonly DomainRecord[],
  nameServers: DnsAnswers['nameServers'],
): Promise<DnsAnswers['hosts']> {
  const isFlattened = ({ name, type }: DomainRecord) =>
    (type === 'ALIAS' || type === 'CNAME') &&
    nameServers.get(setKey({ name, type: 'A' }))?.some(({ values, cname }) => values?.length && cname === null);
  const names = [...new Set(records.filter(isFlattened).map(({ value }) => value))];
  const found = names.map(async (name) => {
    const asked = (['A', 'AAAA'] as const).flatMap((type) => [
      valuesAt(dns, { name, type }),
      unlessUnanswered(dns.askResolvers(name, type)).then((answers) => answers.flatMap(({ values }) => values ?? [])),
    ]);
    return [name, [...new Set((await Promise.all(asked)).flat())]] as const;
  });
  return new Map(await Promise.all(found));
}

/** Follows one chain of aliases to its addresses; if servers disagree on the way, there are none. */
async function valuesAt(dns: Lookups, { name, type }: Question): Promise<string[]> {
  let next: string | null = name;
  for (let hops = 0; hops < HOPS_MAX && next !== null; hops += 1) {
    const answers = await unlessUnanswered(dns.askNameServers(next, type).then((found) => found.answers));
    const values = [...new Set(answers.flatMap((answer) => answer.values ?? []))].sort();
    if (values.length > 0) return values.slice(0, VALUES_BEHIND_MAX);
    next = openAlias(answers);
  }
  return [];
}

/** Returns the one name that the answers without an address point to. */
function openAlias(answers: readonly ServerAnswer[]): string | null {
  const aliases = [...new Set(answers.filter(isOpen).map(({ cname }) => cname))];
  return aliases.length === 1 ? (aliases[0] ?? null) : null;
}

function isOpen({ cname, values }: ServerAnswer): boolean {
  return cname !== null && values?.length === 0;
}

/**
 * Looks for a proof at other names. Servers that are silent at the right name are not asked: they would be silent
 * here, too.
 */
async function findMisplaced(
  dns: Lookups,
  zone: Zone,
  records: readonly DomainRecord[],
  nameServers: DnsAnswers['nameServers'],
): Promise<string | null> {
  const proof = records.find(({ purpose, type }) => purpose === 'proof' && type === 'TXT');
  if (proof === undefined) return null;
  const answers = nameServers.get(setKey(proof)) ?? [];
  if (answers.some(hasValues) || answers.every(({ values }) => values === null)) return null;
  const names = misplacedProofNames(proof.name, zone.apex);
  const found = await asked(
    names.map((name) => ({ name, type: 'TXT' as const })),
    ({ name, type }) => answersOf(dns, name, type),
  );
  const isThere = (name: string) =>
    found.get(setKey({ name, type: 'TXT' }))?.some(({ values }) => values?.includes(proof.value));
  return names.find(isThere) ?? null;
}

async function findConflict(
  dns: Lookups,
  { apex }: Zone,
  records: readonly DomainRecord[],
  nameServers: DnsAnswers['nameServers'],
): Promise<DnsAnswers['conflict']> {
  const ask = (name: string, type: RecordType) => unlessUnanswered(answersOf(dns, name, type));
  const found = records.map((record) => {
    const answers = nameServers.get(askedKey(record)) ?? [];
    const { name } = record;
    return conflictOfUnseen(ask, record, { apex, answers }).then((conflict) => conflict && { ...conflict, name });
  });
  return (await Promise.all(found)).find((conflict) => conflict !== null) ?? null;
}

async function answersOf(dns: Lookups, name: string, type: RecordType): Promise<readonly ServerAnswer[]> {
  return (await dns.askNameServers(name, type)).answers;
}

/** Checks DNSSEC when a resolver fails at sets that the name servers have: signatures are one possible reason. */
async function findBrokenDnssec(dns: Lookups, { apex }: Zone, resolvers: DnsAnswers['resolvers']): Promise<boolean> {
  const hasFailed = [...resolvers.values()].flat().some(({ error }) => error === 'server_failure');
  return hasFailed && (await dns.checkDnssec(apex).catch(() => 'unknown')) === 'bogus';
}

function hasValues({ values, cname }: ServerAnswer): boolean {
  return (values !== null && values.length > 0) || cname !== null;
}
