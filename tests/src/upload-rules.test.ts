import { expect, test } from 'vitest';
import { leftOutRule } from '../../routers/rules/uploads/left-out-files.ts';
import { isPrivateKey } from '../../routers/rules/uploads/private-keys.ts';
import { isServedPath } from '../../routers/rules/uploads/served-path.ts';
import { inspectUpload } from '../../routers/rules/uploads/upload-inspection.ts';
import {
  pathRefusal,
  readUpload,
  refusalSentence,
  visiblePath,
  withoutPrivateKeys,
} from '../../routers/rules/uploads/upload-rules.ts';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { normalisePath } from '../../routers/schemas/normal-form.ts';
import { noticeDetail } from '../../src/lib/notice-detail.ts';
import { ODD_NAMES } from '../support/odd-names.ts';

const filesOf = (...paths: string[]) => paths.map((path) => ({ path, sizeBytes: 1 }));
const pathsOf = (files: readonly { path: string }[]) => files.map((file) => file.path);

test.each([
  ['', 'empty_name'],
  ['../x', 'parent_folder'],
  ['a/../../x', 'parent_folder'],
  ['a/..', 'parent_folder'],
  ['.. /x', 'parent_folder'],
  ['a/. ./x', 'parent_folder'],
  ['..\\x', 'parent_folder'],
  ['/etc/passwd', 'absolute_path'],
  ['//server/share', 'absolute_path'],
  ['\\\\server\\share', 'absolute_path'],
  ['C:/x', 'drive_letter'],
  ['C:x', 'drive_letter'],
  ['c:\\x', 'drive_letter'],
  ['C:/x.html', 'drive_letter'],
  ['a\u0000b', 'control_character'],
  ['a\rb', 'control_character'],
  ['a\nb', 'control_character'],
  ['a\u001bb', 'control_character'],
  ['a\u007fb', 'control_character'],
  ['a\u0085b', 'control_character'],
  ['a\u2028b', 'control_character'],
  ['photo\u202egpj.exe', 'bidi_mark'],
  ['a\u200fb', 'bidi_mark'],
  ['a\u2066b', 'bidi_mark'],
  ['\ufeffindex.html', 'invisible_character'],
  ['\u200b', 'invisible_character'],
  ['a/\u00ad', 'invisible_character'],
  ['in\u00addex.html', 'invisible_character'],
  ['in\u2060dex.html', 'invisible_character'],
  ['in\u200ddex.html', 'invisible_character'],
  ['in\ufe0fdex.html', 'invisible_character'],
  ['a/\u200c', 'invisible_character'],
  ['\u{e0061}', 'invisible_character'],
  ['\u3164', 'invisible_character'],
  ['a/\u3000/b', 'invisible_character'],
  ['\u2800', 'invisible_character'],
  ['a\ud800b', 'not_unicode'],
  ['.', 'dot_folder'],
  ['a/./b', 'dot_folder'],
  ['a/. /b', 'dot_folder'],
  ['a//b', 'empty_folder_name'],
  ['a/', 'empty_folder_name'],
  [`${'x'.repeat(256)}`, 'segment_too_long'],
  [`${'ü'.repeat(128)}`, 'segment_too_long'],
  [`${'x'.repeat(60_000)}`, 'path_too_long'],
  [`${`${'x'.repeat(254)}/`.repeat(4)}12345`, 'path_too_long'],
  [Array.from({ length: 33 }, () => 'd').join('/'), 'too_deep'],
])('%j is refused: %s', (path, reason) => {
  expect(pathRefusal(normalisePath(path))).toBe(reason);
});

test.each([
  ...ODD_NAMES,
  'my photos/1 (2).jpg',
  '🚢/⚓️.txt',
  '1\ufe0f\u20e3 ©\ufe0f.txt',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.png',
  'می\u200cخواهم.html',
  'क्\u200dष.html',
  'a\u00a0b.html',
  '👩‍👩‍👧.html',
  '日本語.html',
  'auxiliary/x',
  '.well-known/security.txt',
  '_headers',
  'CNAME',
  'a&b=c.html',
  "it's.html",
  `${'長'.repeat(70)}.html`,
  `${'a'.repeat(230)}.html`,
  `b${'長'.repeat(83)}.html`,
  `${'長'.repeat(85)}/${'x'.repeat(255)}`,
  `${`${'x'.repeat(254)}/`.repeat(4)}1234`,
  Array.from({ length: 32 }, () => 'd').join('/'),
])('%j is an honest name', (path) => {
  expect(pathRefusal(normalisePath(path))).toBeNull();
});

test.each([
  ['software/writtenin:Ruby/index.html', false],
  ['docs/aux.html', false],
  ['tags/acme-inc./index.html', false],
  ['Menu /index.html', false],
  ['name.', false],
  ['CON', false],
  ['nul.txt', false],
  ['a/aux/b', false],
  ['com1.tar.gz', false],
  ['LPT9', false],
  ['com¹', false],
  ['aux .html', false],
  ['tags/.../index.html', false],
  ['q?.html', false],
  ['a|b.html', false],
  ['a*.html', false],
  ['"quoted".html', false],
  ['a/b<c>.html', false],
  [`${'d/'.repeat(4)}${'x'.repeat(249)}`, false],
  [`${'d/'.repeat(4)}${'x'.repeat(248)}`, true],
  ['auxiliary/x.html', true],
  ['com10.txt', true],
  ['console.js', true],
  ['a.com1', true],
  ['.well-known/x', true],
  ['h#.html', true],
])('%j is published, and works on Windows: %s', (path, isWindows) => {
  const { refusal, files, notices } = readUpload(filesOf('index.html', path));
  expect(refusal).toBeNull();
  expect(pathsOf(files)).toEqual(['index.html', path]);
  expect(notices.map(({ code, paths }) => [code, paths])).toEqual(isWindows ? [] : [['windows_name', [path]]]);
});

test.each([
  [
    ['Pair.v.html', 'Pair.V.html'],
    ['Pair.v.html', 'Pair.V.html'],
  ],
  [
    ['Std/x.html', 'std/x.html', 'std/y.html'],
    ['Std/x.html', 'std/x.html'],
  ],
  [
    ['Ü.txt', 'ü.txt'],
    ['Ü.txt', 'ü.txt'],
  ],
  [
    ['a.txt', 'A.txt', 'A.TXT'],
    ['a.txt', 'A.txt', 'A.TXT'],
  ],
  [
    ['A', 'a/b/c'],
    ['A', 'a/b/c'],
  ],
  [
    ['a/b/c', 'A/B'],
    ['A/B', 'a/b/c'],
  ],
  [['Std/x.html', 'std/y.html'], []],
])('of %j, which are all published, these differ in capital letters alone: %j', (paths, twins) => {
  const { refusal, files, notices } = readUpload(filesOf(...paths));
  expect(refusal).toBeNull();
  expect(pathsOf(files)).toEqual(paths);
  expect(notices.map(({ code, paths: named }) => [code, named])).toEqual(
    twins.length > 0 ? [['case_twin', twins]] : [],
  );
});

test('a notice counts all names, lists fifty and names three', () => {
  const paths = Array.from({ length: 60 }, (_, at) => `tags/a:${at}.html`);
  const [notice] = readUpload(filesOf(...paths)).notices;
  if (notice === undefined) expect.fail('no notice');
  expect(notice.message).toBe('60 names do not work on Windows.');
  expect(notice.paths).toEqual(paths.slice(0, 50));
  expect(noticeDetail(notice)).toBe(
    'tags/a:0.html, tags/a:1.html, tags/a:2.html and others. On the web they do. The ZIP download of the release cannot be unpacked on Windows as it is.',
  );
});

test('names are told as guessed where the guess is in them, and not in the outer folder alone', () => {
  const offered = ['Сайт/index.html', 'Сайт/Контакты.html'].map((path) => ({
    path,
    sizeBytes: 1,
    encoding: 'ibm866' as const,
  }));
  expect(readUpload(offered, { takesRootOff: true }).notices).toMatchObject([
    { code: 'guessed_name', message: '1 name had to be guessed.', paths: ['Контакты.html'] },
  ]);
});

test('names are brought into one form: NFC, slashes, no leading dot slash', () => {
  expect(normalisePath('u\u0308ber\\a.html')).toBe('über/a.html');
  expect(normalisePath('./index.html')).toBe('index.html');
});

test.each([
  [['a.txt', 'a.txt'], 'duplicate'],
  [['u\u0308.txt', '\u00fc.txt'], 'duplicate'],
  [['a', 'a/b'], 'file_and_folder'],
  [['a/b/c', 'a/b'], 'file_and_folder'],
  [[], 'no_files'],
  [['.DS_Store', '__MACOSX/x', 'a/._b'], 'no_files'],
  [['.git/config'], 'no_files'],
])('%j as a whole is refused: %s', (paths, reason) => {
  expect(readUpload(filesOf(...paths)).refusal?.reason).toBe(reason);
});

test('limits are looked at on what would be published, and name where most of it is', () => {
  const git = Array.from({ length: UPLOAD_LIMITS.maxFiles }, (_, index) => `.git/objects/${index}`);
  expect(readUpload(filesOf('index.html', ...git)).refusal).toBeNull();
  const many = Array.from({ length: UPLOAD_LIMITS.maxFiles + 1 }, (_, index) => `${index}.html`);
  const tooMany = 'There are more than 20,000 files.';
  expect(readUpload(filesOf(...many)).refusal).toMatchObject({ reason: 'too_many_files', message: tooMany });
  const below = many.map((path, index) => `${index < 12_000 ? 'img' : 'lib'}/${path}`);
  expect(readUpload(filesOf(...below)).refusal?.message).toBe(`${tooMany} Most are in img (12,000) and lib (8,001).`);
  expect(readUpload(filesOf(...many.slice(1))).refusal).toBeNull();
  const large = { path: 'film.mp4', sizeBytes: UPLOAD_LIMITS.maxFileBytes + 1 };
  expect(readUpload([large]).refusal).toMatchObject({ reason: 'file_too_large', path: 'film.mp4' });
  const three = ['a', 'b', 'c'].map((path) => ({ path, sizeBytes: UPLOAD_LIMITS.maxFileBytes }));
  expect(readUpload(three.slice(1)).refusal).toBeNull();
  const message = 'All files together are larger than 1 GB. The largest are a (500 MB), b (500 MB), and c (500 MB).';
  expect(readUpload(three).refusal).toMatchObject({ reason: 'release_too_large', message });
});

test('what the system left behind is dropped and counted', () => {
  const reading = readUpload(
    filesOf('index.html', '.DS_Store', 'a/Thumbs.db', 'a/DESKTOP.INI', '__MACOSX/._index.html', 'a/._b.png', 'a/b.png'),
  );
  expect(pathsOf(reading.files)).toEqual(['index.html', 'a/b.png']);
  expect(reading.droppedCount).toBe(5);
});

test('so are the streams of Windows and the icon of a folder, in every spelling, and what is only called alike stays', () => {
  const reading = readUpload(
    filesOf(
      'site/index.html',
      'site/index.html:Zone.Identifier',
      'site.zip:Zone.Identifier',
      'site/a.png:zone.identifier:$DATA',
      'site/b.html\uf03aZone.Identifier',
      'site/c.pdf:SmartScreen',
      'site/d.psd:com.dropbox.attributes',
      'site/d.psd:com.dropbox.attrs',
      'site/e:AFP_AfpInfo',
      'site/img/Thumbs.db:encryptable',
      'site/img/ehthumbs.db',
      'site/img/Icon\r',
      'site/img/Icon\uf00d',
      'site/img/Icon',
      'site/Zone.Identifier',
      'site/notes/on-zone.identifier.html',
    ),
    { takesRootOff: true },
  );
  expect(reading).toMatchObject({ refusal: null, droppedCount: 12, root: 'site' });
  expect(pathsOf(reading.files)).toEqual([
    'index.html',
    'img/Icon',
    'Zone.Identifier',
    'notes/on-zone.identifier.html',
  ]);
});

test('a single root folder is taken off where a person dropped one, once', () => {
  const dropped = filesOf('my site/index.html', 'my site/docs/a.html', '__MACOSX/x', '.DS_Store');
  const reading = readUpload(dropped, { takesRootOff: true });
  expect(reading.root).toBe('my site');
  expect(pathsOf(reading.files)).toEqual(['index.html', 'docs/a.html']);
  expect(readUpload(dropped).root).toBeNull();
  expect(readUpload(filesOf('a/x', 'b/y'), { takesRootOff: true }).root).toBeNull();
  expect(readUpload(filesOf('a/x', 'y'), { takesRootOff: true }).root).toBeNull();
  expect(readUpload(filesOf('../a', '../b'), { takesRootOff: true }).refusal?.reason).toBe('parent_folder');
  expect(readUpload(filesOf('C:/a', 'C:/b'), { takesRootOff: true }).refusal?.reason).toBe('drive_letter');
  expect(readUpload(filesOf('.. /a'), { takesRootOff: true }).refusal?.reason).toBe('parent_folder');
});

test.each([
  ['.env', true],
  ['.env.local', true],
  ['app/.ENV', true],
  ['blog/wp-config.php', true],
  ['.npmrc', true],
  ['.netrc', true],
  ['.htpasswd', true],
  ['.svn/entries', true],
  ['.hg/store', true],
  ['.ssh/config', true],
  ['.aws/credentials', true],
  ['dump.sql', true],
  ['data.sqlite', true],
  ['old.html.bak', true],
  ['node_modules/react/index.js', true],
  ['.git/HEAD', false],
  ['vendor/.git', false],
  ['id_rsa', false],
  ['keys/id_ed25519', false],
  ['store.p12', false],
])('%s is left out; published on purpose: %s', (path, isPublishable) => {
  expect(leftOutRule(path)?.isPublishable).toBe(isPublishable);
  const reading = readUpload(filesOf('index.html', path), { publishAnyway: [path] });
  expect(pathsOf(reading.files)).toEqual(isPublishable ? ['index.html', path] : ['index.html']);
  expect(reading.leftOut).toHaveLength(isPublishable ? 0 : 1);
});

test('a folder that is left out as a whole is published by its own name, but for what never is', () => {
  const offered = filesOf('index.html', 'a/.SVN/entries', 'a/.SVN/b/format', 'a/.SVN/id_rsa', '.git/HEAD');
  const reading = readUpload(offered, { publishAnyway: ['a/.SVN', '.git'] });
  expect(pathsOf(reading.files)).toEqual(['index.html', 'a/.SVN/entries', 'a/.SVN/b/format']);
  expect(reading.leftOut.map(({ path }) => path)).toEqual(['a/.SVN/id_rsa', '.git/HEAD']);
});

test.each([
  '.gitignore',
  'id_rsa.pub',
  'keynote.html',
  'environment.js',
  'wp-config-sample.php',
  'sql/index.html',
  '.well-known/x',
  'monkey.png',
  'talk.key/index.apxl',
])('%s is published', (path) => {
  expect(leftOutRule(path)).toBeNull();
});

test.each([
  [['index.html', '.well-known/acme', 'a/..foo', '.env', 'sub/_redirects'], []],
  [[], ['_redirects', '_headers', '.nojekyll', 'a/.hidden/b', 'node_modules/.bin/tool']],
  [['tags/.net/index.html', 'tags/.net/page/2/index.html', 'tags/.net/logo.png', 'tags/.net.html'], []],
  [['.net/.core/index.html', '.net/index.html'], ['.net/.vscode/sftp.json']],
  [
    ['.hidden/.a.html', '.hidden/index.html'],
    ['.a/b/index.html', '.idea/workspace.xml', '.html', '.a.htm/b', 'a/.b.json'],
  ],
])('a host answers with %j, and not with %j', (served, notServed) => {
  const paths = new Set([...served, ...notServed]);
  expect([...paths].filter((path) => isServedPath(path, paths))).toEqual(served);
});

test('a file that has no address for its dot is told, and so is a link to it', () => {
  const files = filesOf('index.html', '.nojekyll', '.gitignore', 'a/.hidden/b.html', 'tags/.net/index.html');
  expect(readUpload(filesOf('we\\ird.html', 'a/b.html')).notices).toMatchObject([
    { code: 'backslash_name', message: '1 name holds a backslash.', paths: ['we/ird.html'] },
  ]);
  expect(readUpload(files, { publishAnyway: ['.env'] }).notices).toMatchObject([
    { code: 'hidden_name', message: '2 hidden files have no address.', paths: ['.gitignore', 'a/.hidden/b.html'] },
  ]);
  const links = ['/tags/.net/', 'a/.hidden/b.html'].map((target) => ({ target, line: 1, isPage: true }));
  const { problems } = inspectUpload(files, new Map(), new Map([['index.html', { tokens: [], links, addresses: [] }]]));
  expect(problems).toMatchObject([{ code: 'broken_link', places: [{ text: 'a/.hidden/b.html is not there' }] }]);
});

const pem = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`;
const der = (...bytes: number[]) => String.fromCharCode(0x30, 0x82, 1, 0, ...bytes);

test.each([
  ['gpg.key', pem('PGP PUBLIC KEY BLOCK'), false],
  ['ca/root.pem', pem('CERTIFICATE'), false],
  ['talk.key', 'PK\u0003\u0004', false],
  ['id.pem', pem('PRIVATE KEY'), true],
  ['rsa.key', pem('RSA PRIVATE KEY'), true],
  ['sec.asc', pem('PGP PRIVATE KEY BLOCK'), true],
  ['request.pem', pem('CERTIFICATE REQUEST'), false],
  ['jwt.key', pem('PUBLIC KEY'), false],
  ['old.KEY', pem('ENCRYPTED PRIVATE KEY'), true],
  ['ec.pem', `${pem('EC PARAMETERS')}${pem('EC PRIVATE KEY')}`, true],
  ['haproxy.pem', `${pem('CERTIFICATE')}${pem('PRIVATE KEY')}`, true],
  ['bundle.crt', `Bag Attributes\n${pem('CERTIFICATE')}${pem('RSA PRIVATE KEY')}`, true],
  ['AuthKey_1.p8', pem('PRIVATE KEY'), true],
  ['ssh.key', pem('OPENSSH PRIVATE KEY'), true],
  ['ssh2.key', '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n', true],
  ['putty.key', 'PuTTY-User-Key-File-3: ssh-ed25519\n', true],
  ['age.key', '# created\nAGE-SECRET-KEY-1QQ\n', true],
  ['windows.key', [...pem('PRIVATE KEY')].map((sign) => `${sign}\0`).join(''), true],
  ['wireguard.key', 'yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n', true],
  ['empty.pem', '', true],
  ['ssh.pub', 'ssh-ed25519 AAAA kai\n', false],
  ['host.key', 'ssh-ed25519 AAAA kai\n', false],
  ['root.der', der(0x30, 0x82, 1, 0), false],
  ['root.pem', der(0x30, 0x82, 1, 0), false],
  ['pkcs1.der', der(2, 1, 0, 2), true],
  ['pkcs8.key', der(2, 1, 0, 0x30), true],
  ['locked.der', der(0x30, 0x57, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 0x0d), true],
  ['secring.gpg', '\u0095\u0001\u00fe\u0004', true],
  ['keyring.gpg', '\u0099\u0001\u000d\u0004', false],
  ['sec.pgp', '\u00c5\u0058\u0004', true],
  ['page.asc', '\u00c5\u0081ódź', false],
  ['howto.asc', `= Keys\n\n----\n${pem('PGP PRIVATE KEY BLOCK')}`, false],
])('%s with %j is a private key: %s', (path, content, isPrivate) => {
  const start = Uint8Array.from(content, (sign) => sign.charCodeAt(0));
  const reading = readUpload(filesOf('index.html', path), { publishAnyway: [path] });
  const { files, leftOut } = withoutPrivateKeys(reading, () => isPrivateKey(path, start));
  expect(pathsOf(files)).toEqual(isPrivate ? ['index.html'] : ['index.html', path]);
  expect(leftOut.map((one) => [one.path, one.isPublishable])).toEqual(isPrivate ? [[path, false]] : []);
});

test('a private key alone is nothing that can be published, and other files are never looked into', () => {
  const isKey = () => true;
  expect(withoutPrivateKeys(readUpload(filesOf('id.pem')), isKey).refusal?.reason).toBe('no_files');
  expect(pathsOf(withoutPrivateKeys(readUpload(filesOf('a.html', 'key.txt')), isKey).files)).toEqual([
    'a.html',
    'key.txt',
  ]);
});

test('what cannot be seen is spelled out', () => {
  expect(visiblePath('a\r\n\u202eb')).toBe('a\\u{d}\\u{a}\\u{202e}b');
});

test('plain pages, a finished build and source are told apart in words', () => {
  expect(inspectUpload(filesOf('index.html', 'style.css'))).toMatchObject({
    kind: 'plain',
    entryPage: 'index.html',
    problems: [],
  });
  expect(inspectUpload(filesOf('index.html', 'assets/index-BX2dk3Qa.js'))).toMatchObject({
    kind: 'built',
    title: 'A finished Vite build',
  });
  const source = inspectUpload(
    filesOf('package.json', 'index.html', 'src/main.tsx', 'node_modules/react/index.js'),
    new Map([
      ['package.json', '{"devDependencies":{"vite":"8"}}'],
      ['index.html', '<script type="module" src="/src/main.tsx"></script>'],
    ]),
  );
  expect(source).toMatchObject({ kind: 'source', title: 'Vite source that still needs a build' });
  expect(source.problems.map((problem) => problem.code)).toEqual(['needs_build', 'holds_node_modules']);
  const built = inspectUpload(
    filesOf('package.json', 'dist/index.html'),
    new Map([['package.json', '{"dependencies":{"astro":"5"}}']]),
  );
  expect(built).toMatchObject({ kind: 'source', buildFolder: 'dist' });
});

test.each([
  ['{"devDependencies":{"vite":"8"}}', 'source'],
  ['\ufeff{"dependencies":{"vite":"8"}}', 'source'],
  ['{"keywords":["vite"],"description":"unlike \\"vite\\"","scripts":{"vite":"x"}}', 'plain'],
  ['{"dependencies":"vite"}', 'plain'],
  ['null', 'plain'],
  ['{"dependencies":{"vite":"8"}', 'plain'],
])('of package.json only the dependencies are asked: %s', (text, kind) => {
  const texts = new Map([['package.json', text]]);
  expect(inspectUpload(filesOf('package.json', 'index.html'), texts).kind).toBe(kind);
});

test.each([
  ['<script type="module" src="/src/main.tsx"></script>', 'source'],
  ["<script src='./my app/main.jsx' type='module'></script>", 'source'],
  ['<script type=module src=/src/main.tsx></script>', 'source'],
  ['<script src=main.ts type=module></script>', 'source'],
  ['<SCRIPT\n  type="module"\n  SRC = "/src/App.vue?t=1"></SCRIPT>', 'source'],
  ['<script type=module src=/assets/index.js></script>', 'plain'],
  ['<script src="main.tsx.js"></script>', 'plain'],
  ['<script src="a.js" data-src="main.tsx"></script>', 'plain'],
  ['<script src=a.js></script><a href=main.tsx>The source</a>', 'plain'],
])('a first page that asks for what no browser runs is source: %s', (page, kind) => {
  expect(inspectUpload(filesOf('index.html'), new Map([['index.html', page]])).kind).toBe(kind);
});

test('what is wrong with the first page is said with the way out', () => {
  const codeOf = (...paths: string[]) => inspectUpload(filesOf(...paths)).problems.map((problem) => problem.code);
  expect(codeOf('about.html')).toEqual(['no_entry_page']);
  expect(codeOf('Index.html')).toEqual(['entry_page_case']);
  expect(codeOf('index.htm')).toEqual(['entry_page_case']);
  expect(codeOf('readme.md', 'dist/index.html')).toEqual(['entry_page_elsewhere']);
  const pathOf = (...paths: string[]) => inspectUpload(filesOf(...paths)).problems[0]?.path;
  expect(pathOf('notes.txt', 'web/v2/a/index.html', 'web/v2/index.html')).toBe('web/v2/index.html');
  expect(pathOf('start.html', '404.html', 'google0123456789abcdef.html')).toBe('start.html');
  expect(pathOf('404.html')).toBeNull();
  expect(pathOf('notes.txt', 'node_modules/x/index.html')).toBeNull();
  // A site that was packed twice.
  expect(pathOf('site.zip')).toBe('site.zip');
  expect(pathOf('readme.txt', 'for you/site.TAR.gz')).toBe('for you/site.TAR.gz');
  expect(pathOf('about.html', 'contact.html', 'downloads.zip')).toBeNull();
  // Most likely the first page, under another name.
  expect(pathOf('start.html', 'style.css', 'more/page.html')).toBe('start.html');
  expect(inspectUpload([{ path: 'index.html', sizeBytes: 0 }]).problems[0]?.code).toBe('empty_entry_page');
});

test('programs of a server are told, since visitors would read them', () => {
  const problemsOf = (...paths: string[]) => inspectUpload(filesOf('index.html', ...paths)).problems;
  expect(problemsOf('contact.php')).toMatchObject([
    {
      code: 'holds_programs',
      message: '1 file needs a server that runs it.',
      hint: expect.stringMatching(/^contact\.php\. Here/),
    },
  ]);
  expect(problemsOf('a.PHP', 'b/c.asp')[0]?.message).toBe('2 files need a server that runs them.');
  expect(problemsOf('php.html', 'a.php.txt', 'php/style.css')).toEqual([]);
});

test('a sentence names a long path by its beginning alone', () => {
  const message = 'Too long.';
  expect(refusalSentence({ path: '', message })).toBe(message);
  expect(refusalSentence({ path: 'a/b', message })).toBe('a/b: Too long.');
  expect(refusalSentence({ path: '🙂'.repeat(300), message })).toBe(`${'🙂'.repeat(120)}…: Too long.`);
});
