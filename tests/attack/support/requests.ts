import type { Random } from '../../support/random.ts';
import type { AttackedApp } from './attacked-app.ts';
import { longText, oddText, REPEATED_PIECES } from './odd-values.ts';

/** Node refuses a head of 16 KiB and more (nodejs.org, `--max-http-header-size`): most of what is tried stays below. */
const HEAD_MAX = 15_500;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PRI', 'get', 'G\0T'];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'http/1.1', ''];

/** Headers that some server here reads, with values close to those that it expects. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  Accept: ['*/*', 'text/html', 'application/jsonl'],
  'Accept-Encoding': ['gzip, br', 'br;q=1.0, *;q=0', 'identity;q=0', 'gzip;q=2', '*'],
  Authorization: ['Bearer ', 'Bearer fla_x', 'Basic Og==', 'Bearer a b', 'bearer'],
  Connection: ['keep-alive', 'close', 'Upgrade', 'Upgrade, close', 'Host'],
  'Content-Encoding': ['gzip', 'br', 'deflate', 'identity', 'x'],
  'Content-Length': ['0', '5', '-1', '+5', '0x5', '99999999999999999999', '5, 5'],
  'Content-Type': [
    'application/json',
    'application/json; charset=x',
    'multipart/form-data',
    'application/octet-stream',
  ],
  Cookie: ['fairlead_refresh=x', 'a=b; a=c', '=', ';;;', 'fairlead_refresh=%', '__proto__=1'],
  Expect: ['100-continue', 'x'],
  Forwarded: ['for=1.2.3.4;host=a', 'for="[::1'],
  'If-Modified-Since': ['Sun, 06 Nov 1994 08:49:37 GMT', 'x', '-1'],
  'If-None-Match': ['*', '"x"', 'W/"x", "y"', '"'],
  'If-Range': ['"x"', 'W/"x"', 'x'],
  Origin: ['null', 'http://evil.test', 'http://[', ''],
  Range: ['bytes=0-', 'bytes=-1', 'bytes=0-0,1-1', 'bytes=9-1', 'bytes=0-99999999999999999999', 'bytes=,', 'x=0-1'],
  'Sec-Fetch-Site': ['cross-site', 'same-origin', 'x'],
  'Sec-WebSocket-Key': ['dGhlIHNhbXBsZSBub25jZQ==', 'x', ''],
  'Sec-WebSocket-Version': ['13', '8', '99999', 'x'],
  'Sec-WebSocket-Protocol': ['a', 'a, a', ',', '"'],
  'Sec-WebSocket-Extensions': ['permessage-deflate', 'permessage-deflate; client_max_window_bits=99', ';', '"'],
  TE: ['trailers'],
  'Transfer-Encoding': ['chunked', 'chunked, chunked', 'gzip, chunked', 'xchunked'],
  'trpc-accept': ['application/jsonl', 'x'],
  Upgrade: ['websocket', 'h2c', 'WebSocket, h2c'],
  'X-Auth-Token': ['x'],
  'X-Forwarded-For': ['1.2.3.4', '::1, x', ',,,'],
  'X-Forwarded-Host': ['evil.test', '['],
  'X-Request-Id': ['x'],
};

export const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': '13',
};

type HeadOptions = { headers?: Readonly<Record<string, string>>; method?: string; target?: string };

/** The head of a request in bytes: any part of it may be odd, and most of it is not. */
export function oddHead(random: Random, attacked: AttackedApp, options: HeadOptions = {}): Buffer {
  const method = options.method ?? (random.chance(0.6) ? 'GET' : random.pick(METHODS));
  const target = options.target !== undefined && random.chance(0.8) ? options.target : oddTarget(random, attacked);
  const lines = [`${method} ${target} ${options.headers === undefined ? random.pick(VERSIONS) : 'HTTP/1.1'}`];
  const hosts = random.chance(0.9) ? 1 : random.below(3);
  for (let count = 0; count < hosts; count += 1) lines.push(`Host: ${oddHost(random, attacked)}`);
  lines.push(...oddHeaders(random, options.headers ?? {}));
  if (random.chance(0.1)) lines.push(oddText(random, 500));
  const text = lines.join('\r\n');
  // UTF-8 as some clients send it, and bytes that are none.
  return Buffer.from(
    `${text.length > HEAD_MAX && random.chance(0.8) ? text.slice(0, HEAD_MAX) : text}\r\n\r\n`,
    random.chance(0.5) ? 'utf8' : 'latin1',
  );
}

/** Most of those that are given, as they are, and some of the others. */
function oddHeaders(random: Random, given: Readonly<Record<string, string>>): string[] {
  const kept = Object.entries(given)
    .filter(() => random.chance(0.95))
    .map(([name, value]) => `${name}: ${random.chance(0.9) ? value : oddText(random, 200)}`);
  const others = random.many(0, random.chance(0.03) ? 150 : 5, () => {
    const [name, values] = random.pick(Object.entries(HEADERS));
    return `${name}: ${random.chance(0.6) ? random.pick(values) : oddText(random, 3_000)}`;
  });
  return [...kept, ...others];
}

export function oddHost(random: Random, { app, site, domain }: AttackedApp): string {
  if (random.chance(0.2)) return oddText(random, 400);
  return random.pick([
    ...['[', '', '%', 'a:99999', '[::1', '[::1]:x', 'localhost:', '.localhost', 'localhost.', '127.1', '0x7f.1'],
    ...[`${site.slug}.localhost:${app.sitesPort}`, `${site.slug}.localhost`, `r1--${site.slug}.localhost`],
    ...[
      domain,
      domain,
      `www.${domain}`,
      `${domain}:${app.sitesPort}`,
      `${domain}.`,
      domain.toUpperCase(),
      `a.${domain}`,
    ],
    ...[`r999999999--${site.slug}.localhost`, new URL(app.url).host, `xn--a.localhost`, `${'a.'.repeat(120)}localhost`],
  ]);
}

/**
 * Returns a target of a request: an address of the app with odd parameters, a file of a site, or nothing of the kind.
 */
export function oddTarget(random: Random, { routes, procedures }: AttackedApp): string {
  const text = (): string =>
    random.chance(0.5) ? encodeURIComponent(wellFormed(oddText(random, 500))) : oddText(random);
  switch (random.below(7)) {
    case 6:
      return `/.well-known/acme-challenge/${random.chance(0.7) ? random.bytes(32).toString('base64url') : text()}`;
    case 0:
      return random.pick(routes).replace(/[:*]\w+/g, text) + oddQuery(random, text);
    case 1:
      return `/api/trpc/${random.pick(procedures).path}${oddQuery(random, text)}`;
    case 2:
      return `/${longText(random, random.pick(REPEATED_PIECES), random.pick([300, 3_000, HEAD_MAX]))}`;
    case 3:
      return (
        random.pick(['/', '/index.html', '/app.js', '/assets/a.js', '/.well-known/x', '/index']) +
        oddQuery(random, text)
      );
    case 4:
      return random.pick([`http://${text()}/`, `https://[/`, `http://a:b@c:99999/x`, '*', `//${text()}`, 'a:1', '']);
    default:
      return `/${text()}`;
  }
}

function oddQuery(random: Random, text: () => string): string {
  if (random.chance(0.5)) return '';
  const name = () => random.pick(['input', 'batch', 'ticket', 'key', 'from', 'publishAnyway', 'connectionParams', 'x']);
  return `?${random.many(1, 4, () => `${name()}=${text()}`).join('&')}`;
}

/** `encodeURIComponent` takes no half of a surrogate pair. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
