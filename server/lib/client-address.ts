import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const GROUPS_OF_A_NETWORK = 4;

/**
 * Returns the address that a call is counted by: the peer, or with `trustedProxies` in front the entry that the
 * outermost of them wrote (entries before it are the caller's own claims). IPv6 counts by its /64, since one customer
 * holds a whole /64 (RFC 6177); IPv4-mapped IPv6 counts as IPv4.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const { 'x-forwarded-for': header } = request.headers;
  return addressOf(request.socket.remoteAddress ?? 'unknown', header && String(header), trustedProxies);
}

/**
 * Returns the same from a request's peer and its header `X-Forwarded-For`. The package proxy-addr drops empty entries,
 * so that a claimed address could take the place of the proxy's entry.
 */
export function addressOf(peer: string, header: string | undefined, trustedProxies: number): string {
  if (trustedProxies === 0) return addressKey(peer);
  const forwarded = header === undefined ? [] : header.split(',');
  const chain = [...forwarded.map(withoutPort), peer];
  const named = chain[Math.max(0, chain.length - 1 - trustedProxies)] ?? peer;
  // Every entry keeps its place: an invalid one must not promote a claimed one before it.
  return addressKey(isIP(named) === 0 ? peer : named);
}

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711` (RFC 7239, section 6). */
function withoutPort(entry: string): string {
  const text = entry.trim();
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}

/**
 * Returns the key of an address. A dual-stack listener shows IPv4 peers as `::ffff:192.0.2.1`: in this form all of
 * them would share one /64.
 */
function addressKey(address: string): string {
  if (isIP(address) !== 6) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6) || parsed.range() === 'loopback') return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, GROUPS_OF_A_NETWORK), 0, 0, 0, 0])}/64`;
}
