/** Error pages of the host: fixed and neutral, without a word of any tenant, and built once. */
export type ErrorPage = { status: number; headers: string[]; body: Buffer };

type ErrorPageText = { status: number; title: string; text: string; cacheControl: string; extra?: readonly string[] };

function page({ status, title, text, cacheControl, extra = [] }: ErrorPageText): ErrorPage {
  const body = Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto 0;padding:0 1.5rem}h1{font-size:1.5rem}</style>
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
</body>
</html>
`);
  const headers = [
    'Content-Type',
    'text/html; charset=utf-8',
    'Content-Length',
    String(body.length),
    'Cache-Control',
    cacheControl,
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    ...extra,
  ];
  return { status, headers, body };
}

/**
 * Failures of the host are never cached, and a missing page is asked for again, because it may be published by then.
 */
const NO_STORE = 'no-store';
const NO_CACHE = 'no-cache';

export const PAGES = {
  badRequest: page({
    status: 400,
    title: 'This address cannot be read',
    text: 'The request does not hold a valid address.',
    cacheControl: NO_STORE,
    extra: ['Connection', 'close'],
  }),
  noPage: page({
    status: 404,
    title: 'This page does not exist',
    text: 'There is nothing at this address. Look for a typing mistake, or start at the <a href="/">start page of this site</a>.',
    cacheControl: NO_CACHE,
  }),
  noSite: page({
    status: 404,
    title: 'There is no site at this address',
    text: 'No site has this name, or it has not been published yet.',
    cacheControl: NO_CACHE,
  }),
  methodNotAllowed: page({
    status: 405,
    title: 'This site can only be read',
    text: 'Only GET and HEAD requests are answered here.',
    cacheControl: NO_STORE,
    extra: ['Allow', 'GET, HEAD'],
  }),
  preconditionFailed: page({
    status: 412,
    title: 'This file has changed',
    text: 'The version that was asked for is no longer published.',
    cacheControl: NO_STORE,
  }),
  misdirected: page({
    status: 421,
    title: 'This address serves no site',
    text: 'Each site has an address of its own: check the address.',
    cacheControl: NO_STORE,
  }),
  tooManyHeaders: page({
    status: 431,
    title: 'Too many headers',
    text: 'The request has too many headers.',
    cacheControl: NO_STORE,
    extra: ['Connection', 'close'],
  }),
  failed: page({
    status: 500,
    title: 'This page cannot be shown',
    text: 'Something went wrong on the server. Try again in a moment.',
    cacheControl: NO_STORE,
  }),
  corrupted: page({
    status: 502,
    title: 'This file cannot be served',
    text: 'The stored file is not the one that was published. Publishing the site again fixes it.',
    cacheControl: NO_STORE,
  }),
  unavailable: page({
    status: 503,
    title: 'This address cannot be looked up right now',
    text: 'Try again in a few seconds.',
    cacheControl: NO_STORE,
    extra: ['Retry-After', '2'],
  }),
} as const;
