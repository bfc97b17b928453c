import { lineCounter } from './text-lines.ts';

/** Where the pages and style sheets of an upload lead, and whether what they name is in it: pure, over names and texts. */

/** One reference in a text: `target` as it is written there, `line` counted from one. */
export type FoundLink = { target: string; line: number; isPage: boolean };
export type LinkVerdict = { link: FoundLink; state: 'broken' | 'case'; found: string | null };

/** A page of more than this is looked at no further. */
const LINK_FILE_MAX_BYTES = 2 * 1024 * 1024;
const MAX_A_FILE = 2_000;

const ELEMENT = /<([a-z][a-z0-9-]*)(\s(?:"[^"]*"|'[^']*'|[^"'<>])*)>/gi;
/** Walked from one attribute to the next, so that what stands in a value is not taken for one. */
const ATTRIBUTE = /([^\s=>"'/]+)\s*(?:=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g;
const NAMES = new Set(['href', 'src', 'poster', 'srcset', 'data']);
const CSS_REFERENCE = /url\(\s*("[^"]*"|'[^']*'|[^"'()\s]+)\s*\)|@import\s+("[^"]*"|'[^']*')/gi;
/** What stands in these is no part of the page as it is first shown. */
const SILENT_PARTS =
  /<!--[\s\S]*?-->|(<script\b[^>]*>)[\s\S]*?<\/script\s*>|<(style|template|noscript)\b[\s\S]*?<\/\2\s*>/gi;
/** Elements whose `href`, `src` or `data` names something that has to be there, with those that lead to another page. */
const PAGE_LINKS = new Set(['a', 'area', 'iframe', 'frame']);
const RESOURCES = new Set([
  'link',
  'script',
  'img',
  'source',
  'video',
  'audio',
  'track',
  'embed',
  'object',
  'input',
  'image',
]);

/** Pages and style sheets of a size that is read whole. */
export function mayHoldLinks({ path, sizeBytes }: { path: string; sizeBytes: number }): boolean {
  return sizeBytes <= LINK_FILE_MAX_BYTES && /\.(html?|css)$/i.test(path);
}

/** The references in one page or style sheet that could lead inside the upload. */
export function findLinks(path: string, text: string): FoundLink[] {
  const found = /\.css$/i.test(path) ? linksOfStyle(text) : linksOfPage(text);
  return found.filter(({ target }) => leadsInside(target)).slice(0, MAX_A_FILE);
}

function linksOfStyle(text: string): FoundLink[] {
  const css = text.replace(/\/\*[\s\S]*?\*\//g, blanked);
  const lineAt = lineCounter(css);
  return [...css.matchAll(CSS_REFERENCE)].map((match) => ({
    target: unquoted(match[1] ?? match[2] ?? ''),
    line: lineAt(match.index),
    isPage: false,
  }));
}

function linksOfPage(text: string): FoundLink[] {
  const html = text.replace(SILENT_PARTS, (part: string, script: string | undefined) =>
    script === undefined ? blanked(part) : script + blanked(part.slice(script.length)),
  );
  // With another base nothing here is relative to the page.
  if (/<base\b[^>]*\bhref\s*=/i.test(html)) return [];
  const lineAt = lineCounter(html);
  const found: FoundLink[] = [];
  for (const { 1: element = '', 2: attributes = '', index } of html.matchAll(ELEMENT)) {
    const line = lineAt(index);
    for (const { 1: name = '', 2: value = '' } of attributes.matchAll(ATTRIBUTE)) {
      if (!NAMES.has(name.toLowerCase())) continue;
      const attribute = { element: element.toLowerCase(), name: name.toLowerCase(), value: unquoted(value) };
      found.push(...linksOfAttribute(attribute, line));
    }
    if (found.length > MAX_A_FILE) break;
  }
  return found;
}

type Attribute = { element: string; name: string; value: string };

function linksOfAttribute({ element, name, value }: Attribute, line: number): FoundLink[] {
  const isPage = PAGE_LINKS.has(element);
  if (!isPage && !RESOURCES.has(element)) return [];
  if (name === 'data' && element !== 'object') return [];
  if (name !== 'srcset') return [{ target: value, line, isPage }];
  // Candidates are parted by commas, each with a width or density behind it (HTML standard, 4.8.4.2.1).
  return value
    .split(/,\s+/)
    .map((candidate) => candidate.trim().split(/\s+/)[0] ?? '')
    .map((target) => ({ target, line, isPage }));
}

/** No other address, no place on the same page, and nothing that a template fills in later. */
function leadsInside(target: string): boolean {
  if (target === '' || target.startsWith('#') || target.startsWith('//') || target.startsWith('?')) return false;
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return false;
  return !/[{}<>]|\$\(|%[A-Z_]+%/.test(target);
}

/**
 * Holds references against the names of an upload, by the rules of the built-in host: a folder is its index.html, and
 * an address may leave out `.html`. `folded` maps each path in small letters to the path as it is.
 */
export function judgeLinks(
  from: string,
  links: readonly FoundLink[],
  paths: ReadonlySet<string>,
  folded: ReadonlyMap<string, string>,
): LinkVerdict[] {
  const verdicts: LinkVerdict[] = [];
  for (const link of links) {
    const path = resolve(from, link.target);
    const candidates = path === null ? [] : candidatesOf(path);
    if (candidates.length === 0 || candidates.some((candidate) => paths.has(candidate))) continue;
    const found = candidates
      .map((candidate) => folded.get(candidate.toLowerCase()))
      .find((other) => other !== undefined);
    verdicts.push({ link, state: found === undefined ? 'broken' : 'case', found: found ?? null });
  }
  return verdicts;
}

function candidatesOf(path: string): string[] {
  if (path === '' || path.endsWith('/')) return [`${path}index.html`];
  return [path, `${path}.html`, `${path}/index.html`];
}

/** The path in the upload that a reference names; null where it leads out of it or cannot be read. */
function resolve(from: string, target: string): string | null {
  const place = target.replace(/[?#].*$/s, '').trim();
  let decoded: string;
  try {
    decoded = decodeURIComponent(place).normalize('NFC');
  } catch {
    return null;
  }
  const parts = decoded.startsWith('/') ? [] : from.split('/').slice(0, -1);
  const segments = decoded.replace(/^\/+/, '').split('/');
  for (const segment of segments) {
    if (segment === '..') {
      // Browsers stop at the root (URL standard, "shorten a url's path").
      parts.pop();
    } else if (segment !== '.') parts.push(segment);
  }
  const last = segments.at(-1);
  if ((last === '.' || last === '..') && parts.length > 0) parts.push('');
  return parts.join('/');
}

function unquoted(value: string): string {
  return value
    .replace(/^["']|["']$/g, '')
    .trim()
    .replaceAll('&amp;', '&');
}

/** As long as before, with its lines: what follows stays where it is. */
function blanked(part: string): string {
  return part.replace(/[^\n]/g, ' ');
}
