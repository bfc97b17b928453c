import { atOnce } from '../../schemas/at-once.ts';
import { decodeAddress, parsePattern } from './address-pattern.ts';
import { type HeaderPattern, matcherOf } from './header-pattern.ts';
import { type RuleProblem, ruleLines, sortedByLine } from './rule-file.ts';

/**
 * `_headers` in the form of Netlify and Cloudflare Pages, of which the built-in host follows this part:
 *
 *     /assets/*
 *       Cache-Control: public, max-age=3600
 *       ! X-Robots-Tag
 *
 * A block is an address of the site with `:names` for one part, or with one star anywhere for any text, and below it the
 * headers that answers with a file there get, or lose with `!`. All matching blocks count: a header that two of them set
 * is joined by a comma, and replaces the host's own. Headers that describe the transfer are the host's alone. An answer
 * has at most 8 KiB of these headers; the rest is left out.
 */
export type HeaderRule = {
  line: number;
  fits: HeaderPattern;
  set: HeaderSetting[];
  /** Header names in lower case. */
  removed: string[];
};

export type HeaderSetting = { name: string; value: string };

export type HeadersFile = { rules: HeaderRule[]; problems: RuleProblem[] };

/** Cloudflare Pages follows as many ("Headers", developers.cloudflare.com). */
const RULES_MAX = 100;
/** Neither platform names a limit. No page has a use for more, and a file of this size is read in no time. */
const BLOCK_LINES_MAX = 100;
const FILE_LINES_MAX = 1_000;
/**
 * The largest weight of the headers of one block, and of one answer. The limit is our own, since neither Netlify nor
 * Cloudflare names one: Node's client reads 16 KiB of headers and proxies in front often no more than 8 KiB, and a
 * page that nobody can read is worse than one without its last headers.
 */
export const HEADERS_WEIGHT_MAX = 8 * 1024;
/**
 * RFC 9113, section 6.5.2, counts this for each header besides its characters, so that many short ones do not evade
 * the limit.
 */
const LINE_WEIGHT = 32;
/** RFC 9110, section 5.6.2, defines the letters of a name. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
/** RFC 9110, section 5.5, without the bytes above ASCII, which clients read in different ways. */
const VALUE = /^[\t\x20-\x7e]*$/;

/**
 * These describe the transfer and the identity of an answer, which only the host knows (compare the list on
 * docs.netlify.com, "Custom headers", 2026).
 */
const KEPT_BY_HOST: ReadonlySet<string> = new Set([
  'accept-ranges',
  'age',
  'allow',
  'alt-svc',
  'connection',
  'content-length',
  'content-range',
  'date',
  'etag',
  'http2-settings',
  'keep-alive',
  'last-modified',
  'location',
  'proxy-authenticate',
  'proxy-connection',
  'retry-after',
  'server',
  'service-worker-allowed',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-content-type-options',
]);

/**
 * Instructions to a proxy in front, which would send other files of its machine or ask another server: nginx
 * (X-Accel-*), Apache, lighttpd and Varnish (X-Sendfile and its kin), Perlbal (X-Reproxy-*). Surrogate-Control (W3C
 * Edge Architecture Specification), Edge-Control (Akamai) and X-Esi would make it run the instructions in a page.
 */
const FOR_THE_PROXY =
  /^(?:x-(?:accel|sendfile|send-file|lighttpd-send-|litespeed-|reproxy|proxy-accel|esi$)|(?:surrogate|edge)-control$)/;

export function parseHeaders(text: string): HeadersFile {
  return atOnce(headersSteps(text));
}

/** Reads a whole `_headers`, a line a step: the rules that are followed, and the problems by line. */
export function* headersSteps(text: string): Generator<void, HeadersFile> {
  const { lines, problems } = ruleLines(text);
  const rules: HeaderRule[] = [];
  let current: HeaderRule | null = null;
  let address = '';
  let isInBlock = false;
  let headers = 0;
  for (const { line, text: content } of lines) {
    yield;
    const problem = (message: string): void => void problems.push({ line, message });
    if (content.startsWith('/') || /^https?:\/\//i.test(content)) {
      isInBlock = true;
      address = content;
      const rule =
        rules.length < RULES_MAX ? startRule(line, content) : `Only the first ${RULES_MAX} addresses are read.`;
      current = typeof rule === 'string' ? null : rule;
      if (typeof rule === 'string') problem(rule);
      else rules.push(rule);
    } else if (!isInBlock) {
      problem('Write a header below the address that it is for.');
    } else if (headers === FILE_LINES_MAX) {
      problem(
        `Only the first ${FILE_LINES_MAX.toLocaleString('en')} headers are read: the rest of the file is ignored.`,
      );
      break;
    } else if (current !== null) {
      headers += 1;
      const fault = addHeader(current, content, address);
      if (fault !== null) problem(fault);
    }
  }
  const said = rules.filter((rule) => rule.set.length > 0 || rule.removed.length > 0);
  return { rules: said, problems: sortedByLine(problems) };
}

function startRule(line: number, address: string): HeaderRule | string {
  if (!address.startsWith('/')) return 'Rules for other host names are not followed: start the address with a slash.';
  const rule = { line, set: [], removed: [] };
  const hasNames = /\/:[A-Za-z_]/.test(address);
  const stars = address.split('*').length - 1;
  if (hasNames || stars === 0) {
    const pattern = parsePattern(address);
    return typeof pattern === 'string' ? pattern : { ...rule, fits: pattern };
  }
  const [before, after] = address.split('*').map(decodeAddress);
  if (stars > 1) return 'An address can have only one star.';
  if (before === null || before === undefined || after === null || after === undefined) {
    return 'The address has a percent sign that is not part of a valid encoding.';
  }
  return { ...rule, fits: { before, after } };
}

/** Adds the line to the rule, or returns a sentence about what is wrong with it. */
function addHeader(rule: HeaderRule, line: string, address: string): string | null {
  const isRemoval = line.startsWith('!');
  const colon = isRemoval ? line.length : line.indexOf(':');
  if (colon === -1) return 'A header must be written as “Name: value”.';
  const name = line.slice(isRemoval ? 1 : 0, colon).trim();
  const value = line.slice(colon + 1).trim();
  const fault = headerFault(name.toLowerCase(), name, value) ?? encodingFault(name, value, { isRemoval, address });
  if (fault !== null) return fault;
  if (isRemoval && name.toLowerCase() === 'content-type')
    return 'Content-Type cannot be removed: every answer needs it.';
  if (name.toLowerCase() === 'x-content-type-options') return null;
  if (rule.set.length + rule.removed.length === BLOCK_LINES_MAX) {
    return `Only the first ${BLOCK_LINES_MAX} headers for one address are read.`;
  }
  const weight = rule.set.reduce((sum, setting) => sum + weightOf(setting), 0);
  if (!isRemoval && weight + weightOf({ name, value }) > HEADERS_WEIGHT_MAX) {
    return `The headers for this address are larger than ${HEADERS_WEIGHT_MAX / 1024} KiB together: this one is not sent.`;
  }
  if (isRemoval) rule.removed.push(name.toLowerCase());
  else rule.set.push({ name, value });
  return null;
}

/** Files that were compressed before the upload; the host compresses all others itself. */
const PACKED_ADDRESS = /\.(?:br|gz|svgz|unityweb)$/i;

function encodingFault(
  name: string,
  value: string,
  { isRemoval, address }: { isRemoval: boolean; address: string },
): string | null {
  if (name.toLowerCase() !== 'content-encoding') return null;
  if (!PACKED_ADDRESS.test(address))
    return 'Content-Encoding is allowed only for addresses that end in .br, .gz, .svgz or .unityweb.';
  return isRemoval || /^(?:br|gzip)$/i.test(value) ? null : 'Content-Encoding must be br or gzip.';
}

function headerFault(key: string, name: string, value: string): string | null {
  if (!NAME.test(name)) return 'This is not the name of a header.';
  if (!VALUE.test(value)) return `The value of ${name} holds characters other than ASCII.`;
  if (key === 'x-content-type-options' && value.toLowerCase() === 'nosniff') return null;
  if (KEPT_BY_HOST.has(key)) return `${name} is set by the host itself.`;
  if (FOR_THE_PROXY.test(key)) return `${name} is an instruction to the server in front of the host: it is not sent.`;
  // A rule of Netlify's own: as a header it would show the password to everybody.
  if (key === 'basic-auth') return 'Pages behind a password are not supported: this line is ignored.';
  // A cookie of the whole domain would reach other people's sites.
  if (key === 'set-cookie' && /;\s*domain\s*=/i.test(value)) return 'A cookie with a Domain is not sent.';
  // W3C Clear Site Data, 4.1: cookies are cleared for the whole registrable domain, including other people's sites.
  if (key === 'clear-site-data' && /cookies|\*/i.test(value)) {
    return 'Clear-Site-Data for cookies is not sent: it would also clear the cookies of other sites on the domain.';
  }
  return null;
}

/** The changes that the rules make to the headers of one address. */
export type HeaderChange = {
  set: readonly string[];
  /** Names in lower case whose headers of the host are replaced. */
  replaced: ReadonlySet<string>;
};

/** Returns all rules that match the decoded path without its leading slash, in the order of the file. */
export function matchingRules(rules: readonly HeaderRule[], file: string): HeaderRule[] {
  const isFitting = matcherOf(file);
  return rules.filter(({ fits }) => isFitting(fits));
}

/**
 * Returns the joint effect of rules that match one address; null when there is none. Headers beyond HEADERS_WEIGHT_MAX
 * are left out, and the host's own ones with their names stay.
 */
export function headersOf(fitting: readonly HeaderRule[]): HeaderChange | null {
  if (fitting.length === 0) return null;
  const values = new Map<string, { name: string; values: string[] }>();
  const replaced = new Set<string>();
  let weight = 0;
  for (const rule of fitting) {
    for (const key of rule.removed) {
      values.delete(key);
      replaced.add(key);
    }
    for (const setting of rule.set) {
      const { name, value } = setting;
      weight += weightOf(setting);
      if (weight > HEADERS_WEIGHT_MAX) return { set: [...values.values()].flatMap(written), replaced };
      const key = name.toLowerCase();
      replaced.add(key);
      const known = values.get(key);
      if (known === undefined) values.set(key, { name, values: [value] });
      else known.values.push(value);
    }
  }
  return { set: [...values.values()].flatMap(written), replaced };
}

function weightOf({ name, value }: HeaderSetting): number {
  return name.length + value.length + LINE_WEIGHT;
}

/** Joins the values of a header, except cookies (RFC 6265, 3). */
function written({ name, values }: { name: string; values: string[] }): string[] {
  if (name.toLowerCase() === 'set-cookie') return values.flatMap((value) => [name, value]);
  return [name, values.join(', ')];
}
