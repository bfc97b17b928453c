import { LRUCache } from 'lru-cache';
import type { WebRequest } from '../../http/transport/http2.ts';
import { type ErrorPage, PAGES } from '../responses/error-pages.ts';
import { type RequestPath, readRequestPath } from '../responses/request-path.ts';
import { type Names, type Target, targetOf } from './host-name.ts';

/** Node drops surplus headers silently, so reaching its limit gets an answer of its own. */
export const HEADERS_MAX = 100;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;
/** Host headers repeat from a few clients' few names; the grammar is read once for each. */
const AUTHORITIES_MAX = 5_000;
/** RFC 1035, 2.3.4, with a colon and the five digits of a port; a longer one is never remembered. */
const AUTHORITY_LENGTH_MAX = 253 + 6;

export type Reading = { method: 'GET' | 'HEAD'; target: Exclude<Target, { kind: 'malformed' }>; path: RequestPath };
export type ReadRequest = (request: WebRequest) => Reading | ErrorPage;

/** Reads the target in the head of a request, or returns the page that refuses it. */
export function createRequestReader(names: Names): ReadRequest {
  const known = new LRUCache<string, Target>({ max: AUTHORITIES_MAX });

  function targetFor(authority: string): Target {
    const remembered = known.get(authority);
    if (remembered !== undefined) return remembered;
    if (authority.length > AUTHORITY_LENGTH_MAX) return targetOf(authority, names);
    // A copy, because the piece would hold the whole absolute target in memory.
    const own = Buffer.from(authority, 'latin1').toString('latin1');
    const target = targetOf(own, names);
    if (target.kind === 'malformed') return target;
    known.set(own, target);
    return target;
  }

  return (request) => {
    const { method, rawHeaders } = request;
    if (rawHeaders.length >= HEADERS_MAX * 2) return PAGES.tooManyHeaders;
    if (method !== 'GET' && method !== 'HEAD') return PAGES.methodNotAllowed;
    if (countHosts(rawHeaders) > 1) return PAGES.badRequest;
    const { authority, rest } = splitTarget(request);
    const target = targetFor(authority);
    const path = readRequestPath(rest);
    if (target.kind === 'malformed' || path === null) return PAGES.badRequest;
    return { method, target, path };
  };
}

/** Counts `Host` headers: more than one is a bad request (RFC 9112, section 3.2), but Node silently takes the first. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name !== undefined && name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** RFC 9112, 3.2.2: the host of an absolute target counts, and the `Host` header is ignored. */
function splitTarget(request: WebRequest): { authority: string; rest: string } {
  const url = request.url ?? '';
  if (url.startsWith('/')) return { authority: request.headers.host ?? '', rest: url };
  const [, authority = '', rest = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  return { authority, rest: rest.startsWith('/') ? rest : `/${rest}` };
}
