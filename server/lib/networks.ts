import ipaddr from 'ipaddr.js';

/** An IPv6 network of 48 bits belongs to one customer (RFC 6177) and has 65,536 counted addresses, of 64 bits each. */
const GROUPS_OF_A_CUSTOMER = 3;

/** Returns the part of a counted address that all addresses of one IPv6 customer share. */
export function customerOf(address: string): string {
  if (!address.endsWith('/64')) return address;
  const { parts } = ipaddr.IPv6.parse(address.slice(0, -'/64'.length));
  return parts.slice(0, GROUPS_OF_A_CUSTOMER).join(':');
}

/**
 * A wider IPv6 network has this many times the limit of one address: it holds a few customers, or one who uses many
 * addresses in turn.
 */
const TIMES_OF_56 = 4;
const TIMES_OF_48 = 16;

/**
 * Returns the networks that an address is counted by, each with the multiple of the limit of one address. An IPv6
 * address also counts for its /56 and its /48, either of which may be one customer's (RFC 6177), with 256 and 65,536
 * networks of 64 bits.
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
