import dnsPacket from 'dns-packet';
import type { DnsOptions } from '../../server/dns/queries/questions.ts';
import { createDnsClient } from '../../server/dns/queries/resolve.ts';
import { type Asked, answerTo, type FakeNameServer, startFakeNameServer } from './fake-name-server.ts';
import { freePort } from './free-ports.ts';

type Answer = Partial<dnsPacket.Packet> | null;

const RESOLVER = '127.0.0.1';
const REGISTRY = '127.0.0.2';
export const HOSTILE = '127.0.0.3';

export const ns = (name: string, data: string) => ({ type: 'NS' as const, name, ttl: 60, data });
export const a = (name: string, data: string) => ({ type: 'A' as const, name, ttl: 60, data });
export const cname = (name: string, data: string) => ({ type: 'CNAME' as const, name, ttl: 60, data });
export const txt = (name: string, data: string) => ({ type: 'TXT' as const, name, ttl: 60, data });
export const mx = (name: string, exchange: string) => ({
  ...{ type: 'MX' as const, name, ttl: 60 },
  data: { preference: 10, exchange },
});
export const NOT_AUTHORITATIVE = { flags: 0 };
export const NXDOMAIN = { flags: dnsPacket.AUTHORITATIVE_ANSWER | 3 };

/** A resolver and a registry that are honest, and a zone `evil.test` whose owner is not. */
export async function startInternet(
  evil: (asked: Asked) => Answer,
  {
    delegation = { authorities: [ns('evil.test', 'ns.evil.test')], additionals: [a('ns.evil.test', HOSTILE)] },
    resolved = () => ({}),
    hostileAt = [HOSTILE],
    ...options
  }: Partial<DnsOptions> & {
    delegation?: Answer;
    resolved?: (asked: Asked) => Answer;
    hostileAt?: readonly string[];
  } = {},
) {
  const port = await freePort();
  const serve = (address: string, answer: (asked: Asked) => Answer): Promise<FakeNameServer> =>
    startFakeNameServer(
      (asked) => {
        const packet = answer(asked);
        return packet === null ? [] : [answerTo(asked, packet)];
      },
      { address, port },
    );
  const resolver = await serve(RESOLVER, (asked) => {
    if (asked.name === 'test') return { answers: [ns('test', 'ns.test')] };
    if (asked.name === 'ns.test') return asked.type === 'A' ? { answers: [a('ns.test', REGISTRY)] } : {};
    return resolved(asked);
  });
  const registry = await serve(REGISTRY, ({ name }) =>
    name === 'evil.test' ? { ...NOT_AUTHORITATIVE, ...delegation } : NXDOMAIN,
  );
  const hostile = await Promise.all(hostileAt.map((address) => serve(address, evil)));
  const servers = [resolver, registry, ...hostile];
  const client = createDnsClient({
    nameServerPort: port,
    resolvers: [{ address: RESOLVER, port }],
    isAllowed: () => true,
    ...options,
  });
  return {
    client,
    /** Returns the questions to the servers of the zone. */
    hostile: () => hostile.flatMap(({ asked }) => asked),
    /** Returns the number of questions to any server. */
    questions: () => servers.reduce((sum, { asked }) => sum + asked.length, 0),
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}
