import {
  type DnsClient,
  DnsLookupError,
  type Lookups,
  type ServerAnswer,
  type ServerFault,
} from '../dns/dns-client.ts';
import { isWithin } from '../dns/zone-names.ts';
import { setKey } from '../domains/records/dns-answers.ts';
import type { DomainRecord } from '../publishing/platforms/platform.ts';
import { DOMAIN } from './cast.ts';

/** The answers of the simulated name servers. */
export type SimulatedZone = {
  records: readonly Pick<DomainRecord, 'type' | 'name' | 'value'>[];
  /** The reason why they do not answer; `unregistered` and `unanswered` are the registry's. */
  fault?: ServerFault | 'unregistered' | 'unanswered';
  /** The time to live of an answer; five minutes when absent. */
  ttlS?: number;
  /** The apex of the zone, if it is not the domain. */
  apex?: string;
  /** True for broken signatures, so that resolvers refuse the name servers' answers. */
  isBogus?: boolean;
};

const SERVERS = [
  { name: 'ns1.dns.example', addresses: ['192.0.2.53'] },
  { name: 'ns2.dns.example', addresses: ['198.51.100.53'] },
];
const RESOLVERS = [{ name: 'resolver.example', addresses: ['203.0.113.53'] }];
const TTL_S = 300;

/** A DNS of one zone that asks nobody: its answers are evaluated like real ones. */
export function simulatedDns(zone: SimulatedZone): Pick<DnsClient, 'withLookups'> {
  const fault = zone.fault === 'unregistered' || zone.fault === 'unanswered' ? undefined : zone.fault;
  const { apex = DOMAIN, ttlS: ttl = TTL_S } = zone;
  const aliasOf = (name: string): string | null =>
    zone.records.find((record) => record.type === 'CNAME' && record.name === name)?.value ?? null;
  const valuesOf = (name: string, type: string): string[] => {
    if (type === 'SOA' && name === apex) return ['ns1.dns.example hostmaster.dns.example 1 7200 900 1209600 300'];
    const key = setKey({ name: aliasOf(name) ?? name, type });
    return zone.records.filter((record) => setKey(record) === key).map(({ value }) => value);
  };
  const answered = (servers: typeof SERVERS, name: string, type: string, error: ServerFault | undefined) =>
    servers.map(
      ({ name: server, addresses: [address = ''] }): ServerAnswer => ({
        ...{ server, address, ttl, error: error ?? null },
        values: error === undefined ? valuesOf(name, type) : null,
        cname: error === undefined ? aliasOf(name) : null,
      }),
    );
  const names = SERVERS.map(({ name }) => name);
  const found = { apex, servers: SERVERS, parentServers: names, childServers: names };
  const lookups: Lookups = {
    async zoneOf(name) {
      if (zone.fault === 'unanswered') throw new DnsLookupError('timeout', 'The simulated registry is silent.');
      return zone.fault === 'unregistered' || !isWithin(name, apex) ? null : found;
    },
    askNameServers: async (name, type) => ({ zone: found, answers: answered(SERVERS, name, type, fault) }),
    askResolvers: async (name, type) => answered(RESOLVERS, name, type, zone.isBogus ? 'server_failure' : undefined),
    checkDnssec: async () => (zone.isBogus ? 'bogus' : 'unsigned'),
  };
  return { withLookups: (_signal, work) => work(lookups) };
}
