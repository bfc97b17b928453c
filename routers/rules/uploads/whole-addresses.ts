import { normalForm } from '../../schemas/normal-form.ts';
import { elementsOf, PAGE_LINKS, readPage, referencesOf } from './page-references.ts';
import { LISTED_PLACES } from './root-link-problem.ts';
import type { ProblemPlace, UploadProblem } from './upload-inspection.ts';
import { type FoundLink, linksIn } from './upload-links.ts';

/**
 * Files of an upload that its own pages load by an absolute address, because the tool was told the site's address. At
 * another address visitors see it without its styles, or with those of an older release. Pure, over texts and names.
 */

const ADDRESS = /^(?:https?:)?\/\/[^/\\]/i;
const ADDRESS_MAX = 2_000;
/** A tool writes them all alike, so a few of each page are enough. */
const MAX_A_PAGE = 50;

/** Returns the files that a page loads by an absolute address, without links to other pages. */
export function findWholeAddresses(path: string, text: string): FoundLink[] {
  if (!/\.html?$/i.test(path) || !text.includes('//')) return [];
  const found = [];
  for (const { element, attributes } of elementsOf(readPage(text))) {
    if (PAGE_LINKS.has(element) || (element === 'link' && !isLoaded(attributes))) continue;
    for (const reference of referencesOf(element, attributes)) {
      if (ADDRESS.test(reference.target) && reference.target.length <= ADDRESS_MAX) found.push(reference);
      if (found.length === MAX_A_PAGE) return linksIn(text, found);
    }
  }
  return linksIn(text, found);
}

/** Returns whether the element loads its target; `canonical` and the like only name the address of a page. */
function isLoaded(attributes: readonly { name: string; value: string }[]): boolean {
  return attributes.some(({ name, value }) => name === 'rel' && /stylesheet|icon|preload|manifest/i.test(value));
}

/** A single file may be a library that is also at another host. */
const FILES_MIN = 2;

/** Finds those that name files of the upload, at the address where most do; pauses after every page. */
export function* wholeAddressSteps(
  looks: ReadonlyMap<string, { addresses: readonly FoundLink[] }>,
  paths: ReadonlySet<string>,
): Generator<void, UploadProblem[]> {
  const own = new Map<string, ProblemPlace[]>();
  for (const [path, { addresses }] of looks) {
    for (const { target, line } of addresses) {
      const base = baseOf(target, paths);
      if (base === null) continue;
      const places = own.get(base) ?? [];
      own.set(base, places);
      places.push({ path, line, text: target });
    }
    yield;
  }
  const [most] = [...own].sort(([, a], [, b]) => b.length - a.length);
  if (most === undefined) return [];
  const [base, places] = most;
  if (new Set(places.map(({ text }) => text)).size < FILES_MIN) return [];
  return [
    {
      code: 'whole_address',
      message: `${places.length} links load files of the site from ${base}`,
      hint: 'The site was built for that address. At any other address these files are missing, or still load from the old one. Build the site for its address here, or write the links without a host name.',
      path: null,
      places: places.slice(0, LISTED_PLACES),
    },
  ];
}

/**
 * Returns the base address at which a file of the upload is named, the root of its host or a folder there; null when
 * there is no such file.
 */
function baseOf(target: string, paths: ReadonlySet<string>): string | null {
  const address = target.startsWith('//') ? `https:${target}` : target;
  if (!URL.canParse(address)) return null;
  const { origin, pathname } = new URL(address);
  const path = decoded(pathname.slice(1));
  if (path === null) return null;
  if (paths.has(path)) return `${origin}/`;
  const slash = path.indexOf('/');
  return slash > 0 && paths.has(path.slice(slash + 1)) ? `${origin}/${path.slice(0, slash + 1)}` : null;
}

function decoded(path: string): string | null {
  try {
    return normalForm(decodeURIComponent(path));
  } catch {
    return null;
  }
}
