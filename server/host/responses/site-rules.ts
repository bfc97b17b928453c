import { LRUCache } from 'lru-cache';
import {
  type HeaderChange,
  type HeaderRule,
  headersOf,
  headersSteps,
  matchingRules,
} from '../../../routers/rules/hosting/headers-file.ts';
import {
  createRedirectTable,
  type RedirectTable,
  redirectsSteps,
} from '../../../routers/rules/hosting/redirects-file.ts';
import type { RuleFile } from '../../../routers/rules/hosting/rule-file.ts';
import { UPLOAD_LIMITS } from '../../../routers/schemas/limits.ts';
import { runInTimeSlices } from '../../lib/time-slices.ts';

/** The parsed `_redirects` and `_headers` of a release, read once when the release comes into memory. */
export type SiteRules = {
  redirects: RedirectTable;
  /** Takes a decoded path without the leading slash. */
  headersFor(file: string): HeaderChange | null;
  /** An upper bound of the memory that all of it takes. */
  weightBytes: number;
};

/** Addresses repeat; a site with rules remembers their results for this many, each no longer than a file's path. */
const ADDRESSES_MAX = 200;
/** Addresses that match the same rules share one result, of 8 KiB at most (HEADERS_WEIGHT_MAX). */
const CHANGES_MAX = 20;
/** An upper bound for both, with paths of a kilobyte and whole results. */
const REMEMBERED_BYTES = ADDRESSES_MAX * 1_600 + CHANGES_MAX * 16 * 1024;
/** A parsed line takes many times its text: 237 KB of short rules were measured at 5.4 MB. */
const PARSED_FACTOR = 25;

/** Returns null when there are no rules, so that most sites never ask again. */
export async function createSiteRules(texts: ReadonlyMap<RuleFile, string>): Promise<SiteRules | null> {
  if (texts.size === 0) return null;
  const weightBytes =
    REMEMBERED_BYTES + [...texts.values()].reduce((sum, text) => sum + text.length, 0) * PARSED_FACTOR;
  const redirects = (await runInTimeSlices(redirectsSteps(texts.get('_redirects') ?? ''))).rules;
  const headers = (await runInTimeSlices(headersSteps(texts.get('_headers') ?? ''))).rules;
  if (redirects.length === 0 && headers.length === 0) return null;
  return { redirects: createRedirectTable(redirects), headersFor: rememberHeaders(headers), weightBytes };
}

/** Null where no rule matches, which is remembered as well. */
type Remembered = { change: HeaderChange | null };

function rememberHeaders(rules: readonly HeaderRule[]): SiteRules['headersFor'] {
  if (rules.length === 0) return () => null;
  const byFile = new LRUCache<string, Remembered>({ max: ADDRESSES_MAX });
  const byRules = new LRUCache<string, Remembered>({ max: CHANGES_MAX });
  return (file) => {
    const remembered = byFile.get(file);
    if (remembered !== undefined) return remembered.change;
    const fitting = matchingRules(rules, file);
    const key = fitting.map(({ line }) => line).join();
    const shared = byRules.get(key) ?? { change: headersOf(fitting) };
    if (file.length > UPLOAD_LIMITS.maxPathBytes) return shared.change;
    byRules.set(key, shared);
    // A copy: the path is a piece of the request's whole target, which a query makes long, and would hold it in memory.
    byFile.set(Buffer.from(file).toString(), shared);
    return shared.change;
  };
}

export type ChangeWish = {
  /** Browsers ignore HSTS over plain http (RFC 6797, 8.1), where nobody can honour that promise. */
  isSecure: boolean;
  /** A cached 404 outlives its reason, whatever the rules of the site say. */
  keepsCacheControl: boolean;
};

/** Returns the host's own headers with the site's in their place: name, value, name, value. */
export function applyHeaderChange(headers: readonly string[], change: HeaderChange, wish: ChangeWish): string[] {
  const isKept = (key: string): boolean => key === 'vary' || (wish.keepsCacheControl && key === 'cache-control');
  const changed: string[] = [];
  for (const [name, value] of pairs(headers)) {
    const key = name.toLowerCase();
    if (!change.replaced.has(key) || isKept(key)) changed.push(name, value);
  }
  for (const [name, value] of pairs(change.set)) {
    const key = name.toLowerCase();
    if (wish.keepsCacheControl && key === 'cache-control') continue;
    if (key === 'strict-transport-security' && !wish.isSecure) continue;
    // Two `Vary` headers are one list (RFC 9110, 5.3).
    changed.push(name, value);
  }
  return changed;
}

function* pairs(flat: readonly string[]): Generator<[name: string, value: string]> {
  for (let index = 0; index < flat.length; index += 2) yield [flat[index] ?? '', flat[index + 1] ?? ''];
}
