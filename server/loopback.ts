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
