import { UPLOAD_LIMITS } from './limits.ts';
import { normalForm } from './normal-form.ts';
import { lineCounter } from './text-lines.ts';

/** Where the pages and style sheets of an upload lead, and whether what they name is in it: pure, over names and texts. */

/** One reference in a text: `target` as it is written there, `line` counted from one. */
export type FoundLink = { target: string; line: number; isPage: boolean };
/** `leadsTo` is the address on the site, without its first slash; `found` the path that differs in capitals alone. */
export type LinkFault = { link: FoundLink; leadsTo: string; state: 'broken' | 'case'; found: string | null };

/** A page of more than this is looked at no further. */
const LINK_FILE_MAX_BYTES = 2 * 1024 * 1024;
const MAX_A_FILE = 2_000;

const ELEMENT = /<([a-z][a-z0-9-]*)(\s(?:"[^"]*"|'[^']*'|[^"'<>])*)>/gi;
/** Walked from one attribute to the next, so that what stands in a value is not taken for one. */
const ATTRIBUTE = /([^\s=>"'/]+)\s*(?:=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g;
const NAMES = new Set(['href', 'src', 'poster', 'srcset', 'data']);
const CSS_REFERENCE = /url\(\s*("[^"]*"|'[^']*'|[^"'()\s]+)\s*\)|@import\s+("[^"]*"|'[^']*')/gi;
/** What stands in these is no part of the page as it is first shown; the tag of a script itself is. */
const SILENT_PARTS = [
  { name: '<!--', isTagShown: false, end: /-->/g },
  { name: '<script', isTagShown: true, end: /<\/script\s*>/gi },
  { name: '<style', isTagShown: false, end: /<\/style\s*>/gi },
  { name: '<template', isTagShown: false, end: /<\/template\s*>/gi },
  { name: '<noscript', isTagShown: false, end: /<\/noscript\s*>/gi },
];
const SILENT_START = /<!--|<(?:script|style|template|noscript)\b/gi;
const STYLE_COMMENTS = [{ name: '/*', isTagShown: false, end: /\*\//g }];
/** Longer than any path of a release with every character escaped, and a query besides: it leads nowhere inside. */
const TARGET_MAX = 4_000;
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

/** Returns the references in one page or style sheet that could lead inside the upload. */
export function findLinks(path: string, text: string): FoundLink[] {
  const found = /\.css$/i.test(path) ? linksOfStyle(text) : linksOfPage(text);
  return found.filter(({ target }) => leadsInside(target)).slice(0, MAX_A_FILE);
}

function linksOfStyle(text: string): FoundLink[] {
  const css = blankParts(text, /\/\*/g, STYLE_COMMENTS);
  const lineAt = lineCounter(css);
  return [...css.matchAll(CSS_REFERENCE)].map((match) => ({
    target: unquoted(match[1] ?? match[2] ?? ''),
    line: lineAt(match.index),
    isPage: false,
  }));
}

function linksOfPage(text: string): FoundLink[] {
  const html = blankParts(text, SILENT_START, SILENT_PARTS);
  const lineAt = lineCounter(html);
  const found: FoundLink[] = [];
  for (const { 1: element = '', 2: attributes = '', index } of html.matchAll(ELEMENT)) {
    const line = lineAt(index);
    for (const { 1: name = '', 2: value = '' } of attributes.matchAll(ATTRIBUTE)) {
      if (!NAMES.has(name.toLowerCase())) continue;
      const attribute = { element: element.toLowerCase(), name: name.toLowerCase(), value: unquoted(value) };
      // With another base nothing here is relative to the page.
      if (attribute.element === 'base' && attribute.name === 'href') return [];
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
    .split(/,\s+/, MAX_A_FILE)
    .map((candidate) => /^\S*/.exec(candidate.trim())?.[0] ?? '')
    .map((target) => ({ target, line, isPage }));
}

/**
 * Returns whether a target could lead to a file of the upload: it does not for other hosts, for places on the same
 * page, and for what a template fills in later.
 */
function leadsInside(target: string): boolean {
  if (
    target.length > TARGET_MAX ||
    target === '' ||
    target.startsWith('#') ||
    target.startsWith('//') ||
    target.startsWith('?')
  )
    return false;
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return false;
  return !/[{}<>]|\$\(|%[A-Z_]+%/.test(target);
}

/**
 * Holds references against the names of an upload, by the rules of the built-in host: a folder is its index.html, and
 * an address may leave out `.html`. `folded` maps each path in small letters to the path as it is.
 */
export function checkLinks(
  from: string,
  links: readonly FoundLink[],
  paths: ReadonlySet<string>,
  folded: ReadonlyMap<string, string>,
): LinkFault[] {
  const faults: LinkFault[] = [];
  for (const link of links) {
    const path = resolve(from, link.target);
    if (path === null) continue;
    const candidates = candidatesOf(path);
    if (candidates.some((candidate) => paths.has(candidate))) continue;
    const found = candidates
      .map((candidate) => folded.get(candidate.toLowerCase()))
      .find((other) => other !== undefined);
    faults.push({ link, leadsTo: path, state: found === undefined ? 'broken' : 'case', found: found ?? null });
  }
  return faults;
}

function candidatesOf(path: string): string[] {
  if (path === '' || path.endsWith('/')) return [`${path}index.html`];
  return [path, `${path}.html`, `${path}/index.html`];
}

/** Returns the path in the upload that a reference names; null where it leads out of it or cannot be read. */
function resolve(from: string, target: string): string | null {
  const place = target.replace(/[?#].*$/s, '').trim();
  // No path of an upload is longer, with every byte of it escaped.
  if (place.length > 3 * UPLOAD_LIMITS.maxPathBytes) return null;
  let decoded: string | null;
  try {
    decoded = normalForm(decodeURIComponent(place));
  } catch {
    return null;
  }
  if (decoded === null) return null;
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

type SilentPart = { name: string; isTagShown: boolean; end: RegExp };

/**
 * The text with these parts blanked, from each start to the next end of its kind. A kind whose end was looked for in
 * vain is not looked for again, so that the text is gone through once for each kind and not once for each start.
 */
function blankParts(text: string, start: RegExp, parts: readonly SilentPart[]): string {
  const endless = new Set<string>();
  const pieces: string[] = [];
  let at = 0;
  start.lastIndex = 0;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const part = parts.find(({ name }) => name === found?.[0].toLowerCase());
    if (part === undefined || endless.has(part.name)) continue;
    const tagEnd = part.isTagShown ? text.indexOf('>', start.lastIndex) + 1 : found.index;
    part.end.lastIndex = Math.max(start.lastIndex, tagEnd);
    const end = part.isTagShown && tagEnd === 0 ? null : part.end.exec(text);
    if (end === null) {
      endless.add(part.name);
      continue;
    }
    pieces.push(text.slice(at, tagEnd), blanked(text.slice(tagEnd, part.end.lastIndex)));
    at = part.end.lastIndex;
    start.lastIndex = at;
  }
  return pieces.join('') + text.slice(at);
}

/** Blanks a part without changing its length or its lines, so that what follows stays where it is. */
function blanked(part: string): string {
  return part.replace(/[^\n]/g, ' ');
}
