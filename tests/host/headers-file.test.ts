import { expect, test } from 'vitest';
import { headersFor, parseHeaders } from '../../routers/schemas/headers-file.ts';

function headersOf(text: string, address: string): Record<string, string> | null {
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
  expect(headersOf(text, address)).toEqual(expected);
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
