import { isIP } from 'node:net';

/** Returns an address in its canonical spelling, so that the answers of two servers can be compared (RFC 5952). */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
