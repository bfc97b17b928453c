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
/** A comma without a space behind it may be part of an address. */
const CANDIDATE = /(?:^|,\s)\s*([^\s,][^\s]*)/g;
const CSS_REFERENCE = /url\(\s*("[^"]*"|'[^']*'|[^"'()\s]+)\s*\)|@import\s+("[^"]*"|'[^']*')/gi;
/** What stands in these is no part of the page as it is first shown; the tag of a script itself is. */
const STYLE_PART: SilentPart = { name: '<style', isTagShown: false, isShown: true, end: /<\/style\s*>/gi };
const STYLE_START = /<style\b/gi;
const SILENT_PARTS = [
  { name: '<!--', isTagShown: false, end: /-->/g },
  { name: '<script', isTagShown: true, end: /<\/script\s*>/gi },
  STYLE_PART,
  { name: '<template', isTagShown: false, end: /<\/template\s*>/gi },
  { name: '<noscript', isTagShown: false, end: /<\/noscript\s*>/gi },
];
const SILENT_START = /<!--|<(?:script|style|template|noscript)\b/gi;
const STYLE_COMMENTS = [{ name: '/*', isTagShown: false, end: /\*\//g }];
/** Longer than any path of a release with every character escaped, and a query besides: it leads nowhere inside. */
const TARGET_MAX = 4_000;
/** Elements whose `href`, `src` or `data` names something that has to be there, with those that lead to another page. */
const PAGE_LINKS: ReadonlySet<string> = new Set(['a', 'area', 'iframe', 'frame']);
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
  const lineAt = lineCounter(text);
  return Array.from(styleReferences(text), ({ target, start }) => ({ target, line: lineAt(start), isPage: false }));
}

function linksOfPage(text: string): FoundLink[] {
  const page = readPage(text);
  const found: { at: number; link: Omit<FoundLink, 'line'> }[] = [];
  let base: string | null = null;
  for (const { element, at, attributes } of elementsOf(page)) {
    const own = element === 'base' ? attributes.find(({ name }) => name === 'href') : undefined;
    if (own !== undefined) {
      base ??= referenceOf(own).target;
      found.push({ at, link: { target: base, isPage: true } });
    }
    for (const { target } of referencesOf(element, attributes)) {
      if (found.length > MAX_A_FILE) break;
      found.push({ at, link: { target, isPage: PAGE_LINKS.has(element) } });
    }
    if (found.length > MAX_A_FILE) break;
  }
  for (const { target, start } of styleElementReferences(page)) {
    if (found.length > MAX_A_FILE) break;
    found.push({ at: start, link: { target, isPage: false } });
  }
  // With another base nothing is relative to the page. What begins with a slash is below the same host all the same.
  const isElsewhere = base !== null && !leadsInside(base);
  const kept = found.filter(({ link }) => base === null || (!isElsewhere && link.target.startsWith('/')));
  const lineAt = lineCounter(text);
  return kept.sort((a, b) => a.at - b.at).map(({ at, link }) => ({ ...link, line: lineAt(at) }));
}

/** A page with what it shows nobody blanked: `elements` without its styles, `styles` with them. Both are as long as it. */
export type PageText = { elements: string; styles: string };

/** Blanks what is no part of the page as it is first shown, and leaves every place where it was. */
export function readPage(text: string): PageText {
  const styles = blankParts(text, SILENT_START, SILENT_PARTS);
  return { styles, elements: blankParts(styles, STYLE_START, [{ ...STYLE_PART, isShown: false }]) };
}

export type PageElement = { element: string; at: number; attributes: readonly Attribute[] };
/** `value` is as it is written, with its quotes, and `start` its place. */
export type Attribute = { name: string; value: string; start: number };
/** What an element or a style names: `start` and `end` are its place in the text. */
export type Reference = { target: string; start: number; end: number };

/** Yields the elements of a page, in their order. */
export function* elementsOf({ elements }: PageText): Generator<PageElement> {
  for (const { 1: element = '', 2: text = '', index } of elements.matchAll(ELEMENT)) {
    const at = index + 1 + element.length;
    const attributes = Array.from(text.matchAll(ATTRIBUTE), (match) => {
      const value = match[2] ?? '';
      return { name: (match[1] ?? '').toLowerCase(), value, start: at + match.index + match[0].length - value.length };
    });
    yield { element: element.toLowerCase(), at: index, attributes };
  }
}

/** Yields what the attributes of an element name. */
export function* referencesOf(element: string, attributes: readonly Attribute[]): Generator<Reference> {
  const names = PAGE_LINKS.has(element) || RESOURCES.has(element);
  for (const { name, value, start } of attributes) {
    if (name === 'style') yield* styleReferences(value, start);
    if (!names || !NAMES.has(name) || (name === 'data' && element !== 'object')) continue;
    const inner = innerOf(value, start);
    if (name === 'srcset') yield* candidatesIn(inner);
    else yield referenceIn(inner.text, inner.start);
  }
}

/** Candidates are parted by commas, each with a width or density behind it (HTML standard, 4.8.4.2.1). */
function* candidatesIn({ text, start }: Inner): Generator<Reference> {
  for (const match of text.matchAll(CANDIDATE)) {
    const written = match[1] ?? '';
    yield referenceIn(written, start + match.index + match[0].length - written.length);
  }
}

/** Yields what the styles inside a page name. */
export function* styleElementReferences({ styles }: PageText): Generator<Reference> {
  STYLE_START.lastIndex = 0;
  for (let found = STYLE_START.exec(styles); found !== null; found = STYLE_START.exec(styles)) {
    const start = STYLE_START.lastIndex;
    STYLE_PART.end.lastIndex = start;
    const end = STYLE_PART.end.exec(styles);
    if (end === null) return;
    yield* styleReferences(styles.slice(start, end.index), start);
    STYLE_START.lastIndex = STYLE_PART.end.lastIndex;
  }
}

/** Yields what a style sheet names, or a part of one that begins at `from`. */
export function* styleReferences(text: string, from = 0): Generator<Reference> {
  for (const match of blankParts(text, /\/\*/g, STYLE_COMMENTS).matchAll(CSS_REFERENCE)) {
    const value = match[1] ?? match[2] ?? '';
    const inner = innerOf(value, from + match.index + match[0].lastIndexOf(value));
    yield referenceIn(inner.text, inner.start);
  }
}

/** Returns what the whole value of an attribute names. */
export function referenceOf({ value, start }: Attribute): Reference {
  const inner = innerOf(value, start);
  return referenceIn(inner.text, inner.start);
}

type Inner = { text: string; start: number };

/** What stands between the quotes of a value, where there are any. */
function innerOf(value: string, start: number): Inner {
  const isQuoted = value.startsWith('"') || value.startsWith("'");
  return isQuoted ? { text: value.slice(1, -1), start: start + 1 } : { text: value, start };
}

function referenceIn(text: string, at: number): Reference {
  const written = text.trim();
  const start = at + text.length - text.trimStart().length;
  return { target: written.replaceAll('&amp;', '&'), start, end: start + written.length };
}

/**
 * Returns whether a target could lead to a file of the upload: it does not for other hosts, for places on the same
 * page, and for what a template fills in later.
 */
export function leadsInside(target: string): boolean {
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

/** Returns where a link leads on a site that is below this folder of its host, as if that were the root. */
export function withoutFolder(target: string, folder: string): string {
  const start = `/${folder}`;
  if (!target.startsWith(start)) return target;
  const rest = target.slice(start.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || /^[?#]/.test(rest) ? `/${rest}` : target;
}

/**
 * Holds references against the names of an upload, by the rules of the built-in host: a folder is its index.html, and
 * an address may leave out `.html`. `folded` maps each path in small letters to the path as it is; `below` is the folder
 * of its host that the site was built to be below.
 */
export function checkLinks(
  from: string,
  links: readonly FoundLink[],
  { paths, folded, below }: { paths: ReadonlySet<string>; folded: ReadonlyMap<string, string>; below: string | null },
): LinkFault[] {
  const faults: LinkFault[] = [];
  for (const link of links) {
    const path = resolve(from, below === null ? link.target : withoutFolder(link.target, below));
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

/** What is shown is stepped over and left as it is. */
type SilentPart = { name: string; isTagShown: boolean; isShown?: boolean; end: RegExp };

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
    const silent = text.slice(tagEnd, part.end.lastIndex);
    pieces.push(text.slice(at, tagEnd), part.isShown === true ? silent : blanked(silent));
    at = part.end.lastIndex;
    start.lastIndex = at;
  }
  return pieces.join('') + text.slice(at);
}

/** Blanks a part without changing its length or its lines, so that what follows stays where it is. */
function blanked(part: string): string {
  return part.replace(/[^\n]/g, ' ');
}
