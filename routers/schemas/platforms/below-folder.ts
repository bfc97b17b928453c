import type { PlatformCapabilities } from './capabilities/platform-capabilities.ts';

/**
 * Returns whether visitors find a site below a folder of a host, where links that begin with a slash break. It is there
 * until a domain of its own leads to it, which one that is only asked for does not. `url` is empty while there is none.
 */
export function isBelowFolder(
  basePath: PlatformCapabilities['basePath'] | undefined,
  url: string,
  hasActiveDomain: boolean,
): boolean {
  const isBelow = url === '' ? basePath === 'repositoryFolder' : new URL(url).pathname !== '/';
  return isBelow && !hasActiveDomain;
}
