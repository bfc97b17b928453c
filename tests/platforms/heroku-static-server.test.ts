import { once } from 'node:events';
import { request as ask } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packSource } from '../../server/publishing/platforms/heroku/archive.ts';
import { platformHarness } from '../support/platform-harness.ts';
import { type Dyno, startDyno } from '../support/standins/heroku/dyno.ts';

const LONG = 'a line of text\n'.repeat(200);
const FILES = {
  'index.html': 'entry',
  'about.html': 'about',
  'docs/index.html': 'docs',
  '404.html': 'nothing here',
  'long.txt': LONG,
  'a b.png': 'picture',
  'Build/game.symbols.json.br': LONG,
  empty: '',
  'mail.html': '\u001b$BF|K\\\u001b(B',
  _redirects: '/old/* /new/:splat 302\n/there https://example.org/\n/shown /about.html 200\n',
  _headers: '/long.txt\n  Cache-Control: max-age=60\n',
};

async function dynoOf(files: Record<string, string>, isSinglePage = false): Promise<Dyno> {
  await using harness = await platformHarness();
  const { manifest } = await harness.release(1, files);
  harness.call.destination.isSinglePage = isSinglePage;
  const file = await harness.call.openSpool();
  try {
    await packSource(harness.call, manifest, file);
    const pieces: Buffer[] = [];
    for await (const piece of file.read()) pieces.push(piece);
    return await startDyno(Buffer.concat(pieces));
  } finally {
    await file.close();
  }
}

let dyno: Dyno;
beforeAll(async () => {
  dyno = await dynoOf(FILES);
});
afterAll(() => dyno.stop());

/** The path leaves as it is written. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET', { port } = dyno) {
  const request = ask({ host: '127.0.0.1', port, path, method, headers }).end();
  const [response] = await once(request, 'response');
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

test.each([
  ['/', 200, 'entry', 'text/html; charset=utf-8'],
  ['/about', 200, 'about', 'text/html; charset=utf-8'],
  ['/docs/', 200, 'docs', 'text/html; charset=utf-8'],
  ['/a%20b.png?v=2', 200, 'picture', 'image/png'],
  ['/empty', 200, '', 'application/octet-stream'],
  ['/shown', 200, 'about', 'text/html; charset=utf-8'],
  ['/mail', 200, '\u001b$BF|K\\\u001b(B', 'text/html'],
  ['/nowhere', 404, 'nothing here', 'text/html; charset=utf-8'],
  ['/404.html', 200, 'nothing here', 'text/html; charset=utf-8'],
  ['/_redirects', 404, 'nothing here', 'text/html; charset=utf-8'],
  ['/../server.mjs', 404, 'nothing here', 'text/html; charset=utf-8'],
  ['/server.mjs', 404, 'nothing here', 'text/html; charset=utf-8'],
  ['/site.json', 404, 'nothing here', 'text/html; charset=utf-8'],
  ['/%2e%2e%2fsite.json', 404, 'nothing here', 'text/html; charset=utf-8'],
  ['/__proto__', 404, 'nothing here', 'text/html; charset=utf-8'],
])('%s answers %i', async (path, status, text, type) => {
  const seen = await get(path);
  expect([seen.status, seen.bytes.toString(), seen.headers['content-type']]).toEqual([status, text, type]);
  expect(seen.headers['x-content-type-options']).toBe('nosniff');
});

test.each([
  ['/about.html', 308, '/about'],
  ['/docs', 308, '/docs/'],
  ['/docs?a=b', 308, '/docs/?a=b'],
  ['/about/', 308, '/about'],
  ['/old/a/b?c=d', 302, '/new/a/b?c=d'],
  ['/old//evil.example', 302, '/new/evil.example'],
  ['/there', 301, 'https://example.org/'],
])('%s leads on with %i to %s', async (path, status, location) => {
  const seen = await get(path);
  expect([seen.status, seen.headers.location]).toEqual([status, location]);
});

test.each(['/%', '/%ff', '/old/%'])(
  '%s stands for no text, and is refused or led on, and the server goes on',
  async (path) => {
    expect([302, 400, 404]).toContain((await get(path)).status);
    expect((await get('/')).status).toBe(200);
  },
);

test('HEAD answers as GET without its bytes, other methods are refused', async () => {
  const head = await get('/long.txt', {}, 'HEAD');
  expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, String(LONG.length), 0]);
  const post = await get('/', {}, 'POST');
  expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
});

test('what a visitor has already is not sent again, and headers of the site are sent', async () => {
  const { etag = '', 'cache-control': cacheControl } = (await get('/long.txt')).headers;
  expect(cacheControl).toBe('max-age=60');
  expect((await get('/long.txt', { 'if-none-match': etag })).status).toBe(304);
  expect((await get('/long.txt', { 'if-none-match': `W/${etag}` })).status).toBe(304);
  expect((await get('/long.txt', { 'if-none-match': '"another"' })).status).toBe(200);
});

test('texts are packed for whoever takes that', async () => {
  const seen = await get('/long.txt', { 'accept-encoding': 'br, gzip' });
  expect([seen.headers['content-encoding'], seen.headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
  expect(gunzipSync(seen.bytes).toString()).toBe(LONG);
  const picture = await get('/a%20b.png', { 'accept-encoding': 'gzip' });
  expect([picture.headers['content-encoding'], picture.bytes.toString()]).toEqual([undefined, 'picture']);
  // What was packed before it came is not packed once more.
  const packed = await get('/Build/game.symbols.json.br', { 'accept-encoding': 'gzip, br' });
  expect([packed.headers['content-encoding'], packed.bytes.toString()]).toEqual(['br', LONG]);
});

test.each([
  ['bytes=0-2', 206, LONG.slice(0, 3)],
  ['bytes=5-', 206, LONG.slice(5)],
  ['bytes=-4', 206, LONG.slice(-4)],
  [`bytes=2990-99999`, 206, LONG.slice(2990)],
  ['bytes=99999-', 416, ''],
  ['bytes=3-1', 416, ''],
  ['bytes=0-1,4-5', 200, LONG],
  ['lines=1-2', 200, LONG],
])('the range %s answers %i', async (range, status, text) => {
  const seen = await get('/long.txt', { range });
  expect([seen.status, seen.bytes.toString()]).toEqual([status, text]);
  if (status === 206) expect(seen.headers['content-range']).toMatch(/^bytes \d+-\d+\/3000$/);
});

test('a range of what has changed since is the whole', async () => {
  const seen = await get('/long.txt', { range: 'bytes=0-2', 'if-range': '"another"' });
  expect([seen.status, seen.bytes.length]).toEqual([200, LONG.length]);
});

test('a single-page site shows its entry for what is a page, and not for a file that is missing', async () => {
  const single = await dynoOf({ 'index.html': 'entry', 'app.js': 'app()' }, true);
  try {
    const seen = async (path: string) => (await get(path, {}, 'GET', single)).bytes.toString();
    expect(await seen('/any/page')).toBe('entry');
    expect(await seen('/app.js')).toBe('app()');
    expect((await get('/missing.js', {}, 'GET', single)).status).toBe(404);
  } finally {
    await single.stop();
  }
});
