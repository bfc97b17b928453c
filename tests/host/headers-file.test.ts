import { expect, test } from 'vitest';
import {
  fittingRules,
  type HeaderChange,
  type HeaderRule,
  headersOf,
  parseHeaders,
} from '../../routers/schemas/headers-file.ts';
import { HEADERS_WEIGHT_MAX } from '../../routers/schemas/headers-weight.ts';
import { createSiteRules } from '../../server/host/site-rules.ts';

const headersFor = (rules: readonly HeaderRule[], file: string): HeaderChange | null =>
  headersOf(fittingRules(rules, file));

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
  ['/*\n  no colon here', 2, '"Name: value"'],
  ['/*\n  Bad Name: 1', 2, 'no name'],
  ['/*\n  A: größe', 2, 'ASCII'],
  ['/*\n  Content-Length: 1', 2, 'host itself'],
  ['/*\n  transfer-encoding: chunked', 2, 'host itself'],
  ['/*\n  Connection: close', 2, 'host itself'],
  ['/*\n  Location: https://evil.example', 2, 'host itself'],
  ['/*\n  Content-Encoding: br', 2, 'host itself'],
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

test('what one page may get has an end, whichever rules it comes from, and the line beyond it is told', () => {
  const long = 'x'.repeat(1_900);
  const blocks = ['/*', '/a/*', '/:one/:two', '/a/b', '/*/b', '/*'].map((address) => `${address}\n  A: ${long}`);
  const { rules, problems } = parseHeaders(blocks.join('\n'));
  expect(rules.map(({ line }) => line)).toEqual([1, 3, 5, 7]);
  expect(problems.map(({ line }) => line)).toEqual([10, 12]);
  for (const { message } of problems) expect(message).toContain('8 KiB');
  expect(sizeOf(headersFor(rules, 'a/b'))).toBeGreaterThan(4 * 1_900);
  expect(sizeOf(headersFor(rules, 'a/b'))).toBeLessThanOrEqual(HEADERS_WEIGHT_MAX);
});

test('rules that never meet have each the whole of it, in whichever order they stand', () => {
  const long = 'x'.repeat(1_900);
  const apart = ['/a/*', '/b/*', '/c/:name', '/d', '/*.css', '/e/f/g', '/e/f/h', '/i/*.js'];
  const block = (address: string, lines = 1): string => `${address}\n${`  A: ${long}\n`.repeat(lines)}`;
  for (const addresses of [
    ['/*', ...apart],
    [...apart, '/*'],
    ['/e/*', ...apart, '/*', '/e/f/*'],
  ]) {
    expect(parseHeaders(addresses.map((address) => block(address)).join('')).problems).toEqual([]);
  }
  expect(parseHeaders(block('/a', 4) + block('/b', 4) + block('/:x/y', 4)).problems).toEqual([]);
  expect(parseHeaders(block('/a', 4) + block('/:x', 1)).problems).toMatchObject([{ line: 7 }]);
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
  const two = parseHeaders(`/*\n${short}\n  B: 1\n  C: 1\n/x\n${short}\n/*\n${short}`);
  expect(two.problems[0]).toMatchObject({ line: 102, message: expect.stringContaining('100 headers') });
  expect(two.problems[1]).toMatchObject({ message: expect.stringContaining('8 KiB') });
  const many = parseHeaders(Array.from({ length: 20 }, (_, index) => `/a${index}\n${short}`).join('\n'));
  expect(many.problems).toMatchObject([{ line: 1_012, message: expect.stringContaining('1,000') }]);
});

test('addresses that the same rules fit share what is sent', () => {
  const long = 'x'.repeat(1_000);
  const rules = createSiteRules(new Map([['_headers', `/*\n  A: ${long}\n/*\n  A: ${long}\n/b/*\n  B: 1`]]));
  const first = rules?.headersFor('a/0');
  expect(first?.set).toHaveLength(2);
  for (let index = 0; index < 1_000; index += 1) expect(rules?.headersFor(`a/${index}`)).toBe(first);
  expect(rules?.headersFor('y'.repeat(15_000))).toBe(first);
  expect(rules?.headersFor('b/1')).not.toBe(first);
});
