import { siteUrl } from '../site-names.ts';
import type { WebRequest } from '../transport/http2.ts';
import { locationOf, type RequestPath } from './request-path.ts';

/** An authority of certificates asks here in the clear (RFC 8555, section 8.3). */
const CHALLENGES = '.well-known/acme-challenge/';

export type HttpsRedirect = (request: WebRequest, host: string, path: RequestPath) => string | null;

/**
 * Returns what says where a request that came in the clear is led, or null where it is answered as it came. Never in a circle: a proxy that
 * ends TLS says so, also one that is not trusted, since whoever lies here stays in the clear alone; and a trusted one that
 * says nothing may have ended TLS as well.
 */
export function createHttpsRedirect(sitesUrl: string, trustedProxies: number): HttpsRedirect {
  return ({ headers }, host, path) => {
    const protocol = headers['x-forwarded-proto'];
    const isInClear = protocol === 'http' || (protocol === undefined && trustedProxies === 0);
    if (!isInClear || path.file.startsWith(CHALLENGES)) return null;
    return `${siteUrl({ sitesUrl }, host)}${locationOf(path.file, path.query)}`;
  };
}
