import { elementsOf, type PageElement, type PageText, type Reference, referenceOf } from './page-references.ts';

/** The files that scripts name by `import` and by import maps, as far as their own syntax tells them: pure, over texts. */

const SPECIFIER = /\b(?:from|import)\s*(?:\(\s*)?(?:"(\/[^"\\\n]*)"|'(\/[^'\\\n]*)')/g;
/** What only looks like an import names no file: a sentence in quotes, or the address of a page. */
const MODULE_FILE = /\.(?:m?js|css|json|wasm)(?:[?#]|$)/i;
const MAPPED = /"(\/[^"\\\n]*)"/g;
const SCRIPT_END = /<\/script\s*>/gi;
const SCRIPT_TYPE = /^(?:module|(?:text|application)\/(?:java|ecma)script)?$/i;

/** Yields the modules that a script imports from the root of its host; `from` is where it begins. */
export function* moduleReferences(text: string, from = 0): Generator<Reference> {
  for (const match of text.matchAll(SPECIFIER)) {
    const target = match[1] ?? match[2] ?? '';
    const end = from + match.index + match[0].length - 1;
    if (MODULE_FILE.test(target)) yield { target, start: end - target.length, end };
  }
}

/** Yields what the scripts inside a page import from the root of its host, and what its import maps name there. */
export function* scriptReferences(text: string, page: PageText): Generator<Reference> {
  for (const script of elementsOf(page)) {
    if (script.element !== 'script') continue;
    const start = text.indexOf('>', script.at) + 1;
    SCRIPT_END.lastIndex = start;
    const end = start === 0 ? null : SCRIPT_END.exec(text);
    if (end === null) return;
    const content = text.slice(start, end.index);
    const type = typeOf(script);
    if (type === 'importmap') yield* mappedReferences(content, start);
    else if (SCRIPT_TYPE.test(type)) yield* moduleReferences(content, start);
  }
}

function typeOf({ attributes }: PageElement): string {
  const type = attributes.find(({ name }) => name === 'type');
  return type === undefined ? '' : referenceOf(type).target.toLowerCase();
}

function* mappedReferences(text: string, from: number): Generator<Reference> {
  for (const { 0: written, 1: target = '', index } of text.matchAll(MAPPED)) {
    yield { target, start: from + index + 1, end: from + index + written.length - 1 };
  }
}
