import { lookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isLocalhost } from '../../../routers/rules/localhost.ts';
import { type EgressRules, isReachable } from './rules.ts';

const ADDRESSES_LOOKED_AT = 8;
/** The timeout of each name server in turn; after this the caller would no longer wait. */
const NAME_SERVER_MS = 3_000;

/**
 * Resolves a name for a socket that is about to connect, and returns only addresses that may be reached at this port;
 * otherwise it fails with the error of `refuse`.
 */
export function checkedLookup(rules: EgressRules, port: number, refuse: (name: string) => Error): LookupFunction {
  const resolver = new Resolver({ timeout: NAME_SERVER_MS, tries: 1 });
  if (rules.nameServers !== undefined) resolver.setServers(rules.nameServers);
  return (name, options, callback) => {
    const answer = (found: { address: string; family: number }[]): void => {
      const addresses = found.map(({ address }) => address);
      const [first] = found;
      if (first === undefined || !isReachable(name, port, addresses, rules)) callback(refuse(name), '');
      else if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    };
    resolve(resolver, name, rules.bases ?? []).then(answer, (error: NodeJS.ErrnoException) => callback(error, ''));
  };
}

type Resolved = { address: string; family: number };

/** Not every resolver knows the names under `localhost`. */
async function resolve(resolver: Resolver, name: string, bases: readonly string[]): Promise<Resolved[]> {
  if (isLocalhost(name)) return [{ address: '127.0.0.1', family: 4 }];
  // The operator's own machines may have their names from the system's files alone.
  const isOperators = bases.some((base) => new URL(base).hostname === name.toLowerCase());
  const found = isOperators ? await lookup(name, { all: true }) : await askNameServers(resolver, name);
  return found.slice(0, ADDRESSES_LOOKED_AT);
}

/**
 * Asks name servers directly. getaddrinfo would hold a thread while a name server is silent and cannot be cancelled: a
 * few names at one silent server would hold up requests to every platform.
 */
async function askNameServers(resolver: Resolver, name: string): Promise<Resolved[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}
