import { isAppPath, isAuthScreen } from './paths.ts';

/**
 * Returns where a sign-in leads: the `redirect` of the address if it is a path of the app itself, else null. It is
 * parsed as the browser would parse it, so that `//host`, `/\host` and a tab in the middle are recognized. Pure.
 */
export function wantedRedirect(redirect: string | null, origin: string): string | null {
  if (redirect === null || !redirect.startsWith('/') || !URL.canParse(redirect, origin)) return null;
  const target = new URL(redirect, origin);
  // Dots can leave two slashes at the start (`/.//host`), which name another host when followed.
  const isOneAddress = !target.pathname.includes('//');
  const isOwn = target.origin === new URL(origin).origin && isOneAddress && isAppPath(target.pathname);
  if (!isOwn || isAuthScreen(target.pathname)) return null;
  return target.pathname + target.search + target.hash;
}
