/** Returns whether a host name leads to the machine itself, by definition (RFC 6761, section 6.3). */
export function isLocalhost(host: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(host);
}
