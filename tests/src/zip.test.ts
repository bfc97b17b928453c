import { expect, test } from 'vitest';
import { crc32 } from '../../routers/rules/zip/crc32.ts';
import { innerFolder, publishedPart } from '../../src/uploads/selection/apply-rules.ts';
import { isZip } from '../../src/uploads/selection/selection.ts';
import { readZip } from '../../src/uploads/selection/zip.ts';
import { extraField, fields, writeZip } from '../support/zip-writer.ts';

type Parts = Parameters<typeof writeZip>[0];

function zipFile(parts: Parts, whole: Parameters<typeof writeZip>[1] = {}, name = 'site.zip'): File {
  return new File([new Uint8Array(writeZip(parts, whole))], name);
}

test('a ZIP is told by its names and sizes, and each file comes out as it went in', async () => {
  const text = 'Tie the rope well. '.repeat(500);
  const zip = await readZip(
    zipFile([
      { name: 'site/', data: '' },
      { name: 'site/über uns/grüße 🎉.html', data: text, method: 8 },
      { name: 'site/index.html', data: '<h1>Hi</h1>' },
      { name: 'site/empty.txt', data: '' },
      { name: 'site/nothing.txt', data: '', method: 8, packed: Buffer.alloc(0) },
    ]),
  );
  expect(zip.name).toBe('site');
  expect(zip.entries.map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
    ['site/empty.txt', 0],
    ['site/index.html', 11],
    ['site/nothing.txt', 0],
    ['site/über uns/grüße 🎉.html', text.length],
  ]);
  const files = await Promise.all(zip.entries.map(({ unpack }) => unpack()));
  expect(await Promise.all(files.map((file) => file.text()))).toEqual(['', '<h1>Hi</h1>', '', text]);
  expect(files.at(-1)?.name).toBe('grüße 🎉.html');
});

test('names without the mark of UTF-8 are UTF-8 where they can be, and code page 437 where they cannot', async () => {
  const cp437 = Buffer.from([0x67, 0x72, 0x81, 0xe1, 0x65, 0x2e, 0x74, 0x78, 0x74]);
  const zip = await readZip(
    zipFile([
      { name: Buffer.from('grüße.html'), flags: 0 },
      { name: cp437, flags: 0 },
    ]),
  );
  expect(zip.entries.map(({ path }) => path)).toEqual(['grüße.html', 'grüße.txt']);
});

test('sizes and the directory are found in the 64-bit records, and behind a comment', async () => {
  const data = 'large in name only';
  const large = (bytes: number) => extraField(1, fields([8, bytes], [8, bytes]));
  const part = {
    name: 'a.txt',
    data,
    central: { sizeBytes: 0xffffffff, packedBytes: 0xffffffff, extra: large(data.length) },
  };
  const zip = await readZip(zipFile([part], { zip64: {}, comment: Buffer.alloc(60_000, 'c') }));
  expect(await (await zip.entries[0]?.unpack())?.text()).toBe(data);
});

test.each([
  ['no ZIP', new File(['hello'], 'site.zip'), 'site.zip is not a ZIP, or was cut off.'],
  ['empty', zipFile([]), 'site.zip holds no files.'],
  ['folders alone', zipFile([{ name: 'a/', data: '' }]), 'site.zip holds no files.'],
  ['cut off', zipFile(['a', 'b']).slice(40), 'damaged or was cut off'],
  ['locked', zipFile([{ name: 'a.txt', flags: 0x0801 }]), 'a.txt in site.zip is locked with a password.'],
  [
    'packed oddly',
    zipFile([{ name: 'a.txt', method: 14 }]),
    'a.txt in site.zip uses a compression method that is not supported.',
  ],
  ['a pipe', zipFile([{ name: 'a', attributes: 0o010644 * 0x10000 }]), 'a in site.zip is a special system file'],
  ['a count that lies', zipFile(['a'], { count: 3 }), 'damaged or was cut off'],
  ['too many', zipFile(['a'], { zip64: { count: 200_000 }, count: 0xffff }), 'holds more than 100,000 files'],
])('a ZIP that cannot be read says why: %s', async (_, file, message) => {
  const named = file instanceof File ? file : new File([file], 'site.zip');
  await expect(readZip(named)).rejects.toThrow(message);
});

test.each([
  ['other bytes', { data: 'real', crc: 1 }],
  ['more bytes than listed', { data: 'much longer', method: 8, sizeBytes: 3 }],
  ['fewer bytes than listed', { data: 'short', method: 8, sizeBytes: 300 }],
  ['bytes that are no deflate data', { data: 'x', method: 8, packed: Buffer.from([7, 7, 7, 7]) }],
  ['no header', { data: 'x', local: { signature: 1 } }],
])('a file that is damaged says so when it is read: %s', async (_, part) => {
  const zip = await readZip(zipFile([{ name: 'a.txt', ...part }]));
  await expect(zip.entries[0]?.unpack()).rejects.toThrow('a.txt in site.zip is damaged');
});

test('the check is that of the ZIP format, also over several parts', () => {
  const bytes = new TextEncoder().encode('123456789');
  expect(crc32(bytes)).toBe(0xcbf43926);
  expect(crc32(bytes.subarray(4), crc32(bytes.subarray(0, 4)))).toBe(0xcbf43926);
});

test('of a ZIP the rules are those of a folder, and one folder of it can stand for the whole', async () => {
  const zip = await readZip(zipFile(['app/.env', 'app/dist/index.html', 'app/dist/a.js', 'app/package.json']));
  const published = publishedPart(zip, []);
  if (!isZip(published)) expect.fail('no ZIP');
  expect(published.entries.map(({ path }) => path)).toEqual(['dist/a.js', 'dist/index.html', 'package.json']);
  const inside = innerFolder(zip, 'dist');
  if (!isZip(inside)) expect.fail('no ZIP');
  expect(inside.within).toBe('dist');
  expect(inside.entries.map(({ path }) => path)).toEqual(['a.js', 'index.html']);
  expect(await (await inside.entries[1]?.unpack())?.text()).toBe('content of app/dist/index.html');
});
