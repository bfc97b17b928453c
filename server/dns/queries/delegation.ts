import { isPublicSuffix, isRegistryEnding } from '../../lib/site-domain.ts';
import { DnsLookupError, type ServerFault } from '../dns-client.ts';
import { isWithin } from '../zone-names.ts';
import { isName, type Reply } from './message.ts';
import { addressesIn, isUsable, type Questions } from './questions.ts';
import type { WireFault } from './wire.ts';

/** A zone on the way down to a name. */
export type Cut = {
  apex: string;
  /** The name servers according to the parent, or to the zone itself when one server has both. */
  names: string[];
  /** Addresses that came along; only for names inside the parent, for which it is authoritative. */
  glue: ReadonlyMap<string, string[]>;
  isFromParent: boolean;
};

/** The way from the top-level domain to the zone of the name. */
export type Walk = { cuts: [Cut, ...Cut[]]; isMissing: boolean };

/** The root has thirteen, and no zone needs more; a list of a thousand is a trap. */
export const SERVERS_MAX = 16;
/** On the way, one answer from these is enough. */
const SERVERS_ASKED_ON_THE_WAY = 4;
const ADDRESSES_ASKED_ON_THE_WAY = 6;

/**
 * Follows the delegations to the zone of a name; returns null when its top-level domain does not exist. A resolver is
 * only asked for the top-level domain. Each step leads to a lower zone on the name's own path, so that no delegation
 * leads in a circle. Throws a DnsLookupError when no name server on the way answers, or the resolver knows no public
 * names.
 */
export async function followDelegations(name: string, questions: Questions): Promise<Walk | null> {
  const top = await topOf(name, questions);
  if (top === null) return null;
  const cuts: [Cut, ...Cut[]] = [top];
  let cut = top;
  for (const below of pathBelow(name, top.apex)) {
    const reply = await askServers(cut, below, questions);
    if (typeof reply === 'string') {
      // Somebody else's zone begins below a public suffix, and nothing is known about it.
      if (isPublicSuffix(cut.apex)) throw new DnsLookupError(reply, `No name server of ${cut.apex} answers.`);
      break;
    }
    const next = cutIn(reply, below, cut.apex);
    if (next !== null) {
      cut = next;
      cuts.push(next);
    } else if (reply.rcode === 'NXDOMAIN') return { cuts, isMissing: true };
  }
  return { cuts, isMissing: false };
}

/** Returns whether nobody has registered the name: the deepest existing zone is a registry's. */
export function isUnregistered({ cuts, isMissing }: Walk): boolean {
  return isMissing && isPublicSuffix(deepest(cuts).apex);
}

export function deepest(cuts: Walk['cuts']): Cut {
  return cuts.at(-1) ?? cuts[0];
}

/** Returns the names from just below the zone down to the name itself. */
function pathBelow(name: string, apex: string): string[] {
  return ancestorsOf(name)
    .filter((one) => one.length > apex.length)
    .reverse();
}

/** Returns the name, and each name above it up to the top-level domain. */
export function ancestorsOf(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** Finds the top-level domain, where the way down begins. */
async function topOf(name: string, questions: Questions): Promise<Cut | null> {
  for (const apex of ancestorsOf(name).reverse()) {
    const outcome = await questions.resolver(apex, 'NS');
    if (typeof outcome === 'string')
      throw new DnsLookupError(faultOf(outcome), `No resolver says who answers for ${apex}.`);
    if (outcome.rcode === 'NXDOMAIN') {
      // A network without internet access denies every name.
      if (isRegistryEnding(apex))
        throw new DnsLookupError('server_failure', `The resolver of this server says that .${apex} does not exist.`);
      return null;
    }
    const names = serversIn(outcome.answers, apex);
    if (names.length > 0) return { apex, names, glue: new Map(), isFromParent: false };
    // The resolver of an internal network may know nothing above its own zones.
    if (outcome.rcode !== 'NOERROR' && outcome.rcode !== 'REFUSED') break;
  }
  throw new DnsLookupError('server_failure', `No resolver says who answers for ${name}.`);
}

/**
 * Returns the first useful answer, or a fault. A few servers are asked at once: each dead one would take seconds of
 * the time for all questions. The first to answer is then asked alone.
 */
export async function askServers(
  cut: Cut,
  name: string,
  questions: Questions,
  type: 'NS' | 'CAA' = 'NS',
): Promise<Reply | ServerFault> {
  const faults: ServerFault[] = [];
  const askAt = async (address: string): Promise<Reply> => {
    const outcome = await questions.nameServer(address, name, type);
    if (isUsable(outcome) && (outcome.isAuthoritative || leadsDown(outcome, name, cut))) {
      if (!questions.answering.has(cut.apex)) questions.answering.set(cut.apex, address);
      return outcome;
    }
    const fault = typeof outcome === 'string' ? faultOf(outcome) : refusalOf(outcome);
    faults.push(fault);
    throw new DnsLookupError(fault, `${address} does not answer for ${cut.apex}.`);
  };
  const answering = questions.answering.get(cut.apex);
  const first = answering === undefined ? null : await askAt(answering).catch(() => null);
  if (first !== null) return first;
  questions.answering.delete(cut.apex);
  const servers = cut.names.slice(0, SERVERS_ASKED_ON_THE_WAY);
  const found = await Promise.all(servers.map((server) => cut.glue.get(server) ?? questions.addressesOf(server)));
  const addresses = found.flat().slice(0, ADDRESSES_ASKED_ON_THE_WAY);
  return Promise.any(addresses.map(askAt)).catch(() => faults[0] ?? 'unreachable');
}

function leadsDown(reply: Reply, name: string, { apex }: Cut): boolean {
  return name !== apex && cutIn(reply, name, apex) !== null;
}

/** Returns the zone that begins at this name, from a referral or because the server has that zone as well. */
function cutIn(reply: Reply, apex: string, parent: string): Cut | null {
  const isOwn = reply.isAuthoritative;
  const names = serversIn(isOwn ? reply.answers : [...reply.authorities, ...reply.answers], apex);
  if (names.length === 0) return null;
  const known = names
    .filter((name) => isWithin(name, parent))
    .map((name) => [name, addressesIn(reply.additionals.filter((record) => record.name === name))] as const);
  return { apex, names, glue: new Map(known.filter(([, found]) => found.length > 0)), isFromParent: !isOwn };
}

/** Returns a few names of an NS set, in a fixed order; names that are not host names are left out. */
export function serversIn(records: Reply['answers'], apex: string): string[] {
  const names = records.filter(({ type, name, value }) => type === 'NS' && name === apex && isName(value));
  return [...new Set(names.map(({ value }) => value))].sort().slice(0, SERVERS_MAX);
}

export function faultOf(fault: WireFault): ServerFault {
  return fault === 'no_route' ? 'unreachable' : fault;
}

/** Returns the fault of a missing or non-authoritative answer. */
export function refusalOf({ rcode }: Reply): ServerFault {
  if (rcode === 'REFUSED') return 'refused';
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN' || rcode === 'NOTAUTH' ? 'lame' : 'server_failure';
}
