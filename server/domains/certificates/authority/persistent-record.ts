import type { Challenge } from './authority.ts';

/**
 * DNS-PERSIST-01 (draft-ietf-acme-dns-persist-01, 2026-03): one TXT record permanently allows this account of this
 * authority to get certificates for a name. A renewal writes nothing.
 */
export const PERSISTENT = 'dns-persist-01';

/** The account that a record must name, and its scope. */
export type PersistentGrant = {
  /** Names of the authority; a record holds one of them. */
  issuers: readonly string[];
  accountUrl: string;
  /** True when all names below are included, as a wildcard certificate needs. */
  isWildcard: boolean;
};

/** Returns the name of the record (section 3); for a wildcard, that of the name below it. */
export function persistentNameOf(name: string): string {
  return `_validation-persist.${name.replace(/^\*\./, '')}`;
}

/**
 * Returns the text to write, in the form of a CAA record's issue value (RFC 8659, section 4.2); null without an
 * issuer.
 */
export function persistentText({ issuers, accountUrl, isWildcard }: PersistentGrant): string | null {
  const [issuer] = issuers;
  if (issuer === undefined || accountUrl === '') return null;
  return `${issuer}; accounturi=${accountUrl}${isWildcard ? '; policy=wildcard' : ''}`;
}

/** Returns whether a text grants the certificate at this time, as the authority would judge it. */
export function isGranted(text: string, { issuers, accountUrl, isWildcard }: PersistentGrant, now: Date): boolean {
  const [issuer = '', ...parameters] = text.split(';').map((part) => part.trim());
  if (accountUrl === '' || !issuers.includes(issuer.toLowerCase())) return false;
  const pairs = parameters.map((one): [string, string] => {
    const at = one.indexOf('=');
    return [one.slice(0, Math.max(at, 0)).trim().toLowerCase(), one.slice(at + 1).trim()];
  });
  const values = new Map(pairs);
  // Section 3.1: a parameter without a tag, or a duplicate one, makes the whole record malformed.
  if (values.has('') || values.size < pairs.length) return false;
  const until = values.get('persistuntil');
  const lasts = until === undefined || Number(until) * 1_000 > now.getTime();
  const isWide = values.get('policy')?.toLowerCase() === 'wildcard';
  return values.get('accounturi') === accountUrl && lasts && (isWide || !isWildcard);
}

/** Returns the authority's names when it offers this challenge; empty for any other challenge. */
export function issuersIn(challenges: readonly Challenge[]): readonly string[] {
  return challenges.find(({ type }) => type === PERSISTENT)?.issuers ?? [];
}
