import type { PlatformCapabilities } from './capabilities/platform-capabilities.ts';

/**
 * Returns whether a repository, as `name` or `owner/name`, is the one whose website is at the root of its owner's host
 * (docs.github.com, "What is GitHub Pages", 2026-07).
 */
export function isOwnersSite(repository: string, owner = /^[^/.]+/.exec(repository)?.[0] ?? ''): boolean {
  const name = repository.slice(repository.indexOf('/') + 1);
  return name.toLowerCase() === ownersSite(owner).toLowerCase();
}

/** Returns the name of that repository, and of the host. */
export function ownersSite(owner: string): string {
  return `${owner}.github.io`;
}

/**
 * Returns the folder of a host below which visitors find a site, where links that begin with a slash lead outside it:
 * '' for the root, null when the name is not known yet. It exists until a domain of its own points to the site; a
 * domain that is only requested does not count. `url` is empty before there is one; then `repository`, which a person
 * may have chosen, decides.
 */
export function folderOf(
  basePath: PlatformCapabilities['basePath'] | undefined,
  url: string,
  hasActiveDomain: boolean,
  repository: unknown = undefined,
): string | null {
  if (hasActiveDomain) return '';
  if (url !== '') return new URL(url).pathname.replace(/^\/|\/$/g, '');
  if (basePath !== 'repositoryFolder') return '';
  if (typeof repository !== 'string' || repository === '') return null;
  return isOwnersSite(repository) ? '' : repository.slice(repository.indexOf('/') + 1);
}
