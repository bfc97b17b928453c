import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodingOfBytes } from '../../routers/rules/zip/zip-name-bytes.ts';
import { applyRules } from '../../src/uploads/selection/apply-rules.ts';
import { readZip as readZipInBrowser } from '../../src/uploads/selection/zip.ts';
import { ODD_NAMES } from '../support/odd-names.ts';
import { readZip } from '../support/read-zip.ts';
import { extraField, fields, writeZip, type ZipPart, type ZipWhole } from '../support/zip-writer.ts';

/** An unusual archive that has to be accepted, and what is published of it. */
type Case = readonly [
  name: string,
  zip: () => Buffer,
  files: Record<string, string>,
  more?: { leftOut?: string[]; dropped?: number; guessed?: string[] },
];

const page: ZipPart = { name: 'index.html', data: 'hello' };
const of = (...parts: ZipPart[]) => writeZip([page, ...parts]);
const whole = (more: ZipWhole, ...parts: ZipPart[]) => writeZip([page, ...parts], more);
const link = (name: string, target: string): ZipPart => ({
  name,
  data: target,
  attributes: (0o120777 << 16) >>> 0,
});
const text = 'a line of text that is packed well\n'.repeat(200);
const file = (name: string, data = 'x'): ZipPart => ({ name, data });
const deflated = deflateRawSync(text);
/** An entry as written by a packer that does not know the sizes when it begins. */
const streamed: ZipPart = {
  name: 'a',
  data: text,
  method: 8,
  flags: 0x0808,
  local: { crc: 0, packedBytes: 0, sizeBytes: 0 },
  behind: fields([4, 0x08074b50], [4, crc32(text)], [4, deflated.length], [4, text.length]),
};
const both64 = extraField(1, fields([8, text.length], [8, deflated.length]));

/** Returns an entry as Windows writes it: no UTF-8 flag, and not made by Unix. */
const dos = (name: string | Buffer, more: ZipPart = {}): ZipPart => ({
  name,
  data: 'x',
  flags: 0,
  madeBy: 20,
  attributes: 0x20,
  ...more,
});
const hex = (bytes: string): Buffer => Buffer.from(bytes.replaceAll(' ', ''), 'hex');
const CP866 = hex('a8 e1 e2 ae e0 a8 ef 2e 68 74 6d 6c');
const SHIFT_JIS = hex('89 ef 8e d0 2e 68 74 6d 6c');
const unicodePath = (raw: string | Buffer, name: string): Buffer =>
  extraField(0x7075, Buffer.concat([Buffer.from([1]), fields([4, crc32(raw)]), Buffer.from(name)]));

const BYTES = {
  表示: hex('95 5c 8e a6 2e 68 74 6d 6c'),
  会社: SHIFT_JIS,
  软件: hex('c8 ed bc fe 2e 68 74 6d 6c'),
  история: CP866,
};
const linkTo = (target: string): ZipPart => ({ name: 'index.html', data: `<a href="${target}">x</a>` });
/** A page whose link names the file says what its name is written in. */
const linked = (name: string, bytes: Buffer, target = `/${name}`): Case => [
  `${bytes.toString('latin1')} as ${name}, which a page links to`,
  () => writeZip([linkTo(target), dos(bytes)]),
  { [name]: 'x' },
  { guessed: [name] },
];
const unlinked = (name: string, bytes: Buffer): Case => [
  `${bytes.toString('latin1')} as ${name}, which no page links to`,
  () => of(dos(bytes)),
  { [name]: 'x' },
  { guessed: [name] },
];

const CASES: Case[] = [
  linked('表示.html', BYTES.表示),
  linked('表示.html', BYTES.表示, '%E8%A1%A8%E7%A4%BA?x#y'),
  linked('会社.html', BYTES.会社, '/会社'),
  linked('软件.html', BYTES.软件),
  linked('история.html', BYTES.история),
  linked('größe.html', hex('67 72 94 e1 65 2e 68 74 6d 6c')),
  linked('zażółć.html', hex('7a 61 be a2 88 86 2e 68 74 6d 6c')),
  linked('写真/a.html', Buffer.concat([hex('8e ca 90 5e'), Buffer.from('\\\\a.html'.slice(1))])),
  unlinked('表示.html', BYTES.表示),
  unlinked('会社.html', BYTES.会社),
  unlinked('软件.html', BYTES.软件),
  unlinked('история.html', BYTES.история),
  unlinked('アイコン.png', hex('83 41 83 43 83 52 83 93 2e 70 6e 67')),
  unlinked('功能.html', hex('a5 5c af e0 2e 68 74 6d 6c')),
  unlinked('한국어자료실.html', hex('c7 d1 b1 b9 be ee c0 da b7 e1 bd c7 2e 68 74 6d 6c')),
  unlinked('Отчет/о нас.html', hex('8e e2 e7 a5 e2 2f ae 20 ad a0 e1 2e 68 74 6d 6c')),
  unlinked('история.html', hex('e8 f1 f2 ee f0 e8 ff 2e 68 74 6d 6c')),
  // Bytes that say nothing for sure are read by the book.
  unlinked('Übersicht.html', hex('9a 62 65 72 73 69 63 68 74 2e 68 74 6d 6c')),
  unlinked('élève.html', hex('82 6c 8a 76 65 2e 68 74 6d 6c')),
  unlinked('été.html', hex('82 74 82 2e 68 74 6d 6c')),
  unlinked('äöü.html', hex('84 94 81 2e 68 74 6d 6c')),
  unlinked('▄bersicht.html', hex('dc 62 65 72 73 69 63 68 74 2e 68 74 6d 6c')),
  [
    'an old page in the encoding of the names',
    () => writeZip([{ name: 'index.html', data: hex('3c6120687265663d22 955c8ea6 2e68746d6c223e') }, dos(BYTES.表示)]),
    { '表示.html': 'x' },
    { guessed: ['表示.html'] },
  ],
  [
    'a name that is valid UTF-8, and another name by the link of a page',
    () => writeZip([linkTo('/牛.html'), dos(hex('c5 a3 2e 68 74 6d 6c'))]),
    { '牛.html': 'x' },
    { guessed: ['牛.html'] },
  ],
  [
    'a guessed name with a backslash in the local header alone',
    () =>
      writeZip([
        linkTo('/история/a'),
        dos(hex('a8 e1 e2 ae e0 a8 ef 2f 61'), { local: { name: hex('a8 e1 e2 ae e0 a8 ef 5c 61') } }),
      ]),
    { 'история/a': 'x' },
    { guessed: ['история/a'] },
  ],
  ['plain', () => of(), { 'index.html': 'hello' }],
  ['deflated', () => of({ name: 'a', data: text, method: 8 }), { 'index.html': 'hello', a: text }],
  ['empty files', () => of(file('a', ''), { name: 'b', data: '', method: 8 }), { a: '', b: '' }],
  ['data_descriptor', () => of(streamed, file('b')), { a: text, b: 'x' }],
  [
    'data_descriptor without its mark',
    () => of({ ...streamed, behind: fields([4, crc32(text)], [4, deflated.length], [4, text.length]) }),
    { a: text },
  ],
  ['data_descriptor with sizes in front all the same', () => of({ ...streamed, local: {} }), { a: text }],
  ['zip64_small', () => whole({ zip64: {} }, file('b')), { 'index.html': 'hello', b: 'x' }],
  [
    'zip64 with no disk in all, as OneDrive writes it',
    () => whole({ zip64: { disks: 0 } }, file('b')),
    { 'index.html': 'hello', b: 'x' },
  ],
  ['zip64 beside the small numbers', () => whole({ zip64: {}, count: 1 }), { 'index.html': 'hello' }],
  [
    'zip64 sizes of a small file',
    () =>
      of(
        { name: 'a', data: text, method: 8, sizeBytes: 0xffffffff, packedBytes: 0xffffffff, extra: both64 },
        file('b'),
      ),
    { a: text, b: 'x' },
  ],
  [
    'zip64 behind the content',
    () =>
      of({
        ...streamed,
        local: { crc: 0, packedBytes: 0xffffffff, sizeBytes: 0xffffffff, extra: extraField(1, fields([8, 0], [8, 0])) },
        behind: fields([4, 0x08074b50], [4, crc32(text)], [8, deflated.length], [8, text.length]),
      }),
    { a: text },
  ],
  [
    'zeros that fill the last block of a pipe, as bsdtar writes them',
    () => whole({ suffix: Buffer.alloc(10_240) }, file('b')),
    { 'index.html': 'hello', b: 'x' },
  ],
  [
    'zeros behind a comment that ends in them',
    () => whole({ comment: Buffer.from('why\0\0'), suffix: Buffer.alloc(512) }),
    { 'index.html': 'hello' },
  ],
  [
    'the mark of an archive that was to be split and is whole, as Info-ZIP writes it',
    () => whole({ prefix: Buffer.from('PK\u0007\u0008', 'latin1') }),
    { 'index.html': 'hello' },
  ],
  [
    'the mark of an archive that was to be split and is whole, as WinZip writes it',
    () => whole({ prefix: Buffer.from('PK00') }),
    { 'index.html': 'hello' },
  ],
  ['"deflated" of nothing', () => of({ name: 'a', method: 8, packed: Buffer.alloc(0) }), { a: '' }],
  [
    'litter of file servers, under the names of the files',
    () => of(file('.AppleDouble/index.html'), file('img/@eaDir/a.jpg/SYNOPHOTO_THUMB_M.jpg')),
    { 'index.html': 'hello' },
    { dropped: 2 },
  ],
  ['comment_64k', () => whole({ comment: Buffer.alloc(65_535, 'c') }), { 'index.html': 'hello' }],
  ['a comment of an entry', () => of({ ...file('a'), comment: Buffer.from('why') }), { a: 'x' }],
  ['cp437_name', () => of({ name: Buffer.from([0x63, 0x61, 0x66, 0x82]), data: 'x', flags: 0 }), { 'caf\u00e9': 'x' }],
  ['utf8_without_flag', () => of({ ...file('caf\u00e9'), flags: 0 }), { 'caf\u00e9': 'x' }, { guessed: [] }],
  ['a name in NFD', () => of(file('cafe\u0301')), { 'caf\u00e9': 'x' }],
  [
    'the same name in an extra field',
    () =>
      of({
        ...file('caf\u00e9'),
        extra: extraField(0x7075, Buffer.concat([Buffer.from([1]), fields([4, 0]), Buffer.from('caf\u00e9')])),
      }),
    { 'caf\u00e9': 'x' },
  ],
  ['backslash_plain', () => of(file('a\\b.txt')), { 'a/b.txt': 'x' }],
  ['dot_slash', () => of(file('./a.txt'), file('./', '')), { 'a.txt': 'x' }],
  [
    'a root folder as Dropbox writes it',
    () => writeZip([dos('/', { data: '', attributes: 0x10 }), file('index.html', 'hello'), file('img/a.png')]),
    { 'index.html': 'hello', 'img/a.png': 'x' },
  ],
  ['a root folder with a backslash', () => of(dos('\\', { data: '' }), file('img/a.png')), { 'img/a.png': 'x' }],
  [
    'the name of the Unicode Path field (Cyrillic)',
    () =>
      of(
        dos(CP866, {
          central: { extra: hex('75701800017f5bafabd0b8d181d182d0bed180d0b8d18f2e68746d6c') },
        }),
      ),
    { 'история.html': 'x' },
  ],
  [
    'the name of the Unicode Path field (Japanese), in both headers',
    () => of(dos(SHIFT_JIS, { extra: hex('75701000016baed4fbe4bc9ae7a4be2e68746d6c') })),
    { '会社.html': 'x' },
  ],
  [
    'the name of the Unicode Path field, of one that is ASCII',
    () => of(dos('_15.txt', { extra: unicodePath('_15.txt', '€15.txt') })),
    { '€15.txt': 'x' },
  ],
  [
    'a Unicode Path field with another checksum',
    () => of(dos(CP866, { extra: hex('75701800017f5bafaad0b8d181d182d0bed180d0b8d18f2e68746d6c') })),
    { 'история.html': 'x' },
    { guessed: ['история.html'] },
  ],
  [
    'a Unicode Path field of a version to come',
    () => of(dos('a.txt', { extra: extraField(0x7075, Buffer.from(`\u0002\0\0\0\0b.txt`, 'latin1')) })),
    { 'a.txt': 'x' },
  ],
  [
    'a Unicode Path field from before a file was renamed',
    () => of(dos('neu.html', { extra: unicodePath('vorher.html', 'alt.html') })),
    { 'neu.html': 'x' },
  ],
  [
    'a backslash in the directory alone, as IZArc writes it',
    () => of(dos('css\\a.css', { local: { name: 'css/a.css' } })),
    { 'css/a.css': 'x' },
  ],
  [
    'a backslash in the local header alone',
    () => of(dos('css/a.css', { local: { name: 'css\\a.css' } })),
    { 'css/a.css': 'x' },
  ],
  [
    'another writing of the same path in the local header',
    () => of(file('cafe\u0301/a', 'x'), { ...file('b'), local: { name: './b' } }),
    { 'caf\u00e9/a': 'x', b: 'x' },
  ],
  [
    'a slash in front of every name',
    () => writeZip([file('/', ''), file('/index.html', 'hello'), file('/css/', ''), file('/css/a.css')]),
    { 'index.html': 'hello', 'css/a.css': 'x' },
  ],
  [
    'a backslash in front of every name',
    () => writeZip([file('\\index.html', 'hello'), file('\\css\\a.css')]),
    { 'index.html': 'hello', 'css/a.css': 'x' },
  ],
  [
    'single_root',
    () => writeZip([file('site/', ''), file('site/index.html', 'hello'), file('site/a/b')]),
    { 'index.html': 'hello', 'a/b': 'x' },
  ],
  [
    'single_root with a name that no site could have',
    () => writeZip([file(`${'r'.repeat(150)}/${'p'.repeat(150)}/${'q'.repeat(180)}/${'s'.repeat(100)}`)]),
    { [`${'p'.repeat(150)}/${'q'.repeat(180)}/${'s'.repeat(100)}`]: 'x' },
  ],
  [
    'macosx',
    () =>
      writeZip([
        file('site/index.html', 'hello'),
        file('site/.DS_Store'),
        file('__MACOSX/', ''),
        file('__MACOSX/site/._index.html'),
        file('site/Thumbs.db'),
        file('site/img/desktop.ini'),
      ]),
    { 'index.html': 'hello' },
    { dropped: 4 },
  ],
  [
    'streams of Windows and the icon of a folder',
    () =>
      of(
        file('index.html:Zone.Identifier', '[ZoneTransfer]\r\nZoneId=3\r\n'),
        file('img/a.png'),
        file('img/Thumbs.db:encryptable', ''),
        file('img/Icon\r', ''),
      ),
    { 'index.html': 'hello', 'img/a.png': 'x' },
    { dropped: 3 },
  ],
  [
    'names that differ in capital letters alone',
    () =>
      of(file('Pair.v.html', 'v'), file('Pair.V.html', 'V'), file('Std/', ''), file('Std/x', 'S'), file('std/x', 's')),
    { 'index.html': 'hello', 'Pair.v.html': 'v', 'Pair.V.html': 'V', 'Std/x': 'S', 'std/x': 's' },
  ],
  [
    'a file and a folder that differ in capital letters alone',
    () => of(file('A', 'A'), file('a/', ''), file('a/b', 'b')),
    { 'index.html': 'hello', A: 'A', 'a/b': 'b' },
  ],
  ['setuid', () => of({ ...file('a'), attributes: (0o104755 << 16) >>> 0 }), { a: 'x' }],
  [
    'a folder that only its mode tells',
    () => of({ ...file('a', ''), attributes: (0o040755 << 16) >>> 0 }, file('a/b')),
    { 'index.html': 'hello', 'a/b': 'x' },
  ],
  ['a folder that was packed', () => of({ name: 'a/', data: '', method: 8 }, file('a/b')), { 'a/b': 'x' }],
  [
    'nested',
    () => of({ name: 'inner.zip', data: writeZip(['../x']) }),
    { 'inner.zip': writeZip(['../x']).toString('latin1') },
  ],
  [
    'other marks of how hard the packer tried',
    () => of({ name: 'a', data: text, method: 8, local: { flags: 0x0802 } }),
    { a: text },
  ],
  [
    'links are left out, wherever they lead',
    () =>
      writeZip([
        file('repo/index.html', 'hello'),
        file('repo/AGENTS.md'),
        link('repo/CLAUDE.md', 'AGENTS.md'),
        link('repo/docs/passwd', '/etc/passwd'),
        { ...link('repo/docs/other', 'AGENTS.md'), madeBy: 19 << 8 },
      ]),
    { 'index.html': 'hello', 'AGENTS.md': 'x' },
    { leftOut: ['CLAUDE.md', 'docs/passwd', 'docs/other'] },
  ],
  [
    'secrets are left out',
    () => of(file('.env'), file('.git/config'), file('a/id_rsa'), file('.well-known/x')),
    { 'index.html': 'hello', '.well-known/x': 'x' },
    { leftOut: ['.env', '.git/config', 'a/id_rsa'] },
  ],
];

/** Returns the paths that the screen announces for publication. */
async function shownPaths(zip: Buffer): Promise<string[]> {
  const selection = await readZipInBrowser(new File([new Uint8Array(zip)], 'site.zip'));
  return applyRules(selection, { takesRootOff: true })
    .files.map(({ path }) => path)
    .sort();
}

const ROWS = CASES.map(([name, zip, files, more]) => ({ name, zip, files, leftOut: [], dropped: 0, ...more }));

test.each(ROWS)('accepted: $name', async ({ zip, files, leftOut, dropped, guessed }) => {
  const bytes = zip();
  const read = await readZip(bytes);
  expect(await shownPaths(bytes)).toEqual([...read.files.keys()].sort());
  for (const [path, content] of Object.entries(files)) expect(read.files.get(path)?.toString('latin1')).toBe(content);
  expect([...read.files.keys()].filter((path) => path !== 'index.html' && !(path in files))).toEqual([]);
  expect(read.leftOut).toEqual(leftOut);
  expect(read.droppedCount).toBe(dropped);
  if (guessed !== undefined) expect(read.guessed).toEqual(guessed);
});

test.each(ODD_NAMES)('accepted: the honest odd name %s', async (name) => {
  const read = await readZip(of(file(name, `content of ${name}`)));
  expect(read.files.get(name)?.toString()).toBe(`content of ${name}`);
  expect(read.files.size).toBe(2);
});

test('a secret is published on purpose, a private key and a link never, and a public key by itself', async () => {
  const pem = (name: string, label: string): ZipPart => ({ name, data: `-----BEGIN ${label}-----\n`, method: 8 });
  const zip = of(
    file('.env', 'A=1'),
    link('more', 'index.html'),
    pem('id.pem', 'PRIVATE KEY'),
    pem('sec.asc', 'PGP PRIVATE KEY BLOCK'),
    pem('gpg.key', 'PGP PUBLIC KEY BLOCK'),
    { name: 'talk.key', data: Buffer.concat([Buffer.from('PK\u0003\u0004'), randomBytes(3 * 1024 * 1024)]), method: 8 },
  );
  const read = await readZip(zip, ['.env', 'id.pem', 'sec.asc', 'more']);
  expect([...read.files.keys()]).toEqual(['index.html', '.env', 'gpg.key', 'talk.key']);
  expect(read.leftOut).toEqual(['more', 'id.pem', 'sec.asc']);
});

test('entries may lie in another order than they are listed, with room between them', async () => {
  const first = file('b', 'first');
  const zip = writeZip([
    { ...first, behind: Buffer.alloc(100) },
    { ...file('a', 'second'), behind: Buffer.alloc(7) },
  ]);
  const read = await readZip(zip);
  expect([...read.files].map(([path, content]) => `${path} ${content}`)).toEqual(['b first', 'a second']);
});

test('a large file comes out in pieces, byte for byte', async () => {
  const random = randomBytes(5 * 1024 * 1024 + 1);
  const zeros = Buffer.alloc(3 * 1024 * 1024 + 3, 'pattern ');
  const zip = writeZip([
    { name: 'random.bin', data: random },
    { name: 'deflated.bin', data: random, method: 8 },
    { name: 'zeros.bin', data: zeros, method: 8 },
  ]);
  const read = await readZip(zip);
  expect(read.files.get('random.bin')?.equals(random)).toBe(true);
  expect(read.files.get('deflated.bin')?.equals(random)).toBe(true);
  expect(read.files.get('zeros.bin')?.equals(zeros)).toBe(true);
});

test('of megabytes of names a sample tells how they are written', () => {
  const name = Buffer.alloc(1_000, Buffer.from([0x83, 0x41]));
  expect(encodingOfBytes(Array.from({ length: 20_000 }, () => name))).toBe('shift_jis');
});
