import type { FoundRecordSet } from './provider.ts';
import { caaPartsOf } from './record-values.ts';
import { isWithin } from './zone-names.ts';

/**
 * The one judge of CAA records, which reads them as a certificate authority does (RFC 8659, with the parameters of RFC
 * 8657): for the preflight of an order, and for a plan of records.
 */
export type CaaQuestion = {
  /** The authority's names in such records; if it has none, nothing can be judged. */
  identities: readonly string[];
  isWildcard: boolean;
  /** Our account at the authority; absent when it is not ours, as at a platform: then any account is accepted. */
  accountUrl?: string | undefined;
  /** The challenges that we can answer, of which one is enough; absent as above. */
  methods?: readonly string[] | undefined;
};

/**
 * The reason why it may not sign: the records name others (`issuer`), or allow it only for another account or
 * challenge, or hold an unknown `critical` property. `add` is the record that solves it, beside the existing ones;
 * none solves the last.
 */
export type CaaRefusal = { why: 'issuer' | 'account' | 'method' | 'critical'; add: string | null };

type Property = { issuer: string; parameters: readonly (readonly [string, string])[] };

const KNOWN_TAGS: ReadonlySet<string> = new Set(['issue', 'issuewild', 'iodef']);
/** The registry of IANA, "Certification Authority Restriction Properties". */
const REGISTERED_TAGS: ReadonlySet<string> = new Set([
  ...KNOWN_TAGS,
  ...['contactemail', 'contactphone', 'issuevmc', 'issuemail'],
]);
/** RFC 8659, section 4.1: the first bit of the flags. */
const CRITICAL = 128;
/** RFC 8659, section 4.2: parameters are `tag=value`, with semicolons between. */
const PARAMETER = /^([a-z0-9-]+)\s*=\s*([\x21-\x3a\x3c-\x7e]*)$/i;

/** Returns the reason against the authority in the set that decides; null when it may sign. */
export function judgeCaa(values: readonly string[], question: CaaQuestion): CaaRefusal | null {
  const parts = values.flatMap((value) => caaPartsOf(value) ?? []);
  if (parts.some(({ flags, tag }) => flags >= CRITICAL && !KNOWN_TAGS.has(tag))) return { why: 'critical', add: null };
  // Without `issuewild`, `issue` decides on wildcards too (section 4.3).
  const tag = question.isWildcard && parts.some((one) => one.tag === 'issuewild') ? 'issuewild' : 'issue';
  const deciding = parts.filter((one) => one.tag === tag).map(({ value }) => propertyIn(value));
  const [identity] = question.identities;
  if (deciding.length === 0 || identity === undefined) return null;
  const add = `0 ${tag} "${identity}"`;
  const named = deciding.filter(({ issuer }) => question.identities.includes(issuer));
  if (named.length === 0) return { why: 'issuer', add };
  const ofAccount = named.filter((property) => isForAccount(property, question));
  if (ofAccount.length === 0) return { why: 'account', add };
  return ofAccount.some((property) => isForMethod(property, question)) ? null : { why: 'method', add };
}

/** A malformed value names nobody (RFC 8659, section 4.2). */
function propertyIn(value: string): Property {
  const [issuer = '', ...rest] = value.split(';').map((part) => part.trim());
  const parameters: (readonly [string, string])[] = [];
  for (const part of rest.filter((one) => one !== '')) {
    const [, tag, text] = PARAMETER.exec(part) ?? [];
    if (tag === undefined || text === undefined) return { issuer: '', parameters: [] };
    parameters.push([tag.toLowerCase(), text]);
  }
  return { issuer: issuer.toLowerCase(), parameters };
}

/** RFC 8657, section 3: nobody satisfies a property with two of them. */
function isForAccount({ parameters }: Property, { accountUrl }: CaaQuestion): boolean {
  const accounts = parameters.flatMap(([tag, text]) => (tag === 'accounturi' ? [text] : []));
  if (accounts.length === 0) return true;
  return accounts.length === 1 && (accountUrl === undefined || accounts[0] === accountUrl);
}

/** RFC 8657, section 4: a list with commas. */
function isForMethod({ parameters }: Property, { methods }: CaaQuestion): boolean {
  const lists = parameters.flatMap(([tag, text]) =>
    tag === 'validationmethods' ? [text.toLowerCase().split(',')] : [],
  );
  if (lists.length === 0) return true;
  return lists.length === 1 && (methods === undefined || lists.flat().some((method) => methods.includes(method)));
}

/** Returns the tags that no authority knows: a misspelled one allows and forbids nothing. */
export function strangeTags(values: readonly string[]): string[] {
  const tags = values.flatMap((value) => caaPartsOf(value)?.tag ?? []);
  return [...new Set(tags)].filter((tag) => !REGISTERED_TAGS.has(tag));
}

/** Returns whether an authority is named for a single account (RFC 8657, section 3). */
export function namesAccount(values: readonly string[]): boolean {
  return values.some((value) =>
    propertyIn(caaPartsOf(value)?.value ?? '').parameters.some(([tag]) => tag === 'accounturi'),
  );
}

/** Returns the sentence for a person: why the records at this name exclude the authority. */
export function caaText({ why }: CaaRefusal, name: string, authority: string): string {
  const records = `The CAA records of ${name}`;
  if (why === 'account') return `${records} allow ${authority} to issue certificates only for another account.`;
  if (why === 'method')
    return `${records} allow ${authority} to issue certificates only with a different kind of proof.`;
  if (why === 'critical')
    return `${records} have an unknown property that is marked as critical, so no certificate authority issues certificates.`;
  return `${records} do not allow ${authority} to issue certificates.`;
}

/**
 * Returns the set that decides about a name: its own, or the nearest above it up to the zone's; null when there is
 * none.
 */
export function nearestCaa(
  found: readonly FoundRecordSet[],
  apex: string,
  name: string,
): Pick<FoundRecordSet, 'name' | 'values'> | null {
  for (let at = name; isWithin(at, apex); at = at.slice(at.indexOf('.') + 1)) {
    const set = found.find((one) => one.type === 'CAA' && one.name === at);
    if (set !== undefined) return set;
    if (at === apex) return null;
  }
  return null;
}

/**
 * The advice when name servers do not answer CAA questions, which authorities take for a refusal (RFC 8659, section
 * 3).
 */
export const MUTE_REMEDY = 'Ask your DNS provider to answer them, even if the answer is empty.';

export function muteText(zone: string): string {
  return `The name servers of ${zone} do not answer questions for CAA records`;
}
