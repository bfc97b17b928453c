import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CookieJar, JarName } from '../server/service-context.ts';
import { DISCLAIMER_COOKIE_SECONDS } from './schemas/limits.ts';

/** Names and lives as the security facts, 1.4; the refresh cookie lives as long as an idle session. */
const COOKIES: Record<JarName, { name: string; maxAgeSeconds: number }> = {
  refresh: { name: 'fairlead_refresh', maxAgeSeconds: 2_592_000 },
  device: { name: 'fairlead_device', maxAgeSeconds: 31_536_000 },
  disclaimer: { name: 'fairlead_disclaimer', maxAgeSeconds: DISCLAIMER_COOKIE_SECONDS },
};

/** The prefix keeps a sibling host from planting one, and needs https; without https the plain name (security facts, 1.4). */
function cookieName(jarName: JarName, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}${COOKIES[jarName].name}`;
}

function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * A service's cookies over one request and its answer. The refresh cookie is in reach of refreshing and logging out
 * alone, so that no other call is ever authorised by a cookie (security facts, 1.6).
 */
export function createCookieJar(
  request: IncomingMessage,
  response: ServerResponse,
  { isSecure, mayReadRefresh }: { isSecure: boolean; mayReadRefresh: boolean },
): CookieJar {
  return {
    read(jarName) {
      if (jarName === 'refresh' && !mayReadRefresh) return undefined;
      return readCookie(request.headers.cookie, cookieName(jarName, isSecure));
    },
    write(jarName, value) {
      const name = cookieName(jarName, isSecure);
      const maxAge = value === null ? 0 : COOKIES[jarName].maxAgeSeconds;
      const attributes = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
      response.appendHeader('Set-Cookie', `${name}=${value ?? ''}; ${attributes}`);
    },
  };
}
