import type { DnsClient } from '../../server/dns/dns-client.ts';
import type { DnsOptions } from '../../server/dns/queries/questions.ts';
import { createDnsClient } from '../../server/dns/queries/resolve.ts';
import { type PowerDns, startPowerDns, startUnbound, type Unbound } from './name-servers.ts';

export type DnsLab = {
  /** The port of all name servers (DNS_AUTHORITY_PORT). */
  port: number;
  /** Has `test`, and whatever zones are made there besides. */
  registry: PowerDns;
  resolver: Unbound;
  /** The resolver, as DNS_RESOLVERS names it. */
  dnsServer: string;
  /** Lets `test` name these servers for a zone: their names, and the address of each that is inside it. */
  delegate(zone: string, servers: Record<string, string | null>): Promise<void>;
  /** Asks as the product does, and nobody but this lab. */
  client(options?: Partial<DnsOptions>): DnsClient;
  [Symbol.asyncDispose](): Promise<void>;
};

const REGISTRY = '127.0.0.2';

/**
 * A small internet: a registry for `test` at 127.0.0.2, and a resolver that begins there. The zones of other servers are
 * in `stubs` with the addresses to ask, since a resolver follows delegations to port 53 alone.
 */
export async function startDnsLab(
  options: { port?: number; stubs?: Record<string, readonly string[]>; trustAnchors?: readonly string[] } = {},
): Promise<DnsLab> {
  const registry = await startPowerDns({ address: REGISTRY, ...(options.port && { port: options.port }) });
  const { port } = registry;
  await registry.createZone('test', { 'test NS': ['ns.test.'], 'ns.test A': [REGISTRY] });
  const zones = Object.entries({ test: [REGISTRY], ...options.stubs });
  const stubs = zones.map(([zone, addresses]) => [zone, addresses.map((address) => `${address}@${port}`)] as const);
  const { trustAnchors = [] } = options;
  const resolver = await startUnbound({ stubs: Object.fromEntries(stubs), trustAnchors });
  return {
    port,
    registry,
    resolver,
    dnsServer: `${resolver.address}:${resolver.port}`,
    delegate: (zone, servers) =>
      registry.writeSets('test', {
        [`${zone} NS`]: Object.keys(servers).map((name) => `${name}.`),
        ...Object.fromEntries(
          Object.entries(servers).flatMap(([name, address]) => (address === null ? [] : [[`${name} A`, [address]]])),
        ),
      }),
    client: (overrides = {}) =>
      createDnsClient({
        nameServerPort: port,
        resolvers: [{ address: resolver.address, port: resolver.port }],
        isAllowed: () => true,
        ...overrides,
      }),
    async [Symbol.asyncDispose]() {
      await resolver[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
}
