import { expect, test } from 'vitest';
import { atOnce } from '../../routers/schemas/at-once.ts';
import { configSteps, type SiteToServe } from '../../server/publishing/platforms/site-routes.ts';
import { platformHarness, published } from '../support/platform-harness.ts';
import { vercelUnderTest } from '../support/standins/vercel/world.ts';

const NONE = { paths: ['index.html'], isSinglePage: false, redirects: '', headers: '' };

/** Returns the answer of the edge for each address, as `status location` or `status body`. */
async function answers(files: Record<string, string>, addresses: readonly string[], isSinglePage = false) {
  await using subject = await vercelUnderTest();
  await using harness = await platformHarness();
  harness.call.destination.isSinglePage = isSinglePage;
  const { ref } = await published(subject.platform, harness.call, await harness.release(1, files));
  const { url } = await subject.platform.release(harness.call, ref);
  const told: Record<string, string> = {};
  for (const address of addresses) {
    const response = await harness.call.egress.request(
      `${url}${address}`,
      { signal: harness.call.signal, maxBytes: 10_000, wholeMs: 60_000 },
      async ({ status, headers, body }) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of body) pieces.push(piece);
        const own = headers.get('x-own');
        return `${status} ${headers.get('location') ?? Buffer.concat(pieces).toString()}${own === null ? '' : ` (${own})`}`;
      },
    );
    told[address] = response;
  }
  expect(subject.standIn.drift).toEqual([]);
  return told;
}

const configOf = (site: SiteToServe) => atOnce(configSteps(site));

test('files that were packed before they came are answered with how, ahead of the rules of the owner', () => {
  const { routes } = configOf({
    paths: ['a.svgz', 'Build/x+1.wasm.gz', 'backup.tar.gz'],
    isSinglePage: false,
    redirects: '',
    headers: '',
  });
  const packed = routes.filter((route) => 'headers' in route && route.headers?.['content-encoding'] === 'gzip');
  const typesFor = (address: string) =>
    packed.flatMap((route) =>
      'src' in route && new RegExp(route.src).test(address) ? [route.headers?.['content-type']] : [],
    );
  expect(typesFor('/a.svgz')).toEqual(['image/svg+xml']);
  expect(typesFor('/Build/x+1.wasm.gz')).toEqual(['application/wasm']);
  expect(typesFor('/backup.tar.gz')).toEqual([]);
});

test('a page answers without its .html, and its file leads there, unless another file has the address', async () => {
  const files = {
    'index.html': 'start',
    'about.html': 'about',
    'docs/a b.html': 'a b',
    'both.html': 'page',
    both: 'file',
    '404.html': 'no such page',
  };
  expect(
    await answers(files, ['/', '/about', '/about.html', '/docs/a%20b', '/both', '/both.html', '/404.html', '/nothing']),
  ).toEqual({
    '/': '200 start',
    '/about': '200 about',
    '/about.html': '308 /about',
    '/docs/a%20b': '200 a b',
    '/both': '200 file',
    '/both.html': '200 page',
    '/404.html': '200 no such page',
    '/nothing': '404 no such page',
  });
});

test('a single page answers for addresses of pages, and for no file and nothing hidden', async () => {
  const files = { 'index.html': 'start', '404.html': 'no such page' };
  expect(await answers(files, ['/deep/page', '/deep/page/', '/tool@1.2.3', '/app.js', '/.git/config'], true)).toEqual({
    '/deep/page': '200 start',
    '/deep/page/': '200 start',
    '/tool@1.2.3': '200 start',
    '/app.js': '404 no such page',
    '/.git/config': '404 no such page',
  });
});

test('the rules of _redirects are followed in their order, forced ones before files', async () => {
  const files = {
    'index.html': 'start',
    'about.html': 'about',
    'old.txt': 'old',
    'kept.txt': 'kept',
    _redirects: [
      '/old.txt /new 302!',
      '/kept.txt /new',
      '/news/:year/:title /archive/:year?t=:title 307',
      '/blog/* https://blog.example.com/:splat',
      '/who /about.html 200',
      '/gone /nothing.html 200',
      '/price /cost$1',
      '/a.b(c) /dots',
      '/stay /stay',
    ].join('\n'),
  };
  const told = await answers(files, [
    '/old.txt',
    '/kept.txt',
    '/news/2026/hello',
    '/blog/a/b',
    '/blog',
    '/who',
    '/gone',
    '/price',
    '/a.b(c)',
    '/aXb(c)',
    '/stay',
    '/_redirects',
  ]);
  expect(told).toEqual({
    '/old.txt': '302 /new',
    '/kept.txt': '200 kept',
    '/news/2026/hello': '307 /archive/2026?t=hello',
    '/blog/a/b': '301 https://blog.example.com/a/b',
    '/blog': '301 https://blog.example.com/',
    '/who': '200 about',
    '/gone': '404 404: NOT_FOUND',
    '/price': '301 /cost%241',
    '/a.b(c)': '301 /dots',
    '/aXb(c)': '404 404: NOT_FOUND',
    '/stay': '404 404: NOT_FOUND',
    '/_redirects': '404 404: NOT_FOUND',
  });
});

test('no address makes a rule lead to another host', async () => {
  const files = { 'index.html': 'start', 'about.html': 'about', _redirects: '/go/* /:splat\n/to/:name /:name' };
  const told = await answers(files, ['/go//evil.example', '/go/%5Cevil.example', '//evil.example/x.html']);
  for (const answer of Object.values(told)) expect(answer).not.toMatch(/30\d [/\\]{2}/);
  expect(told['/go//evil.example']).toBe('301 /evil.example');
});

test('the rules of _headers are sent with what fits them', async () => {
  const files = {
    'index.html': 'start',
    'assets/app.js': 'app()',
    _headers: '/assets/*\n  X-Own: for assets\n/*.html\n  X-Own: for pages',
  };
  expect(await answers(files, ['/assets/app.js', '/index.html', '/'])).toEqual({
    '/assets/app.js': '200 app() (for assets)',
    '/index.html': '200 start (for pages)',
    '/': '200 start',
  });
});

test('the same release gives the same bytes, and one without rules a short file', () => {
  expect(configOf(NONE)).toEqual({ version: 3, routes: [{ handle: 'filesystem' }], overrides: {} });
  const site = { ...NONE, paths: ['a.html', 'b.html', 'index.html'], redirects: '/x /y\n', isSinglePage: true };
  expect(JSON.stringify(configOf(site))).toBe(JSON.stringify(configOf({ ...site })));
});

test('others have their turn between two files and between two rules', () => {
  const site = { ...NONE, paths: ['a.html', 'b.html'], redirects: '/x /y\n', headers: '/a\n  A: 1\n' };
  expect([...configSteps(site)].length).toBeGreaterThanOrEqual(9);
});
