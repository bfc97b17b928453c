import { UPLOAD_LIMITS } from '../../schemas/limits.ts';
import { normalForm } from '../../schemas/normal-form.ts';

/**
 * Addresses in `_redirects` and `_headers`: `/about`, `/news/:year/:title`, `/blog/*`, `/docs/v1-*`. Matching is pure
 * and linear in the length of the address: a person's pattern never becomes a regular expression.
 */
export type AddressPattern = {
  /** The decoded parts; a name stands for exactly one segment. */
  segments: readonly ({ text: string } | { name: string })[];
  /** True for a star at the end, which matches any rest, even an empty one. */
  hasSplat: boolean;
  /** The text before the star in the last part; empty when the star is the whole part. */
  beforeSplat: string;
};

/** The address of one request, split once for any number of patterns. */
export type Address = {
  /** The decoded path without the leading slash. */
  file: string;
  /** The parts, without an empty one for a slash at the end; only the first ones of a path that no release can hold. */
  parts: readonly string[];
  /**
   * True when it is longer or deeper than any file of a release (UPLOAD_LIMITS): only a pattern with a star at its end
   * may match. Visitors may send 16 KiB of slashes, and every rule of a site would be tried on all of it.
   */
  isBeyondFiles: boolean;
};

/** The values of a pattern's names in one address; `splat` is the rest. */
export type AddressMatch = ReadonlyMap<string, string>;

const SPLAT = 'splat';
const NAME = /^:[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns the pattern, or a sentence about what is wrong with it. */
export function parsePattern(text: string): AddressPattern | string {
  if (!text.startsWith('/')) return 'Start the address with a slash.';
  const decoded = decodeAddress(text);
  if (decoded === null) return 'The address has a percent sign that is not part of a valid encoding.';
  const parts = segmentsOf(decoded.slice(1));
  const last = parts.at(-1) ?? '';
  const hasSplat = last.endsWith('*');
  const beforeSplat = hasSplat ? last.slice(0, -1) : '';
  const named = hasSplat ? parts.slice(0, -1) : parts;
  if ([...named, beforeSplat].some((part) => part.includes('*')))
    return 'A star is allowed only at the end, as in /blog/*.';
  const segments = named.map((part) => (NAME.test(part) ? { name: part.slice(1) } : { text: part }));
  const names = segments.flatMap((segment) => ('name' in segment ? [segment.name] : []));
  if ((hasSplat || names.length > 0) && segments.length > UPLOAD_LIMITS.maxDepth) {
    return `An address with placeholders (such as :slug) or a star can have at most ${UPLOAD_LIMITS.maxDepth} parts.`;
  }
  if (new Set(names).size < names.length || names.includes(SPLAT))
    return 'Use each placeholder only once in an address.';
  return { segments, hasSplat, beforeSplat };
}

/** Splits the decoded path without the leading slash, into at most one part more than a release can hold. */
export function readAddress(file: string): Address {
  const isLong = file.length > UPLOAD_LIMITS.maxPathBytes;
  const parts = file === '' ? [] : withoutEndSlash(file).split('/', UPLOAD_LIMITS.maxDepth + 1);
  return { file, parts, isBeyondFiles: isLong || parts.length > UPLOAD_LIMITS.maxDepth };
}

/** Returns whether an address matches; a slash at its end does not count. */
export function fitsPattern(pattern: AddressPattern, { parts, isBeyondFiles }: Address): boolean {
  const { segments, hasSplat, beforeSplat } = pattern;
  if (parts.length < segments.length || (!hasSplat && (isBeyondFiles || parts.length > segments.length))) return false;
  if (beforeSplat !== '' && parts[segments.length]?.startsWith(beforeSplat) !== true) return false;
  return segments.every((segment, index) => ('text' in segment ? segment.text === parts[index] : parts[index] !== ''));
}

/** Returns the values of a pattern's names in a matching address; null when the text before its star is missing. */
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

/** Returns the address when the pattern has neither names nor a star: it is looked up and not matched. */
export function exactAddress(pattern: AddressPattern): string | null {
  if (pattern.hasSplat) return null;
  const texts = pattern.segments.map((segment) => ('text' in segment ? segment.text : null));
  return texts.includes(null) ? null : texts.join('/');
}

/** Returns the names that a target may use, in order; a star at the end counts as `splat`. */
export function patternNames(pattern: AddressPattern): readonly string[] {
  const names = pattern.segments.flatMap((segment) => ('name' in segment ? [segment.name] : []));
  return pattern.hasSplat ? [...names, SPLAT] : names;
}

/**
 * Returns a path in the form for look-ups: decoded once, NFC. An escaped slash or backslash is a character of its part
 * and never a separator (RFC 3986, 2.2), and bytes may be no text: there a NUL stands for the percent sign, so that
 * the part equals none of any file. Returns null for a broken escape, for NUL itself, and when it is longer than any
 * path.
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

/** Escapes all characters of a decoded path that a path must not contain (RFC 3986, 3.3). */
export function encodeAddress(file: string): string {
  return file.replace(/[^\w\-.~!$&'()*+,;=:@/]+/g, escapeOdd);
}

/** Returns a path or URL in a form for a header: escapes and separators stay as they are. */
export function escapeAddress(text: string): string {
  return text.replace(/[^\w\-.~!$&'()*+,;=:@/?#%[\]]+/g, escapeOdd);
}

function escapeOdd(odd: string): string {
  return encodeURIComponent(odd.replace(/\p{Cs}/gu, '\ufffd'));
}

/** Removes the slash at the end, which distinguishes no two addresses. */
export function withoutEndSlash(file: string): string {
  return file.endsWith('/') ? file.slice(0, -1) : file;
}

function segmentsOf(file: string): string[] {
  return file === '' ? [] : withoutEndSlash(file).split('/');
}
