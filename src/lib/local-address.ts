/** Returns whether an address leads everybody to their own computer (RFC 6761, section 6.3). */
export function isLocalAddress(url: string): boolean {
  return URL.canParse(url) && /(?:^|\.)localhost$/.test(new URL(url).hostname);
}
