import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createRateCounters, type RateCounters } from '../../server/lib/rate-counters.ts';
import { get } from '../support/get.ts';
import { createTestHost, publishSite, shareHost } from '../support/host.ts';
import { WIDE_LIMITS } from '../support/wide-limits.ts';

/** One for all tests that only ask it something. */
const harbour = shareHost({
  harbour: { 'index.html': 'PAGE', 'dir/index.html': 'DIR', 'secret.txt': 'SECRET' },
  leading: { 'index.html': 'x', 'dir/index.html': 'x', 'evil.com/index.html': 'x' },
});

const CLOSE = 'Connection: close\r\n';

const BAD_REQUESTS = [
  [
    'chunked and a length at once',
    `GET / HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
  ],
  [
    'two lengths',
    `GET / HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  ],
  [
    'an unknown transfer encoding',
    `GET / HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}Transfer-Encoding: xyz\r\n\r\n`,
  ],
  ['a space before the colon', `GET / HTTP/1.1\r\nHost : harbour.localhost\r\n${CLOSE}\r\n`],
  ['a bare line feed', `GET / HTTP/1.1\nHost: harbour.localhost\n\n`],
  ['a folded header', `GET / HTTP/1.1\r\nHost: harbour.localhost\r\nX-A: b\r\n c\r\n${CLOSE}\r\n`],
  ['NUL in the path', `GET /\0 HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}\r\n`],
  ['raw UTF-8 in the path', `GET /\xc3\xbc HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}\r\n`],
  ['no Host in HTTP/1.1', `GET / HTTP/1.1\r\n${CLOSE}\r\n`],
  ['two Hosts', `GET / HTTP/1.1\r\nHost: harbour.localhost\r\nHost: other.localhost\r\n${CLOSE}\r\n`],
  ['the same Host twice', `GET / HTTP/1.1\r\nHost: harbour.localhost\r\nhOST: harbour.localhost\r\n${CLOSE}\r\n`],
  ['a list of hosts', `GET / HTTP/1.1\r\nHost: harbour.localhost, b\r\n${CLOSE}\r\n`],
  ['a user in the Host', `GET / HTTP/1.1\r\nHost: user@harbour.localhost:80\r\n${CLOSE}\r\n`],
  ['an empty Host', `GET / HTTP/1.1\r\nHost:\r\n${CLOSE}\r\n`],
  ['a path in the Host', `GET / HTTP/1.1\r\nHost: harbour.localhost/x\r\n${CLOSE}\r\n`],
  ['an empty label', `GET / HTTP/1.1\r\nHost: harbour..localhost\r\n${CLOSE}\r\n`],
  ['HTTP/1.0 without Host', `GET / HTTP/1.0\r\n\r\n`],
  ['a target that is no path', `GET secret.txt HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}\r\n`],
  [
    'a user in an absolute target',
    `GET http://u@harbour.localhost/ HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}\r\n`,
  ],
] as const;

test('what could be read in two ways is a bad request', async () => {
  const site = await harbour();
  for (const [name, text] of BAD_REQUESTS) {
    const answer = await site.raw(text);
    expect([name, answer.slice(0, 13)]).toEqual([name, 'HTTP/1.1 400 ']);
    expect(answer).not.toContain('PAGE');
  }
});

test('an absolute target counts more than the Host header', async () => {
  const site = await harbour();
  await publishSite(site, 'other', { 'index.html': 'OTHER' });
  const ask = (target: string, host: string) => site.raw(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}\r\n`);
  expect(await ask('http://other.localhost/', 'harbour.localhost')).toContain('OTHER');
  expect(await ask('http://other.localhost:3001', 'harbour.localhost')).toContain('OTHER');
  expect(await ask('http://other.localhost?q', 'harbour.localhost')).toContain('OTHER');
  expect(await ask('http://evil.example/', 'harbour.localhost')).toMatch(/^HTTP\/1\.1 404 /);
  expect(await ask('http://localhost/', 'harbour.localhost')).toMatch(/^HTTP\/1\.1 421 /);
});

test('OPTIONS * and TRACE are not allowed', async () => {
  const site = await harbour();
  for (const line of ['OPTIONS *', 'TRACE /']) {
    const answer = await site.raw(`${line} HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toContain('Allow: GET, HEAD');
  }
});

test('a hundred headers are too many, and so are 16 KiB of them', async () => {
  const site = await harbour();
  const withHeaders = (count: number, size: number) =>
    site.raw(
      `GET / HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}${Array.from({ length: count }, (_, index) => `X-${index}: ${'a'.repeat(size)}\r\n`).join('')}\r\n`,
    );
  expect(await withHeaders(90, 1)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await withHeaders(98, 1)).toMatch(/^HTTP\/1\.1 431 /);
  expect(await withHeaders(500, 1)).toMatch(/^HTTP\/1\.1 431 /);
  expect(await withHeaders(20, 1_000)).toMatch(/^HTTP\/1\.1 431 /);
});

test('spellings of one host name are one name', async () => {
  const site = await harbour();
  const { port } = site.host.address;
  for (const host of ['HARBOUR.LocalHost', 'harbour.localhost.', 'harbour.localhost:3001', 'harbour.localhost.:80']) {
    expect([host, (await get(port, host, '/')).text]).toEqual([host, 'PAGE']);
  }
});

const TRAVERSALS = [
  '/../secret.txt',
  '/..',
  '/.',
  '/./secret.txt',
  '/dir/../secret.txt',
  '/dir/..',
  '/%2e%2e/secret.txt',
  '/%2E%2E/secret.txt',
  '/.%2e/secret.txt',
  '/%2e./secret.txt',
  '/dir/%2e%2e/secret.txt',
  '/dir%2f..%2fsecret.txt',
  '/dir%2F..%2Fsecret.txt',
  '/dir%2findex.html',
  '/%2fsecret.txt',
  '/..%2fsecret.txt',
  '/..%5csecret.txt',
  '/..%5Csecret.txt',
  '/dir\\..\\secret.txt',
  '/\\secret.txt',
  '/..\\secret.txt',
  '/%5csecret.txt',
  '/%252e%252e/secret.txt',
  '/%252e%252e%252fsecret.txt',
  '/dir/%252e%252e/secret.txt',
  '/..%252fsecret.txt',
  '/%c0%ae%c0%ae/secret.txt',
  '/%c0%af..%c0%afsecret.txt',
  '/%e0%80%ae%e0%80%ae/secret.txt',
  '/%uff0e%uff0e/secret.txt',
  '/%ef%bc%8e%ef%bc%8e/secret.txt',
  '/....//secret.txt',
  '/.../secret.txt',
  '/..;/secret.txt',
  '/..%00/secret.txt',
  '/secret.txt%00.html',
  '/secret.txt%0a',
  '/%',
  '/%zz',
  '/%f0%28%8c%28',
  '//secret.txt',
  '///secret.txt',
  '/dir//../secret.txt',
  '/%7f',
  '/dir/./index.html',
  '/secret.txt/..',
  '/secret.txt/.',
  '/~/../secret.txt',
  '/C:/secret.txt',
  '/file:///etc/passwd',
  '/etc/passwd',
  '/secret.txt/',
  '/dir/%2e',
  '/#/secret.txt',
];

test('no spelling of a way out ever gets other bytes', async () => {
  const site = await harbour();
  for (const path of TRAVERSALS) {
    const answer = await site.raw(`GET ${path} HTTP/1.1\r\nHost: harbour.localhost\r\n${CLOSE}\r\n`);
    expect([path, /^HTTP\/1\.1 (400|404) /.test(answer)]).toEqual([path, true]);
    expect(answer).not.toMatch(/SECRET|root:|DIR/);
  }
});

test("one site's name with another's path is the first one's 404", async () => {
  const site = await harbour();
  await publishSite(site, 'neighbour', { 'index.html': 'N', 'only-here.txt': 'THEIRS', '404.html': 'NEIGHBOUR 404' });
  expect((await site.get('neighbour', '/only-here.txt')).text).toBe('THEIRS');
  const answer = await site.get('harbour', '/only-here.txt');
  expect(answer.status).toBe(404);
  expect(answer.text).not.toMatch(/THEIRS|NEIGHBOUR/);
});

const ofAppExample = shareHost(
  {},
  {
    providers: {
      addresses: {
        publicUrl: 'https://app.example',
        sitesDomain: 'localhost',
        sitesUrl: 'http://{slug}.localhost:3001',
        sitesListener: { protocol: 'http:', host: '127.0.0.1', port: 0 },
        supportEmail: 'support@app.example',
        operatorEmail: 'support@app.example',
      },
    },
  },
);

test.each([
  'localhost',
  'localhost:3001',
  '127.0.0.1',
  '127.0.0.1:3001',
  '[::1]:3001',
  '10.0.0.7',
  '127.1',
  '2130706433',
  '0x7f.1',
  'app.example',
])('%s on the port of the sites is misdirected', async (host) => {
  const site = await ofAppExample();
  const answer = await get(site.host.address.port, host, '/', { headers: { Cookie: '__Host-session=secret' } });
  expect([answer.status, answer.headers['cache-control'], answer.headers['set-cookie']]).toEqual([
    421,
    'no-store',
    undefined,
  ]);
  expect(answer.text).toContain('This address serves no site');
});

test('five hundred ranges are answered with the whole file', async () => {
  const site = await harbour();
  const ranges = Array.from({ length: 500 }, (_, index) => `${index % 4}-${index % 4}`).join(',');
  const answer = await site.get('harbour', '/', { headers: { Range: `bytes=${ranges}` } });
  expect([answer.status, answer.text, answer.headers['content-range']]).toEqual([200, 'PAGE', undefined]);
});

test.each([
  { path: '//evil.com', status: 404 },
  { path: '//evil.com/', status: 404 },
  { path: '//evil.com/..', status: 400 },
  { path: '//evil.com/%2e%2e', status: 400 },
  { path: '/\\evil.com', status: 400 },
  { path: '/%5cevil.com', status: 404 },
  { path: '/%5Cevil.com/', status: 404 },
  { path: '/.//evil.com', status: 400 },
  { path: '///evil.com', status: 404 },
  { path: '/%09/evil.com', status: 400 },
  { path: '//dir', status: 404 },
  { path: '/dir//evil.com', status: 404 },
  { path: '/%2f%2fevil.com', status: 404 },
  { path: '/https://evil.com', status: 404 },
  { path: '/evil.com', status: 308, location: '/evil.com/' },
  { path: '/dir?//evil.com', status: 308, location: '/dir/?//evil.com' },
])('$path never leads to another host', async ({ path, status, location }) => {
  const site = await harbour();
  const answer = await site.raw(`GET ${path} HTTP/1.1\r\nHost: leading.localhost\r\n${CLOSE}\r\n`);
  expect({
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]),
    location: /^Location: (.*)\r$/im.exec(answer)?.[1],
  }).toEqual({ status, location });
});

/** Counts connections, and knows whether the first of them has ended: its client does not see that while it reads nothing. */
function watchFirst(): { rateCounters: RateCounters; hasEnded(): boolean } {
  const rateCounters = createRateCounters();
  let count = 0;
  let hasEnded = false;
  return {
    hasEnded: () => hasEnded,
    rateCounters: {
      ...rateCounters,
      async takeSlot(key, slots) {
        count += 1;
        const isFirst = count === 1;
        const leave = await rateCounters.takeSlot(key, slots);
        return () => {
          hasEnded ||= isFirst;
          leave?.();
        };
      },
    },
  };
}

test('slow headers, slow bodies and slow readers are cut off while others are served', async () => {
  const LIMIT_MS = 300;
  const BIG_BYTES = 64 * 1024 * 1024;
  const first = watchFirst();
  await using site = await createTestHost({
    providers: { limits: { ...WIDE_LIMITS, isAddressCounted: true }, rateCounters: first.rateCounters },
    timeouts: {
      headersTimeout: LIMIT_MS,
      requestTimeout: LIMIT_MS,
      connectionsCheckingInterval: 50,
      // In parts far longer than a busy machine stands still.
      silentMs: 8 * LIMIT_MS,
    },
  });
  await publishSite(site, 'slow', { 'index.html': 'PAGE', 'big.bin': Buffer.alloc(BIG_BYTES, 7) });
  const { port } = site.host.address;
  const open = (text: string) => {
    const state = { received: 0, head: '', isClosed: false };
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      state.isClosed = true;
    });
    socket.on('data', (piece: Buffer) => {
      state.head ||= piece.toString('latin1');
      state.received += piece.length;
    });
    return { socket, state };
  };
  const reader = open('GET /big.bin HTTP/1.1\r\nHost: slow.localhost\r\n\r\n');
  reader.socket.pause();
  await once(reader.socket, 'connect');
  const header = open('GET / HTTP/1.1\r\nHost: slow.loc');
  const body = open('POST / HTTP/1.1\r\nHost: slow.localhost\r\nContent-Length: 100000\r\n\r\nabc');

  let served = 0;
  while (served < 6 || !first.hasEnded() || !header.state.isClosed || !body.state.isClosed) {
    expect((await site.get('slow', '/')).text).toBe('PAGE');
    served += 1;
  }
  expect(header.state.head).toMatch(/^HTTP\/1\.1 408 /);
  // What comes when it reads again was under way before the cut.
  reader.socket.resume();
  await expect.poll(() => reader.state.isClosed).toBe(true);
  expect(reader.state.received).toBeLessThan(BIG_BYTES);
});

test('a hundred connections of one address are enough', async () => {
  await using base = await createTestHost();
  await publishSite(base, 'crowd', { 'index.html': 'PAGE' });
  await base.restart({ limits: { ...base.providers.limits, isAddressCounted: true } });
  const { port } = base.host.address;
  const open = Array.from({ length: 101 }, () => connect(port, '127.0.0.1'));
  const refused = await new Promise<number>((resolve) => {
    for (const [index, socket] of open.entries()) {
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(index));
    }
  });
  expect(refused).toBe(100);
  for (const socket of open) socket.destroy();
  await expect.poll(async () => (await base.get('crowd', '/').catch(() => null))?.text).toBe('PAGE');
});
