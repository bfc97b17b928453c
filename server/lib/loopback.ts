import ipaddr from 'ipaddr.js';

/**
 * Whether an address is this machine's own: 127.0.0.0/8, also as a dual-stack listener shows it, or ::1 (RFC 1122,
 * section 3.2.1.3; RFC 4291, sections 2.5.3 and 2.5.5.2).
 */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

/** An IPv6 network of 48 bits is one customer's (RFC 6177), with 65,536 addresses as they are counted, of 64 bits each. */
const GROUPS_OF_A_CUSTOMER = 3;

/** Returns what all addresses of one customer of IPv6 have in common, of an address as calls are counted by it. */
export function customerOf(address: string): string {
  if (!address.endsWith('/64')) return address;
  const { parts } = ipaddr.IPv6.parse(address.slice(0, -'/64'.length));
  return parts.slice(0, GROUPS_OF_A_CUSTOMER).join(':');
}

/** How many single limits a wider network of IPv6 has: its customers are few, or one that takes an address after the other. */
const TIMES_OF_56 = 4;
const TIMES_OF_48 = 16;

/**
 * Returns the networks that an address is counted by, with how many times the limit of one address each has: of IPv6 its
 * /56 and its /48 as well, either of which may be one customer's (RFC 6177), with 256 and 65,536 networks of 64 bits.
 */
export function networksOf(address: string): { key: string; times: number }[] {
  const own = { key: address, times: 1 };
  if (!address.endsWith('/64')) return [own];
  const { parts } = ipaddr.IPv6.parse(address.slice(0, -'/64'.length));
  const [first, second, third, fourth] = parts;
  const of48 = new ipaddr.IPv6([first, second, third, 0, 0, 0, 0, 0].map((part) => part ?? 0));
  const of56 = new ipaddr.IPv6([first, second, third, (fourth ?? 0) & 0xff00, 0, 0, 0, 0].map((part) => part ?? 0));
  return [own, { key: `${of56}/56`, times: TIMES_OF_56 }, { key: `${of48}/48`, times: TIMES_OF_48 }];
}
