import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { Addresses } from '../context.ts';
import { AppError } from '../lib/errors.ts';
import { MAILED_LINK_PATHS } from '../lib/mailed-links.ts';
import { siteHost, siteUrl } from '../lib/site-names.ts';

const CHANGES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const LOOPBACK_NAMES = ['127.0.0.1', '[::1]'];
const JSON_TYPE = /^application\/json\s*(;|$)/i;
/** Uploads take files; their own routes check the type of each. */
const UPLOADS = '/api/uploads/';

/** Returns the public origin; while that is on localhost, the same port at the loopback addresses too. */
export function ownOrigins({ publicUrl }: Addresses): string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl);
  if (hostname !== 'localhost') return [origin];
  return [origin, ...LOOPBACK_NAMES.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)];
}

/** Returns whether people reach the app at this address, written as in a browser's `Origin`. */
export function isOwnOrigin(origin: string, addresses: Addresses): boolean {
  return ownOrigins(addresses).includes(origin);
}

/** Returns `origin_foreign`, with the address to open. */
export function foreignOrigin({ publicUrl }: Addresses): AppError {
  return new AppError('origin_foreign', `This call came from another site. Open ${publicUrl} and try again there.`);
}

/**
 * Guards every call below /api that changes something, before its body is read, by its origin and content type. A call
 * with neither `Origin` nor `Sec-Fetch-Site` may pass: every current browser sends one of them. Throws
 * `origin_foreign`, `body_type_unsupported`.
 */
export function requireOwnOrigin(request: IncomingMessage, path: string, addresses: Addresses): void {
  if (!CHANGES.has(request.method ?? '')) return;
  const { origin } = request.headers;
  if (origin !== undefined && !isOwnOrigin(origin, addresses)) throw foreignOrigin(addresses);
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw foreignOrigin(addresses);
  if (path.startsWith(UPLOADS) || !hasBody(request)) return;
  if (isJson(request)) return;
  throw new AppError('body_type_unsupported', 'Send the body as application/json.');
}

/**
 * Refuses a request with an invalid Host, as RFC 9112, section 3.2 demands: libraries build a URL from it and would
 * throw. HTTP/1.0 has none. Throws `bad_request`.
 */
export function requireHostName({ headers: { host } }: Pick<IncomingMessage, 'headers'>): void {
  // Browsers write other letters as ASCII. Node's URL takes some of them in one call, and refuses them in the next.
  if (host === undefined || (/^(?:(?![/?#@\\])[!-~])+$/.test(host) && URL.canParse(`http://${host}`))) return;
  throw new AppError('bad_request', 'The header Host of this request names no host.');
}

export function isJson({ headers }: IncomingMessage): boolean {
  return JSON_TYPE.test(headers['content-type'] ?? '');
}

export function hasBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > 0;
}

function isHttps({ publicUrl }: Addresses): boolean {
  return publicUrl.startsWith('https:');
}

/** Sets the headers of all answers of /api: none of them is a page, so none may act like one. */
export function setApiHeaders(response: ServerResponse, addresses: Addresses): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Referrer-Policy', 'same-origin');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (isHttps(addresses)) response.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
}

/** Returns the content security policy of a page. Radix injects a style for its scroll lock, which needs the nonce. */
function contentPolicy(addresses: Addresses, nonce: string | undefined): Record<string, string[]> {
  const { host } = new URL(addresses.publicUrl);
  return {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", ...(nonce === undefined ? [] : [`'nonce-${nonce}'`])],
    imgSrc: ["'self'", 'data:', 'blob:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'", `${isHttps(addresses) ? 'wss' : 'ws'}://${host}`],
    frameSrc: [siteUrl(addresses, siteHost(addresses.sitesDomain, { slug: '*', release: null }))],
    workerSrc: ["'self'"],
    manifestSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    objectSrc: ["'none'"],
  };
}

/** Returns whether a mailed link leads to this page: such a page must not reveal the address it was opened from. */
function isMailedLinkPage(path: string): boolean {
  return Object.values(MAILED_LINK_PATHS).some((page) => path === page || path.startsWith(`${page}/`));
}

/** Sets the headers of a page and its files. `nonce` is for the one document that carries it. */
export function setPageHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  addresses: Addresses,
  { path, nonce }: { path: string; nonce?: string },
): void {
  const carry = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: contentPolicy(addresses, nonce) },
    strictTransportSecurity: isHttps(addresses) && { maxAge: 31_536_000, includeSubDomains: true },
    referrerPolicy: { policy: isMailedLinkPage(path) ? 'no-referrer' : 'same-origin' },
  });
  carry(request, response, () => undefined);
  response.setHeader('Permissions-Policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()');
  if (nonce !== undefined) {
    response.setHeader('Content-Security-Policy-Report-Only', "require-trusted-types-for 'script'");
  }
}
