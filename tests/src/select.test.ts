import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { entriesOfDrop } from '../../src/features/deployments/select/use-drop.ts';
import { compareFiles, comparisonText, namedChanges, removesMost } from '../../src/uploads/compare.ts';
import { hashBlobs, hashFiles } from '../../src/uploads/hash.ts';
import { readChosen, readEntries, readFileList } from '../../src/uploads/selection/select.ts';
import {
  isZip,
  type SelectedFolder,
  type Selection,
  SelectionUnreadable,
} from '../../src/uploads/selection/selection.ts';

type Tree = { [name: string]: string | Tree };

/** An entry as Chromium gives it: at most `page` children a call, then an empty list. */
function entry(name: string, content: string | Tree, page = 100): FileSystemEntry {
  const base = { name, fullPath: `/${name}`, filesystem: null };
  if (typeof content === 'string') {
    return asEntry({
      ...base,
      isFile: true,
      isDirectory: false,
      file: (done: (file: File) => void) => queueMicrotask(() => done(new File([content], name))),
    });
  }
  return asEntry({
    ...base,
    isFile: false,
    isDirectory: true,
    createReader: () => {
      const left = Object.entries(content).map(([child, inside]) => entry(child, inside, page));
      return {
        readEntries: (done: (entries: FileSystemEntry[]) => void) => queueMicrotask(() => done(left.splice(0, page))),
      };
    },
  });
}

/** The parts of the DOM's interface that the reader asks for are all there. */
function asEntry(fake: object): FileSystemEntry {
  return fake as FileSystemEntry;
}

/** The list is only walked through. */
function asItems(fake: object[]): DataTransferItemList {
  return fake as unknown as DataTransferItemList;
}

/** A file as the folder input gives it. */
function chosen(path: string, content = 'x'): File {
  const file = new File([content], path.slice(path.lastIndexOf('/') + 1));
  Object.defineProperty(file, 'webkitRelativePath', { value: path });
  return file;
}

function asFolder(picked: Selection): SelectedFolder {
  if (isZip(picked)) expect.fail('a ZIP, no folder');
  return picked;
}

test('one dropped folder gives the paths below it, in order, with its name', async () => {
  const site = { 'index.html': 'hello', img: { 'b.jpg': 'b', 'a.jpg': 'a', deep: { 'ü 🎉.txt': 'u' } } };
  const folder = asFolder(await readEntries([entry('photo-site', site)]));
  expect(folder.name).toBe('photo-site');
  expect(folder.files.map(({ path }) => path)).toEqual(['img/a.jpg', 'img/b.jpg', 'img/deep/ü 🎉.txt', 'index.html']);
  expect(await folder.files.at(-1)?.file.text()).toBe('hello');
});

test('a directory is read until the reader gives an empty list', async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`file-${index}.txt`, 'x']));
  const reads: number[] = [];
  const folder = asFolder(await readEntries([entry('many', many)], ({ filesRead }) => reads.push(filesRead)));
  expect(folder.files).toHaveLength(250);
  expect(reads.at(-1)).toBe(250);
});

test('several things dropped together keep their names and give no name to the folder', async () => {
  const folder = asFolder(await readEntries([entry('index.html', 'hello'), entry('img', { 'a.jpg': 'a' })]));
  expect(folder.name).toBe('');
  expect(folder.files.map(({ path }) => path)).toEqual(['img/a.jpg', 'index.html']);
});

test('the entries of a drop are taken before anything is awaited', () => {
  const directory = entry('site', {});
  const items = [
    { kind: 'string', webkitGetAsEntry: () => null },
    { kind: 'file', webkitGetAsEntry: () => directory },
    { kind: 'file', webkitGetAsEntry: () => null },
  ];
  expect(entriesOfDrop({ items: asItems(items) })).toEqual([directory]);
});

test('the folder input gives the same paths as a drop', () => {
  const folder = readFileList([chosen('photo-site/index.html'), chosen('photo-site/img/a.jpg')]);
  expect(folder.name).toBe('photo-site');
  expect(folder.files.map(({ path }) => path)).toEqual(['img/a.jpg', 'index.html']);
});

test('an empty folder, an archive and a folder that may not be opened are told in a sentence', async () => {
  await expect(readEntries([entry('empty', { inner: {} })])).rejects.toThrow('This folder holds no files');
  await expect(readEntries([entry('site.tgz', 'x')])).rejects.toThrow(
    'site.tgz is an archive, but not a ZIP. Unpack it',
  );
  expect(() => readFileList([chosen('site.rar')])).toThrow('site.rar is an archive');
  expect(() => readFileList([chosen('menu.docx')])).toThrow('menu.docx is not a website. Choose the folder');
  await expect(readEntries([entry('photo.jpg', 'x')])).rejects.toThrow('photo.jpg is not a website');
  expect(readFileList([chosen('Index.HTM')]).files).toHaveLength(1);
  await expect(readEntries([entry('site.zip', 'PK')])).rejects.toThrow('site.zip is not a ZIP, or was cut off');
  await expect(readChosen([chosen('site.zip')])).rejects.toThrow('site.zip is not a ZIP');
  const locked = asEntry({
    name: 'locked',
    isFile: false,
    isDirectory: true,
    createReader: () => ({
      readEntries: (_done: unknown, fail: (cause: unknown) => void) => fail(new DOMException('no', 'NotReadableError')),
    }),
  });
  await expect(readEntries([locked])).rejects.toThrow(SelectionUnreadable);
  await expect(readEntries([locked])).rejects.toThrow('locked could not be read');
});

test('reading ends when it is cancelled', async () => {
  const stop = new AbortController();
  stop.abort();
  const reading = readEntries([entry('site', { 'index.html': 'x' })], () => undefined, stop.signal);
  await expect(reading).rejects.toThrow('abort');
});

const hashOf = (content: string) => createHash('sha256').update(content).digest('hex');
const LIVE = new Map([
  ['index.html', { sha256: hashOf('same'), sizeBytes: 4 }],
  ['menu.html', { sha256: hashOf('old!'), sizeBytes: 4 }],
]);

function zippedItem(path: string, content: string, sizeBytes = content.length) {
  const unpack = async () => new File([content], path);
  return { path, sizeBytes, source: { path, sizeBytes, encoding: null, isLink: false, unpack } };
}

test.each([
  ['new!', '1 of 2 files changed: menu.html'],
  ['old!', 'No file changed'],
])('files of a ZIP that kept their size are unpacked to be compared', async (menu, text) => {
  const items = [zippedItem('index.html', 'same'), zippedItem('menu.html', menu)];
  expect(comparisonText(await compareFiles(LIVE, items, new AbortController().signal))).toBe(text);
});

test('of more than can be read at once it is said that equal sizes tell nothing', async () => {
  const size = 65 * 1024 ** 2;
  const before = new Map([['film.mp4', { sha256: hashOf('film'), sizeBytes: size }]]);
  const unread = { ...zippedItem('film.mp4', '', size) };
  expect(comparisonText(await compareFiles(before, [unread], new AbortController().signal))).toBe(
    'No file was added or removed, and no size changed. Files of the same size are compared when you publish',
  );
});

test.each([
  [{ 'menu.html': 'new!', 'index.html': 'same' }, '1 of 2 files changed: menu.html', false],
  [{ 'index.html': 'same', 'added.html': 'x' }, '1 new: added.html; 1 removed: menu.html', false],
  [{ 'index.html': 'same', 'menu.html': 'old!' }, 'No file changed', false],
  [
    { 'other.html': 'x' },
    '1 new: other.html; 2 removed: index.html, menu.html. None of the 2 live files stay unchanged',
    true,
  ],
])('what would change of a release is told before it is published', async (now, text, isMostRemoved) => {
  const items = Object.entries(now).map(([path, content]) => ({
    path,
    sizeBytes: content.length,
    source: { path, file: new File([content], path) },
  }));
  const comparison = await compareFiles(LIVE, items, new AbortController().signal);
  expect(comparisonText(comparison)).toBe(text);
  expect(removesMost(comparison)).toBe(isMostRemoved);
});

test('a folder of another site is told from a changed one, by what stays and by the names of all that does not', async () => {
  const before = new Map(
    ['index.html', 'a.html', 'b.html', 'c.html'].map((path) => [path, { sha256: '', sizeBytes: 1 }]),
  );
  const items = ['index.html', 'a.html', 'other.css', 'other.js'].map((path) => zippedItem(path, 'other'));
  const comparison = await compareFiles(before, items, new AbortController().signal);
  expect(comparisonText(comparison)).toBe('2 changed, 2 new, 2 removed. None of the 4 live files stay unchanged');
  expect(namedChanges(comparison)).toEqual([
    { kind: 'Changed', paths: ['index.html', 'a.html'], more: 0 },
    { kind: 'New', paths: ['other.css', 'other.js'], more: 0 },
    { kind: 'Removed', paths: ['b.html', 'c.html'], more: 0 },
  ]);
  expect(namedChanges({ ...comparison, changed: ['a.html'], added: [], removed: [] })).toEqual([]);
  expect(comparisonText({ ...comparison, changed: [], removed: ['a.html', 'b.html', 'c.html'] })).toContain(
    'Only 1 of the 4 live files stays unchanged',
  );
});

test('equal contents whose hashes are known count once in what is to be sent, and those that are live do not', async () => {
  const files = { 'index.html': 'same', 'menu.html': 'same', 'one.html': 'x', 'two.html': 'x' };
  const items = Object.entries(files).map(([path, content]) => ({
    path,
    sizeBytes: content.length,
    source: { path, file: new File([content], path) },
  }));
  const { signal } = new AbortController();
  expect((await compareFiles(LIVE, items, signal)).toSend).toEqual({ count: 2, totalBytes: 2 });
  await hashFiles(
    items.map(({ source }) => source),
    hashBlobs,
    () => {},
    signal,
  );
  expect((await compareFiles(LIVE, items, signal)).toSend).toEqual({ count: 1, totalBytes: 1 });
});
