import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

/** A dual-stack listener shows IPv4 peers as `::ffff:192.0.2.1`: counted so, all of them would share one /64. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS_OF_A_NETWORK = 4;

/**
 * The address a call is counted by: the peer, or with `trustedProxies` in front the entry that the outermost of them
 * wrote (entries before it are the caller's own claims). IPv6 by its /64, IPv4-mapped as IPv4 (security facts, 1.8).
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const { 'x-forwarded-for': header } = request.headers;
  return addressOf(request.socket.remoteAddress ?? 'unknown', header && String(header), trustedProxies);
}

/** The same of what a request said: its peer, and its header `X-Forwarded-For`. */
export function addressOf(peer: string, header: string | undefined, trustedProxies: number): string {
  if (trustedProxies === 0) return addressKey(peer);
  const forwarded = header === undefined ? [] : header.split(',');
  const chain = [...forwarded.map(withoutPort), peer];
  const named = chain[Math.max(0, chain.length - 1 - trustedProxies)] ?? peer;
  // Every entry keeps its place: one that is no address must not let a claimed one before it take its turn.
  return addressKey(isIP(named) === 0 ? peer : named);
}

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711` (RFC 7239, section 6). */
function withoutPort(entry: string): string {
  const text = entry.trim();
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}

function addressKey(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  if (!isIPv6(plain) || plain === '::1') return plain;
  const [head = '', tail] = (plain.split('%')[0] ?? '').toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: Math.max(0, gap) }, () => '0'), ...right];
  const network = groups.slice(0, GROUPS_OF_A_NETWORK).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
