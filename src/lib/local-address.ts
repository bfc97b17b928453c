import { isLocalhost } from '../../routers/rules/localhost.ts';

/** Returns whether an address leads everybody to their own computer. */
export function isLocalAddress(url: string): boolean {
  return URL.canParse(url) && isLocalhost(new URL(url).hostname);
}
