import { expect, test } from 'vitest';
import { packingOf } from '../../routers/schemas/packed-files.ts';
import { evaluateConditions } from '../../server/host/responses/conditions.ts';
import { locationOf, readRequestPath } from '../../server/host/responses/request-path.ts';
import { normaliseHost, targetOf } from '../../server/host/routing/host-name.ts';
import { addReusedNames, cacheControlOf, headersOfReused, isHashedName } from '../../server/lib/content/cache-rule.ts';
import { answeringOf, contentTypeOf, isDecidedByContent } from '../../server/lib/content/content-types.ts';

const NAMES = { sitesDomain: 'sites.example', appHost: 'app.example' };

test.each([
  ['a.sites.example', { kind: 'site', host: 'a.sites.example', isPublic: true }],
  ['A.Sites.Example.:443', { kind: 'site', host: 'a.sites.example', isPublic: true }],
  ['r12--my-site.sites.example', { kind: 'site', host: 'r12--my-site.sites.example', isPublic: false }],
  ['r12-my-site.sites.example', { kind: 'site', host: 'r12-my-site.sites.example', isPublic: true }],
  ['r0--a.sites.example', { kind: 'unknown' }],
  ['r1--a--b.sites.example', { kind: 'unknown' }],
  ['r1--r2--a.sites.example', { kind: 'unknown' }],
  ['x.a.sites.example', { kind: 'unknown' }],
  ['a.other.example', { kind: 'domain', host: 'a.other.example', isPublic: true }],
  ['WWW.Asites.example.:80', { kind: 'domain', host: 'www.asites.example', isPublic: true }],
  ['intranet', { kind: 'unknown' }],
  ['sites.example', { kind: 'misdirected' }],
  ['app.example', { kind: 'misdirected' }],
  ['192.0.2.1', { kind: 'misdirected' }],
  ['[2001:db8::1]:80', { kind: 'misdirected' }],
  ['a.sites.example:99999999', { kind: 'malformed' }],
  ['-a.sites.example', { kind: 'malformed' }],
  ['a..sites.example', { kind: 'malformed' }],
  ['', { kind: 'malformed' }],
  ['.', { kind: 'malformed' }],
  ['[::1', { kind: 'malformed' }],
  [`${'a'.repeat(64)}.sites.example`, { kind: 'malformed' }],
  [`${'a.'.repeat(121)}sites.example`, { kind: 'malformed' }],
])('the name %j points at %j', (authority, target) => {
  expect(targetOf(authority, NAMES)).toEqual(target);
});

test('an international name in raw UTF-8 is read in its ASCII form', () => {
  expect(normaliseHost(Buffer.from('bücher.example').toString('latin1'))).toBe('xn--bcher-kva.example');
  expect(normaliseHost('b\xfccher.example')).toBeNull();
});

test.each([
  ['/', { file: '', raw: '', query: '' }],
  ['/a/b.html?x=%zz', { file: 'a/b.html', raw: 'a/b.html', query: '?x=%zz' }],
  ['/a%20b', { file: 'a b', raw: 'a%20b', query: '' }],
  ['/100%25.html', { file: '100%.html', raw: '100%25.html', query: '' }],
  ['/%2541', { file: '%41', raw: '%2541', query: '' }],
  ['/.well-known/x', { file: '.well-known/x', raw: '.well-known/x', query: '' }],
  ['/...slug', { file: '...slug', raw: '...slug', query: '' }],
  ['/a/../b', null],
  ['/%2e%2e', null],
  ['/%40a/%2f%5C', { file: '@a/\u00002F\u00005C', raw: '%40a/%2f%5C', query: '' }],
  ['/%C3%A4/%e4b', { file: 'ä/\u0000e4b', raw: '%C3%A4/%e4b', query: '' }],
  ['/a"b', { file: 'a"b', raw: 'a%22b', query: '' }],
  ['/a\\b', null],
  ['/%00', null],
  ['/%1f', null],
  ['/%E4%', null],
  ['/\u0000', null],
  ['/%', null],
])('the path %j is read as %j', (target, path) => {
  expect(readRequestPath(target)).toEqual(path);
});

test.each([
  ['dir/', '', '/dir/'],
  ['%C3%A4%20b/', '?q', '/%C3%A4%20b/?q'],
  ['/evil.com/', '', '/evil.com/'],
  ['//evil.com', '', '/evil.com'],
])('the location of %j is on the same host', (raw, query, location) => {
  expect(locationOf({ raw, query })).toBe(location);
  expect(new URL(locationOf({ raw, query }), 'http://here').host).toBe('here');
});

test.each([
  'assets/index-DiwrgT0a.js',
  'assets/index-BhXk3_2a.css',
  'main.3f2a1b9c.js',
  'static/js/2.9a1d4c7e.chunk.js',
  'chunk-7ZQ2KXWM.js',
  'app.0f9c2d1b8e7a6f5d4c3b.js.map',
  '3f2a1b9c0d1e2f30.webp',
  '_app/immutable/chunks/index.a1B2c3D4.js',
  'img/logo.d41d8cd98f00b204.svg',
])('%s carries a hash of its content', (path) => {
  expect(isHashedName(path)).toBe(true);
});

test.each([
  'assets/index-DQI504kc.css',
  'assets/logo-DQI504kc.svg',
  '_next/static/chunks/main-app-3f2a1b9c4d5e6f70.js',
  '_next/static/media/a1b2c3d4e5f60718-s.p.1a2b3c4d.woff2',
  'main.3f2a1b9c.js.map',
])('%s is kept for a year', (path) => {
  expect(cacheControlOf(path)).toContain('immutable');
});

test.each([
  'img/avatar-3f2504e0-4f89-11d3-9a0c-0305e82c3301.png',
  'img/3f2504e0-4f89-11d3-9a0c-0305e82c3301.png',
  'files/report-20240131a.pdf',
  'logo-v2final1.png',
  'sku-4006381333931b.jpg',
  'commit-1a2b3c4d.patch',
  'e0b4a1c2.jpg',
  'assets/e0b4a1c2.jpg',
  'assets/report-20240131a.pdf',
  'widget-3f2504e0-4f89-11d3-9a0c-0305e82c3301.js',
  'release-20240131a.js',
])('%s is asked about each time', (path) => {
  expect(cacheControlOf(path)).not.toContain('immutable');
});

test.each(['-', '.', '_', 'a-', 'a.', '-a', 'A1'])('a name of 16,000 characters of %s is judged in one go', (piece) => {
  const longest = piece.repeat(8_000).slice(0, 16_000);
  for (let repeat = 0; repeat < 50; repeat += 1) expect(isHashedName(`${longest}.js`)).toBeTypeOf('boolean');
});

test.each([
  'main.3f2a1b9c.map',
  'main.3f2a1b9c.js.map',
  'a-b_3f2a1b9cdd12.css',
  'style.4119a1764187.css',
  'style.f03338688005.css',
])('%s is named after its content', (path) => {
  expect(isHashedName(path)).toBe(true);
});

test.each([
  'style.css',
  'index.html',
  'index-DiwrgT0a.html',
  'jquery.fancyBox.js',
  'jquery.lazyLoad.js',
  'bootstrap.min.css',
  'my-component.js',
  'documentation.css',
  'report-20240101.pdf',
  'sku-4006381333931b.jpg',
  'img-photo001.jpg',
  'photo-DSC00012.JPG',
  'photo-IMG_2041.jpg',
  'README-VERSION2.txt',
  'icon-192x192.png',
  'hero-1920x1080.jpg',
  'jquery-3.7.1.min.js',
  'a-iPhone15.png',
  'polyfills-es2015.js',
  'roboto-v30-latin-regular.woff2',
  'app-release-2024-11-21.zip',
  'favicon.ico',
  'abcdefgh.js',
  '12345678.png',
  'index-abcdefgh.js',
  '3f2a1b9c/style.css',
])('%s may change under its name', (path) => {
  expect(isHashedName(path)).toBe(false);
});

test.each([
  ['a.HTML', 'text/html; charset=utf-8'],
  ['a.mjs', 'text/javascript; charset=utf-8'],
  ['a.cjs', 'text/javascript; charset=utf-8'],
  ['a.webmanifest', 'application/manifest+json; charset=utf-8'],
  ['a.svg', 'image/svg+xml; charset=utf-8'],
  ['a.svgz', 'application/gzip'],
  ['gpg.key', 'application/pgp-keys'],
  ['a.woff2', 'font/woff2'],
  ['.well-known/apple-app-site-association', 'application/json; charset=utf-8'],
  ['.well-known/matrix/server', 'application/json; charset=utf-8'],
  ['matrix/server', 'application/octet-stream'],
  ['scene.reality', 'model/vnd.reality'],
  ['wifi.mobileconfig', 'application/x-apple-aspen-config'],
  ['v.mp4', 'video/mp4'],
  ['a.m4a', 'audio/mp4'],
  ['a.m4v', 'video/mp4'],
  ['x.ts', 'video/mp2t'],
  ['a.webp', 'image/webp'],
  ['v.mov', 'video/quicktime'],
  ['x.m3u8', 'application/vnd.apple.mpegurl; charset=utf-8'],
  ['a.wasm', 'application/wasm'],
  ['a.avif', 'image/avif'],
  ['a.usdz', 'model/vnd.usdz+zip'],
  ['a.glb', 'model/gltf-binary'],
  ['a.vtt', 'text/vtt; charset=utf-8'],
  ['README', 'application/octet-stream'],
  ['.env', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
  ['a.b/c', 'application/octet-stream'],
])('%s is %s', (path, type) => {
  expect(contentTypeOf(path)).toBe(type);
});

const TEXT = { isUtf8: true, kind: null } as const;
const BINARY = { isUtf8: false, kind: null } as const;
const GZIP = { isUtf8: false, kind: 'gzip' } as const;

/** Builds that are known by their framework, one in each way of packing. */
const paths = new Set(['unity/game.framework.js.gz', 'unity/game.framework.js.br']);

test.each([
  ['a.html', TEXT, 'text/html; charset=utf-8', null],
  ['a.html', BINARY, 'text/html', null],
  ['feed.xml', BINARY, 'application/xml', null],
  ['a.svg', BINARY, 'image/svg+xml', null],
  ['gpg.key', TEXT, 'text/plain; charset=utf-8', null],
  ['talk.key', { isUtf8: false, kind: 'zip' }, 'application/vnd.apple.keynote', null],
  ['root.key', BINARY, 'application/octet-stream', null],
  ['a.svgz', GZIP, 'image/svg+xml', 'gzip'],
  ['a.svgz', TEXT, 'application/gzip', null],
  ['Build/game.framework.js.br', BINARY, 'text/javascript', 'br'],
  ['build/game.data.br', BINARY, 'application/octet-stream', 'br'],
  ['game/Build/game.data.br', BINARY, 'application/octet-stream', 'br'],
  ['Build/game.wasm.gz', GZIP, 'application/wasm', 'gzip'],
  ['Build/game.wasm.gz', BINARY, 'application/gzip', null],
  ['web/game.framework.js.gz', GZIP, 'text/javascript', 'gzip'],
  ['Build/game.symbols.json.br', BINARY, 'application/json', 'br'],
  ['unity/game.wasm.gz', GZIP, 'application/wasm', 'gzip'],
  ['unity/game.data.br', BINARY, 'application/octet-stream', 'br'],
] as const)('%s with %j is %s, packed by %s', (path, facts, type, coding) => {
  expect(isDecidedByContent({ path, paths })).toBe(true);
  expect(answeringOf({ path, paths }, facts)).toEqual({ type, coding });
});

test.each(['backup.tar.gz', 'Build/backup.tar.gz', 'sitemap.xml.gz', 'unity/a.wasm.gz', 'build/app.js.br'])(
  '%s is a download, and keeps its packed bytes',
  (path) => {
    expect(isDecidedByContent({ path, paths })).toBe(false);
    expect(packingOf(path, paths)).toBeNull();
  },
);

test('a name that promises what it did not hold is remembered, and many of them stand for all', () => {
  const [css, js] = ['assets/index-DQI504kc.css', '_next/static/chunks/main-app-3f2a1b9c4d5e6f70.js'];
  expect(addReusedNames([css], ['index.html', js, css])).toEqual([css, js]);
  const many = Array.from({ length: 201 }, (_, at) => `assets/index-DQI504k${at % 10}.${at}.css`).concat(
    Array.from({ length: 201 }, (_, at) => `_next/static/${at}/main-3f2a1b9c4d5e6f70.js`),
  );
  const all = addReusedNames([css], many);
  expect(all).toHaveLength(1);
  expect(addReusedNames(all, [js])).toEqual(all);
  const headers = ['Cache-Control', cacheControlOf(css), 'Vary', 'Accept-Encoding'];
  const changed = ['Cache-Control', 'public, max-age=0, must-revalidate', 'Vary', 'Accept-Encoding'];
  expect(headersOfReused(headers, css, [])).toBe(headers);
  expect(headersOfReused(headers, js, [css])).toBe(headers);
  expect(headersOfReused(headers, css, [js, css])).toEqual(changed);
  expect(headersOfReused(headers, css, all)).toEqual(changed);
});

test('If-None-Match comes before the range, and If-Match before both', () => {
  const file = { etag: '"e"', sizeBytes: 10, hasRanges: true };
  expect(evaluateConditions('GET', { 'if-none-match': '"e"', range: 'bytes=0-1' }, file)).toEqual({
    kind: 'notModified',
  });
  expect(evaluateConditions('GET', { 'if-match': '"x"', 'if-none-match': '"e"' }, file)).toEqual({
    kind: 'preconditionFailed',
  });
  expect(evaluateConditions('GET', { 'if-match': 'W/"e"' }, file)).toEqual({ kind: 'preconditionFailed' });
  expect(evaluateConditions('GET', { range: 'bytes=99999999999999999999-' }, file)).toEqual({ kind: 'unsatisfiable' });
});
