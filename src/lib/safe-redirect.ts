import { isAppPath, isAuthScreen } from './paths.ts';

/**
 * Where a sign-in leads: the `redirect` of the address when it is a path of the app itself, else null. Parsed as the
 * browser would parse it, so that `//host`, `/\host` and a tab in the middle are seen for what they are. Pure.
 */
export function wantedRedirect(redirect: string | null, origin: string): string | null {
  if (redirect === null || !redirect.startsWith('/') || !URL.canParse(redirect, origin)) return null;
  const target = new URL(redirect, origin);
  // Dots can leave two slashes at the start (`/.//host`), which name another host wherever they are followed.
  const isOneAddress = !target.pathname.includes('//');
  const isOwn = target.origin === new URL(origin).origin && isOneAddress && isAppPath(target.pathname);
  if (!isOwn || isAuthScreen(target.pathname)) return null;
  return target.pathname + target.search + target.hash;
}
