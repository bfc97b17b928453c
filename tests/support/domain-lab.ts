import { type DnsLab, startDnsLab } from './dns-lab.ts';
import { startPowerDns } from './name-servers.ts';

/** The address of the sites in SITES_ADDRESSES. */
export const HERE = '192.0.2.10';

export type ZoneSets = Record<string, string[]>;

/**
 * Starts name servers at `127.0.0.3` and `127.0.0.4`, and lets `test` name them for the zones that are made. Resolvers find
 * the zones that are `resolved`; others they refuse.
 */
export async function startDomainLab({
  port,
  resolved = [],
  trustAnchors,
}: {
  port?: number;
  resolved?: readonly string[];
  trustAnchors?: readonly string[];
} = {}) {
  const stubs = Object.fromEntries(resolved.map((zone) => [zone, ['127.0.0.3', '127.0.0.4']]));
  const lab: DnsLab = await startDnsLab({ stubs, ...(port && { port }), ...(trustAnchors && { trustAnchors }) });
  const first = await startPowerDns({ address: '127.0.0.3', port: lab.port });
  const second = await startPowerDns({ address: '127.0.0.4', port: lab.port });
  const begin = async (name: string, servers: Record<string, string>): Promise<void> => {
    await lab.delegate(name, servers);
    // It would look for these servers at port 53 until the caller's time is over.
    if (!resolved.includes(name)) await lab.resolver.control('local_zone', name, 'always_refuse');
  };
  return {
    client: lab.client,
    /** Has `test`; the zones of a registrar's other customers may be here, too. */
    registry: lab.registry,
    delegate: lab.delegate,
    /** Lets the built product ask nobody but this lab. */
    env: {
      DNS_AUTHORITY_PORT: String(lab.port),
      DNS_RESOLVERS: lab.dnsServer,
      EGRESS_ALLOW: '127.0.0.0/8',
    },
    /** Makes a zone on both servers. */
    async zone(name: string, sets: ZoneSets = {}): Promise<void> {
      const servers = { [`${name} NS`]: [`ns1.${name}.`, `ns2.${name}.`] };
      const addresses = { [`ns1.${name} A`]: ['127.0.0.3'], [`ns2.${name} A`]: ['127.0.0.4'] };
      for (const server of [first, second]) await server.createZone(name, { ...servers, ...addresses, ...sets });
      await begin(name, { [`ns1.${name}`]: '127.0.0.3', [`ns2.${name}`]: '127.0.0.4' });
    },
    /** Makes a zone on the first server alone, whose API a connection can write to. */
    async zoneOnOne(name: string, sets: ZoneSets = {}): Promise<void> {
      const servers = { [`${name} NS`]: [`ns1.${name}.`], [`ns1.${name} A`]: ['127.0.0.3'] };
      await first.createZone(name, { ...servers, ...sets });
      await begin(name, { [`ns1.${name}`]: '127.0.0.3' });
    },
    /** The fields of a connection to the first server's API. */
    fields: { url: first.apiUrl, apiKey: first.apiKey },
    api: first.api,
    /** Writes sets on both servers, or on the first alone. */
    async write(zone: string, sets: ZoneSets, { onOne = false } = {}): Promise<void> {
      await first.writeSets(zone, sets);
      if (!onOne) await second.writeSets(zone, sets);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([first, second].map((server) => server[Symbol.asyncDispose]()));
      await lab[Symbol.asyncDispose]();
    },
  };
}

export type DomainLab = Awaited<ReturnType<typeof startDomainLab>>;

/** Returns the sets that hold what a domain asks for. */
export function setsOf(records: readonly { type: string; name: string; value: string }[]): ZoneSets {
  const sets: ZoneSets = {};
  for (const { type, name, value } of records) {
    const content = type === 'TXT' ? `"${value}"` : type === 'CNAME' ? `${value}.` : value;
    sets[`${name} ${type}`] = [...(sets[`${name} ${type}`] ?? []), content];
  }
  return sets;
}
