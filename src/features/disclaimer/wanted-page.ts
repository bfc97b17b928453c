import { useVisit } from '../../lib/browser/location.ts';
import { isAppPath, matchesPath, paths } from '../../lib/paths/paths.ts';

/**
 * The page that somebody was going to when the gate led to /disclaimer: a path with its query and hash, and its name.
 * It is in the entry of the history, from page to page: a reload keeps it, and another destination begins anew.
 */
export type WantedPage = { to: string; title: string };

/** Returns the page to offer beside the fixed links, of which the dashboard is one. */
export function useWantedPage(): WantedPage | null {
  return readWantedPage(useVisit());
}

export function readWantedPage(state: unknown): WantedPage | null {
  if (typeof state !== 'object' || state === null || !('to' in state) || !('title' in state)) return null;
  const { to, title } = state;
  if (typeof to !== 'string' || typeof title !== 'string') return null;
  const [pathname = ''] = to.split(/[?#]/);
  return matchesPath(paths.dashboard, pathname) || !isAppPath(pathname) ? null : { to, title };
}
