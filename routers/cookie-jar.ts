import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { CookieJar, JarName } from '../server/context.ts';
import { DISCLAIMER_COOKIE_SECONDS, SESSION_IDLE_SECONDS } from './schemas/limits.ts';

export const COOKIES: Record<JarName, { name: string; maxAgeSeconds: number }> = {
  refresh: { name: 'fairlead_refresh', maxAgeSeconds: SESSION_IDLE_SECONDS },
  device: { name: 'fairlead_device', maxAgeSeconds: 31_536_000 },
  disclaimer: { name: 'fairlead_disclaimer', maxAgeSeconds: DISCLAIMER_COOKIE_SECONDS },
};

/**
 * The prefix `__Host-` keeps a sibling host from setting the cookie (RFC 6265bis, section 4.1.3.2). It needs https;
 * without https the name stays plain.
 */
function cookieName(jarName: JarName, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}${COOKIES[jarName].name}`;
}

/**
 * Gives a service its cookies over one request and its answer. Only refreshing and logging out can read the refresh
 * cookie, so that a cookie never authorises any other call (cross-site requests carry cookies).
 */
export function createCookieJar(
  request: IncomingMessage,
  response: ServerResponse,
  { isSecure, mayReadRefresh }: { isSecure: boolean; mayReadRefresh: boolean },
): CookieJar {
  return {
    read(jarName) {
      if (jarName === 'refresh' && !mayReadRefresh) return undefined;
      return parseCookie(request.headers.cookie ?? '')[cookieName(jarName, isSecure)];
    },
    write(jarName, value) {
      const cookie = stringifySetCookie(cookieName(jarName, isSecure), value ?? '', {
        path: '/',
        maxAge: value === null ? 0 : COOKIES[jarName].maxAgeSeconds,
        httpOnly: true,
        sameSite: 'strict',
        secure: isSecure,
      });
      response.appendHeader('Set-Cookie', cookie);
    },
  };
}
