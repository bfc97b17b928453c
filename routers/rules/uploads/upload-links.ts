import { UPLOAD_LIMITS } from '../../schemas/limits.ts';
import { normalForm } from '../../schemas/normal-form.ts';
import { lineCounter } from '../text-lines.ts';
import {
  elementsOf,
  PAGE_LINKS,
  type Reference,
  readPage,
  referenceOf,
  referencesOf,
  styleElementReferences,
  styleReferences,
} from './page-references.ts';

/** These functions find the links in an upload's texts and check whether their files exist: pure, over names and texts. */

/** One reference in a text: `target` is the source text, `line` counts from one. */
export type FoundLink = { target: string; line: number; isPage: boolean };
/** `leadsTo` is the address on the site, without its first slash; `found` the path that differs only in capitals. */
export type LinkFault = {
  link: FoundLink;
  leadsTo: string;
  state: 'broken' | 'case' | 'empty' | 'local';
  found: string | null;
};

/** Links in larger files are not checked. */
const LINK_FILE_MAX_BYTES = 2 * 1024 * 1024;
/** Further links in one file are not checked. */
const MAX_A_FILE = 2_000;

/** Longer than any path of a release with every character escaped, and a query: it cannot lead inside. */
const TARGET_MAX = 4_000;

/** Returns whether a file is a page, style sheet or script, and small enough to read whole. */
export function mayHoldLinks({ path, sizeBytes }: { path: string; sizeBytes: number }): boolean {
  return sizeBytes <= LINK_FILE_MAX_BYTES && /\.(html?|css|m?js)$/i.test(path);
}

/** Returns the references in a page or style sheet that could lead inside the upload, or to its author's computer. */
export function findLinks(path: string, text: string): FoundLink[] {
  if (/\.m?js$/i.test(path)) return [];
  const found = /\.css$/i.test(path) ? linksIn(text, styleReferences(text)) : linksOfPage(text);
  return found.filter(({ target }) => leadsInside(target) || isLocal(target)).slice(0, MAX_A_FILE);
}

/** Turns these references into links, with their lines. */
export function linksIn(text: string, references: Iterable<Reference>): FoundLink[] {
  const lineAt = lineCounter(text);
  return Array.from(references, ({ target, start }) => ({ target, line: lineAt(start), isPage: false }));
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
  // With another base nothing is relative to the page. Links that begin with a slash stay below the same host all the
  // same.
  const isElsewhere = base !== null && !leadsInside(base);
  const kept = found.filter(({ link }) => base === null || (!isElsewhere && link.target.startsWith('/')));
  const lineAt = lineCounter(text);
  return kept.sort((a, b) => a.at - b.at).map(({ at, link }) => ({ ...link, line: lineAt(at) }));
}

/**
 * Returns whether a target could lead to a file of the upload, and not to another host, to a place on the same page,
 * or to a template's placeholder.
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

/** Matches files and servers of the computer on which the link was written: nobody else can open them. */
const LOCAL = /^(?:file:|[a-z]:[\\/]|(?:https?:)?\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?#]|$))/i;

function isLocal(target: string): boolean {
  return target.length <= TARGET_MAX && LOCAL.test(target);
}

/** Returns a link's target on a site below this folder of its host, as if the folder were the root. */
export function withoutFolder(target: string, folder: string): string {
  const start = `/${folder}`;
  if (!target.startsWith(start)) return target;
  const rest = target.slice(start.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || /^[?#]/.test(rest) ? `/${rest}` : target;
}

type LinkScope = {
  paths: ReadonlySet<string>;
  folded: ReadonlyMap<string, string>;
  empty?: ReadonlySet<string>;
  below: string | null;
};

/**
 * Checks references against the names of an upload, by the rules of the built-in host: a folder is its index.html, and
 * an address may leave out `.html`. `folded` maps each path in lower case to its real form; `below` is the folder of
 * its host that the site was built for; `empty` holds the paths of files that show nothing.
 */
export function checkLinks(
  from: string,
  links: readonly FoundLink[],
  { paths, folded, empty, below }: LinkScope,
): LinkFault[] {
  const faults: LinkFault[] = [];
  for (const link of links) {
    if (isLocal(link.target)) {
      faults.push({ link, leadsTo: '', state: 'local', found: null });
      continue;
    }
    const path = resolve(from, below === null ? link.target : withoutFolder(link.target, below));
    if (path === null) continue;
    const candidates = candidatesOf(path);
    const there = candidates.find((candidate) => paths.has(candidate));
    if (there !== undefined) {
      if (empty?.has(there) === true) faults.push({ link, leadsTo: path, state: 'empty', found: there });
      continue;
    }
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

/** Returns the path in the upload that a reference names; null when it leads outside or cannot be read. */
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
