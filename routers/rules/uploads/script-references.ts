import {
  elementsOf,
  type PageElement,
  type PageText,
  type Reference,
  readPage,
  referenceOf,
  styleReferences,
} from './page-references.ts';
import { type FoundLink, leadsInside, linksIn } from './upload-links.ts';

/** The files that scripts name by `import` and by import maps, as far as the syntax shows: pure, over texts. */

const SPECIFIER = /\b(?:from|import)\s*(?:\(\s*)?(?:"(\/[^"\\\n]*)"|'(\/[^'\\\n]*)')/g;
/** A false import names no such file: it is a sentence in quotes, or the address of a page. */
const MODULE_FILE = /\.(?:m?js|css|json|wasm)(?:[?#]|$)/i;
const MAPPED = /"(\/[^"\\\n]*)"/g;
/** HTML standard, 4.2.5.3, "shared declarative refresh steps". */
const REFRESH = /^["']?\s*[\d.]+\s*[;,]\s*url\s*=\s*["']?([^"'\s]+)/i;
const SCRIPT_END = /<\/script\s*>/gi;
const SCRIPT_TYPE = /^(?:module|(?:text|application)\/(?:java|ecma)script)?$/i;

/** Returns links to the files inside the upload that the scripts in one page or script name. */
export function findScriptLinks(path: string, text: string): FoundLink[] {
  if (/\.css$/i.test(path)) return [];
  const found = fileReferences(path, text) ?? scriptReferences(text, readPage(text), { hasFolders: false });
  return linksIn(text, found).filter(({ target }) => leadsInside(target));
}

/** Yields the references of a style sheet or a script; null for a page, whose elements count. */
export function fileReferences(path: string, text: string): Iterable<Reference> | null {
  if (/\.css$/i.test(path)) return styleReferences(text);
  return /\.m?js$/i.test(path) ? moduleReferences(text) : null;
}

/** Yields the modules that a script imports from the root of its host; `from` is the start. */
function* moduleReferences(text: string, from = 0): Generator<Reference> {
  for (const match of text.matchAll(SPECIFIER)) {
    const target = match[1] ?? match[2] ?? '';
    const end = from + match.index + match[0].length - 1;
    if (MODULE_FILE.test(target)) yield { target, start: end - target.length, end };
  }
}

/**
 * Yields the imports of the scripts inside a page from the root of its host, and the addresses there in its import
 * maps.
 */
export function* scriptReferences(text: string, page: PageText, { hasFolders = true } = {}): Generator<Reference> {
  for (const script of elementsOf(page)) {
    if (script.element === 'meta') yield* refreshIn(script);
    if (script.element !== 'script') continue;
    const start = text.indexOf('>', script.at) + 1;
    SCRIPT_END.lastIndex = start;
    const end = start === 0 ? null : SCRIPT_END.exec(text);
    if (end === null) return;
    const content = text.slice(start, end.index);
    const type = typeOf(script);
    if (type === 'importmap') yield* mappedReferences(content, start, hasFolders);
    else if (SCRIPT_TYPE.test(type)) yield* moduleReferences(content, start);
  }
}

function typeOf({ attributes }: PageElement): string {
  const type = attributes.find(({ name }) => name === 'type');
  return type === undefined ? '' : referenceOf(type).target.toLowerCase();
}

/** Yields the addresses of an import map; an entry for a folder is a prefix and not a file. */
function* mappedReferences(text: string, from: number, hasFolders: boolean): Generator<Reference> {
  for (const { 0: written, 1: target = '', index } of text.matchAll(MAPPED)) {
    if (!hasFolders && target.endsWith('/')) continue;
    yield { target, start: from + index + 1, end: from + index + written.length - 1 };
  }
}

/** Yields the target to which a page redirects by itself. */
function* refreshIn({ attributes }: PageElement): Generator<Reference> {
  const kind = attributes.find(({ name }) => name === 'http-equiv');
  if (kind === undefined || referenceOf(kind).target.toLowerCase() !== 'refresh') return;
  const content = attributes.find(({ name }) => name === 'content');
  const match = content === undefined ? null : REFRESH.exec(content.value);
  const target = match?.[1] ?? '';
  if (content === undefined || match === null) return;
  const end = content.start + match[0].length;
  yield { target, start: end - target.length, end };
}
