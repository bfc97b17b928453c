import type { Redirection } from '../../../routers/rules/hosting/redirects-file.ts';
import { isHiddenPath } from '../../../routers/rules/uploads/served-path.ts';
import { extensionOf } from '../../lib/content/content-types.ts';
import { locationOf, type RequestPath } from './request-path.ts';
import type { Entry } from './served-file.ts';
import type { Site } from './site.ts';

/**
 * Options for the meaning of a path in a release (pure). These are tried in order: rules that are forced; the exact
 * file; a folder's `index.html`, and the redirect to it; `path.html`, and the redirect to it without a slash; then,
 * for what has no file, hashed files of earlier releases (respond.ts looks for them); rules; the single page; the 404
 * page.
 */
export type ServingOptions = { isSinglePage: boolean; hasCleanUrls: boolean };

export type Resolved =
  | { kind: 'file'; entry: Entry }
  /** The entry page in place of a page that only its script knows. */
  | { kind: 'singlePage'; entry: Entry }
  | { kind: 'redirect'; status: number; location: string }
  | { kind: 'missing'; entry: Entry | undefined };

/** Returns the file or redirect that the path itself names, or null. */
export function resolvePath(site: Site, path: RequestPath, options: ServingOptions): Resolved | null {
  const forced = site.rules?.redirects.forced(path.file, path.query, path.raw) ?? null;
  return (forced === null ? null : follow(site, forced, options)) ?? findFile(site, path, options);
}

function findFile(site: Site, { file, raw, query }: RequestPath, { hasCleanUrls }: ServingOptions): Resolved | null {
  const isFolder = file === '' || file.endsWith('/');
  const entry = site.find(isFolder ? `${file}index.html` : file);
  if (entry !== undefined) return { kind: 'file', entry };
  if (!isFolder) {
    if (site.find(`${file}/index.html`) !== undefined) return moved({ raw: `${raw}/`, query });
    const page = hasCleanUrls ? site.find(`${file}.html`) : undefined;
    return page === undefined ? null : { kind: 'file', entry: page };
  }
  const name = file.slice(0, -1);
  return hasCleanUrls && site.find(`${name}.html`) !== undefined ? moved({ raw: raw.slice(0, -1), query }) : null;
}

function moved(path: Pick<RequestPath, 'raw' | 'query'>): Resolved {
  return { kind: 'redirect', status: 308, location: locationOf(path) };
}

/**
 * Returns the answer for a path that names nothing; `wantsPage` tells whether the request came from somebody who opens
 * a page.
 */
export function resolveFallback(
  site: Site,
  path: RequestPath,
  options: ServingOptions,
  wantsPage: () => boolean,
): Resolved {
  const rule = site.rules?.redirects.otherwise(path.file, path.query, path.raw) ?? null;
  const found = rule === null ? null : follow(site, rule, options);
  if (found !== null) return found;
  if (options.isSinglePage && isPagePath(path.file) && wantsPage()) {
    const entry = site.find('index.html');
    if (entry !== undefined) return { kind: 'singlePage', entry };
  }
  return { kind: 'missing', entry: site.find('404.html') };
}

/**
 * A page of a script has no extension, and the end of a version is none (`/tool/1.2.3`). A dotfile is no page, so a
 * request for `.git/config` or `.env` finds nothing.
 */
function isPagePath(file: string): boolean {
  return /^\d*$/.test(extensionOf(file)) && !isHiddenPath(file);
}

/** Returns null when a rule names a file that is not there. */
function follow(site: Site, rule: Redirection, options: ServingOptions): Resolved | null {
  if (rule.kind === 'redirect') return rule;
  const fileAt = (file: string) => findFile(site, { file, raw: '', query: '' }, options);
  const named = fileAt(rule.file);
  const folder = named?.kind === 'redirect' ? fileAt(`${rule.file}/`) : named;
  if (folder?.kind !== 'file') return null;
  return rule.status === 200 ? folder : { kind: 'missing', entry: folder.entry };
}
