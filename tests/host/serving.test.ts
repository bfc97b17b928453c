import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { addRelease, createTestHost, type Published, publishSite, shareHost, type TestHost } from '../support/host.ts';
import { withoutDatabase } from '../support/without-database.ts';

type Options = Partial<{ isSinglePage: boolean; hasCleanUrls: boolean }>;

async function setOptions(site: TestHost, { deploymentId }: Published, options: Options): Promise<void> {
  await DeploymentModel.updateOne({ _id: deploymentId }, { $set: options }).setOptions({ acrossAccounts: 'host' });
  if (!site.hasFeed) await site.host.refresh();
}

const PAGE = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const DATA = { Accept: 'application/json' };
const PAGES = {
  'index.html': 'HOME',
  'about.html': 'ABOUT',
  'docs/index.html': 'DOCS',
  'docs/api.html': 'API',
  'both.html': 'FILE',
  'both/index.html': 'FOLDER',
  'ä b.html': 'ODD',
};

/** One for all tests that only ask it something: each has sites of its own. */
const theHost = shareHost({ clean: PAGES });

test.each([
  ['/about', 200, 'ABOUT', undefined],
  ['/about?x=1', 200, 'ABOUT', undefined],
  ['/about.html', 200, 'ABOUT', undefined],
  ['/about/', 308, '', '/about'],
  ['/about/?x=1', 308, '', '/about?x=1'],
  ['/docs/api', 200, 'API', undefined],
  ['/docs/api/', 308, '', '/docs/api'],
  ['/docs', 308, '', '/docs/'],
  ['/docs/', 200, 'DOCS', undefined],
  ['/both', 308, '', '/both/'],
  ['/both/', 200, 'FOLDER', undefined],
  ['/both.html', 200, 'FILE', undefined],
  ['/%C3%A4%20b', 200, 'ODD', undefined],
  ['/%C3%A4%20b/', 308, '', '/%C3%A4%20b'],
  ['/index', 200, 'HOME', undefined],
  ['/About', 404, undefined, undefined],
  ['//about', 404, undefined, undefined],
  ['/about//', 404, undefined, undefined],
])('with clean addresses %s is %i', async (path, status, text, location) => {
  const site = await theHost();
  const answer = await site.get('clean', path);
  expect([answer.status, answer.headers.location]).toEqual([status, location]);
  if (text !== undefined) expect(answer.text).toBe(text);
});

/** 255 bytes. */
const LONG = `b${'長'.repeat(83)}.html`;

test('names that other systems mind answer at their addresses', async () => {
  const site = await theHost();
  await publishSite(site, 'odd', {
    'software/writtenin:Ruby/index.html': 'COLON',
    'docs/aux.html': 'DEVICE',
    'tags/acme-inc./index.html': 'DOT',
    'Menu /index.html': 'SPACE',
    [LONG]: 'LONG',
    'Pair.v.html': 'SMALL',
    'Pair.V.html': 'LARGE',
    'Std/x.html': 'SX',
    'std/x.html': 'sx',
    'tags/.net/index.html': 'NET',
    '.vscode/sftp.json': 'SFTP',
  });
  for (const [path, text] of [
    ['/software/writtenin:Ruby/', 'COLON'],
    ['/docs/aux.html', 'DEVICE'],
    ['/tags/acme-inc./', 'DOT'],
    ['/Menu%20/', 'SPACE'],
    [`/${encodeURIComponent(LONG)}`, 'LONG'],
    ['/Pair.v.html', 'SMALL'],
    ['/Pair.V.html', 'LARGE'],
    ['/Std/x', 'SX'],
    ['/std/x', 'sx'],
    ['/tags/.net/', 'NET'],
  ] as const)
    expect([path, (await site.get('odd', path)).text]).toEqual([path, text]);
  expect((await site.get('odd', '/tags/.net')).headers.location).toBe('/tags/.net/');
  expect((await site.get('odd', '/.vscode/sftp.json')).status).toBe(404);
});

test('no encoding is named for a text that is no UTF-8, at every answer, and the line of the owner counts', async () => {
  const site = await theHost();
  const old = '<!doctype html><html><head><meta charset="shift_jis"><body><p>';
  await publishSite(site, 'encoded', {
    'old.html': Buffer.concat([Buffer.from(old), Buffer.from([0x93, 0xfa, 0x96, 0x7b])]),
    'feed.xml': Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><t>\u00e9</t>', 'latin1'),
    'utf8.html': '日本',
    'a.txt': Buffer.from('caf\u00e9', 'latin1'),
    'mail.html': '<meta charset="iso-2022-jp">\u001b$BF|K\\\u001b(B',
    'wide.txt': Buffer.from('\ufeffcafé', 'utf16le'),
    'long.csv': Buffer.concat([Buffer.alloc(1_500_000, 'a,b\n'), Buffer.from([0xe9])]),
    'long.txt': `${'a'.repeat(256 * 1024 - 1)}é${'b'.repeat(1_000_000)}`,
    '404.html': Buffer.from('caf\u00e9', 'latin1'),
    'said.html': Buffer.from('caf\u00e9', 'latin1'),
    'gpg.key': '-----BEGIN PGP PUBLIC KEY BLOCK-----',
    'talk.key': 'PK\u0003\u0004',
    _headers: '/said.html\n  Content-Type: text/html; charset=windows-1252\n',
  });
  const types = {
    '/old.html': 'text/html',
    '/feed.xml': 'application/xml',
    '/utf8.html': 'text/html; charset=utf-8',
    '/a.txt': 'text/plain',
    '/mail.html': 'text/html',
    '/wide.txt': 'text/plain',
    '/long.csv': 'text/csv',
    '/long.txt': 'text/plain; charset=utf-8',
    '/missing': 'text/html',
    '/said.html': 'text/html; charset=windows-1252',
    '/gpg.key': 'text/plain; charset=utf-8',
    '/talk.key': 'application/vnd.apple.keynote',
  };
  const typeOf = async (path: string, method: string) =>
    (await site.get('encoded', path, { method })).headers['content-type'];
  for (const [path, type] of Object.entries(types))
    for (const method of ['HEAD', 'GET']) expect([path, await typeOf(path, method)]).toEqual([path, type]);
  const range = await site.get('encoded', '/a.txt', { headers: { Range: 'bytes=0-1' } });
  expect([range.status, range.headers['content-type']]).toEqual([206, 'text/plain']);
});

test('files that were packed before they came are unpacked by the browser, and others are downloads', async () => {
  const site = await theHost();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
  const wasm = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  await publishSite(site, 'packed', {
    'a.svgz': gzipSync(svg),
    'Build/game.framework.js.br': brotliCompressSync('run()'),
    'Build/game.wasm.gz': gzipSync(wasm),
    'Build/game.data.br': brotliCompressSync('data'),
    'own/app.js.br': brotliCompressSync('run()'),
    'backup.tar.gz': gzipSync('tar'),
    _headers:
      '/Build/*.br\n  Content-Encoding: br\n/own/*.br\n  Content-Encoding: br\n  Content-Type: text/javascript\n',
  });
  const answerOf = async (path: string) => {
    const { headers, body } = await site.get('packed', path, { headers: { 'Accept-Encoding': 'gzip, br' } });
    const coding = headers['content-encoding'];
    const content = coding === 'br' ? brotliDecompressSync(body) : gunzipSync(body);
    return [headers['content-type'], coding, content.toString('latin1')];
  };
  expect(await answerOf('/a.svgz')).toEqual(['image/svg+xml', 'gzip', svg]);
  expect(await answerOf('/Build/game.framework.js.br')).toEqual(['text/javascript', 'br', 'run()']);
  expect(await answerOf('/Build/game.wasm.gz')).toEqual(['application/wasm', 'gzip', wasm.toString('latin1')]);
  expect(await answerOf('/Build/game.data.br')).toEqual(['application/octet-stream', 'br', 'data']);
  expect(await answerOf('/own/app.js.br')).toEqual(['text/javascript', 'br', 'run()']);
  expect(await answerOf('/backup.tar.gz')).toEqual(['application/gzip', undefined, 'tar']);
  const range = await site.get('packed', '/a.svgz', { headers: { Range: 'bytes=0-1' } });
  expect([range.status, range.headers['content-encoding']]).toEqual([206, 'gzip']);
});

test('without clean addresses a page answers under its full name alone', async () => {
  const site = await theHost();
  const published = await publishSite(site, 'full', PAGES);
  await setOptions(site, published, { hasCleanUrls: false });
  for (const path of ['/about', '/about/', '/docs/api']) expect((await site.get('full', path)).status).toBe(404);
  // Without a page of its own for these, visitors are led to the first one.
  expect((await site.get('full', '/about')).text).toContain('<a href="/">start page of this site</a>');
  expect((await site.get('full', '/about.html')).text).toBe('ABOUT');
  expect((await site.get('full', '/docs')).headers.location).toBe('/docs/');
});

test('a single page answers for pages that only its script knows, and for nothing else', async () => {
  const site = await theHost();
  const files = { 'index.html': 'APP', 'style.css': 'css', '404.html': 'NOT HERE' };
  const published = await publishSite(site, 'single', files);
  expect((await site.get('single', '/orders/7', { headers: PAGE })).status).toBe(404);
  await setOptions(site, published, { isSinglePage: true });
  for (const path of ['/orders/7', '/orders/7/', '/orders?x=1', '/v1.2/orders', '/tool/1.2.3', '/tool@1.0/']) {
    const answer = await site.get('single', path, { headers: PAGE });
    expect([path, answer.status, answer.text]).toEqual([path, 200, 'APP']);
    expect(answer.headers.vary).toMatch(/Accept-Encoding.*Accept, Sec-Fetch-Dest$/);
    expect(answer.headers['cache-control']).toBe('public, max-age=0, must-revalidate');
  }
  const head = await site.get('single', '/orders/7', { headers: PAGE, method: 'HEAD' });
  expect([head.status, head.headers['content-length']]).toEqual([200, '3']);
  const known = (await site.get('single', '/orders/7', { headers: PAGE })).headers.etag ?? '';
  const again = await site.get('single', '/orders/7', { headers: { ...PAGE, 'If-None-Match': known } });
  expect([again.status, again.headers.vary]).toEqual([304, 'Accept-Encoding, Accept, Sec-Fetch-Dest']);
  for (const [path, headers] of [
    ['/missing.js', PAGE],
    ['/data.json', PAGE],
    ['/orders/7', { Accept: 'application/json' }],
    ['/orders/7', { Accept: 'text/html;q=0, */*;q=0.0' }],
    ['/orders/7', { Accept: '*/*', 'Sec-Fetch-Dest': 'script' }],
    ['/orders/7', { Accept: 'image/avif,*/*;q=0.8', 'Sec-Fetch-Dest': 'image' }],
    ['/orders/7', { Accept: '*/*', 'Sec-Fetch-Dest': 'empty' }],
  ] as const) {
    const answer = await site.get('single', path, { headers });
    expect([path, answer.status, answer.text]).toEqual([path, 404, 'NOT HERE']);
  }
  // Programs that make previews and look after links take anything, and scripts that fetch a page say so.
  for (const headers of [{}, { Accept: '*/*' }, { Accept: 'TEXT/*;q=0.9' }, { ...PAGE, 'Sec-Fetch-Dest': 'empty' }]) {
    expect([headers, (await site.get('single', '/orders/7', { headers })).text]).toEqual([headers, 'APP']);
  }
  expect((await site.get('single', '/style.css', { headers: PAGE })).text).toBe('css');
});

test('an escaped slash is a sign within its part: the page of a script or none, never a file of a folder', async () => {
  const site = await theHost();
  const published = await publishSite(site, 'escaped', { 'index.html': 'APP', 'search/a/b.html': 'FILE' });
  const ruled = { 'index.html': 'APP', 'search/a/b.html': 'FILE', _redirects: '/* /index.html 200' };
  await publishSite(site, 'escaped-ruled', ruled);
  const paths = ['/search/x%2Fy', '/search/a%2Fb', '/search/a%2fb.html', '/pkg/@scope%2Fname', '/a%5Cb', '/%E4'];
  const answers = (name: string) =>
    Promise.all(paths.map(async (path) => (await site.get(name, path, { headers: PAGE })).text));
  for (const path of paths) expect((await site.get('escaped', path, { headers: PAGE })).status).toBe(404);
  expect(await answers('escaped-ruled')).toEqual(paths.map(() => 'APP'));
  await setOptions(site, published, { isSinglePage: true });
  expect(await answers('escaped')).toEqual(
    paths.map((path) => (path.endsWith('.html') ? expect.not.stringContaining('FILE') : 'APP')),
  );
  for (const path of ['/%', '/a%2Fb%00', '/a%2Fb%0a']) {
    expect((await site.get('escaped', path, { headers: PAGE })).status).toBe(400);
  }
});

test('the way to a folder is written as it was asked for', async () => {
  const site = await theHost();
  await publishSite(site, 'signs', { '@scope/pkg/index.html': 'PKG', 'Talk:Main/index.html': 'TALK' });
  for (const path of ['/@scope/pkg', '/%40scope/pkg', '/Talk:Main']) {
    expect((await site.get('signs', path)).headers.location).toBe(`${path}/`);
  }
});

test('a single page stands in for no dotfile, and a dotfile that was published on purpose is served', async () => {
  const site = await theHost();
  const published = await publishSite(site, 'hidden', { 'index.html': 'APP', '404.html': 'GONE', '.npmrc': 'MINE' });
  await setOptions(site, published, { isSinglePage: true });
  for (const path of [
    '/.env',
    '/.git/config',
    '/.git/',
    '/a/.ssh/key',
    '/.htpasswd',
    '/%2egit/HEAD',
    '/.well-known2',
  ]) {
    const answer = await site.get('hidden', path, { headers: PAGE });
    expect([path, answer.status, answer.text]).toEqual([path, 404, 'GONE']);
  }
  expect((await site.get('hidden', '/.npmrc', { headers: PAGE })).text).toBe('MINE');
  for (const path of ['/.well-known/change-password', '/a.b/c']) {
    expect([path, (await site.get('hidden', path, { headers: PAGE })).text]).toEqual([path, 'APP']);
  }
});

test('a change of an option is served at once by the change feed, at the public address and at previews', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  const published = await publishSite(site, 'switched', { 'index.html': 'APP', 'about.html': 'ABOUT' });
  await expect.poll(async () => (await site.get('switched', '/about')).text).toBe('ABOUT');
  expect((await site.get('r1--switched', '/about')).text).toBe('ABOUT');
  await setOptions(site, published, { hasCleanUrls: false, isSinglePage: true });
  for (const name of ['switched', 'r1--switched']) {
    await expect.poll(async () => (await site.get(name, '/about', { headers: DATA })).status).toBe(404);
    expect((await site.get(name, '/about', { headers: PAGE })).text).toBe('APP');
  }
});

test('hashed files of an earlier release answer before the single page and before rules', async () => {
  const site = await theHost();
  const first = await publishSite(site, 'tabs', { 'index.html': 'one', 'app-3f2a1b9c.js': 'OLD' });
  expect((await site.get('tabs', '/')).text).toBe('one');
  await publishSite(site, 'tabs', { 'index.html': 'two', _redirects: '/* /index.html 200' });
  await setOptions(site, first, { isSinglePage: true });
  expect((await site.get('tabs', '/app-3f2a1b9c.js', { headers: PAGE })).text).toBe('OLD');
  expect((await site.get('tabs', '/other-99d1e0f4.js', { headers: PAGE })).text).toBe('two');
});

test('rules lead, rewrite and refuse in their order, and only where there is no file unless forced', async () => {
  const site = await theHost();
  await publishSite(site, 'ruled', {
    'index.html': 'HOME',
    'page.html': 'PAGE',
    'secret.html': 'SECRET',
    '404.html': 'NOT HERE',
    'app/index.html': 'APP',
    _redirects: [
      '/old/* /new/:splat 302',
      '/page /index.html 200',
      '/secret /404.html 404!',
      '/secret.html / 307!',
      '/app/* /app 200',
      '/gone /nowhere.html 200',
      '/away https://other.example/x',
      '/wrong //evil.example',
    ].join('\n'),
  });
  const led = await site.get('ruled', '/old/a%20b/c?x=1');
  expect([led.status, led.headers.location]).toEqual([302, '/new/a%20b/c?x=1']);
  expect((await site.get('ruled', '/page')).text).toBe('PAGE');
  const refused = await site.get('ruled', '/secret');
  expect([refused.status, refused.text, refused.headers['cache-control']]).toEqual([404, 'NOT HERE', 'no-cache']);
  expect((await site.get('ruled', '/secret.html')).status).toBe(307);
  expect((await site.get('ruled', '/app/orders/7')).text).toBe('APP');
  expect((await site.get('ruled', '/gone')).text).toBe('NOT HERE');
  expect((await site.get('ruled', '/away')).headers.location).toBe('https://other.example/x');
  expect((await site.get('ruled', '/wrong')).status).toBe(404);
  expect((await site.get('ruled', '/_redirects')).status).toBe(404);
  expect((await site.get('r1--ruled', '/old/x')).headers.location).toBe('/new/x');
});

test('headers of a site stand in the place of ours, but for what is ours alone', async () => {
  const site = await theHost();
  await publishSite(site, 'dressed', {
    'index.html': 'HOME',
    'style.css': 'css',
    '404.html': 'NOT HERE',
    _headers: [
      '/*',
      '  Content-Security-Policy: default-src https:',
      '  Cache-Control: public, max-age=600',
      '  Set-Cookie: a=1',
      '  Set-Cookie: b=2',
      '  Vary: Origin',
      '  Strict-Transport-Security: max-age=100',
      '  Content-Length: 1',
      '/style.css',
      '  ! Cache-Control',
      '  X-Style: yes',
    ].join('\n'),
  });
  const home = await site.get('dressed', '/');
  expect(home.headers).toMatchObject({
    'content-security-policy': 'default-src https:',
    'cache-control': 'public, max-age=600',
    'set-cookie': ['a=1', 'b=2'],
    vary: 'Accept-Encoding, Origin',
    'content-length': '4',
    'x-content-type-options': 'nosniff',
  });
  expect(home.headers['strict-transport-security']).toBeUndefined();
  const style = await site.get('dressed', '/style.css');
  expect([style.headers['cache-control'], style.headers['x-style']]).toEqual([undefined, 'yes']);
  const part = await site.get('dressed', '/style.css', { headers: { Range: 'bytes=0-1' } });
  expect([part.status, part.text, part.headers['x-style']]).toEqual([206, 'cs', 'yes']);
  const known = await site.get('dressed', '/', { headers: { 'If-None-Match': home.headers.etag ?? '' } });
  expect([known.status, known.headers['cache-control']]).toEqual([304, 'public, max-age=600']);
  const missing = await site.get('dressed', '/absent');
  expect([missing.status, missing.headers['cache-control']]).toEqual([404, 'no-cache']);
  expect(missing.headers['content-security-policy']).toBe('default-src https:');
});

test('HSTS is passed on where the site is reached over https, through a proxy that is trusted', async () => {
  await using base = await createTestHost();
  await publishSite(base, 'secure', { 'index.html': 'x', _headers: '/*\n  Strict-Transport-Security: max-age=100' });
  const over = async (scheme: string) =>
    (await base.get('secure', '/', { headers: { 'X-Forwarded-Proto': scheme } })).headers['strict-transport-security'];
  expect(await over('https')).toBeUndefined();
  await base.restart({ addresses: { ...base.providers.addresses, trustedProxies: 1 } });
  expect([await over('https'), await over('http')]).toEqual(['max-age=100', undefined]);
});

test('options and rules hold while the database is away, also after a restart and for a site that nobody asked for', async () => {
  await using site = await createTestHost();
  const files = {
    'index.html': 'APP',
    'about.html': 'ABOUT',
    _redirects: '/old /about',
    _headers: '/*\n  X-Site: mine',
  };
  const published = await publishSite(site, 'quiet', files);
  await setOptions(site, published, { isSinglePage: true, hasCleanUrls: false });
  await withoutDatabase(async () => {
    await site.restart();
    expect((await site.get('quiet', '/about', { headers: DATA })).status).toBe(404);
    const page = await site.get('quiet', '/about', { headers: PAGE });
    expect([page.status, page.text, page.headers['x-site']]).toEqual([200, 'APP', 'mine']);
    expect((await site.get('quiet', '/old')).headers.location).toBe('/about');
  });
});

test('the rules of a release are its own', async () => {
  const site = await theHost();
  await publishSite(site, 'changing', { 'index.html': 'one', _redirects: '/x /one' });
  await addRelease(site, 'changing', { 'index.html': 'two', _redirects: '/x /two' }, 'verifying');
  expect((await site.get('changing', '/x')).headers.location).toBe('/one');
  expect((await site.get('r2--changing', '/x')).headers.location).toBe('/two');
});
