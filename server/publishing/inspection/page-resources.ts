import {
  elementsOf,
  type PageElement,
  type Reference,
  readPage,
  referenceOf,
  referencesOf,
  styleElementReferences,
} from '../../../routers/rules/uploads/page-references.ts';

/** Each of these elements names a script or a picture by one of these attributes; for a `link` its `rel` decides. */
const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  script: ['src'],
  img: ['src', 'srcset'],
  source: ['srcset'],
  video: ['poster'],
  input: ['src'],
  image: ['href', 'xlink:href'],
  use: ['href', 'xlink:href'],
};
const LINKED: ReadonlySet<string> = new Set(['stylesheet', 'icon', 'apple-touch-icon', 'modulepreload']);
/** A template that a script fills in names nothing yet. */
const TO_BE_FILLED = /[{}<>]|\$\(/;
/** A longer address is written by a program. */
const ADDRESS_MAX = 500;
const RESOURCES_MAX = 50;

/**
 * Finds the style sheets, scripts and pictures that a page names on its own origin, as a browser that opened it at
 * `page` would request them: each address once, and the first fifty. Pauses after each element.
 */
export function* resourceSteps(text: string, page: URL): Generator<void, URL[]> {
  const html = readPage(text);
  const references: Reference[] = [];
  let base: string | null = null;
  for (const one of elementsOf(html)) {
    const href = one.element === 'base' ? one.attributes.find(({ name }) => name === 'href') : undefined;
    if (href !== undefined) base ??= referenceOf(href).target;
    references.push(...resourcesOf(one));
    yield;
    if (references.length > 2 * RESOURCES_MAX) break;
  }
  for (const reference of styleElementReferences(html)) {
    references.push(reference);
    yield;
    if (references.length > 4 * RESOURCES_MAX) break;
  }
  const from = base !== null && URL.canParse(base, page) ? new URL(base, page) : page;
  const found = new Map<string, URL>();
  for (const { target } of references) {
    const url = resourceAt(target, from);
    if (url?.origin === page.origin && found.size < RESOURCES_MAX) found.set(url.href, url);
  }
  return [...found.values()];
}

function* resourcesOf({ element, attributes }: PageElement): Generator<Reference> {
  const names = element === 'link' && isLinked(attributes) ? ['href'] : (NAMED_BY[element] ?? []);
  yield* referencesOf(
    element,
    attributes.filter(({ name }) => name === 'style' || names.includes(name)),
  );
}

function isLinked(attributes: PageElement['attributes']): boolean {
  const rel = attributes.find(({ name }) => name === 'rel');
  return (
    rel !== undefined &&
    referenceOf(rel)
      .target.toLowerCase()
      .split(/\s+/)
      .some((word) => LINKED.has(word))
  );
}

function resourceAt(target: string, from: URL): URL | null {
  if (target === '' || target.startsWith('#') || target.length > ADDRESS_MAX || TO_BE_FILLED.test(target)) return null;
  if (!URL.canParse(target, from)) return null;
  const url = new URL(target, from);
  url.hash = '';
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' ? url : null;
}
