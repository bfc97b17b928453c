import { expect, test } from 'vitest';
import { rootLinkProblem } from '../../routers/rules/uploads/root-link-problem.ts';
import { inspectionSteps, inspectUpload } from '../../routers/rules/uploads/upload-inspection.ts';
import { checkLinks, findLinks } from '../../routers/rules/uploads/upload-links.ts';
import { inspectText, isInspectable } from '../../routers/rules/uploads/upload-text-problems.ts';
import { findTokens, mayHoldTokens } from '../../routers/rules/uploads/upload-tokens.ts';

/** Put together here, so that no scanner of source takes this file for one that holds a key. */
const AWS = `AKIA${'ABCDEFGHIJKLMNOP'}`;
const GITHUB = `ghp_${'a1B2'.repeat(9)}`;
const STRIPE = `sk_live_${'x9'.repeat(12)}`;
const PEM = `-----BEGIN ${'RSA PRIVATE KEY'}-----`;

test('keys are found by their shapes, with their lines, and shown by nothing of what makes them work', () => {
  const text = `first\nconst a = "${AWS}";\n\nb: ${GITHUB}\r\nc=${STRIPE}\n${PEM}\nMIIE\n-----BEGIN ${'PRIVATE KEY'}-----`;
  const found = findTokens(text);
  expect(found.map(({ kind, line }) => [kind, line])).toEqual([
    ['aws', 2],
    ['github', 4],
    ['stripe', 5],
    ['pem', 6],
    ['pem', 8],
  ]);
  for (const key of [AWS, GITHUB, STRIPE]) {
    for (const { masked } of found) expect(masked).not.toContain(key.slice(8));
  }
});

test.each([
  ['too short', AWS.slice(0, -1)],
  ['part of a longer word', `x${AWS}`],
  ['going on', `${AWS}Q`],
  ['small letters', AWS.toLowerCase()],
  ['a test key', STRIPE.replace('live', 'test')],
  ['a public key', PEM.replace('PRIVATE', 'PUBLIC')],
  ['a GitHub name', `ghp_${'a'.repeat(35)}`],
])('what only looks like a key is none: %s', (_, text) => {
  expect(findTokens(`key ${text} end`)).toEqual([]);
});

test('keys are looked for in texts under 1 MiB, of which a file full of them names twenty', () => {
  expect(mayHoldTokens({ path: 'config.js', sizeBytes: 1024 * 1024 - 1 })).toBe(true);
  expect(mayHoldTokens({ path: 'config.js', sizeBytes: 1024 * 1024 })).toBe(false);
  expect(mayHoldTokens({ path: '.env.local', sizeBytes: 9 })).toBe(true);
  expect(mayHoldTokens({ path: 'photo.jpg', sizeBytes: 9 })).toBe(false);
  expect(findTokens(`${AWS}\n`.repeat(100))).toHaveLength(20);
});

const PAGE = `<!doctype html>
<!-- <img src="commented.png"> -->
<link rel="stylesheet" href="style.css"><script src="/js/app.js">document.write('<img src="x.png">')</script>
<a href="about">About</a> <a href='guides/'>Guides</a> <a href=contact.html#top>Contact</a>
<a href="https://example.com/a.html">out</a> <a href="mailto:a@b.c">mail</a> <a href="#here">here</a> <a href="{{ url }}">later</a>
<img alt="href=no.png > really" src="img/a%20b.png?v=2" srcset="img/small.png 1x, img/large.png 2x">
<video poster="poster.jpg" src="movie.mp4"></video>`;

test('the links of a page are those that lead inside, and none of a comment, a script or a template', () => {
  const targets = findLinks('index.html', PAGE).map(({ target, line }) => `${line} ${target}`);
  expect(targets).toEqual([
    '3 style.css',
    '3 /js/app.js',
    '4 about',
    '4 guides/',
    '4 contact.html#top',
    '6 img/a%20b.png?v=2',
    '6 img/small.png',
    '6 img/large.png',
    '7 poster.jpg',
    '7 movie.mp4',
  ]);
});

test.each([
  ['<base href="/x/"><img src="a.png"><img src="/b.png">', ['/x/', '/b.png']],
  ['<img src="/b.png"><base href="./">', ['/b.png']],
  ['<base href="https://cdn.example.com/"><img src="/a.png">', []],
])('with a base of its own a page names what begins with a slash, unless the base is elsewhere: %s', (page, names) => {
  expect(findLinks('a.html', page).map(({ target }) => target)).toEqual(names);
});

test('the styles inside a page name files as well, and none in a comment', () => {
  const page = `<p style="background: url('img/a.png')">a</p>\n<style>/* url(no.png) */ @import "/b.css";
.a { content: '<img src="no.png">'; background: url(c.png) }</style><!-- <style>p { background: url(no.png) }</style> -->`;
  expect(findLinks('index.html', page).map(({ target, line }) => `${line} ${target}`)).toEqual([
    '1 img/a.png',
    '2 /b.css',
    '3 c.png',
  ]);
});

test('a style sheet is read', () => {
  const css = '/* url(no.png) */\n@import "base.css";\n.a { background: url( "img/a.png" ) } .b { src: url(data:x) }';
  expect(findLinks('a.css', css).map(({ target, line }) => [target, line])).toEqual([
    ['base.css', 2],
    ['img/a.png', 3],
  ]);
});

test('a link is right as the host answers it, wrong in its letters, or broken', () => {
  const paths = ['index.html', 'about.html', 'guides/index.html', 'img/boat.jpg', 'img/a b.png', 'css/x.css'];
  const folded = new Map(paths.map((path) => [path.toLowerCase(), path]));
  const judge = (from: string, target: string) =>
    checkLinks(from, [{ target, line: 1, isPage: true }], { paths: new Set(paths), folded, below: null })[0]?.state ??
    'right';
  expect(judge('index.html', 'about')).toBe('right');
  expect(judge('index.html', 'guides')).toBe('right');
  expect(judge('index.html', 'guides/')).toBe('right');
  expect(judge('guides/index.html', '../img/boat.jpg')).toBe('right');
  expect(judge('guides/index.html', '../../img/boat.jpg')).toBe('right');
  expect(judge('guides/index.html', '/')).toBe('right');
  expect(judge('guides/index.html', '..')).toBe('right');
  expect(judge('css/x.css', '../img/a%20b.png')).toBe('right');
  expect(judge('index.html', './img/boat.jpg?x=1#y')).toBe('right');
  expect(judge('index.html', 'About.html')).toBe('case');
  expect(judge('index.html', 'IMG/Boat.jpg')).toBe('case');
  expect(judge('guides/index.html', 'img/boat.jpg')).toBe('broken');
  expect(judge('index.html', 'gone.html')).toBe('broken');
  expect(judge('index.html', '100%.html')).toBe('right');
});

function inspect(files: Record<string, string>) {
  const offered = Object.entries(files).map(([path, text]) => ({ path, sizeBytes: text.length }));
  const looks = new Map(
    offered.filter(isInspectable).map((file) => [file.path, inspectText(file, files[file.path] ?? '')]),
  );
  return inspectUpload(offered, new Map(Object.entries(files)), looks);
}

test('an empty page or picture that is in use is told, an empty style sheet or script is not', () => {
  const page =
    '<link rel="stylesheet" href="a.css"><script src="a.js"></script>\n<a href="menu">Menu</a>\n<img src="a.png">';
  const files = { 'index.html': page, 'menu.html': '', 'a.png': '', 'a.css': '', 'a.js': '', 'unused.html': '' };
  expect(inspect(files).problems).toMatchObject([
    {
      code: 'empty_file',
      message: '2 links lead to empty files.',
      places: [
        { path: 'index.html', line: 2, text: 'menu is empty' },
        { path: 'index.html', line: 3, text: 'a.png is empty' },
      ],
    },
  ]);
  // The empty start page is told once.
  const home = inspect({ 'index.html': '', 'menu.html': '<a href="index.html">Home</a>' });
  expect(home.problems.map(({ code }) => code)).toEqual(['empty_entry_page']);
});

test('what is wrong in the texts is said with file and line', () => {
  const { problems } = inspect({
    'index.html': '<a href="About.html">a</a>\n<img src="gone.png">',
    'about.html': `<script>const k = '${AWS}'</script>`,
    'menu.html': [
      '<a href="C:\\Users\\ada\\menu.pdf">Menu</a>',
      '<img src="file:///home/ada/a.png">',
      '<a href="http://localhost:8080/x">x</a>',
      '<a href="http://harbour.localhost:3001/">Another site of the built-in host</a>',
    ].join('\n'),
  });
  expect(problems.map(({ code, places }) => [code, places])).toEqual([
    ['holds_token', [{ path: 'about.html', line: 1, text: expect.stringContaining('looks like an access key') }]],
    ['link_case', [{ path: 'index.html', line: 1, text: 'About.html is called about.html' }]],
    ['broken_link', [{ path: 'index.html', line: 2, text: 'gone.png is not there' }]],
    [
      'local_link',
      ['C:\\Users\\ada\\menu.pdf', 'file:///home/ada/a.png', 'http://localhost:8080/x'].map((target, index) => ({
        path: 'menu.html',
        line: index + 1,
        text: `${target} is on your computer only`,
      })),
    ],
  ]);
  expect(JSON.stringify(problems)).not.toContain(AWS);
});

test('links that begin with a slash are named apart: they break where a site is below a folder', () => {
  const { problems, rootLinks } = inspect({
    'index.html': '<link rel="stylesheet" href="/style.css">\n<a href="about.html">a</a><a href="//example.com">b</a>',
    'about.html': '<a href="/">Home</a>',
    'style.css': 'p { background: url(/a.png) }',
    'a.png': 'a',
  });
  expect(problems).toEqual([]);
  expect(rootLinkProblem(rootLinks, '')).toBeNull();
  expect(rootLinkProblem(rootLinks, null)).toMatchObject({
    code: 'root_link',
    message: '3 links begin with a slash.',
    places: [
      { path: 'index.html', line: 1, text: '/style.css' },
      { path: 'about.html', line: 1, text: '/' },
      { path: 'style.css', line: 1, text: '/a.png' },
    ],
  });
  expect(inspect({ 'index.html': '<img src="a.png"><a href="//localhost/b">b</a>', 'a.png': 'a' }).rootLinks).toBe(
    null,
  );
});

test('a site that loads its own files by whole addresses was built for another place, which is told', () => {
  const at = 'https://name.github.io/repository';
  const page = (base: string) =>
    `<link rel="canonical" href="${base}/">\n<link rel=stylesheet href="${base}/css/site.css?v=2">\n<img src="${base}/gr%C3%B6%C3%9Fe.png"><a href="${base}/b.html">b</a>`;
  const files = { 'css/site.css': 'p {}', 'größe.png': 'x', 'b.html': 'b' };
  const { problems } = inspect({ 'index.html': page(at), ...files });
  expect(problems).toMatchObject([
    {
      code: 'whole_address',
      message: `2 links load files of the site from ${at}/`,
      places: [
        { path: 'index.html', line: 2, text: `${at}/css/site.css?v=2` },
        { path: 'index.html', line: 3, text: `${at}/gr%C3%B6%C3%9Fe.png` },
      ],
    },
  ]);
  expect(inspect({ 'index.html': page('//name.example'), ...files }).problems[0]?.message).toContain(
    'https://name.example/',
  );
  // A library that is at another host as well, and what is there alone.
  const cdn = '<script src="https://code.example/jquery.js"></script><script src="https://code.example/b.js"></script>';
  expect(inspect({ 'index.html': cdn, 'jquery.js': 'x' }).problems).toEqual([]);
});

test('what scripts import from the root of the host is told with the links, and looked for among the files', () => {
  const { problems, rootLinks } = inspect({
    'index.html':
      '<meta http-equiv="refresh" content="5; url=/de/">\n<script type="importmap">{"imports":{"a/":"/lib/","b":"/lib/b.js"}}</script>\n<script type="module">import "/app.js"</script>',
    'app.js': 'import { b } from "/lib/b.js";\nawait import("/gone.js"); fetch("/data.json")',
    'lib/b.js': 'export const b = 1',
    'de/index.html': '<svg><use xlink:href="/icons.svg#a"/></svg>',
    'icons.svg': '<svg/>',
  });
  const places = rootLinkProblem(rootLinks, null)?.places ?? [];
  expect(places.map(({ path, line, text }) => `${path}:${line} ${text}`)).toEqual([
    'index.html:1 /de/',
    'index.html:2 /lib/b.js',
    'index.html:3 /app.js',
    'app.js:1 /lib/b.js',
    'app.js:2 /gone.js',
    'de/index.html:1 /icons.svg#a',
  ]);
  expect(problems).toMatchObject([{ code: 'broken_link', places: [{ path: 'app.js', line: 2 }] }]);
});

test('addresses that a program or a rule answers are not called broken, what a page needs is', () => {
  const page = '<a href="/account">a</a><img src="gone.png">';
  const codesOf = (files: Record<string, string>) => inspect(files).problems.flatMap(({ places = [] }) => places);
  expect(codesOf({ 'index.html': page })).toHaveLength(2);
  expect(codesOf({ 'index.html': page, 'assets/index-BX2dk3Qa.js': '' })).toMatchObject([
    { text: 'gone.png is not there' },
  ]);
  expect(codesOf({ 'index.html': page, _redirects: '/account /index.html 200' })).toHaveLength(1);
  expect(codesOf({ 'index.html': page, _redirects: '/old /new' })).toHaveLength(2);
  expect(codesOf({ 'index.html': page, _redirects: '/* /index.html 404' })).toHaveLength(2);
  expect(codesOf({ 'index.html': page, _redirects: '/account/ https://example.com/' })).toHaveLength(1);
  expect(inspect({ 'index.html': page, 'package.json': '{"dependencies":{"vite":"8"}}' }).problems).toMatchObject([
    { code: 'needs_build' },
  ]);
});

test('lines of _redirects and _headers that are not followed are named', () => {
  const { problems } = inspect({
    'index.html': 'x',
    _redirects: '/a /b 301\n/api/* https://example.com/:splat 200\n',
    _headers: '/*\n  no colon here\n',
  });
  expect(problems.map(({ code, path, places }) => [code, path, places?.map(({ line }) => line)])).toEqual([
    ['rule_ignored', '_redirects', [2]],
    ['rule_ignored', '_headers', [2]],
  ]);
});

test('a page of twenty thousand links and a text of a megabyte are read in one go', () => {
  const links = findLinks('index.html', '<a href="a.html">x</a>\n'.repeat(20_000));
  expect(links).toHaveLength(2_000);
  expect(links.at(-1)?.line).toBe(2_000);
  expect(findTokens(`${'x'.repeat(1_000)}\n`.repeat(1_000) + AWS)[0]?.line).toBe(1_001);
});

/** Each would keep a search that begins anew at every start busy for minutes. */
test.each([
  '<!--',
  '<script',
  '<script>',
  '<style>',
  '<template ',
  '<noscript',
  '<a ',
  '<a "',
  '<base ',
  '<img srcset=',
  '</',
])('a page of nearly a megabyte of %s is read in one go, and what comes behind it is found', (start) => {
  const page = `${start.repeat(Math.floor(900_000 / start.length))}">\n<a href="there.html">`;
  expect(findLinks('index.html', page).filter(({ target }) => target === 'there.html').length).toBeLessThanOrEqual(1);
  const plain = `${start.repeat(2)}">\n<a href="there.html">`;
  expect(findLinks('index.html', page).at(-1)?.target).toBe(findLinks('index.html', plain).at(-1)?.target);
});

test.each(['/*', 'url(', 'url("', '@import "', "url( '"])('so is a style sheet of %s', (start) => {
  expect(findLinks('a.css', start.repeat(Math.floor(900_000 / start.length))).length).toBeLessThanOrEqual(2_000);
});

test('one list of pictures counts as many links as a page may name, however long it is', () => {
  const page = `<img srcset="${'a.png 1x, '.repeat(90_000)}b.png">`;
  expect(findLinks('index.html', page)).toHaveLength(2_000);
  expect(findLinks('index.html', `<a href="${'x'.repeat(5_000)}">`)).toEqual([]);
});

test.each([
  ['README', true],
  ['.env', true],
  ['a/b.HTML', true],
  ['a.b/notes', true],
  ['.config.json', true],
  ['photo.png', false],
  ['a.html/photo.png', false],
  ['folder/', false],
  ['trailing.', false],
])('%s is a text by its name: %s', (path, isText) => {
  expect(mayHoldTokens({ path, sizeBytes: 1 })).toBe(isText);
});

test('judging links pauses after a few of them, so that long ones hold nobody up', () => {
  const link = { target: 'gone.html', line: 1, isPage: false };
  const looks = new Map([
    ['index.html', { tokens: [], links: Array.from({ length: 2_000 }, () => link), addresses: [] }],
  ]);
  let steps = 0;
  for (const _ of inspectionSteps([{ path: 'index.html', sizeBytes: 1 }], new Map(), looks, false)) steps += 1;
  expect(steps).toBeGreaterThanOrEqual(50);
});

test('documents that no page links to are told, since anyone can download them', () => {
  const pages = (html: string) => new Map([['index.html', inspectText({ path: 'index.html', sizeBytes: 1 }, html)]]);
  const problemsOf = (html: string, ...paths: string[]) =>
    inspectUpload(
      ['index.html', ...paths].map((path) => ({ path, sizeBytes: 1 })),
      new Map(),
      pages(html),
    ).problems;
  expect(problemsOf('', 'private/letter.docx')).toMatchObject([
    {
      code: 'holds_documents',
      message: 'private/letter.docx is an office document. Anyone can download it.',
      path: 'private/letter.docx',
    },
  ]);
  expect(problemsOf('', 'logo.psd')[0]?.message).toBe('logo.psd is a design file. Anyone can download it.');
  expect(problemsOf('', 'old.pst', 'a.XLSX')[0]?.message).toBe('2 documents can be downloaded by anyone.');
  expect(problemsOf('<a href="f/Order%20form.docx?v=2">Form</a>', 'f/Order form.docx', 'menu.pdf')).toEqual([]);
});
