import { leftOutRule, PACKAGES_LEFT_OUT } from './left-out-files.ts';

/**
 * Returns whether a host serves this file of `paths`. It does not serve the two files of rules, nor dotfiles, which
 * often hold secrets, apart from `.well-known`, pages, and those that were published on purpose.
 */
export function isServedPath(path: string, paths: { has(path: string): boolean }): boolean {
  if (path === '_redirects' || path === '_headers') return false;
  return !isHiddenPath(path) || isHiddenPage(path, paths) || isPrivate(path);
}

/** Packages are left out for their number; their dotfiles are as those of any folder. */
function isPrivate(path: string): boolean {
  const rule = leftOutRule(path);
  return rule !== null && rule !== PACKAGES_LEFT_OUT;
}

/** `..foo` and `...slug` are names and not dotfiles; files of `.well-known` exist to be requested (RFC 8615). */
const HIDDEN = /(?:^|\/)\.(?!\.|well-known(?:\/|$))/;
const HIDDEN_PART = /(?<=^|\/)\.(?!\.|well-known(?:\/|$))[^/]+/g;

/** Returns whether a path is a dotfile, or lies below a folder whose name begins with a dot. */
export function isHiddenPath(path: string): boolean {
  return HIDDEN.test(path);
}

/**
 * Returns whether each part that begins with a dot belongs to a website: a page such as `.net.html`, or a folder with
 * a page, such as `/tags/.net/`. Folders of tools contain no index.html.
 */
function isHiddenPage(path: string, paths: { has(path: string): boolean }): boolean {
  for (const { 0: part, index } of path.matchAll(HIDDEN_PART)) {
    const end = index + part.length;
    const isPage = end === path.length ? /.\.html?$/i.test(part) : paths.has(`${path.slice(0, end)}/index.html`);
    if (!isPage) return false;
  }
  return true;
}
