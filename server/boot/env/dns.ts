import { getServers } from 'node:dns';
import { isIP, isIPv6 } from 'node:net';
import * as z from 'zod/mini';

export type DnsServer = { address: string; port: number };

const DNS_PORT = 53;
const SERVERS_MAX = 4;
const TEXT = `it must be a list of at most ${SERVERS_MAX} addresses like 9.9.9.9,127.0.0.1:5353,[2620:fe::fe]:53`;

/** Reads `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:53`; returns null for any other text. */
function parseServer(text: string): DnsServer | null {
  if (isIP(text) !== 0) return { address: text, port: DNS_PORT };
  const [, inBrackets, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = inBrackets ?? plain ?? '';
  const port = Number(digits ?? DNS_PORT);
  if (isIP(address) === 0 || isIPv6(address) !== (inBrackets !== undefined) || port < 1 || port > 65_535) return null;
  return { address, port };
}

const servers = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const parsed = text.split(',').map((part) => parseServer(part.trim()));
    if (parsed.includes(null) || parsed.length > SERVERS_MAX)
      context.issues.push({ code: 'custom', input: text, message: TEXT });
    return parsed.filter((server) => server !== null);
  }),
);

/** Names the resolvers that domain checks ask. */
export const dnsVariables = { DNS_RESOLVERS: z.optional(servers) };

/** Returns the resolvers of this machine, which Node has read from the system. */
export function systemResolvers(): DnsServer[] {
  return getServers().flatMap((text) => parseServer(text) ?? []);
}

/** Formats a server the way Node's own resolver takes it. */
export function serverText({ address, port }: DnsServer): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}
