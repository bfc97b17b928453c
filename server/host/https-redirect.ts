import type { WebRequest } from '../http/transport/http2.ts';
import { siteUrl } from '../lib/site-names.ts';
import { locationOf, type RequestPath } from './responses/request-path.ts';

/** Authorities of certificates ask here over plain http (RFC 8555, section 8.3). */
const CHALLENGES = '.well-known/acme-challenge/';

/** Such a path is answered at the very name and scheme of the request. */
export const isChallenge = (path: RequestPath): boolean => path.file.startsWith(CHALLENGES);

/** Returns the token that such a path asks for. */
export const challengeTokenOf = (path: RequestPath): string => path.file.slice(CHALLENGES.length);

export type HttpsRedirect = (request: WebRequest, host: string, path: RequestPath) => string | null;

/**
 * Returns whether a request at the port in the clear came from its visitor in plain http as well. Only trusted proxies
 * are believed that it did not; one that says nothing may have ended TLS, and a redirect to https would loop.
 */
export function isInClear({ headers }: WebRequest, trustedProxies: number): boolean {
  return trustedProxies === 0 || headers['x-forwarded-proto'] === 'http';
}

/**
 * Returns a function that gives the https address for a plain http request, or null when the request is answered
 * without a redirect.
 */
export function createHttpsRedirect(sitesUrl: string, trustedProxies: number): HttpsRedirect {
  return (request, host, path) => {
    if (!isInClear(request, trustedProxies) || isChallenge(path)) return null;
    return `${siteUrl({ sitesUrl }, host)}${locationOf(path)}`;
  };
}
