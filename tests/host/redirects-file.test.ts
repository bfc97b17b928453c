import { expect, test, vi } from 'vitest';
import { type Address, fitsPattern, parsePattern, readAddress } from '../../routers/rules/hosting/address-pattern.ts';
import {
  createRedirectTable,
  hostsLedTo,
  parseRedirects,
  redirectsSteps,
} from '../../routers/rules/hosting/redirects-file.ts';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { readRequestPath } from '../../server/host/responses/request-path.ts';

/** Returns where `address` leads by these lines: the forced rules first, as the host asks them. */
function lead(lines: string, address: string): string | null {
  const { rules, problems } = parseRedirects(lines);
  expect(problems).toEqual([]);
  const [path = '', query] = address.split('?');
  const table = createRedirectTable(rules);
  const asked = readRequestPath(encodeURI(path).replaceAll('%25', '%'));
  const ask = [asked?.file ?? '', query === undefined ? '' : `?${query}`, asked?.raw] as const;
  const found = table.forced(...ask) ?? table.otherwise(...ask);
  if (found === null) return null;
  return found.kind === 'redirect' ? `${found.status} ${found.location}` : `${found.status} ${found.file}`;
}

test.each([
  ['/old /new', '/old', '301 /new'],
  ['/old /new', '/old/', '301 /new'],
  ['/old/ /new 302', '/old', '302 /new'],
  ['/old /new 307', '/older', null],
  ['/old /new', '/Old', null],
  ['/old\t/new\t308   # moved for good', '/old', '308 /new'],
  ['# only a comment\n\n/old /new 303', '/old', '303 /new'],
  ['/news/* /blog/:splat', '/news/2026/x y', '301 /blog/2026/x%20y'],
  ['/news/* /blog/:splat', '/news', '301 /blog/'],
  ['/news/* /blog/:splat', '/newsletter', null],
  ['/:year/:month/:slug /blog/:slug/:year', '/2026/11/fair', '301 /blog/fair/2026'],
  ['/:year/:month/:slug /blog/:slug', '/2026/11', null],
  ['/a/:b/* /:splat/:b', '/a/1/2/3', '301 /2/3/1'],
  ['/* /index.html 200', '/any/where', '200 index.html'],
  ['/* /index.html 200', '/', '200 index.html'],
  ['/app/* /app/index.html 200', '/app/x', '200 app/index.html'],
  ['/files/* /store/:splat 200', '/files/a b/c', '200 store/a b/c'],
  ['/secret/* /404.html 404', '/secret/x', '404 404.html'],
  ['/x https://other.example/y', '/x', '301 https://other.example/y'],
  ['/x/* https://other.example:8443/:splat 302', '/x/é/1', '302 https://other.example:8443/%C3%A9/1'],
  ['/x http://bücher.example/y', '/x', '301 http://xn--bcher-kva.example/y'],
  ['/x /y', '/x?a=1&b=2', '301 /y?a=1&b=2'],
  ['/x /y?c=3', '/x?a=1', '301 /y?c=3'],
  ['/x /y#part', '/x?a=1', '301 /y?a=1#part'],
  ['/x /größe', '/x', '301 /gr%C3%B6%C3%9Fe'],
  ['/gr%C3%B6%C3%9Fe /y', '/größe', '301 /y'],
  ['/x /wiki/Talk:Main', '/x', '301 /wiki/Talk:Main'],
  ['/size /größe', '/size', '301 /gr%C3%B6%C3%9Fe'],
  ['/u/* https://social.example/:splat 301', '/u/@nuke', '301 https://social.example/@nuke'],
  ['/u/* https://social.example/:splat', "/u/a+b,c;d=e&f!$'()*", "301 https://social.example/a+b,c;d=e&f!$'()*"],
  ['/u/* https://social.example/:splat', '/u/Talk:Main', '301 https://social.example/Talk:Main'],
  ['/w/:name https://wiki.example/:name', '/w/@x', '301 https://wiki.example/@x'],
  [
    '/u/* https://social.example/:splat',
    '/u/a%2520b/%40x/%2f%5C%e4',
    '301 https://social.example/a%2520b/%40x/%2f%5C%e4',
  ],
  ['/u/* /:splat', '/u/a%20b%22c', '301 /a%20b%22c'],
  ['/docs/preset-* /docs/babel-preset-:splat', '/docs/preset-env', '301 /docs/babel-preset-env'],
  ['/docs/preset-* /docs/babel-preset-:splat', '/docs/preset-env/options', '301 /docs/babel-preset-env/options'],
  ['/docs/preset-* /docs/babel-preset-:splat', '/docs/preset-', '301 /docs/babel-preset-'],
  ['/docs/preset-* /docs/babel-preset-:splat', '/docs/pre%73et-@x', '301 /docs/babel-preset-@x'],
  ['/docs/preset-* /docs/babel-preset-:splat', '/docs/presets', null],
  ['/docs/preset-* /docs/babel-preset-:splat', '/docs', null],
  ['/docs/:v/x-* /:v/:splat 200', '/docs/1/x-y/z', '200 1/y/z'],
  ['/größe-* /:splat', '/gr%C3%B6%C3%9Fe-1', '301 /1'],
  ['/go-* /:splat', '/go-//evil.example', '301 /evil.example'],
  ['/a%2fb/c /there', '/a%2Fb/c', '301 /there'],
  ['/a%2Fb /there', '/a/b', null],
  ['/x/* /x/:splat', '/x/a%2Fb', null],
  ['/x/* /files/:splat 200', '/x/a%2Fb', '200 files/a\u00002Fb'],
  ['/a /first\n/a /second', '/a', '301 /first'],
  ['/:any /named\n/a /plain', '/a', '301 /named'],
  ['/a /plain\n/:any /named', '/a', '301 /plain'],
  ['/a /unforced\n/a /forced 302!', '/a', '302 /forced'],
  // A rule that leads to where the visitor is would lead there for ever.
  ['/a/ /a', '/a', null],
  ['/* /:splat', '/a/b', null],
  ['/b/* /b/x', '/b/x', null],
])('by %j, %s leads to %s', (lines, address, expected) => {
  expect(lead(lines, address)).toBe(expected);
});

test.each([
  ['/old', 1, 'The target is missing'],
  ['old /new', 1, 'Start the address with a slash'],
  ['/ok /fine\n\n/x //evil.example', 3, 'one slash'],
  ['/x /\\evil.example', 1, 'one slash'],
  ['/x ftp://files.example', 1, 'The target is missing'],
  ['/x https://user:pass@other.example/', 1, 'user name'],
  ['/x https://:splat.example/', 1, 'not valid'],
  ['/* https://other.example:splat', 1, 'not valid'],
  ['/x https://other.example/ 200', 1, 'not supported'],
  ['/x /y 410', 1, '"410"'],
  ['/x /y yes', 1, '"yes"'],
  ['/x /y 302 Country=de', 1, 'Conditions'],
  ['/x /y Country=de', 1, 'Conditions'],
  ['/x id=:id /y/:id', 1, 'query parameters'],
  ['https://other.example/x /y', 1, 'other host names'],
  ['/a/*/b /y', 1, 'star'],
  ['/*.html /y', 1, 'star'],
  ['/:a/:a /y', 1, 'once'],
  ['/x /y/:id', 1, ':id'],
  ['/x%zz /y', 1, 'percent'],
  ['/x /y%', 1, 'percent'],
  ['/x /y\u0000', 1, 'cannot be seen'],
  [`/x /${'y'.repeat(2_000)}`, 1, 'longer than'],
])('%j is told in line %i', (lines, line, part) => {
  const { problems } = parseRedirects(lines);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.line).toBe(line);
  expect(problems[0]?.message).toContain(part);
});

test('a wrong line costs only itself, in any kind of line ends and behind a byte order mark', () => {
  const { rules, problems } = parseRedirects('\ufeff/a /b\r\nwrong\r\n/c /d 302\r/e /f');
  expect(rules.map((rule) => rule.line)).toEqual([1, 3, 4]);
  expect(problems.map((problem) => problem.line)).toEqual([2]);
});

test('more rules than are read are told once', () => {
  const exact = Array.from({ length: 2_001 }, (_, index) => `/a${index} /b`).join('\n');
  expect(parseRedirects(exact)).toMatchObject({ problems: [{ line: 2_001 }] });
  expect(parseRedirects(exact).rules).toHaveLength(2_000);
  const stars = Array.from({ length: 150 }, (_, index) => `/a${index}/* /b`).join('\n');
  expect(parseRedirects(stars)).toMatchObject({ problems: [{ line: 101 }] });
  const long = parseRedirects(`/early /a\n${'x\n'.repeat(40_000)}/late /a`);
  expect(long.rules).toHaveLength(1);
  expect(long.problems).toHaveLength(5_000);
  expect(long.problems.at(-1)).toEqual({ line: 5_001, message: expect.stringContaining('5,000 lines') });
  const large = parseRedirects(`${`#${' filler'.repeat(20)}\n`.repeat(4_000)}/late /rule`);
  expect([large.rules, large.problems.map(({ message }) => message)]).toEqual([
    [],
    [expect.stringContaining('256 KiB')],
  ]);
});

test('no address ever makes a rule of the site lead to another host', () => {
  const table = createRedirectTable(parseRedirects('/go/* /:splat\n/:a/:b /:b/:a\n/* /x/:splat').rules);
  const sly = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '\r\nSet-Cookie: a=b',
    '%2f%2fevil.example',
    '?x',
    '#y',
  ];
  for (const text of sly) {
    for (const file of [`go/${text}`, `go//${text}`, `${text}/a`, `a/${text}`, text]) {
      const found = table.otherwise(file, '');
      if (found?.kind !== 'redirect') throw new Error(`${file} leads nowhere.`);
      expect(found.location).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/);
      expect(new URL(found.location, 'http://here.example').host).toBe('here.example');
    }
  }
});

test('what takes a regular expression for ever is read and matched in one pass', () => {
  const names = Array.from({ length: 31 }, (_, index) => `:n${index}`).join('/');
  const lines = Array.from({ length: 100 }, (_, index) => `/${names}/end${index} /x`).join('\n');
  const { rules, problems } = parseRedirects(lines);
  expect([rules.length, problems]).toEqual([100, []]);
  const table = createRedirectTable(rules);
  // Every rule is tried on an address that fits all but the end: 100 times 32 comparisons, whatever the address is.
  expect(table.otherwise(`${'a/'.repeat(31)}other`, '')).toBeNull();
  expect(table.otherwise(`${'a/'.repeat(31)}end99`, '')).toMatchObject({ location: '/x' });
  expect(table.otherwise('a'.repeat(16_000), '')).toBeNull();
  expect(parseRedirects(`/:m/${names}/end /x`).problems).toMatchObject([
    { line: 1, message: expect.stringContaining('32') },
  ]);
});

/** The parts of an address, and how often a pattern has looked at one of them. */
function watched(file: string): { address: Address; looks: () => number } {
  const address = readAddress(file);
  let looks = 0;
  const parts = new Proxy(address.parts, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
      return Reflect.get(target, key);
    },
  });
  return { address: { ...address, parts }, looks: () => looks };
}

const FAR = ['/'.repeat(15_000), 'a/'.repeat(7_500), 'a'.repeat(15_000), `${'a'.repeat(14)}/`.repeat(1_000)];

test('an address that no release can hold is split once, and held against patterns for 33 parts at most', () => {
  const texts = ['/:a/b', '/*', '/a/*', '/:a/:b/*', `${'/a'.repeat(32)}/*`, `${'/a'.repeat(31)}/:b`];
  const patterns = texts.map(parsePattern).filter((pattern) => typeof pattern !== 'string');
  expect(patterns).toHaveLength(texts.length);
  for (const file of FAR) {
    const { address, looks } = watched(file);
    expect(address.isBeyondFiles).toBe(true);
    expect(address.parts.length).toBeLessThanOrEqual(33);
    for (const pattern of patterns) {
      const before = looks();
      expect(fitsPattern(pattern, address) && !pattern.hasSplat).toBe(false);
      expect(looks() - before).toBeLessThanOrEqual(33);
    }
  }
});

test('a hundred rules split a far address once, and write one target out', () => {
  const lines = Array.from({ length: 100 }, () => '/* /:splat').join('\n');
  const table = createRedirectTable(parseRedirects(`/here /there\n${lines}`).rules);
  const split = vi.spyOn(String.prototype, 'split');
  const write = vi.spyOn(globalThis, 'encodeURIComponent');
  for (const file of FAR.slice(1, 3)) {
    split.mockClear();
    write.mockClear();
    expect(table.otherwise(file, '')).toBeNull();
    expect(split).toHaveBeenCalledTimes(1);
    expect(write.mock.calls.length).toBeLessThanOrEqual(file.split('/').length);
  }
  vi.restoreAllMocks();
});

test('a far address is led on by a star, and by a rule for it alone', () => {
  const far = 'x'.repeat(UPLOAD_LIMITS.maxPathBytes);
  const file = `old/${far}`;
  const table = createRedirectTable(parseRedirects(`/:a/:b /names\n/${file} /exact\n/old/* /new/:splat`).rules);
  expect(table.otherwise(file, '')).toMatchObject({ location: '/exact' });
  expect(table.otherwise(`${file}y/`, '')).toMatchObject({ location: `/new/${far}y/` });
});

test('a name is written out twice at most', () => {
  expect(parseRedirects('/w/* /:splat/:splat').problems).toEqual([]);
  expect(parseRedirects('/w/* /:splat/:splat/:splat').problems).toMatchObject([{ line: 1 }]);
});

test('hosts that rules lead to are named once', () => {
  const { rules } = parseRedirects('/a https://one.example/x\n/b https://one.example/y\n/c /d\n/e http://two.example');
  expect(hostsLedTo(rules)).toEqual(['https://one.example', 'http://two.example']);
});

test('others have their turn between two lines', () => {
  expect([...redirectsSteps('/a https://one.example/\n'.repeat(1_000))]).toHaveLength(1_000);
});
