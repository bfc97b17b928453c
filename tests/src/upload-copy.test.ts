import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { adoptCopy, keepWaiting } from '../../src/api/upload-copy.ts';
import {
  listRecords,
  readRecord,
  UPLOAD_KEPT_MS,
  type UploadRecord,
  writeRecord,
} from '../../src/api/upload-record.ts';
import { restoreUploads } from '../../src/api/upload-restore.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

beforeEach(() => vi.useFakeTimers({ now: NOW }));
afterEach(() => {
  keepWaiting(null);
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
});

function record(id: string, savedAt: number): UploadRecord {
  return {
    id,
    savedAt,
    accountId: null,
    name: 'photo-site',
    noun: 'folder',
    within: '',
    fileCount: 1,
    totalBytes: 2,
    fingerprint: 'f',
    isFinal: false,
    hasCopy: true,
    publication: null,
  };
}

/** The browser's private file system, as far as a copy is taken away from it. */
function stubPrivateFiles(names: Set<string>): void {
  const folder = {
    removeEntry: async (name: string) => {
      if (!names.delete(name)) throw new DOMException('No such file', 'NotFoundError');
    },
    keys: () => names.values(),
  };
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('navigator', { storage: { getDirectory: async () => ({ getDirectoryHandle: async () => folder }) } });
}

function copyOf(id: string): string[] {
  return [`${id}.json`, `${id}.pack`];
}

test('what an earlier page kept is deleted 24 hours after it was dropped, not after it was found', async () => {
  const names = new Set([...copyOf('kept'), ...copyOf('other')]);
  stubPrivateFiles(names);
  const kept = record('kept', NOW.getTime() - 60 * 60_000);
  writeRecord(kept);
  const letGo = vi.fn();
  adoptCopy(kept, null, {}, letGo);
  await vi.advanceTimersByTimeAsync(UPLOAD_KEPT_MS - 60 * 60_000 - 1);
  expect([readRecord('kept')?.id, names.size, letGo.mock.calls.length]).toEqual(['kept', 4, 0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(readRecord('kept')).toBeNull();
  expect([...names]).toEqual(copyOf('other'));
  expect(letGo).toHaveBeenCalledOnce();
});

test('a folder that waits on a page that stays open is forgotten after 24 hours as well', async () => {
  vi.stubGlobal('navigator', {});
  keepWaiting({ name: 'photo-site', files: [{ path: 'index.html', file: new File(['hi'], 'index.html') }] });
  const [waiting] = listRecords();
  expect(waiting?.savedAt).toBe(NOW.getTime());
  await vi.advanceTimersByTimeAsync(UPLOAD_KEPT_MS - 1);
  expect(listRecords()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(listRecords()).toEqual([]);
});

test('a page that opens later than that finds nothing to go on with, and takes the bytes away', async () => {
  const names = new Set([...copyOf('over'), ...copyOf('unnamed')]);
  stubPrivateFiles(names);
  writeRecord(record('over', NOW.getTime() - UPLOAD_KEPT_MS - 1));
  expect(await restoreUploads()).toEqual([]);
  expect(listRecords()).toEqual([]);
  await vi.waitFor(() => expect([...names]).toEqual([]), { timeout: 30_000 });
});

test.each([
  [250_000_000, 1],
  [250_000_001, 0],
])('of %i bytes a copy is begun %i times, and the record is kept either way', (sizeBytes, copies) => {
  stubPrivateFiles(new Set());
  const jobs: unknown[] = [];
  vi.stubGlobal(
    'Worker',
    class {
      postMessage = (job: unknown): void => void jobs.push(job);
      terminate = (): void => undefined;
    },
  );
  const file = Object.defineProperty(new File([], 'film.mp4'), 'size', { value: sizeBytes });
  keepWaiting({ name: 'film', files: [{ path: 'film.mp4', file }] });
  expect(jobs).toHaveLength(copies);
  expect(listRecords()).toMatchObject([{ totalBytes: sizeBytes, hasCopy: false }]);
});
