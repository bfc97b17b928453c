import type { WebRequest } from '../http/transport/http2.ts';
import { siteUrl } from '../lib/site-names.ts';
import { locationOf, type RequestPath } from './responses/request-path.ts';

/** An authority of certificates asks here in the clear (RFC 8555, section 8.3). */
const CHALLENGES = '.well-known/acme-challenge/';

/** Such a path is answered at the very name and scheme that it was asked for. */
export const isChallenge = (path: RequestPath): boolean => path.file.startsWith(CHALLENGES);

/** Returns the token that such a path asks for. */
export const challengeTokenOf = (path: RequestPath): string => path.file.slice(CHALLENGES.length);

export type HttpsRedirect = (request: WebRequest, host: string, path: RequestPath) => string | null;

/**
 * Returns whether a request is sure to have come in the clear, so that to lead it to https is never a circle: a proxy that
 * ends TLS says so, also one that is not trusted, since whoever lies here stays in the clear alone; and a trusted one that
 * says nothing may have ended TLS as well.
 */
export function isInClear({ headers }: WebRequest, trustedProxies: number): boolean {
  const protocol = headers['x-forwarded-proto'];
  return protocol === 'http' || (protocol === undefined && trustedProxies === 0);
}

/** Returns what says where a request that came in the clear is led, or null where it is answered as it came. */
export function createHttpsRedirect(sitesUrl: string, trustedProxies: number): HttpsRedirect {
  return (request, host, path) => {
    if (!isInClear(request, trustedProxies) || isChallenge(path)) return null;
    return `${siteUrl({ sitesUrl }, host)}${locationOf(path)}`;
  };
}
