import { atOnce } from '../../schemas/at-once.ts';
import {
  type Address,
  type AddressMatch,
  type AddressPattern,
  decodeAddress,
  encodeAddress,
  escapeAddress,
  exactAddress,
  fitsPattern,
  matchOf,
  parsePattern,
  patternNames,
  readAddress,
  withoutEndSlash,
} from './address-pattern.ts';
import { type RuleLine, type RuleProblem, ruleLines, sortedByLine } from './rule-file.ts';

/**
 * `_redirects` in the form of Netlify and Cloudflare Pages, of which the built-in host follows this part:
 *
 *     /from /to [status[!]]      # comment
 *
 * `from` is an address of the site, with `:names` for one part and a star at its end for the rest; `to` is an address of
 * the site, or (301, 302, 303, 307, 308) an http or https URL, and takes `:names` and `:splat`. 301 is the default
 * status (Netlify); 200 serves another file of the site, and 404 does so with that status. The first matching line
 * counts, and only where there is no file, unless the status ends with `!`. These are reported as not followed: proxies
 * to other hosts, conditions (Country, Language, Role), rules on queries and on other host names.
 */
const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const;
const REWRITE_STATUSES = [200, 404] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];
export type RewriteStatus = (typeof REWRITE_STATUSES)[number];

/** Cloudflare Pages follows as many ("Redirects", developers.cloudflare.com). */
const EXACT_RULES_MAX = 2_000;
const PATTERN_RULES_MAX = 100;
const DEFAULT_STATUS = 301;
/** Our own limit: a name may stand for 16 KiB of a request, and each use of it is written into one header. */
const PLACES_PER_NAME_MAX = 2;

type Piece = { text: string } | { name: string };
export type RedirectRule = {
  line: number;
  from: AddressPattern;
  isForced: boolean;
  to:
    | { kind: 'redirect'; status: RedirectStatus; origin: string; pieces: readonly Piece[] }
    | { kind: 'rewrite'; status: RewriteStatus; pieces: readonly Piece[] };
};

export type RedirectsFile = { rules: RedirectRule[]; problems: RuleProblem[] };

export function parseRedirects(text: string): RedirectsFile {
  return atOnce(redirectsSteps(text));
}

/** Reads the whole file, a line a step; a line with a problem is left out and the others count. */
export function* redirectsSteps(text: string): Generator<void, RedirectsFile> {
  const { lines, problems } = ruleLines(text);
  const rules: RedirectRule[] = [];
  let exact = 0;
  let patterns = 0;
  for (const line of lines) {
    yield;
    const rule = parseLine(line);
    if (typeof rule === 'string') {
      problems.push({ line: line.line, message: rule });
      continue;
    }
    const isExact = exactAddress(rule.from) !== null;
    exact += isExact ? 1 : 0;
    patterns += isExact ? 0 : 1;
    if (exact > EXACT_RULES_MAX || patterns > PATTERN_RULES_MAX) {
      const limit = `at most ${EXACT_RULES_MAX.toLocaleString('en')} plain rules and ${PATTERN_RULES_MAX} with placeholders or a star`;
      problems.push({ line: line.line, message: `Too many rules: only the first ${limit} are read.` });
      break;
    }
    rules.push(rule);
  }
  return { rules, problems: sortedByLine(problems) };
}

function parseLine({ line, text }: RuleLine): RedirectRule | string {
  const words = text.split(/[ \t]+/);
  const comment = words.findIndex((word) => word.startsWith('#'));
  const [from = '', ...rest] = comment === -1 ? words : words.slice(0, comment);
  if (/^https?:\/\//i.test(from)) return 'Rules for other host names are not followed: start the address with a slash.';
  const pattern = parsePattern(from);
  if (typeof pattern === 'string') return pattern;
  const toIndex = rest.findIndex((word) => word.startsWith('/') || /^https?:\/\//i.test(word));
  const to = rest[toIndex];
  if (to === undefined) return 'The target is missing: start it with a slash, http:// or https://.';
  if (toIndex > 0) return 'Rules on query parameters are not followed.';
  const [status = String(DEFAULT_STATUS), ...conditions] = rest.slice(1);
  if (conditions.length > 0 || status.includes('=')) return 'Conditions (Country, Language, Role) are not followed.';
  return parseTarget({ line, from: pattern, to, status });
}

type RawRule = { line: number; from: AddressPattern; to: string; status: string };

function parseTarget({ line, from, to, status }: RawRule): RedirectRule | string {
  const isForced = status.endsWith('!');
  const number = Number(isForced ? status.slice(0, -1) : status);
  const host = /^https?:\/\/[^/?#]*/i.exec(to)?.[0] ?? '';
  const fault = host === '' ? pathFault(to) : hostFault(host);
  if (fault !== null) return fault;
  const origin = host === '' ? '' : new URL(host).origin;
  const pieces = parsePieces(to.slice(host.length), patternNames(from));
  if (typeof pieces === 'string') return pieces;
  const redirect = REDIRECT_STATUSES.find((known) => known === number);
  if (redirect !== undefined) {
    return {
      line,
      from,
      isForced,
      to: { kind: 'redirect', status: redirect, origin, pieces: pieces.map(encodePiece) },
    };
  }
  const rewrite = REWRITE_STATUSES.find((known) => known === number);
  if (rewrite === undefined) return `The status ${visible(status)} is not one of 200, 301, 302, 303, 307, 308 and 404.`;
  if (origin !== '') return 'Proxying to other hosts is not supported. With 200 or 404, use a path on this site.';
  return { line, from, isForced, to: { kind: 'rewrite', status: rewrite, pieces: pieces.map(decodePiece) } };
}

/** Browsers read `//host` and `/\host` as the name of another host. */
function pathFault(path: string): string | null {
  return /^\/[/\\]/.test(path) ? 'An address of this site must start with one slash only.' : null;
}

/** A name of a pattern must never choose the host that visitors are sent to. */
function hostFault(host: string): string | null {
  const url = URL.canParse(host) ? new URL(host) : null;
  if (url === null || url.hostname === '') return 'The host name in the target is not valid.';
  return url.username !== '' || url.password !== '' ? 'A URL with a user name is not followed.' : null;
}

function parsePieces(text: string, names: readonly string[]): Piece[] | string {
  if (decodeAddress(text) === null) return 'The target has a percent sign that is not part of a valid encoding.';
  const pieces: Piece[] = [];
  let at = 0;
  for (const found of text.matchAll(/:([A-Za-z_][A-Za-z0-9_]*)/g)) {
    const name = found[1] ?? '';
    if (!names.includes(name)) {
      // `/wiki/Talk:Main` is an ordinary address, `/news/:year` asks for a name.
      if (text[found.index - 1] !== '/') continue;
      return `The target uses :${name}, which the address before it does not have.`;
    }
    const places = pieces.filter((piece) => 'name' in piece && piece.name === name).length;
    if (places === PLACES_PER_NAME_MAX) return `The target uses :${name} more than twice.`;
    pieces.push({ text: text.slice(at, found.index) }, { name });
    at = found.index + name.length + 1;
  }
  return [...pieces, { text: text.slice(at) }];
}

/** Encodes a piece for a `Location` header: ASCII, with existing escapes unchanged. */
function encodePiece(piece: Piece): Piece {
  return 'text' in piece ? { text: escapeAddress(piece.text) } : piece;
}

/** Decodes a piece for the name of a file, without query and fragment. */
function decodePiece(piece: Piece): Piece {
  return 'text' in piece ? { text: decodeAddress(piece.text.replace(/[?#].*$/s, '')) ?? '' } : piece;
}

function visible(text: string): string {
  return JSON.stringify(text.slice(0, 20));
}

export type Redirection =
  | { kind: 'redirect'; status: RedirectStatus; location: string }
  /** The path in `file` is as in a manifest, without the leading slash. */
  | { kind: 'rewrite'; status: RewriteStatus; file: string };

/**
 * `file`: decoded path without the leading slash; `query` with its question mark, or empty; `raw`: the path as
 * requested, of which pieces go into the target's address.
 */
type FindRule = (file: string, query: string, raw?: string) => Redirection | null;

export type RedirectTable = {
  /** Finds a rule that applies even if there is a file. */
  forced: FindRule;
  /** Finds a rule that applies without a file; the forced ones have been tried before. */
  otherwise: FindRule;
};

/** Creates a finder of rules: plain ones by name, at most a hundred others one by one, in the order of the file. */
export function createRedirectTable(rules: readonly RedirectRule[]): RedirectTable {
  return {
    forced: createIndex(rules.filter((rule) => rule.isForced)),
    otherwise: createIndex(rules.filter((rule) => !rule.isForced)),
  };
}

function createIndex(rules: readonly RedirectRule[]): FindRule {
  const exact = new Map<string, RedirectRule>();
  const patterns: RedirectRule[] = [];
  for (const rule of rules) {
    const address = exactAddress(rule.from);
    if (address === null) patterns.push(rule);
    else if (!exact.has(address)) exact.set(address, rule);
  }
  return (file, query, raw) => {
    const plain = exact.get(withoutEndSlash(file));
    if (plain === undefined && patterns.length === 0) return null;
    const asked = { address: readAddress(file), query, raw };
    return followFirst(patterns, plain?.line ?? Infinity, asked) ?? (plain === undefined ? null : follow(plain, asked));
  };
}

/** Follows the first matching rule; one that would lead back to the visitor's address leaves it to the next. */
function followFirst(patterns: readonly RedirectRule[], beforeLine: number, asked: Asked): Redirection | null {
  for (const rule of patterns) {
    if (rule.line > beforeLine) break;
    if (!fitsPattern(rule.from, asked.address)) continue;
    const redirection = follow(rule, asked);
    // Writing a target out takes time in the length of the address: for one that no file can have, it is done once.
    if (redirection !== null || asked.address.isBeyondFiles) return redirection;
  }
  return null;
}

type Asked = { address: Address; query: string; raw: string | undefined };

/**
 * Returns null when the rule would lead back to the visitor's address, or to a path of this site that is longer than
 * any it serves.
 */
function follow({ from, to }: RedirectRule, { address, query, raw }: Asked): Redirection | null {
  const { file } = address;
  if (to.kind === 'rewrite') {
    const path = fill(to.pieces, matchOf(from, address) ?? NOTHING);
    return { kind: 'rewrite', status: to.status, file: path.replace(/^\/+/, '') };
  }
  // Encoding or decoding a reserved character makes another address (RFC 3986, 2.2).
  const asked = raw === undefined ? null : matchOf(from, readAddress(raw));
  const filled = fill(to.pieces, asked ?? encoded(matchOf(from, address) ?? NOTHING));
  if (to.origin !== '') return { kind: 'redirect', status: to.status, location: to.origin + withQuery(filled, query) };
  // There is always one slash: a browser reads two as the beginning of another host.
  const target = filled.replace(/^\/+/, '/');
  const place = decodeAddress(target.replace(/[?#].*$/s, ''));
  if (place === null || place === `/${file}`) return null;
  return { kind: 'redirect', status: to.status, location: withQuery(target, query) };
}

const NOTHING: AddressMatch = new Map();

function encoded(match: AddressMatch): AddressMatch {
  return new Map([...match].map(([name, value]) => [name, encodeAddress(value)]));
}

function fill(pieces: readonly Piece[], match: AddressMatch): string {
  return pieces.map((piece) => ('text' in piece ? piece.text : (match.get(piece.name) ?? ''))).join('');
}

/** Appends the visitor's query, unless the target has one of its own. */
function withQuery(target: string, query: string): string {
  if (query === '' || target.includes('?')) return target;
  const hash = target.indexOf('#');
  return hash === -1 ? target + query : target.slice(0, hash) + query + target.slice(hash);
}

/** Returns the hosts that rules redirect visitors to: shown with the release. */
export function hostsLedTo(rules: readonly RedirectRule[]): string[] {
  return [...new Set(rules.flatMap(({ to }) => (to.kind === 'redirect' && to.origin !== '' ? [to.origin] : [])))];
}
