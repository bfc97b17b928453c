import { isLoopback } from './loopback.ts';

/** Returns whether a host name leads to the machine itself, by definition (RFC 6761, section 6.3). */
export function isLocalhost(host: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(host);
}

/** Returns whether a host, a name or the address of a URL, leads to the machine itself. */
export function isLocal(host: string): boolean {
  return isLocalhost(host) || isLoopback(host.replace(/^\[|\]$/g, ''));
}
