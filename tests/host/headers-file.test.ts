import { expect, test, vi } from 'vitest';
import {
  HEADERS_WEIGHT_MAX,
  type HeaderChange,
  type HeaderRule,
  headersOf,
  headersSteps,
  matchingRules,
  parseHeaders,
} from '../../routers/rules/hosting/headers-file.ts';
import { createSiteRules } from '../../server/host/responses/site-rules.ts';

const headersFor = (rules: readonly HeaderRule[], file: string): HeaderChange | null =>
  headersOf(matchingRules(rules, file));

function answerOf(text: string, address: string): Record<string, string> | null {
  const { rules, problems } = parseHeaders(text);
  expect(problems).toEqual([]);
  const change = headersFor(rules, address.slice(1));
  if (change === null) return null;
  const { set } = change;
  return Object.fromEntries(set.flatMap((name, index) => (index % 2 === 0 ? [[name, set[index + 1] ?? '']] : [])));
}

test.each([
  ['/*\n  X-Frame-Options: DENY', '/any/where', { 'X-Frame-Options': 'DENY' }],
  ['/*\n  X-Frame-Options: DENY', '/', { 'X-Frame-Options': 'DENY' }],
  ['/about\n  A: 1', '/about', { A: '1' }],
  ['/about\n  A: 1', '/about/', { A: '1' }],
  ['/about\n  A: 1', '/about/us', null],
  ['/assets/*\n  A: 1', '/assets/a/b.css', { A: '1' }],
  ['/assets/*\n  A: 1', '/asset', null],
  ['/*.jpg\n  A: 1', '/x/y.jpg', { A: '1' }],
  ['/*.jpg\n  A: 1', '/x/y.png', null],
  ['/img/*.jpg\n  A: 1', '/img/.jpg', { A: '1' }],
  ['/ab*bc\n  A: 1', '/abc', null],
  ['/blog/:slug\n  A: 1', '/blog/fair', { A: '1' }],
  ['/blog/:slug\n  A: 1', '/blog/fair/2', null],
  ['/blog/:slug/*\n  A: 1', '/blog/fair/2/3', { A: '1' }],
  ['/gr%C3%B6%C3%9Fe\n  A: 1', '/größe', { A: '1' }],
  ['# comment\n/*\n# another\n  A: 1\n\n  B: 2', '/', { A: '1', B: '2' }],
  ['/*\nA: 1', '/', { A: '1' }],
  ['/*\n  Link: <https://x.example/a:b>; rel=preload', '/', { Link: '<https://x.example/a:b>; rel=preload' }],
  ['/*\n  A: 1\n/x\n  a: 2', '/x', { A: '1, 2' }],
  ['/*\n  A: 1\n/x\n  ! a', '/x', {}],
  ['/*\n  A: 1\n/x\n  ! A\n  A: 3', '/x', { A: '3' }],
  ['/*\n  X-Content-Type-Options: nosniff\n  A: 1', '/', { A: '1' }],
])('by %j, %s gets %j', (text, address, expected) => {
  expect(answerOf(text, address)).toEqual(expected);
});

test('cookies stay apart, and what is taken away is named', () => {
  const { rules } = parseHeaders('/*\n  Set-Cookie: a=1\n  Set-Cookie: b=2\n  ! Cache-Control');
  const change = headersFor(rules, '');
  expect(change?.set).toEqual(['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']);
  expect([...(change?.replaced ?? [])].sort()).toEqual(['cache-control', 'set-cookie']);
});

test.each([
  ['A: 1', 1, 'below the address'],
  ['/*\n  no colon here', 2, '“Name: value”'],
  ['/*\n  Bad Name: 1', 2, 'not the name of a header'],
  ['/*\n  A: größe', 2, 'ASCII'],
  ['/*\n  Content-Length: 1', 2, 'host itself'],
  ['/*\n  transfer-encoding: chunked', 2, 'host itself'],
  ['/*\n  Connection: close', 2, 'host itself'],
  ['/*\n  HTTP2-Settings: x', 2, 'host itself'],
  ['/*\n  Location: https://evil.example', 2, 'host itself'],
  ['/*\n  Content-Encoding: br', 2, 'end in .br'],
  ['/Build/*.br\n  Content-Encoding: deflate', 2, 'br or gzip'],
  ['/*\n  ETag: "x"', 2, 'host itself'],
  ['/*\n  Service-Worker-Allowed: /', 2, 'host itself'],
  ['/*\n  X-Content-Type-Options: sniff', 2, 'host itself'],
  ['/*\n  ! X-Content-Type-Options', 2, 'host itself'],
  ['/*\n  ! Content-Type', 2, 'Content-Type'],
  ['/*\n  Set-Cookie: a=1; Path=/; Domain=example.com', 2, 'Domain'],
  ['/*\n  Set-Cookie: a=1;domain = .example.com', 2, 'Domain'],
  ['/*\n  Clear-Site-Data: "cache", "Cookies"', 2, 'Clear-Site-Data'],
  ['/*\n  Clear-Site-Data: "*"', 2, 'Clear-Site-Data'],
  ['/*\n  Basic-Auth: someone:password', 2, 'password'],
  ['/*\n  X-Accel-Redirect: /etc/passwd', 2, 'X-Accel-Redirect is an instruction'],
  ['/*\n  x-accel-buffering: no', 2, 'in front'],
  ['/*\n  ! X-Accel-Expires', 2, 'in front'],
  ['/*\n  Surrogate-Control: content="ESI/1.0"', 2, 'in front'],
  ['/*\n  Edge-Control: dca=esi', 2, 'in front'],
  ['/*\n  X-Esi: 1', 2, 'in front'],
  ['/*\n  X-Sendfile: /etc/passwd', 2, 'in front'],
  ['/*\n  X-Sendfile-Temporary: /etc/passwd', 2, 'in front'],
  ['/*\n  X-LIGHTTPD-send-file: /etc/passwd', 2, 'in front'],
  ['/*\n  X-LIGHTTPD-send-tempfile: /etc/passwd', 2, 'in front'],
  ['/*\n  X-LiteSpeed-Location: /private', 2, 'in front'],
  ['/*\n  X-Reproxy-URL: http://10.0.0.1/', 2, 'in front'],
  ['https://site.example/*\n  A: 1', 1, 'other host names'],
  ['/*/*\n  A: 1', 1, 'star'],
  ['/x%zz\n  A: 1', 1, 'percent'],
])('%j is told in line %i', (text, line, part) => {
  const { rules, problems } = parseHeaders(text);
  expect(rules).toEqual([]);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.line).toBe(line);
  expect(problems[0]?.message).toContain(part);
});

test('no more than a hundred addresses are read', () => {
  const { rules, problems } = parseHeaders(Array.from({ length: 102 }, (_, index) => `/a${index}\n  A: 1`).join('\n'));
  expect([rules.length, problems.map(({ line }) => line)]).toEqual([100, [201, 203]]);
});

const sizeOf = (change: HeaderChange | null): number => (change?.set ?? []).reduce((sum, text) => sum + text.length, 0);

test('the headers of one address have an end, and the line beyond it is told', () => {
  const long = 'x'.repeat(1_900);
  const block = (address: string, lines: number): string => `${address}\n${`  A: ${long}\n`.repeat(lines)}`;
  expect(parseHeaders(['/a', '/b', '/:x/y', '/*'].map((address) => block(address, 4)).join('')).problems).toEqual([]);
  const { rules, problems } = parseHeaders(block('/a', 5) + block('/b', 1));
  expect(problems).toMatchObject([{ line: 6, message: expect.stringContaining('8 KiB') }]);
  expect(rules.map(({ set }) => set.length)).toEqual([4, 1]);
});

test('what blocks say together has an end in each answer, where the host keeps what is left out', () => {
  const long = 'x'.repeat(1_900);
  const blocks = ['/*', '/a/*', '/:one/:two', '/a/b', '/*/b'].map((address, at) => `${address}\n  X-${at}: ${long}`);
  const { rules } = parseHeaders(blocks.join('\n'));
  const change = headersFor(rules, 'a/b');
  expect(change?.set.filter((_, index) => index % 2 === 0)).toEqual(['X-0', 'X-1', 'X-2', 'X-3']);
  expect(change?.replaced.has('x-4')).toBe(false);
});

test('a file of a thousand lines is read with a look at each, however many addresses may meet', () => {
  let looks = 0;
  const lengthOf = String.prototype.startsWith;
  const counting = vi.spyOn(String.prototype, 'startsWith').mockImplementation(function (this: string, ...args) {
    looks += 1;
    return lengthOf.apply(this, args);
  });
  const text = Array.from({ length: 100 }, (_, at) => `/a${at}*\n${'  X: 1\n'.repeat(9)}`).join('');
  const { rules } = parseHeaders(text);
  counting.mockRestore();
  expect(rules).toHaveLength(100);
  expect(looks).toBeLessThan(5 * 1_000);
});

test('no answer is ever larger, whatever addresses the rules are for', () => {
  const parts = ['a', ':b', 'c'];
  const addresses = parts.flatMap((one) => parts.flatMap((two) => [`/${one}/${two.replace(':b', ':d')}`, `/${one}/*`]));
  const stars = ['/*', '/a/*c', '/*/c', '/a*', '/c/*.html', '/', '/a/', '/a/c/'];
  for (const seed of Array.from({ length: 20 }, (_, index) => index)) {
    const mixed = [...addresses, ...stars].sort((a, b) => ((a.length * 7 + seed) % 5) - ((b.length * 7 + seed) % 5));
    const { rules } = parseHeaders(mixed.map((to, index) => `${to}\n  X-${index}: ${'x'.repeat(1_000)}`).join('\n'));
    for (const file of ['', 'a', 'a/', 'a/c', 'a/c/', 'c/c', 'c/a.html', 'a/cc', 'x/c', 'x/y', 'a/b/c', 'a/b/c/']) {
      expect(sizeOf(headersFor(rules, file))).toBeLessThanOrEqual(HEADERS_WEIGHT_MAX);
    }
  }
});

test('many short headers weigh what they cost, and lines have an end in a block and in a file', () => {
  const short = Array.from({ length: 99 }, (_, index) => `  A${index}: 1`).join('\n');
  const two = parseHeaders(`/*\n${short}\n  B: 1\n  C: 1\n/*\n${short}\n/*\n${short}`);
  expect(two.problems).toMatchObject([{ line: 102, message: expect.stringContaining('100 headers') }]);
  expect(headersFor(two.rules, '')?.set.length).toBeLessThan(2 * (HEADERS_WEIGHT_MAX / 32));
  const many = parseHeaders(Array.from({ length: 20 }, (_, index) => `/a${index}\n${short}`).join('\n'));
  expect(many.problems).toMatchObject([{ line: 1_012, message: expect.stringContaining('1,000') }]);
});

test('others have their turn between two lines', () => {
  expect([...headersSteps('/a\n  A: 1\n'.repeat(40))]).toHaveLength(80);
});

test('addresses that the same rules fit share what is sent', async () => {
  const long = 'x'.repeat(1_000);
  const rules = await createSiteRules(new Map([['_headers', `/*\n  A: ${long}\n/*\n  A: ${long}\n/b/*\n  B: 1`]]));
  const first = rules?.headersFor('a/0');
  expect(first?.set).toHaveLength(2);
  for (let index = 0; index < 1_000; index += 1) expect(rules?.headersFor(`a/${index}`)).toBe(first);
  expect(rules?.headersFor('y'.repeat(15_000))).toBe(first);
  expect(rules?.headersFor('b/1')).not.toBe(first);
});
