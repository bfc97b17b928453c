import { portOf } from './egress/rules.ts';

/** Certificate authorities follow this many redirects of a challenge (Let's Encrypt, "Challenge Types", 2026-02-12). */
export const CHALLENGE_REDIRECTS = 10;

export const ODD_REMEDY = 'Let /.well-known/acme-challenge/ be answered without that redirect.';

/**
 * Says what a server does that redirects a challenge to where no authority follows: it goes on by http and https, to
 * ports 80 and 443 alone (same page). Returns null for any other redirect.
 */
export function oddRedirect(to: URL): string | null {
  if (to.protocol !== 'http:' && to.protocol !== 'https:')
    return `redirects our own test to ${to.protocol}, but certificate authorities follow redirects only to http and https`;
  const port = portOf(to);
  if (port === 80 || port === 443) return null;
  return `redirects our own test to port ${port}, but certificate authorities follow redirects only to ports 80 and 443`;
}
