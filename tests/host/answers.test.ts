import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { addRelease, publishSite, shareHost } from '../support/host.ts';
import { oddNames, twentyPages } from '../support/sites.ts';

const BIG = randomBytes(1.5 * 1024 * 1024 + 333);
const etagOf = (text: string | Buffer): string => `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`;

const SMALL = '0123456789';

/** One for all tests: each has sites of its own. */
const theHost = shareHost({ ranges: { 'ten.txt': SMALL }, methods: { 'index.html': 'x' } });

test('a file is answered with its type, its length, a strong tag and rules for caches', async () => {
  const site = await theHost();
  await publishSite(site, 'harbour', {
    'index.html': '<h1>Ahoy</h1>',
    'assets/app-DiwR3_0a.js': 'let a',
    'pic.png': 'png',
  });
  const page = await site.get('harbour', '/index.html');
  expect(page).toMatchObject({ status: 200, text: '<h1>Ahoy</h1>' });
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-length': '13',
    etag: etagOf('<h1>Ahoy</h1>'),
    'cache-control': 'public, max-age=0, must-revalidate',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
    'accept-ranges': 'bytes',
  });
  expect(page.headers['set-cookie']).toBeUndefined();
  expect(page.headers['x-powered-by']).toBeUndefined();
  expect((await site.get('harbour', '/assets/app-DiwR3_0a.js')).headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect((await site.get('harbour', '/pic.png')).headers).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=0, must-revalidate',
  });
});

test('every page of a hand-written site arrives byte for byte', async () => {
  const site = await theHost();
  const files = twentyPages();
  await publishSite(site, 'pages', files);
  for (const [path, content] of Object.entries(files)) {
    const answer = await site.get('pages', `/${path}`);
    expect(answer.status).toBe(200);
    expect(answer.body.equals(Buffer.from(content))).toBe(true);
  }
});

test('names with spaces, umlauts, emoji and marks of their own are found when encoded once', async () => {
  const site = await theHost();
  const files = oddNames();
  await publishSite(site, 'odd', files);
  for (const [path, content] of Object.entries(files)) {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    expect([path, (await site.get('odd', `/${encoded}`)).text]).toEqual([path, content.toString()]);
  }
});

test('a name in decomposed letters finds the composed one', async () => {
  const site = await theHost();
  await publishSite(site, 'letters', { 'gr\u00fc\u00dfe.txt': 'hello' });
  expect((await site.get('letters', `/${encodeURIComponent('gru\u0308\u00dfe.txt')}`)).text).toBe('hello');
});

test('an unknown extension is a download, and no content is ever guessed at', async () => {
  const site = await theHost();
  await publishSite(site, 'types', {
    'page.unknown': '<html>',
    LICENSE: 'text',
    'a.svg': '<svg/>',
    'b.wasm': 'x',
    'C.HTML': 'x',
  });
  const typeOf = async (path: string) => (await site.get('types', path)).headers['content-type'];
  expect(await typeOf('/page.unknown')).toBe('application/octet-stream');
  expect(await typeOf('/LICENSE')).toBe('application/octet-stream');
  expect(await typeOf('/a.svg')).toBe('image/svg+xml; charset=utf-8');
  expect(await typeOf('/b.wasm')).toBe('application/wasm');
  expect(await typeOf('/C.HTML')).toBe('text/html; charset=utf-8');
});

test('HEAD answers as GET does, without the body', async () => {
  const site = await theHost();
  await publishSite(site, 'head', { 'index.html': 'hello', 'big.bin': BIG });
  for (const path of ['/', '/big.bin', '/absent']) {
    const whole = await site.get('head', path);
    const head = await site.get('head', path, { method: 'HEAD' });
    expect(head.body.length).toBe(0);
    expect(head.status).toBe(whole.status);
    const { date: _one, connection: _two, ...expected } = whole.headers;
    expect(head.headers).toMatchObject(expected);
  }
});

test('a client that has the file is told so, also with weak tags, lists and a star', async () => {
  const site = await theHost();
  await publishSite(site, 'cached', { 'index.html': 'hello' });
  const etag = etagOf('hello');
  for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await site.get('cached', '/', { headers: { 'If-None-Match': value } });
    expect([value, answer.status, answer.body.length]).toEqual([value, 304, 0]);
    expect(answer.headers).toMatchObject({
      etag,
      'cache-control': 'public, max-age=0, must-revalidate',
      vary: 'Accept-Encoding',
    });
    expect(answer.headers['content-type']).toBeUndefined();
  }
  for (const value of ['"other"', etag.slice(0, -2), '']) {
    expect((await site.get('cached', '/', { headers: { 'If-None-Match': value } })).status).toBe(200);
  }
  expect((await site.get('cached', '/', { headers: { 'If-Match': '"other"' } })).status).toBe(412);
  expect((await site.get('cached', '/', { headers: { 'If-Match': etag } })).status).toBe(200);
});

test.each([
  ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
  ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
  ['bytes=-3', 206, '789', 'bytes 7-9/10'],
  ['bytes=-30', 206, SMALL, 'bytes 0-9/10'],
  ['bytes=8-100', 206, '89', 'bytes 8-9/10'],
  ['bytes=9-9', 206, '9', 'bytes 9-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=-0', 416, '', 'bytes */10'],
  ['bytes=5-2', 200, SMALL, undefined],
  ['bytes=-', 200, SMALL, undefined],
  ['bytes=0-1,3-4', 200, SMALL, undefined],
  ['items=0-1', 200, SMALL, undefined],
  ['bytes=a-b', 200, SMALL, undefined],
])('Range: %s is answered with %i', async (range, status, text, contentRange) => {
  const site = await theHost();
  const answer = await site.get('ranges', '/ten.txt', { headers: { Range: range } });
  expect([answer.status, answer.text, answer.headers['content-range']]).toEqual([status, text, contentRange]);
  expect(answer.headers['content-length']).toBe(String(text.length));
});

test('If-Range takes a part only of the very same bytes', async () => {
  const site = await theHost();
  await publishSite(site, 'if-range', { 'ten.txt': SMALL });
  const statusFor = async (ifRange: string) =>
    (await site.get('if-range', '/ten.txt', { headers: { Range: 'bytes=0-1', 'If-Range': ifRange } })).status;
  expect(await statusFor(etagOf(SMALL))).toBe(206);
  expect(await statusFor(`W/${etagOf(SMALL)}`)).toBe(200);
  expect(await statusFor('"other"')).toBe(200);
  expect(await statusFor('Wed, 21 Oct 2015 07:28:00 GMT')).toBe(200);
});

test('a range of an empty file is the empty file, and HEAD knows no ranges', async () => {
  const site = await theHost();
  await publishSite(site, 'empty', { 'empty.txt': '', 'ten.txt': SMALL });
  expect((await site.get('empty', '/empty.txt', { headers: { Range: 'bytes=0-' } })).status).toBe(200);
  const head = await site.get('empty', '/ten.txt', { method: 'HEAD', headers: { Range: 'bytes=0-1' } });
  expect([head.status, head.headers['content-length']]).toEqual([200, '10']);
});

test('a file larger than what is held in memory arrives whole and in parts', async () => {
  const site = await theHost();
  await publishSite(site, 'large', { 'big.bin': BIG });
  const whole = await site.get('large', '/big.bin');
  expect(whole.headers['content-length']).toBe(String(BIG.length));
  expect(whole.body.equals(BIG)).toBe(true);
  for (const [start, end] of [
    [0, 1],
    [262_143, 262_146],
    [700_000, 1_200_000],
    [BIG.length - 1, BIG.length],
  ] as const) {
    const part = await site.get('large', '/big.bin', { headers: { Range: `bytes=${start}-${end - 1}` } });
    expect(part.status).toBe(206);
    expect(part.body.equals(BIG.subarray(start, end))).toBe(true);
  }
  const many = await Promise.all(Array.from({ length: 20 }, () => site.get('large', '/big.bin')));
  expect(many.every((answer) => answer.body.equals(BIG))).toBe(true);
});

test('folders answer with their index page, and are led to by name', async () => {
  const site = await theHost();
  await publishSite(site, 'folders', {
    'index.html': 'root',
    'a b/index.html': 'inner',
    'a b/c/index.html': 'deep',
    file: 'x',
  });
  expect((await site.get('folders', '/')).text).toBe('root');
  expect((await site.get('folders', '/?utm=1')).text).toBe('root');
  expect((await site.get('folders', '/a%20b/')).text).toBe('inner');
  const led = await site.get('folders', '/a%20b?x=1&y=%2F');
  expect([led.status, led.headers.location]).toEqual([308, '/a%20b/?x=1&y=%2F']);
  expect((await site.get('folders', '/a%20b/c')).headers.location).toBe('/a%20b/c/');
  expect((await site.get('folders', '/file/')).status).toBe(404);
  expect((await site.get('folders', '/a%20b//')).status).toBe(404);
});

test("what does not exist is the site's own 404 page where it has one, ours where it has none", async () => {
  const site = await theHost();
  await publishSite(site, 'with-page', { 'index.html': 'x', '404.html': '<h1>Sailed away</h1>' });
  await publishSite(site, 'without', { 'index.html': 'x' });
  const own = await site.get('with-page', '/absent', { headers: { 'If-None-Match': '*', Range: 'bytes=0-1' } });
  expect([own.status, own.text, own.headers['cache-control']]).toEqual([404, '<h1>Sailed away</h1>', 'no-cache']);
  expect(own.headers.etag).toBeUndefined();
  expect((await site.get('with-page', '/404.html')).status).toBe(200);
  const neutral = await site.get('without', '/absent');
  expect([neutral.status, neutral.headers['cache-control']]).toEqual([404, 'no-cache']);
  expect(neutral.text).toContain('This page does not exist');
  expect(neutral.text).not.toMatch(/fairlead|without/i);
});

test('dotfiles are hidden but for .well-known and what was published on purpose, and rules are no pages', async () => {
  const site = await theHost();
  await publishSite(site, 'dots', {
    'index.html': 'x',
    '.nojekyll': 'hidden',
    'a/.hidden/b.txt': 'hidden',
    '.env': 'published on purpose',
    '.well-known/security.txt': 'contact',
    _redirects: '/a /b',
    _headers: '/*',
    '..foo': 'an honest name',
  });
  const statusOf = async (path: string) => (await site.get('dots', path)).status;
  for (const path of ['/.nojekyll', '/a/.hidden/b.txt', '/_redirects', '/_headers'])
    expect(await statusOf(path)).toBe(404);
  for (const path of ['/.env', '/.well-known/security.txt', '/..foo']) expect(await statusOf(path)).toBe(200);
});

test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])(
  '%s is not allowed, and what is gets named',
  async (method) => {
    const site = await theHost();
    const answer = await site.get('methods', '/', { method });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  },
);

test('each release answers at its own address from the moment it is processed', async () => {
  const site = await theHost();
  await publishSite(site, 'previews', { 'index.html': 'one' });
  await addRelease(site, 'previews', { 'index.html': 'two' }, 'verifying');
  await addRelease(site, 'previews', { 'index.html': 'three' }, 'failed');
  await addRelease(site, 'previews', { 'index.html': 'four' }, 'superseded');
  await publishSite(site, 'waiting', { 'index.html': 'one' });
  await addRelease(site, 'waiting', { 'index.html': 'two' }, 'queued');
  expect((await site.get('previews', '/')).text).toBe('one');
  expect((await site.get('r1--previews', '/')).text).toBe('one');
  expect((await site.get('r2--previews', '/')).text).toBe('two');
  expect((await site.get('r4--previews', '/')).text).toBe('four');
  for (const name of ['r3--previews', 'r2--waiting', 'r5--previews', 'r01--previews', 'r0--previews', 'r1--absent']) {
    expect([name, (await site.get(name, '/')).status]).toEqual([name, 404]);
  }
});

test('names that nobody has are answered neutrally', async () => {
  const site = await theHost();
  for (const name of ['nobody', 'a--b', '_x', 'a.b', 'x'.repeat(51)]) {
    const answer = await site.get(name, '/');
    expect([name, [400, 404].includes(answer.status)]).toEqual([name, true]);
    expect(answer.text).not.toMatch(/fairlead/i);
  }
});
