import {
  type DnsClient,
  DnsLookupError,
  type DnssecState,
  type Lookups,
  type RecordType,
  type ServerAnswer,
  type ServerFault,
  type Zone,
} from '../dns-client.ts';
import { isWithin } from '../zone-names.ts';
import {
  ancestorsOf,
  askServers,
  type Cut,
  deepest,
  faultOf,
  followDelegations,
  isUnregistered,
  refusalOf,
  SERVERS_MAX,
  serversIn,
} from './delegation.ts';
import { isName, type Reply } from './message.ts';
import {
  type Bounds,
  CHECK_BOUNDS,
  createQuestions,
  type DnsOptions,
  isUsable,
  type Questions,
  REPORT_BOUNDS,
} from './questions.ts';
import type { WireFault } from './wire.ts';

/** The limit for all name servers of a zone: thirteen with an address of each kind, and some more. */
const ADDRESSES_MAX = 32;
const ASKED_AT_ONCE = 8;
/** The number of aliases to follow; unbound follows eleven, BIND sixteen. */
const ALIASES_MAX = 8;
/** The limit of one set; a large company has some dozens of texts. */
const VALUES_MAX = 64;

/** Builds the client; the options say whom it may ask, and nothing is cached between calls. */
export function createDnsClient(options: DnsOptions): DnsClient {
  /** Gives one call its limits. If its caller has gone, it ends with that reason, whatever was found by then. */
  const call = async <T>(
    signal: AbortSignal,
    work: (questions: Questions) => Promise<T>,
    bounds?: Bounds,
  ): Promise<T> => {
    signal.throwIfAborted();
    try {
      return await work(createQuestions(options, signal, bounds));
    } finally {
      signal.throwIfAborted();
    }
  };
  return {
    zoneOf: (name, signal) => call(signal, (questions) => lookupsWith(questions).zoneOf(name)),
    askNameServers: (name, type, signal) =>
      call(signal, (questions) => lookupsWith(questions).askNameServers(name, type)),
    askResolvers: (name, type, signal) => call(signal, (questions) => lookupsWith(questions).askResolvers(name, type)),
    withLookups: (signal, work, purpose) =>
      call(signal, (questions) => work(lookupsWith(questions)), purpose === 'report' ? REPORT_BOUNDS : CHECK_BOUNDS),
    caaOf: (name, signal) => call(signal, (questions) => findCaa(name, questions)),
    checkDnssec: (name, signal) => call(signal, (questions) => lookupsWith(questions).checkDnssec(name)),
  };
}

function lookupsWith(questions: Questions): Lookups {
  return {
    zoneOf: (name) => findZone(name, questions),
    async askNameServers(name, type) {
      const zone = await findZone(walkTarget(name, type), questions);
      return { zone, answers: zone === null ? [] : await askEach(zone, name, type, questions) };
    },
    async askResolvers(name, type) {
      const found = await questions.eachResolver({ name, type });
      return found.map(({ server: { address }, outcome }) =>
        toAnswer(outcome, { server: address, address, name, type }),
      );
    },
    checkDnssec: (name) => checkDnssec(name, questions),
  };
}

/** Returns the name whose zone to find: a DS is in the zone above (RFC 4035, section 2.4). */
function walkTarget(name: string, type: RecordType): string {
  return type === 'DS' && name.includes('.') ? name.slice(name.indexOf('.') + 1) : name;
}

async function findZone(name: string, questions: Questions): Promise<Zone | null> {
  const walk = await followDelegations(name, questions);
  if (walk === null || isUnregistered(walk)) return null;
  const cut = deepest(walk.cuts);
  const own = await askServers(cut, cut.apex, questions);
  const childServers = typeof own === 'string' ? null : serversIn(own.answers, cut.apex);
  const names = [...new Set([...cut.names, ...(childServers ?? [])])].sort().slice(0, SERVERS_MAX);
  const servers = await mapAtOnce(names, async (server) => ({
    name: server,
    addresses: cut.glue.get(server) ?? (await questions.addressesOf(server)),
  }));
  return { apex: cut.apex, servers, parentServers: cut.isFromParent ? cut.names : null, childServers };
}

type Asked = { server: string; address: string; name: string; type: RecordType };

async function askEach(zone: Zone, name: string, type: RecordType, questions: Questions): Promise<ServerAnswer[]> {
  const known = new Set<string>();
  const targets = zone.servers.flatMap(({ name: server, addresses }) =>
    (addresses.length === 0 ? [''] : addresses)
      .filter((address) => address === '' || !known.has(address))
      .map((address) => {
        known.add(address);
        return { server, address, name, type };
      }),
  );
  const outcomes = await mapAtOnce(targets.slice(0, ADDRESSES_MAX), async (asked) => ({
    asked,
    outcome: asked.address === '' ? ('unreachable' as const) : await questions.nameServer(asked.address, name, type),
  }));
  // Without IPv6 here, an address of that kind says nothing about the server.
  const reached = outcomes.filter(({ outcome }) => outcome !== 'no_route');
  return (reached.length > 0 ? reached : outcomes).map(({ asked, outcome }) => {
    const isLame = isUsable(outcome) && !outcome.isAuthoritative;
    return isLame ? withoutValues(asked, refusalOf(outcome)) : toAnswer(outcome, asked);
  });
}

function withoutValues({ server, address }: Asked, error: ServerAnswer['error']): ServerAnswer {
  return { server, address, values: null, ttl: null, error, cname: null };
}

function toAnswer(outcome: Reply | WireFault, asked: Asked): ServerAnswer {
  if (typeof outcome === 'string') return withoutValues(asked, faultOf(outcome));
  if (!isUsable(outcome)) return withoutValues(asked, refusalOf(outcome));
  const { values, ttl, cname } = valuesIn(outcome, asked.name, asked.type);
  return { server: asked.server, address: asked.address, values, ttl, error: null, cname };
}

type Values = {
  values: string[];
  ttl: number | null;
  cname: string | null /** The name at the end of the chain. */;
  owner: string;
};

/** Returns the set of a name, or of the target of its alias. */
function valuesIn({ answers, authorities }: Reply, name: string, type: RecordType): Values {
  const chain = [name];
  const ttls: number[] = [];
  while (type !== 'CNAME' && chain.length <= ALIASES_MAX) {
    const alias = answers.find((record) => record.type === 'CNAME' && record.name === chain.at(-1));
    if (alias === undefined || chain.includes(alias.value)) break;
    chain.push(alias.value);
    ttls.push(alias.ttl);
  }
  const owner = chain.at(-1) ?? name;
  const set = answers.filter((record) => record.type === type && record.name === owner);
  if (set.length === 0 && chain.length === 1) ttls.push(...authorities.flatMap(negativeTtl));
  ttls.push(...set.map(({ ttl }) => ttl));
  const values = [...new Set(set.map(({ value }) => value))].sort().slice(0, VALUES_MAX);
  const cname = type === 'CNAME' ? values[0] : chain[1];
  return { values, ttl: ttls.length === 0 ? null : Math.min(...ttls), cname: cname ?? null, owner };
}

/** Returns how long a negative answer is cached (RFC 2308, section 5). */
function negativeTtl({ type, ttl, value }: Reply['authorities'][number]): number[] {
  return type === 'SOA' ? [Math.min(ttl, Number(value.split(' ').at(-1)))] : [];
}

type CaaSet = { name: string; values: string[] };

/**
 * Climbs from the name to its top-level domain (RFC 8659, section 3); an alias counts as the set of its target, and is
 * named by it: no CAA record can stand beside a CNAME.
 */
async function findCaa(name: string, questions: Questions): Promise<CaaSet | null> {
  const walk = await followDelegations(name, questions);
  if (walk === null) return null;
  for (const ancestor of ancestorsOf(name)) {
    const cut = walk.cuts.findLast(({ apex }) => isWithin(ancestor, apex));
    const found = cut === undefined ? null : await caaAt(ancestor, cut, questions);
    if (found !== null && found.values.length > 0) return found;
  }
  return null;
}

async function caaAt(name: string, cut: Cut, questions: Questions): Promise<CaaSet | null> {
  let asked = { name, cut };
  for (let aliases = 0; aliases <= ALIASES_MAX; aliases += 1) {
    const reply = await askServers(asked.cut, asked.name, questions, 'CAA');
    if (typeof reply === 'string') throw await unanswered(reply, asked.cut, questions);
    const { values, owner } = valuesIn(reply, asked.name, 'CAA');
    if (values.length > 0 || owner === asked.name || !isName(owner)) return { name: owner, values };
    const walk = await followDelegations(owner, questions);
    if (walk === null || isUnregistered(walk)) return null;
    asked = { name: owner, cut: deepest(walk.cuts) };
  }
  return null;
}

/** Tells servers that do not answer a CAA question from servers that cannot be reached. */
async function unanswered(fault: ServerFault, cut: Cut, questions: Questions): Promise<DnsLookupError> {
  const other = await askServers(cut, cut.apex, questions);
  const message = `No name server of ${cut.apex} answers.`;
  return new DnsLookupError(fault, message, typeof other === 'string' ? null : cut.apex);
}

/** Asks about the zone, which exists: a resolver would remember that a name in it does not. */
async function checkDnssec(name: string, questions: Questions): Promise<DnssecState> {
  const walk = await followDelegations(name, questions);
  if (walk === null || isUnregistered(walk)) return 'unknown';
  const { apex } = deepest(walk.cuts);
  const found = await questions.eachResolver({ name: apex, type: 'SOA' });
  const states = found.map(({ outcome }) => stateOf(outcome));
  if (states.includes('secure')) return 'secure';
  if (states.includes('failed')) {
    // An answer that fails with validation and works without it is not signed as its parent says.
    const unchecked = await questions.eachResolver({ name: apex, type: 'SOA', isUnchecked: true });
    return unchecked.some(({ outcome }) => isUsable(outcome)) ? 'bogus' : 'unknown';
  }
  if (!states.includes('unvalidated')) return 'unknown';
  // With a DS the zone is signed, so the resolver does not validate.
  const ds = await questions.resolver(apex, 'DS');
  return isUsable(ds) && valuesIn(ds, apex, 'DS').values.length === 0 ? 'unsigned' : 'unknown';
}

function stateOf(outcome: Reply | WireFault): 'secure' | 'unvalidated' | 'failed' | 'unknown' {
  if (typeof outcome === 'string') return 'unknown';
  if (outcome.rcode === 'SERVFAIL') return 'failed';
  if (!isUsable(outcome)) return 'unknown';
  return outcome.isAuthentic ? 'secure' : 'unvalidated';
}

/** Runs the work for all items, a few at a time, and keeps their order. */
async function mapAtOnce<T, Result>(items: readonly T[], work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const run = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, run));
  return results;
}
