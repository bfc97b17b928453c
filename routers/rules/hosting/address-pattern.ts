import { UPLOAD_LIMITS } from '../../schemas/limits.ts';
import { normalForm } from '../../schemas/normal-form.ts';

/**
 * Addresses as `_redirects` and `_headers` write them: `/about`, `/news/:year/:title`, `/blog/*`, `/docs/v1-*`. Pure and linear in the
 * length of the address: no pattern of a person ever becomes a regular expression.
 */
export type AddressPattern = {
  /** Decoded; a name stands for exactly one segment. */
  segments: readonly ({ text: string } | { name: string })[];
  /** Ends with a star: whatever follows, also nothing. */
  hasSplat: boolean;
  /** What the part has in front of the star; empty where the star is the whole part. */
  beforeSplat: string;
};

/** The address of one request, split once for however many patterns it is held against. */
export type Address = {
  /** The decoded path without the leading slash. */
  file: string;
  /** Without an empty one for a slash at the end; of a path that no release can hold, its first ones. */
  parts: readonly string[];
  /**
   * True when it is longer or deeper than any file of a release (UPLOAD_LIMITS): only a pattern that ends with a star
   * may fit. Visitors may send 16 KiB of slashes, and every rule of a site would be held against all of it.
   */
  isBeyondFiles: boolean;
};

/** What the names of a pattern stand for in one address; `splat` is the rest. */
export type AddressMatch = ReadonlyMap<string, string>;

const SPLAT = 'splat';
const NAME = /^:[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns the pattern, or the sentence that says what is wrong with it. */
export function parsePattern(text: string): AddressPattern | string {
  if (!text.startsWith('/')) return 'An address starts with a slash.';
  const decoded = decodeAddress(text);
  if (decoded === null) return 'The address holds a percent sign that stands for no character.';
  const parts = segmentsOf(decoded.slice(1));
  const last = parts.at(-1) ?? '';
  const hasSplat = last.endsWith('*');
  const beforeSplat = hasSplat ? last.slice(0, -1) : '';
  const named = hasSplat ? parts.slice(0, -1) : parts;
  if ([...named, beforeSplat].some((part) => part.includes('*')))
    return 'A star is read only at the end, as in /blog/*.';
  const segments = named.map((part) => (NAME.test(part) ? { name: part.slice(1) } : { text: part }));
  const names = segments.flatMap((segment) => ('name' in segment ? [segment.name] : []));
  if ((hasSplat || names.length > 0) && segments.length > UPLOAD_LIMITS.maxDepth) {
    return `An address with names or a star has at most ${UPLOAD_LIMITS.maxDepth} parts.`;
  }
  if (new Set(names).size < names.length || names.includes(SPLAT)) return 'Each name stands in an address once.';
  return { segments, hasSplat, beforeSplat };
}

/** Of the decoded path without the leading slash; never splits more than one part beyond what a release can hold. */
export function readAddress(file: string): Address {
  const isLong = file.length > UPLOAD_LIMITS.maxPathBytes;
  const parts = file === '' ? [] : withoutEndSlash(file).split('/', UPLOAD_LIMITS.maxDepth + 1);
  return { file, parts, isBeyondFiles: isLong || parts.length > UPLOAD_LIMITS.maxDepth };
}

/** Returns whether an address fits; a slash at its end does not count. */
export function fitsPattern(pattern: AddressPattern, { parts, isBeyondFiles }: Address): boolean {
  const { segments, hasSplat, beforeSplat } = pattern;
  if (parts.length < segments.length || (!hasSplat && (isBeyondFiles || parts.length > segments.length))) return false;
  if (beforeSplat !== '' && parts[segments.length]?.startsWith(beforeSplat) !== true) return false;
  return segments.every((segment, index) => ('text' in segment ? segment.text === parts[index] : parts[index] !== ''));
}

/** Returns what the names of a pattern stand for in an address that fits it; null where what is before its star is not there. */
export function matchOf({ segments, hasSplat, beforeSplat }: AddressPattern, address: Address): AddressMatch | null {
  const { file, parts } = address;
  const match = new Map<string, string>();
  let rest = 0;
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? '';
    if ('name' in segment) match.set(segment.name, part);
    rest += part.length + 1;
  }
  if (!hasSplat) return match;
  if (!file.startsWith(beforeSplat, rest)) return null;
  return match.set(SPLAT, file.slice(rest + beforeSplat.length));
}

/** The address itself when the pattern has neither names nor a star: looked up instead of matched. */
export function exactAddress(pattern: AddressPattern): string | null {
  if (pattern.hasSplat) return null;
  const texts = pattern.segments.map((segment) => ('text' in segment ? segment.text : null));
  return texts.includes(null) ? null : texts.join('/');
}

/** The names that a target may use, in their order; a star at the end counts as `splat`. */
export function patternNames(pattern: AddressPattern): readonly string[] {
  const names = pattern.segments.flatMap((segment) => ('name' in segment ? [segment.name] : []));
  return pattern.hasSplat ? [...names, SPLAT] : names;
}

/**
 * Returns a path as it is looked up: decoded once, NFC. An escaped slash or backslash is a sign within its part and never
 * divides two (RFC 3986, 2.2), and bytes may be no text: there a NUL stands for the percent sign, so that the part equals
 * none of any file. Null for a broken escape, for NUL itself, and where it is longer than any path.
 */
export function decodeAddress(text: string): string | null {
  if (/%(?:00|(?![0-9a-f]{2}))|\0/i.test(text)) return null;
  return normalForm(decoded(text) ?? text.split('/').map(decodedPart).join('/'));
}

function decoded(text: string): string | null {
  const marked = text.replace(/%(2f|5c)/gi, (_escape, hex: string) => `%00${hex.toUpperCase()}`);
  try {
    return decodeURIComponent(marked);
  } catch {
    return null;
  }
}

function decodedPart(part: string): string {
  return decoded(part) ?? part.replaceAll('%', '\0');
}

/** Returns a decoded path with all signs escaped that may not stand in one as they are (RFC 3986, 3.3). */
export function encodeAddress(file: string): string {
  return file.replace(/[^\w\-.~!$&'()*+,;=:@/]+/g, escapeOdd);
}

/** Returns a path or URL as it can stand in a header: what is escaped already, and what divides it, stays as it is. */
export function escapeAddress(text: string): string {
  return text.replace(/[^\w\-.~!$&'()*+,;=:@/?#%[\]]+/g, escapeOdd);
}

function escapeOdd(odd: string): string {
  return encodeURIComponent(odd.replace(/\p{Cs}/gu, '\ufffd'));
}

/** A slash at the end tells no two addresses apart. */
export function withoutEndSlash(file: string): string {
  return file.endsWith('/') ? file.slice(0, -1) : file;
}

function segmentsOf(file: string): string[] {
  return file === '' ? [] : withoutEndSlash(file).split('/');
}
