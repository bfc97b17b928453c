import type { FoundRecordSet } from './provider.ts';
import { caaPartsOf } from './record-values.ts';
import { isWithin } from './zone-names.ts';

/**
 * The one judge of CAA records, as a certificate authority reads them (RFC 8659, with the parameters of RFC 8657): for the
 * preflight of an order, and for a plan of records.
 */
export type CaaQuestion = {
  /** What the authority calls itself in such records; where it does not say, nothing can be judged. */
  identities: readonly string[];
  isWildcard: boolean;
  /** Our account at the authority; left out where it is not ours, as at a platform: then any account will do. */
  accountUrl?: string | undefined;
  /** The challenges that we can answer, of which one will do; left out as above. */
  methods?: readonly string[] | undefined;
};

/**
 * Why it may not sign: the records name others (`issuer`), or it for another account or challenge, or hold a `critical`
 * property that none knows. `add` is the record that changes that, beside those that are there; none helps against the last.
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

/** Returns what stands against the authority in the set that decides; null where it may sign. */
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

/** What is malformed names nobody (RFC 8659, section 4.2). */
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

/** RFC 8657, section 3: a property with two of them is met by nobody. */
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

/** Returns the tags that no authority knows: a word that was mistyped allows and forbids nothing. */
export function strangeTags(values: readonly string[]): string[] {
  const tags = values.flatMap((value) => caaPartsOf(value)?.tag ?? []);
  return [...new Set(tags)].filter((tag) => !REGISTERED_TAGS.has(tag));
}

/** Whether an authority is named for one account at it alone (RFC 8657, section 3). */
export function namesAccount(values: readonly string[]): boolean {
  return values.some((value) =>
    propertyIn(caaPartsOf(value)?.value ?? '').parameters.some(([tag]) => tag === 'accounturi'),
  );
}

/** Returns the sentence for a person: what the records at this name have against the authority. */
export function caaText({ why }: CaaRefusal, name: string, authority: string): string {
  const records = `The CAA records of ${name}`;
  if (why === 'account') return `${records} allow ${authority} to issue certificates for another account alone.`;
  if (why === 'method') return `${records} allow ${authority} to issue certificates by another kind of proof alone.`;
  if (why === 'critical') return `${records} have a critical property that certificate authorities do not know.`;
  return `${records} do not allow ${authority} to issue certificates.`;
}

/** Returns the set that decides about a name, of those at its own name and above it up to the zone's; null where none is there. */
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

/** What to do where name servers leave questions for CAA open, which authorities take for a no (RFC 8659, section 3). */
export const MUTE_REMEDY = 'Have your DNS provider answer them, if only with nothing.';

export function muteText(zone: string): string {
  return `The name servers of ${zone} do not answer questions for CAA records`;
}
