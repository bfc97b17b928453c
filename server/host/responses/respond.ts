import type { IncomingHttpHeaders } from 'node:http';
import type { WebRequest } from '../../http/transport/http2.ts';
import type { WebResponse } from '../../http/transport/http2-response.ts';
import { headersOfReused, isHashedName } from '../../lib/content/cache-rule.ts';
import { AppError } from '../../lib/errors.ts';
import type { Route } from '../routing/site-list.ts';
import { evaluateConditions } from './conditions.ts';
import type { Contents } from './contents.ts';
import { type ErrorPage, PAGES } from './error-pages.ts';
import { type FileCache, WHOLE_MAX_BYTES } from './file-cache.ts';
import type { RequestPath } from './request-path.ts';
import { type Resolved, resolveFallback, resolvePath } from './resolve-path.ts';
import { type BodyRange, sendBody } from './send-body.ts';
import { type Body, bodyFor, type Entry } from './served-file.ts';
import type { Site } from './site.ts';
import { applyHeaderChange } from './site-rules.ts';

/** Shared by all answers of the host. */
export type RespondDeps = {
  files: FileCache;
  contents: Contents;
  /**
   * Returns a file of a release before the last switches, if its name says that its content never changes. Null when
   * there is no release to search, so that most misses wait for nothing.
   */
  earlier(route: Route, path: string): Promise<Entry | undefined> | null;
  /**
   * Returns the release that has replaced this one meanwhile, if the database says so; null when there is none to be
   * looked for. Rejects when its list of files cannot be read.
   */
  newer(exchange: Exchange): Promise<Newer | null> | null;
  /** Returns whether the request came over https, also through the proxies in front. */
  isSecure(request: WebRequest): boolean;
  onTrouble(error: unknown, route: Route, path: string): void;
  /** Called after the answer, or as much of it as there is, was sent. */
  onAnswered(exchange: Exchange, status: number, bytes: number, isPage: boolean): void;
};

export type Newer = Pick<Exchange, 'route' | 'site'>;

/**
 * One request with everything that its answer is made from. It is read once, so that a switch in between changes
 * nothing.
 */
export type Exchange = {
  host: RespondDeps;
  request: WebRequest;
  response: WebResponse;
  method: 'GET' | 'HEAD';
  path: RequestPath;
  route: Route;
  site: Site;
  /** False at a release's own address, which its owner previews. */
  isPublic: boolean;
  /** Measured by `performance.now()`. */
  startedAt: number;
};

/** Answers one request from one release. Waits for nothing when the file is in memory. */
export function respond(exchange: Exchange): void {
  const found = resolvePath(exchange.site, exchange.path, exchange.route);
  if (found === null) respondWithoutFile(exchange);
  else sendFound(exchange, found);
}

function respondWithoutFile(exchange: Exchange): void {
  const { host, route, path } = exchange;
  const earlier = host.earlier(route, path.file);
  if (earlier === null) {
    sendFallback(exchange);
    return;
  }
  earlier
    .then((entry) => (entry === undefined ? sendFallback(exchange) : sendFound(exchange, { kind: 'file', entry })))
    .catch((error: unknown) => sendUnknown(exchange, error));
}

function sendFallback(exchange: Exchange): void {
  const { site, path, route, request } = exchange;
  const found = resolveFallback(site, path, route, () => wantsPage(request.headers));
  // There is nothing newer of a page that only a script knows; a hashed name is never one.
  const newer = found.kind === 'missing' || isHashedName(path.file) ? exchange.host.newer(exchange) : null;
  if (newer === null) {
    sendFound(exchange, found);
    return;
  }
  newer
    .then((switched) => (switched === null ? sendFound(exchange, found) : respond({ ...exchange, ...switched })))
    .catch((error: unknown) => sendUnknown(exchange, error));
}

/** Values that a browser sends when it opens a page (https://www.w3.org/TR/fetch-metadata/). */
export const PAGE_PLACES = new Set(['document', 'iframe', 'frame', 'embed', 'object', 'fencedframe']);

/**
 * Returns whether the client can use a page. Programs that make previews or check links take anything (RFC 9110,
 * 12.5.1: as if `Accept` was not there); a script would take the page for data, unless it names HTML.
 */
function wantsPage({ accept = '*/*', 'sec-fetch-dest': place }: IncomingHttpHeaders): boolean {
  const takes = accept
    .toLowerCase()
    .split(',')
    .flatMap((range) => (/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range) ? [] : range.split(';', 1)));
  const types = takes.map((type) => type.trim());
  if (types.includes('text/html')) return place === undefined || place === 'empty' || PAGE_PLACES.has(String(place));
  return (place === undefined || PAGE_PLACES.has(String(place))) && (types.includes('*/*') || types.includes('text/*'));
}

/** Answers with an error when it is unknown whether the file exists; a 404 would say that it does not. */
function sendUnknown({ host, response, route, path }: Exchange, error: unknown): void {
  if (!(error instanceof AppError)) host.onTrouble(error, route, path.file);
  sendErrorPage(response, error);
}

function sendFound(exchange: Exchange, found: Resolved): void {
  const entry = found.kind === 'redirect' ? undefined : found.entry;
  const { host, request, route } = exchange;
  const acceptEncoding = request.headers['accept-encoding'];
  const preparing = entry === undefined ? null : host.contents.prepare(entry, acceptEncoding, route.accountId);
  if (preparing === null) {
    sendDecided(exchange, found);
    return;
  }
  preparing
    // A file that cannot be read is reported when it is sent; one that cannot be compressed is sent as it is.
    .catch(() => undefined)
    .then(() => sendDecided(exchange, found))
    .catch((error: unknown) => sendUnknown(exchange, error));
}

function sendDecided(exchange: Exchange, found: Resolved): void {
  if (found.kind === 'file') sendFile(exchange, found.entry);
  else if (found.kind === 'singlePage') sendFile(exchange, found.entry, 'Accept, Sec-Fetch-Dest');
  else if (found.kind === 'redirect') answerRedirect(exchange, found);
  else sendNotFound(exchange, found.entry);
}

/** Sends a page of the host itself. */
export function sendPage(response: WebResponse, page: ErrorPage): void {
  response.writeHead(page.status, page.headers).end(page.body);
}

export function sendRedirect(response: WebResponse, status: number, location: string): void {
  const headers = ['Location', location, 'Content-Length', '0', 'Cache-Control', 'public, max-age=0, must-revalidate'];
  response.writeHead(status, [...headers, 'X-Content-Type-Options', 'nosniff']).end();
}

function answerRedirect(exchange: Exchange, { status, location }: { status: number; location: string }): void {
  sendRedirect(exchange.response, status, location);
  answered(exchange, status, 0);
}

function sendNotFound(exchange: Exchange, entry: Entry | undefined): void {
  if (entry === undefined) {
    answerPage(exchange, PAGES.noPage);
    return;
  }
  const body = bodyFor(entry, exchange.request.headers['accept-encoding']);
  const headers = withSiteHeaders(exchange, body.notFoundHeaders, 404);
  sendRange(exchange, entry, body, { status: 404, headers, start: 0, end: body.sizeBytes });
}

/** `varyToo` lists request headers that decided about the answer besides the encoding. */
function sendFile(exchange: Exchange, entry: Entry, varyToo?: string): void {
  const { request, response, method } = exchange;
  const body = bodyFor(entry, request.headers['accept-encoding']);
  const outcome = evaluateConditions(method, request.headers, body);
  if (outcome.kind === 'whole') {
    const headers = withSiteHeaders(exchange, body.okHeaders, 200, varyToo);
    sendRange(exchange, entry, body, { status: 200, headers, start: 0, end: body.sizeBytes });
  } else if (outcome.kind === 'notModified') {
    response.writeHead(304, withSiteHeaders(exchange, body.notModifiedHeaders, 304, varyToo)).end();
    answered(exchange, 304, 0, entry);
  } else if (outcome.kind === 'part') {
    const { start, end } = outcome;
    const range = ['Content-Range', `bytes ${start}-${end - 1}/${body.sizeBytes}`, 'Content-Length', `${end - start}`];
    const headers = [...withSiteHeaders(exchange, body.partHeaders, 206, varyToo), ...range];
    sendRange(exchange, entry, body, { status: 206, headers, start, end });
  } else if (outcome.kind === 'preconditionFailed') {
    answerPage(exchange, PAGES.preconditionFailed);
  } else {
    const headers = ['Content-Range', `bytes */${body.sizeBytes}`, 'Content-Length', '0', 'Cache-Control', 'no-cache'];
    response.writeHead(416, [...headers, 'X-Content-Type-Options', 'nosniff']).end();
    answered(exchange, 416, 0);
  }
}

/** Returns the headers with the changes of the site's own rules; without rules, the finished list itself. */
function withSiteHeaders(exchange: Exchange, finished: string[], status: number, varyToo?: string): string[] {
  const { host, request, site, path, route } = exchange;
  const headers = headersOfReused(finished, path.file, route.reusedNames);
  const change = site.rules === null ? null : site.rules.headersFor(path.file);
  const wish = change && { isSecure: host.isSecure(request), keepsCacheControl: status === 404 };
  const own = change === null || wish === null ? headers : applyHeaderChange(headers, change, wish);
  return varyToo === undefined ? own : [...own, 'Vary', varyToo];
}

function sendRange(exchange: Exchange, entry: Entry, body: Body, range: BodyRange): void {
  const { host, response, method, route } = exchange;
  const buffer = host.files.known(body.source.key);
  if (buffer !== undefined && buffer.length <= WHOLE_MAX_BYTES) {
    const isWhole = range.start === 0 && range.end === buffer.length;
    response.writeHead(range.status, range.headers).end(isWhole ? buffer : buffer.subarray(range.start, range.end));
    answered(exchange, range.status, method === 'GET' ? range.end - range.start : 0, entry);
    return;
  }
  sendBody({ files: host.files, response, method }, body, range)
    .then((bytes) => answered(exchange, range.status, bytes, entry))
    .catch((error: unknown) => {
      host.onTrouble(error, route, entry.path);
      // A compressed body that is gone or corrupted is no reason to fail: the file itself is there.
      if (body !== entry.plain && !response.headersSent) sendPlain(exchange, entry, range.status);
      else answerTrouble(exchange, error);
    });
}

function sendPlain(exchange: Exchange, entry: Entry, status: number): void {
  const { plain } = entry;
  const headers = withSiteHeaders(exchange, status === 404 ? plain.notFoundHeaders : plain.okHeaders, status);
  sendRange(exchange, entry, plain, { status, headers, start: 0, end: plain.sizeBytes });
}

function answerPage(exchange: Exchange, page: ErrorPage): void {
  sendPage(exchange.response, page);
  answered(exchange, page.status, exchange.method === 'GET' ? page.body.length : 0);
}

function answerTrouble(exchange: Exchange, error: unknown): void {
  sendErrorPage(exchange.response, error);
  answered(exchange, exchange.response.statusCode, 0);
}

function answered(exchange: Exchange, status: number, bytes: number, entry?: Entry): void {
  exchange.host.onAnswered(exchange, status, bytes, entry?.isPage === true);
}

/**
 * A failure is never sent as a 404, since a cached one outlives the fault, and never with wrong bytes: an answer that
 * has begun is cut off.
 */
export function sendErrorPage(response: WebResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (!(error instanceof AppError)) sendPage(response, PAGES.failed);
  else sendPage(response, error.code === 'artifact_corrupted' ? PAGES.corrupted : PAGES.unavailable);
}
