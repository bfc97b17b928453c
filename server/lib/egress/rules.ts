import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = [Address, number];

export type EgressRules = {
  /** Ranges that may be reached although they are not public. */
  allow?: readonly AddressRange[];
  /** The certificates of trusted authorities; Node's own when absent. */
  ca?: readonly string[];
  /** Base addresses that the operator chose; their ports are open too. */
  bases?: readonly string[];
  /** The servers that are asked for other people's names; the system's when absent. */
  nameServers?: readonly string[];
};

/**
 * Clouds hand out credentials at these addresses to any program on the machine, so they are never reached, whatever is
 * allowed.
 */
const METADATA: ReadonlySet<string> = new Set(
  ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'].map(normal),
);
/**
 * Matches names that no public resolver answers for (RFC 6761, 6762, 7686 and 8375, ICANN's `internal`), and names
 * without a dot.
 */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa|onion|test|invalid|example)$|^[^.]*$/;
const WEB_PORTS: readonly number[] = [80, 443];

function normal(text: string): string {
  return ipaddr.process(text).toNormalizedString();
}

/** Parses `10.0.0.0/8` or a single address; returns null for any other text. */
export function parseRange(text: string): AddressRange | null {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Returns whether the range holds an address of this machine. */
export function holdsLoopback([range, bits]: AddressRange): boolean {
  const loopback = ipaddr.parse(range.kind() === 'ipv4' ? '127.0.0.1' : '::1');
  return loopback.match(range, bits) || range.range() === 'loopback';
}

/**
 * Returns `public`, `allowed` for addresses that the operator permits, or `refused`, also for text that is not an
 * address.
 */
export function classifyAddress(text: string, allow: readonly AddressRange[] = []): 'public' | 'allowed' | 'refused' {
  if (!ipaddr.isValid(text)) return 'refused';
  const address = ipaddr.process(text);
  if (METADATA.has(address.toNormalizedString())) return 'refused';
  if (allow.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))) return 'allowed';
  if (address.range() !== 'unicast') return 'refused';
  // Routed addresses are in 2000::/3, but ::127.0.0.1 counts as unicast too (RFC 4291, section 2.4).
  return address.kind() === 'ipv4' || address.match(ipaddr.parse('2000::'), 3) ? 'public' : 'refused';
}

/** Returns whether a host with these addresses may be connected to at this port. */
export function isReachable(
  host: string,
  port: number,
  addresses: readonly string[],
  { allow = [], bases = [] }: EgressRules,
): boolean {
  const kinds = addresses.map((address) => classifyAddress(address, allow));
  // One bad address refuses the name: the next connection might go to that one.
  if (kinds.length === 0 || kinds.includes('refused')) return false;
  if (kinds.every((kind) => kind === 'allowed')) return true;
  if (!ipaddr.isValid(host) && PRIVATE_NAME.test(host.toLowerCase().replace(/\.$/, ''))) return false;
  return isOpenPort(port, bases);
}

/** Returns whether any name at all may be connected to at this port: an allowed range is open at every port. */
export function mayOpen(port: number, { allow = [], bases = [] }: EgressRules): boolean {
  return allow.length > 0 || isOpenPort(port, bases);
}

function isOpenPort(port: number, bases: readonly string[]): boolean {
  return WEB_PORTS.includes(port) || bases.some((base) => portOf(new URL(base)) === port);
}

/** Returns the port that an address leads to. */
export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}
