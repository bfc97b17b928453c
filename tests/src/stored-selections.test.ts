import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { hasUploadRecords } from '../../src/lib/storage/storage.ts';
import { type HashedFile, knownHash, recallHashes, recordHashes } from '../../src/uploads/hash.ts';
import { heldSendings } from '../../src/uploads/receiving-deployments.ts';
import {
  changeStored,
  dropStored,
  followAccount,
  isOwn,
  isSameSelection,
  listStored,
  readStored,
  restoredSelections,
  STORED_BYTES_MAX,
  STORED_FILES_MAX,
  type StoredSelection,
  storeSelection,
  writeStored,
} from '../../src/uploads/stored-selections.ts';
import { askToReselect, stopReselect } from '../../src/uploads/waiting-selection.ts';

const DAY_MS = 24 * 60 * 60_000;
const NOW = new Date('2030-01-01T12:00:00Z');

/** The browser's databases, which happy-dom has none of; the browser tests have the real ones. */
const { database, hashes, disk } = vi.hoisted(() => ({
  disk: { isFull: false },
  database: new Map<string, unknown>(),
  hashes: new Map<string, unknown>(),
}));
vi.mock('idb-keyval', () => ({
  createStore: (name: string) => (name === 'fairlead-hashes' ? hashes : database),
  get: async (key: string, store: typeof database) => store.get(key),
  set: async (key: string, value: unknown, store: typeof database) => {
    if (disk.isFull) throw new DOMException('full', 'QuotaExceededError');
    store.set(key, value);
  },
  delMany: async (keys: string[], store: typeof database) => keys.forEach((key) => void store.delete(key)),
  keys: async (store: typeof database) => [...store.keys()],
  clear: async (store: typeof database) => store.clear(),
}));

beforeEach(() => vi.useFakeTimers({ now: NOW }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
  database.clear();
  hashes.clear();
});

function record(id: string, fields: Partial<StoredSelection> = {}): StoredSelection {
  return {
    id,
    savedAt: NOW.getTime(),
    accountId: null,
    name: 'photo-site',
    noun: 'folder',
    within: '',
    fileCount: 1,
    totalBytes: 5,
    hasFiles: true,
    publication: null,
    ...fields,
  };
}

function selectionOf(...names: string[]) {
  return { name: 'photo-site', files: names.map((path) => ({ path, file: new File(['hello'], path) })) };
}

const settled = () => vi.advanceTimersByTimeAsync(1);

test('records are listed newest first, and what cannot be read is taken away', () => {
  writeStored(record('old', { savedAt: 1_000 }));
  writeStored(record('new', { savedAt: 2_000 }));
  localStorage.setItem('fairlead.upload.broken', '{"id":"broken"');
  localStorage.setItem('fairlead.upload.other', '{"id":"other"}');
  localStorage.setItem('fairlead.theme', 'dark');
  expect(listStored().map(({ id }) => id)).toEqual(['new', 'old']);
  expect(localStorage.getItem('fairlead.upload.broken')).toBeNull();
  expect(localStorage.getItem('fairlead.theme')).toBe('dark');
});

test('a record that was taken away is not brought back by a change', () => {
  writeStored(record('a'));
  changeStored('a', { accountId: 'ann' });
  expect(readStored('a')?.accountId).toBe('ann');
  dropStored('a');
  changeStored('a', { hasFiles: false });
  expect(hasUploadRecords()).toBe(false);
});

test('a tab knows what it began, and forgets what is gone', () => {
  for (const id of ['a', 'b']) writeStored(record(id));
  expect([isOwn('a'), isOwn('b'), isOwn('c')]).toEqual([true, true, false]);
  dropStored('a');
  writeStored(record('c'));
  expect([isOwn('a'), isOwn('b'), isOwn('c')]).toEqual([false, true, true]);
});

test('the files of a selection are stored, OS junk and what is never published by their names alone', async () => {
  const id = storeSelection(selectionOf('index.html', '.DS_Store', 'server.key'), null);
  await settled();
  expect(readStored(id)).toMatchObject({ hasFiles: true, fileCount: 1, totalBytes: 5 });
  const files = database.get(id);
  if (!Array.isArray(files)) expect.fail('nothing is stored');
  expect(files.map(({ path, file }) => [path, file.size])).toEqual([
    ['index.html', 5],
    ['.DS_Store', 0],
    ['server.key', 0],
  ]);
});

test('of a private key that only its content tells nothing is stored that opens anything, and a public one is', async () => {
  const pem = (path: string, label: string) => ({ path, file: new File([`-----BEGIN ${label}-----\nSECRET`], path) });
  const files = [pem('gpg.key', 'PGP PUBLIC KEY BLOCK'), pem('sec.asc', 'PGP PRIVATE KEY BLOCK')];
  const id = storeSelection({ name: 'keys', files }, null);
  await vi.waitFor(() => expect(database.get(id)).toHaveLength(2));
  const stored = database.get(id);
  if (!Array.isArray(stored)) expect.fail('nothing is stored');
  const texts = await Promise.all(stored.map(({ file }) => file.text()));
  expect(texts).toEqual(['-----BEGIN PGP PUBLIC KEY BLOCK-----\nSECRET', '-----BEGIN PRIVATE KEY-----']);
});

test.each([
  ['so many files', STORED_FILES_MAX, 1, true],
  ['one file more', STORED_FILES_MAX + 1, 1, false],
  ['so many bytes', 1, STORED_BYTES_MAX, true],
  ['one byte more', 1, STORED_BYTES_MAX + 1, false],
])('up to the limits files are stored, and above them the record alone: %s', async (_, count, sizeBytes, hasFiles) => {
  const file = Object.defineProperty(new File([], 'a.html'), 'size', { value: sizeBytes });
  const files = Array.from({ length: count }, (_, index) => ({ path: `${index}.html`, file }));
  const id = storeSelection({ name: 'many', files }, null);
  await settled();
  expect(readStored(id)).toMatchObject({ hasFiles, fileCount: count, totalBytes: count * sizeBytes });
  expect(database.has(id)).toBe(hasFiles);
});

test('where the browser has no room for the files, the record alone is stored', async () => {
  disk.isFull = true;
  const id = storeSelection(selectionOf('index.html'), null);
  await settled();
  disk.isFull = false;
  expect(readStored(id)).toMatchObject({ hasFiles: false, fileCount: 1 });
  expect(database.has(id)).toBe(false);
});

test('what was selected is forgotten after 24 hours, also on a page that stays open', async () => {
  const id = storeSelection(selectionOf('index.html'), null);
  await vi.advanceTimersByTimeAsync(DAY_MS - 1);
  expect([readStored(id)?.id, database.has(id)]).toEqual([id, true]);
  await vi.advanceTimersByTimeAsync(1);
  expect([readStored(id), database.has(id)]).toEqual([null, false]);
});

test('a page that opens later than that finds nothing, and takes away what no record names', async () => {
  writeStored(record('over', { savedAt: NOW.getTime() - DAY_MS - 1 }));
  for (const key of ['over', 'unnamed']) database.set(key, []);
  expect(await restoredSelections()).toEqual([]);
  await settled();
  expect(listStored()).toEqual([]);
  expect([...database.keys()]).toEqual([]);
});

test('another tab goes on with a publication, and leaves what only waits to its own tab', async () => {
  const progress = { uploadId: null, isSent: false, load: null };
  const deployment = { id: 'deployment', name: 'Quay', url: 'https://quay.example' };
  const publication = { deployment, publishAnyway: [], isNew: true, progress, arrivedFiles: 0 };
  for (const [id, fields] of [
    ['waiting', {}],
    ['published', { publication }],
  ] as const) {
    writeStored(record(id, { accountId: 'owner', ...fields }));
    database.set(id, selectionOf('a.html').files);
  }
  // A tab of its own, which began neither.
  sessionStorage.clear();
  // The tab of the first reloads, and holds no lock for a moment.
  const asked: string[] = [];
  vi.stubGlobal('navigator', {
    locks: {
      request: async (name: string, _options: unknown, held: (lock: unknown) => unknown) => {
        asked.push(name);
        void held({ name });
      },
    },
  });
  vi.resetModules();
  const another = await import('../../src/uploads/stored-selections.ts');
  const found = await another.restoredSelections();
  expect(found.map((one) => one.record.id)).toEqual(['published']);
  expect(asked).toEqual(['fairlead-upload-published']);
});

test('files count as sent from another tab while a page that is still open holds their record', async () => {
  session.signIn({ accessToken: 'ann', expiresAt: new Date('2100-01-01') }, 'ann');
  const progress = { uploadId: null, isSent: false, load: null };
  const publication = { deployment: { id: 'quay', name: 'Quay', url: '' }, publishAnyway: [], isNew: true, progress };
  writeStored(record('a', { accountId: 'ann', publication: { ...publication, arrivedFiles: 0 } }));
  const held: { name: string }[] = [];
  vi.stubGlobal('navigator', { locks: { query: async () => ({ held }) } });
  expect(await heldSendings()).toEqual([]);
  held.push({ name: 'fairlead-upload-a' });
  expect(await heldSendings(), 'this page holds its own record').toEqual([]);
  sessionStorage.clear();
  expect(await heldSendings()).toMatchObject([{ deployment: { id: 'quay' } }]);
});

test('who logs out takes away the selections and the hashes of the account', async () => {
  session.signIn({ accessToken: 'ann', expiresAt: new Date('2100-01-01') }, 'ann');
  writeStored(record('a', { accountId: 'ann' }));
  database.set('a', []);
  hashes.set('ann photo-site', {});
  session.signOut();
  followAccount();
  await settled();
  expect(hasUploadRecords()).toBe(false);
  expect([...database.keys(), ...hashes.keys()]).toEqual([]);
});

test('what has to be chosen again is asked for no more once it was answered, after a reload neither', async () => {
  const lost = record('lost', { hasFiles: false });
  writeStored(lost);
  askToReselect(lost);
  expect(stopReselect('another deployment')).toBeNull();
  expect(stopReselect(null)).toEqual(lost);
  expect(stopReselect(null)).toBeNull();
  await vi.waitFor(() => expect(hasUploadRecords()).toBe(false));
});

test('the same name, count and size are the same selection', () => {
  const stored = record('a', { fileCount: 2, totalBytes: 10 });
  expect(isSameSelection(stored, selectionOf('index.html', 'b.css', '.DS_Store'))).toBe(true);
  expect(isSameSelection(stored, selectionOf('index.html'))).toBe(false);
  expect(isSameSelection(stored, { ...selectionOf('index.html', 'b.css'), name: 'other' })).toBe(false);
});

function hashed(path: string, lastModified: number): HashedFile {
  return { path, file: new File(['hello'], path, { lastModified }), sha256: path };
}

test('only files whose name, size and time of change are as before have a known hash', async () => {
  const before = NOW.getTime() - 60_000;
  await recordHashes('photo-site', [
    hashed('same.html', before),
    hashed('later.html', before),
    hashed('longer.html', before),
  ]);
  const again = [
    { path: 'same.html', file: new File(['hello'], 'same.html', { lastModified: before }) },
    { path: 'later.html', file: new File(['hello'], 'later.html', { lastModified: before + 1 }) },
    { path: 'longer.html', file: new File(['hello!'], 'longer.html', { lastModified: before }) },
    { path: 'new.html', file: new File(['hello'], 'new.html', { lastModified: before }) },
  ];
  await recallHashes('photo-site', again);
  expect(again.map(({ file }) => knownHash(file))).toEqual(['same.html', undefined, undefined, undefined]);
});

test('a file that was changed just before it was hashed is read again', async () => {
  const just = NOW.getTime() - 1_000;
  await recordHashes('photo-site', [hashed('index.html', just)]);
  const again = { path: 'index.html', file: new File(['other'], 'index.html', { lastModified: just }) };
  await recallHashes('photo-site', [again]);
  expect(knownHash(again.file)).toBeUndefined();
});
