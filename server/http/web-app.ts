import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { contentType } from 'mime-types';
import type { Addresses, Providers } from '../context.ts';
import type { PaymentService } from '../plans/payments/payments.ts';
import { ownOrigins, setPageHeaders } from './security.ts';

const NONCE_MARK = '__CSP_NONCE__';
/** Replaced by the host of the sites, for the address that a screen shows before the deployment exists. */
const SITES_HOST_MARK = '__SITES_HOST__';
/** Replaced by `test`, or by the prices of the plans at the payment service: people see prices before they sign in. */
const CHECKOUT_MARK = '__CHECKOUT__';
/** The index file of a folder; addresses leave it out. */
const INDEX = '/index.html';
/** Files below this path have a hash of their content in their names. */
const HASHED = '/assets/';
const FOREVER = 'public, max-age=31536000, immutable';
const CHECK_EVERY_TIME = 'no-cache';

/** The build makes these variants beside a file; the best comes first. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

type WebFile = { body: Buffer; etag: string; type: string; encoded: { name: string; body: Buffer }[] };

export type WebApp = {
  load(): void;
  /** Answers a GET or HEAD of a page or one of its files; returns false for anything else. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): boolean;
};

/**
 * Serves the built React app from memory: it has a few megabytes, and a lookup in a map cannot reach a file outside
 * the folder. Every other address gets the app's own page, which routes in the browser.
 */
export function createWebApp(webRoot: string, providers: Pick<Providers, 'addresses' | 'payments'>): WebApp {
  let files = new Map<string, WebFile>();
  return {
    load() {
      files = readFolder(webRoot);
    },
    answer(request, response, path) {
      const { addresses, payments } = providers;
      if (redirected(request, response, addresses)) return true;
      const file = path === INDEX ? undefined : files.get(decoded(path));
      if (file !== undefined) {
        setPageHeaders(request, response, addresses, { path });
        sendFile(request, response, path, file);
        return true;
      }
      if (!isPage(request, path)) return false;
      sendPage(request, response, addresses, { path, index: files.get(INDEX), payments });
      return true;
    },
  };
}

/** A start reads it at once: a promise for each of hundreds of files would take several times as long. */
function readFolder(folder: string): Map<string, WebFile> {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const bodies = new Map<string, Buffer>();
  for (const entry of entries) {
    const path = `/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`;
    // The build's own notes are in hidden folders; of those only the one of RFC 8615 is public.
    if (!entry.isFile() || (path.includes('/.') && !path.startsWith('/.well-known/'))) continue;
    bodies.set(path, readFileSync(join(folder, path)));
  }
  const files = new Map<string, WebFile>();
  for (const [path, body] of bodies) {
    const encoded = ENCODINGS.flatMap(({ name, ending }) => {
      const packed = bodies.get(`${path}${ending}`);
      return packed === undefined ? [] : [{ name, body: packed }];
    });
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    files.set(path, { body, etag, type: contentType(extname(path)) || 'application/octet-stream', encoded });
  }
  return files;
}

/**
 * Redirects a page under another name of this machine to the public address: there it would have its own storage and
 * cookies.
 */
function redirected(request: IncomingMessage, response: ServerResponse, addresses: Addresses): boolean {
  const forwarded = request.headers['x-forwarded-host'];
  const behindProxy = (addresses.trustedProxies ?? 0) > 0;
  // A proxy that does not pass the name on leaves nothing to compare.
  const host = behindProxy ? forwarded : request.headers.host;
  if (host === undefined || Array.isArray(host)) return false;
  const { protocol, origin } = new URL(addresses.publicUrl);
  if (ownOrigins(addresses).includes(`${protocol}//${host.toLowerCase()}`)) return false;
  const target = request.url?.startsWith('/') ? request.url : '/';
  response.writeHead(308, { Location: `${origin}${target}`, 'Cache-Control': 'no-store' }).end();
  return true;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns whether a browser asks for a page, as HTML; a missing picture or script is a 404. */
function isPage(request: IncomingMessage, path: string): boolean {
  if (path.startsWith(HASHED)) return false;
  const accepts = request.headers.accept ?? '*/*';
  if (accepts.includes('text/html')) return true;
  return accepts.includes('*/*') && extname(path) === '';
}

function sendFile(request: IncomingMessage, response: ServerResponse, path: string, file: WebFile): void {
  response.setHeader('Cache-Control', path.startsWith(HASHED) ? FOREVER : CHECK_EVERY_TIME);
  response.setHeader('ETag', file.etag);
  if (file.encoded.length > 0) response.setHeader('Vary', 'Accept-Encoding');
  if (request.headers['if-none-match']?.includes(file.etag)) {
    response.writeHead(304).end();
    return;
  }
  const accepted = (request.headers['accept-encoding'] ?? '').split(',').map((entry) => entry.split(';')[0]?.trim());
  const packed = file.encoded.find(({ name }) => accepted.includes(name));
  if (packed !== undefined) response.setHeader('Content-Encoding', packed.name);
  const body = packed?.body ?? file.body;
  response.writeHead(200, { 'Content-Type': file.type, 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

type AppDocument = { path: string; index: WebFile | undefined; payments: PaymentService };

function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  addresses: Addresses,
  { path, index, payments }: AppDocument,
): void {
  const nonce = randomBytes(16).toString('base64url');
  setPageHeaders(request, response, addresses, { path, nonce });
  // Each copy carries a nonce of its own.
  response.setHeader('Cache-Control', 'no-store');
  if (index === undefined) {
    response.writeHead(503, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end('The web app has not been built. Run "npm run build".\n');
    return;
  }
  const html = index.body
    .toString('utf8')
    .replaceAll(NONCE_MARK, nonce)
    .replaceAll(SITES_HOST_MARK, shownHost(addresses))
    .replaceAll(CHECKOUT_MARK, shownCheckout(payments));
  const body = Buffer.from(html);
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Returns the host of a site without its scheme, as it is shown before there is an address to open. */
function shownHost({ sitesUrl }: Addresses): string {
  return sitesUrl.slice(sitesUrl.indexOf('//') + 2);
}

/** Returns `test`, or `BASIC:500:usd PRO:2900:usd`; empty until the service has answered. */
function shownCheckout({ isTest, hosted }: PaymentService): string {
  if (isTest) return 'test';
  const prices = hosted?.knownPrices() ?? [];
  return prices.map(({ plan, cents, currency }) => `${plan}:${cents}:${currency}`).join(' ');
}
