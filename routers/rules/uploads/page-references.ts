/** These functions find the references in elements and styles of a page, with their positions: pure, over texts. */

const ELEMENT = /<([a-z][a-z0-9-]*)(\s(?:"[^"]*"|'[^']*'|[^"'<>])*)>/gi;
/** Matches one attribute after the other, so that text in a value is not taken for an attribute. */
const ATTRIBUTE = /([^\s=>"'/]+)\s*(?:=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g;
const NAMES = new Set(['href', 'xlink:href', 'src', 'poster', 'srcset', 'data']);
/** A comma without a space after it may be part of an address. */
const CANDIDATE = /(?:^|,\s)\s*([^\s,][^\s]*)/g;
const CSS_REFERENCE = /url\(\s*("[^"]*"|'[^']*'|[^"'()\s]+)\s*\)|@import\s+("[^"]*"|'[^']*')/gi;
/** The content of these is no part of the page as first shown; the tag of a script itself is. */
const STYLE_PART: SilentPart = { name: '<style', isTagShown: false, isShown: true, end: /<\/style\s*>/gi };
const STYLE_START = /<style\b/gi;
const SILENT_PARTS = [
  { name: '<!--', isTagShown: false, end: /-->/g },
  { name: '<script', isTagShown: true, end: /<\/script\s*>/gi },
  STYLE_PART,
  { name: '<template', isTagShown: false, end: /<\/template\s*>/gi },
  { name: '<noscript', isTagShown: false, end: /<\/noscript\s*>/gi },
];
const SHOWN_LATER: ReadonlySet<string> = new Set(['<template', '<noscript']);
const SILENT_START = /<!--|<(?:script|style|template|noscript)\b/gi;
const STYLE_COMMENTS = [{ name: '/*', isTagShown: false, end: /\*\//g }];
/** The `href`, `src` or `data` of these elements names something that must exist, including links to other pages. */
export const PAGE_LINKS: ReadonlySet<string> = new Set(['a', 'area', 'iframe', 'frame']);
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
  'use',
]);

/** A page without its hidden parts: `elements` lacks the styles, `styles` has them. Both have its length. */
export type PageText = { elements: string; styles: string };

/**
 * Blanks the parts that are not shown at first, without moving the rest. With `isWhole` parts that may be shown later
 * stay as well: templates, and content for browsers without scripts.
 */
export function readPage(text: string, { isWhole = false } = {}): PageText {
  const parts = isWhole ? SILENT_PARTS.filter(({ name }) => !SHOWN_LATER.has(name)) : SILENT_PARTS;
  const styles = blankParts(text, SILENT_START, parts);
  return { styles, elements: blankParts(styles, STYLE_START, [{ ...STYLE_PART, isShown: false }]) };
}

export type PageElement = { element: string; at: number; attributes: readonly Attribute[] };
/** `value` is the source text, with its quotes, and `start` its position. */
export type Attribute = { name: string; value: string; start: number };
/** A name in an element or a style: `start` and `end` are its position in the text. */
export type Reference = { target: string; start: number; end: number };

/** Yields the elements of a page, in order. */
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

/** Yields the references in the attributes of an element. */
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

/**
 * Yields the candidates, which are separated by commas and followed by a width or density (HTML standard, 4.8.4.2.1).
 */
function* candidatesIn({ text, start }: Inner): Generator<Reference> {
  for (const match of text.matchAll(CANDIDATE)) {
    const written = match[1] ?? '';
    yield referenceIn(written, start + match.index + match[0].length - written.length);
  }
}

/** Yields the references in the styles inside a page. */
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

/** Yields the references in a style sheet, or in a part of one that begins at `from`. */
export function* styleReferences(text: string, from = 0): Generator<Reference> {
  for (const match of blankParts(text, /\/\*/g, STYLE_COMMENTS).matchAll(CSS_REFERENCE)) {
    const value = match[1] ?? match[2] ?? '';
    const inner = innerOf(value, from + match.index + match[0].lastIndexOf(value));
    yield referenceIn(inner.text, inner.start);
  }
}

/** Returns the reference in an attribute's whole value. */
export function referenceOf({ value, start }: Attribute): Reference {
  const inner = innerOf(value, start);
  return referenceIn(inner.text, inner.start);
}

type Inner = { text: string; start: number };

/** Returns the text between the quotes of a value, if there are any. */
function innerOf(value: string, start: number): Inner {
  const isQuoted = value.startsWith('"') || value.startsWith("'");
  return isQuoted ? { text: value.slice(1, -1), start: start + 1 } : { text: value, start };
}

function referenceIn(text: string, at: number): Reference {
  const written = text.trim();
  const start = at + text.length - text.trimStart().length;
  return { target: written.replaceAll('&amp;', '&'), start, end: start + written.length };
}

/** A part to blank; with `isShown` it is skipped and stays as it is. */
type SilentPart = { name: string; isTagShown: boolean; isShown?: boolean; end: RegExp };

/**
 * Blanks these parts, from each start to the next end of its kind. An end that was not found is not searched for
 * again, so that each kind walks the text once and not once for each start.
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

/** Blanks a part without changing its length or its lines, so that the rest keeps its place. */
function blanked(part: string): string {
  return part.replace(/[^\n]/g, ' ');
}
