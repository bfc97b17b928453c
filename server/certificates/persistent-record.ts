import type { Challenge } from './authority.ts';

/**
 * DNS-PERSIST-01 (draft-ietf-acme-dns-persist-01, 2026-03): one TXT record says for good that this account of this authority
 * may have certificates for a name. Nothing is written when one is renewed.
 */
export const PERSISTENT = 'dns-persist-01';

/** Whom a record has to name, and for what. */
export type PersistentGrant = {
  /** What the authority calls itself; a record names one of them. */
  issuers: readonly string[];
  accountUrl: string;
  /** Also all names below, as a wildcard certificate has them. */
  isWildcard: boolean;
};

/** Returns the name that the record stands at (section 3); a wildcard has that of the name below it. */
export function persistentNameOf(name: string): string {
  return `_validation-persist.${name.replace(/^\*\./, '')}`;
}

/** Returns the text to write, in the form of a CAA record's issue value (RFC 8659, section 4.2); null where nobody is named. */
export function persistentText({ issuers, accountUrl, isWildcard }: PersistentGrant): string | null {
  const [issuer] = issuers;
  if (issuer === undefined || accountUrl === '') return null;
  return `${issuer}; accounturi=${accountUrl}${isWildcard ? '; policy=wildcard' : ''}`;
}

/** Whether a text grants what is needed at this time, as the authority would judge it. */
export function isGranted(text: string, { issuers, accountUrl, isWildcard }: PersistentGrant, now: Date): boolean {
  const [issuer = '', ...parameters] = text.split(';').map((part) => part.trim());
  if (accountUrl === '' || !issuers.includes(issuer.toLowerCase())) return false;
  const pairs = parameters.map((one): [string, string] => {
    const at = one.indexOf('=');
    return [one.slice(0, Math.max(at, 0)).trim().toLowerCase(), one.slice(at + 1).trim()];
  });
  const values = new Map(pairs);
  // Section 3.1: a parameter without a tag, or one that is there twice, makes the whole record malformed.
  if (values.has('') || values.size < pairs.length) return false;
  const until = values.get('persistuntil');
  const lasts = until === undefined || Number(until) * 1_000 > now.getTime();
  const isWide = values.get('policy')?.toLowerCase() === 'wildcard';
  return values.get('accounturi') === accountUrl && lasts && (isWide || !isWildcard);
}

/** Returns what an authority calls itself where it offers this challenge; empty for any other challenge. */
export function issuersIn(challenges: readonly Challenge[]): readonly string[] {
  return challenges.find(({ type }) => type === PERSISTENT)?.issuers ?? [];
}
