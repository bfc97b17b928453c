import {
  type AddressPattern,
  decodeAddress,
  exactAddress,
  patternNames,
  withoutEndSlash,
} from '../../../routers/rules/hosting/address-pattern.ts';
import type { HeaderPattern } from '../../../routers/rules/hosting/header-pattern.ts';
import { type HeaderRule, headersSteps } from '../../../routers/rules/hosting/headers-file.ts';
import { type RedirectRule, redirectsSteps } from '../../../routers/rules/hosting/redirects-file.ts';
import { packingOf } from '../../../routers/schemas/packed-files.ts';
import { contentTypeOf } from '../../lib/content/content-types.ts';

/**
 * The routes of a site, as an ordered list in the form of the Build Output API (vercel.com/docs/build-output-api,
 * "Configuration", July 2026): for platforms that take such a list, and for our own servers that follow it. Pure: the
 * same release gives the same bytes, so that an unchanged one is not sent again.
 *
 * The order is: headers and forced rules, the files themselves, the person's other rules, the address of a page
 * without its `.html`, the single page, the 404 page.
 */
export type BuildConfig = {
  version: 3;
  routes: Route[];
  /** Maps a file to the address where it is served instead of under its own name. */
  overrides: Record<string, { path: string }>;
};

type Route =
  | { handle: 'filesystem' | 'error' }
  | {
      src: string;
      caseSensitive: true;
      dest?: string;
      status?: number;
      headers?: Record<string, string>;
      continue?: true;
    };

export type SiteToServe = {
  paths: readonly string[];
  isSinglePage: boolean;
  /** The texts of `_redirects` and `_headers`; empty when the file does not exist. */
  redirects: string;
  headers: string;
};

const NOT_FOUND_PAGE = '404.html';
/** An address of a script's page has no extension, except for a version's end, and no part that begins with a dot. */
const PAGE_ADDRESS = '^(?!.*/\\.)/(?:.*/)?(?:[^./]*|[^/]+\\.[0-9]+)/?$';
/** A second slash must never follow the first: a browser takes the text after it for another host. */
const HTML_ADDRESS = '^/([^/\\\\].*)\\.html$';

/** Builds the configuration of a release; each file and each rule is one step. */
export function* configSteps({ paths, isSinglePage, redirects, headers }: SiteToServe): Generator<void, BuildConfig> {
  const files = new Set(paths);
  const overrides = yield* cleanAddresses(paths, files);
  const { rules } = yield* redirectsSteps(redirects);
  const routesOf = (isForced: boolean) =>
    inSteps(
      rules.filter((rule) => rule.isForced === isForced),
      (rule) => ruleRoute(rule, files, overrides),
    );
  const routes: Route[] = [
    ...(yield* inSteps(files, (path) => packedRoute(path, files))),
    ...(yield* inSteps((yield* headersSteps(headers)).rules, headerRoute)),
    ...(yield* routesOf(true)),
    { handle: 'filesystem' },
    ...(yield* routesOf(false)),
  ];
  if (Object.keys(overrides).length > 0) {
    routes.push({ src: HTML_ADDRESS, caseSensitive: true, status: 308, headers: { Location: '/$1' } });
  }
  if (isSinglePage && files.has('index.html')) {
    routes.push({ src: PAGE_ADDRESS, caseSensitive: true, dest: '/index.html' });
  }
  if (files.has(NOT_FOUND_PAGE)) {
    routes.push({ handle: 'error' }, { src: '^/.*$', caseSensitive: true, status: 404, dest: `/${NOT_FOUND_PAGE}` });
  }
  return { version: 3, routes, overrides };
}

function* inSteps<Item>(items: Iterable<Item>, routesOf: (item: Item) => Route[]): Generator<void, Route[]> {
  const routes: Route[] = [];
  for (const item of items) {
    yield;
    routes.push(...routesOf(item));
  }
  return routes;
}

/** `about.html` answers at `/about`, unless another file has that address. */
function* cleanAddresses(
  paths: readonly string[],
  files: ReadonlySet<string>,
): Generator<void, BuildConfig['overrides']> {
  const overrides: BuildConfig['overrides'] = {};
  for (const path of paths) {
    yield;
    if (!path.endsWith('.html') || path === NOT_FOUND_PAGE) continue;
    const clean = path.slice(0, -'.html'.length);
    const name = clean.slice(clean.lastIndexOf('/') + 1);
    if (name === '' || name === 'index' || files.has(clean) || files.has(`${clean}/index.html`)) continue;
    overrides[path] = { path: clean };
  }
  return overrides;
}

function ruleRoute(
  { from, to }: RedirectRule,
  files: ReadonlySet<string>,
  overrides: BuildConfig['overrides'],
): Route[] {
  const names = patternNames(from);
  const target = to.pieces.map((piece) =>
    'text' in piece ? literal(piece.text) : `$${names.indexOf(piece.name) + 1}`,
  );
  if (to.kind === 'rewrite') {
    const dest = to.pieces.every((piece) => 'text' in piece)
      ? servedAt(to.pieces.map((piece) => ('text' in piece ? piece.text : '')).join(''), files, overrides)
      : target.join('');
    // A rule for a file that does not exist leaves the address to the next rule.
    return dest === null ? [] : [{ src: patternSource(from), caseSensitive: true, dest, status: to.status }];
  }
  const location = to.origin + target.join('');
  const isFixed = to.origin === '' && to.pieces.every((piece) => 'text' in piece);
  // Nobody is redirected to the same address.
  const here = isFixed ? (decodeAddress(location.replace(/[?#].*$/s, '')) ?? '') : '';
  const exact = exactAddress(from);
  if (isFixed && exact !== null && withoutEndSlash(here) === `/${exact}`) return [];
  const elsewhere = isFixed && exact === null ? `(?!${textSource(here)}$)` : '';
  const src = patternSource(from, elsewhere);
  return [{ src, caseSensitive: true, status: to.status, headers: { Location: location } }];
}

/** Returns the address that serves the file which a rule names; null when there is none. */
function servedAt(target: string, files: ReadonlySet<string>, overrides: BuildConfig['overrides']): string | null {
  const file = target.replace(/^\/+/, '');
  const folder = file === '' || file.endsWith('/') ? file : `${file}/`;
  const found = [file, `${folder}index.html`, `${file}.html`].find((path) => files.has(path));
  if (found === undefined) return null;
  return `/${(overrides[found]?.path ?? found).split('/').map(encodeURIComponent).join('/')}`;
}

/** Escapes a text of a target: `$1` would be replaced by a part of the address. */
function literal(text: string): string {
  return text.replaceAll('$', '%24');
}

/** Tells browsers how to unpack a file that is already compressed, as the built-in host does. */
function packedRoute(path: string, files: ReadonlySet<string>): Route[] {
  const packing = packingOf(path, files);
  if (packing === null) return [];
  const headers = {
    'content-encoding': packing.coding,
    'content-type': contentTypeOf(packing.inner).split(';', 1)[0] ?? '',
  };
  return [{ src: `^/${textSource(path)}$`, caseSensitive: true, headers, continue: true }];
}

/**
 * Sets the headers of a rule. Of two rules for one header the later wins at Vercel, and headers of its edge cannot be
 * removed.
 */
function headerRoute({ fits, set }: HeaderRule): Route[] {
  if (set.length === 0) return [];
  const headers: Record<string, string> = {};
  for (const { name, value } of set) {
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return [{ src: fitsSource(fits), caseSensitive: true, headers, continue: true }];
}

function fitsSource(fits: HeaderPattern): string {
  if ('segments' in fits) return patternSource(fits);
  return `^${textSource(fits.before)}.*${textSource(withoutEndSlash(fits.after))}/?$`;
}

/** Strips slashes and backslashes from the start of the rest, since two of them would name another host. */
function patternSource({ segments, hasSplat, beforeSplat }: AddressPattern, before = ''): string {
  const parts = segments.map((segment) => ('text' in segment ? textSource(segment.text) : '([^/\\\\]+)'));
  const path = parts.map((part) => `/${part}`).join('');
  if (!hasSplat) return `^${before}${path}/?$`;
  const rest = '[/\\\\]*(|[^/\\\\].*)';
  return `^${before}${path}${beforeSplat === '' ? `(?:/${rest})?` : `/${textSource(beforeSplat)}${rest}`}$`;
}

/** Matches the text in either form of an address: as it is, or percent-encoded. */
function textSource(text: string): string {
  return [...text]
    .map((character) => {
      // An escape that stands for no text of a part: addresses keep it as it is.
      if (character === '\0') return '%';
      const plain = character.replace(/[\\^$.*+?()[\]{}|/-]/, (special) => (special === '/' ? '/' : `\\${special}`));
      const encoded = encodeURIComponent(character.replace(/\p{Cs}/u, '\ufffd'));
      return character === '/' || encoded === character ? plain : `(?:${plain}|${encoded})`;
    })
    .join('');
}
