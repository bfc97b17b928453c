import { afterEach, expect, test } from 'vitest';
import { askAgain, stopAsking } from '../../src/api/upload-asked.ts';
import { fingerprintOf } from '../../src/api/upload-fingerprint.ts';
import { announceHashing, awaitHashing, knownHash } from '../../src/api/upload-known.ts';
import {
  changeRecord,
  isOwn,
  listRecords,
  markOwn,
  readRecord,
  removeRecord,
  type UploadRecord,
  writeRecord,
} from '../../src/api/upload-record.ts';
import { hasUploadRecords } from '../../src/lib/storage.ts';

afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

function record(id: string, fields: Partial<UploadRecord> = {}): UploadRecord {
  return {
    id,
    savedAt: 1_000,
    accountId: null,
    name: 'photo-site',
    noun: 'folder',
    within: '',
    fileCount: 2,
    totalBytes: 10,
    fingerprint: 'f',
    isFinal: false,
    hasCopy: true,
    publication: null,
    ...fields,
  };
}

test('records are listed newest first, and what cannot be read is taken away', () => {
  writeRecord(record('old'));
  writeRecord(record('new', { savedAt: 2_000 }));
  localStorage.setItem('fairlead.upload.broken', '{"id":"broken"');
  localStorage.setItem('fairlead.upload.other', '{"id":"other"}');
  localStorage.setItem('fairlead.theme', 'dark');
  expect(listRecords().map(({ id }) => id)).toEqual(['new', 'old']);
  expect(localStorage.getItem('fairlead.upload.broken')).toBeNull();
  expect(localStorage.getItem('fairlead.theme')).toBe('dark');
});

test('a record that was taken away is not brought back by a change', () => {
  writeRecord(record('a'));
  changeRecord('a', { accountId: 'ann' });
  expect(readRecord('a')?.accountId).toBe('ann');
  removeRecord('a');
  changeRecord('a', { hasCopy: false });
  expect(hasUploadRecords()).toBe(false);
});

test('a tab knows what it began, and forgets what is gone', () => {
  for (const id of ['a', 'b']) {
    writeRecord(record(id));
    markOwn(id);
  }
  expect([isOwn('a'), isOwn('b'), isOwn('c')]).toEqual([true, true, false]);
  removeRecord('a');
  writeRecord(record('c'));
  markOwn('c');
  expect([isOwn('a'), isOwn('b'), isOwn('c')]).toEqual([false, true, true]);
});

test('what is asked for again is asked for no more once it was answered, after a reload neither', () => {
  const lost = record('lost', { hasCopy: false });
  writeRecord(lost);
  askAgain(lost);
  expect(stopAsking('another deployment')).toBeNull();
  expect(stopAsking(null)).toEqual(lost);
  expect(stopAsking(null)).toBeNull();
  expect(hasUploadRecords()).toBe(false);
});

test('the same names and sizes are the same folder, in whatever order and form they come', () => {
  const file = (path: string, text: string) => ({ path, file: new File([text], path) });
  const folder = { name: 'a', files: [file('index.html', 'hello'), file('b.css', 'b')] };
  const packed = (path: string, sizeBytes: number) => ({ path, sizeBytes, unpack: async () => new File([], path) });
  const entries = [packed('b.css', 1), packed('index.html', 5)];
  const zip = { name: 'z', zip: new File([], 'z.zip'), within: '', entries };
  expect(fingerprintOf(zip)).toBe(fingerprintOf(folder));
  const changed = { name: 'a', files: [file('index.html', 'hello!'), file('b.css', 'b')] };
  expect(fingerprintOf(changed)).not.toBe(fingerprintOf(folder));
});

test('who wants the hash of a file that is being hashed waits for it', async () => {
  const files = [new File(['a'], 'a'), new File(['b'], 'b')];
  let end = (): void => expect.fail('not started');
  const remember = announceHashing(files, new Promise((resolve) => (end = resolve)));
  const seen: Blob[] = [];
  const waiting = awaitHashing(files, (file) => seen.push(file), new AbortController().signal);
  remember({ index: 0, sha256: 'aa' });
  remember({ index: 1, problem: 'gone' });
  expect(seen).toEqual([files[0]]);
  end();
  await waiting;
  expect(files.map(knownHash)).toEqual(['aa', undefined]);
});

test('waiting for a hash ends when nobody wants it any more', async () => {
  const file = new File(['a'], 'a');
  announceHashing([file], new Promise(() => undefined));
  const stop = new AbortController();
  const waiting = awaitHashing([file], () => undefined, stop.signal);
  stop.abort();
  await expect(waiting).resolves.toBeUndefined();
});
