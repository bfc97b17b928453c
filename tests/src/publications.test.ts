import { expect, test, vi } from 'vitest';
import {
  cancelPublication,
  isPublishing,
  type PublicationDoors,
  type PublicationRequest,
} from '../../src/api/publication-store.ts';
import { publishUnchanged, retryPublication, startPublication } from '../../src/api/publications.ts';
import { hashBlobs } from '../../src/api/upload-hash.ts';
import { refusal } from '../support/screen.tsx';
import { releaseOf } from '../support/shown.ts';

const RELEASE = releaseOf({ number: 1, state: 'queued', finishedAt: null });

function request(id: string): PublicationRequest {
  return {
    deployment: { id, name: 'photo-site', url: RELEASE.url },
    folder: { name: 'photo-site', files: [{ path: 'index.html', file: new File(['hello'], 'index.html') }] },
    publishAnyway: [],
    isNew: true,
  };
}

function doors(parts: Partial<PublicationDoors> = {}): PublicationDoors {
  return {
    prepare: async () => ({ uploadId: '0123456789abcdefghij' }),
    createRelease: async () => RELEASE,
    carrier: async (path) =>
      path.endsWith('/manifest') ? Response.json({ missing: [], leftOut: [] }) : new Response(null, { status: 204 }),
    hasher: (files, onResult) => hashBlobs(files, onResult),
    ...parts,
  };
}

test('a folder becomes a release, and is no longer on its way then', async () => {
  const running = startPublication(request('a'), doors());
  expect(isPublishing()).toBe(true);
  expect(await running).toMatchObject({ state: 'done', release: { number: 1 } });
  expect(isPublishing()).toBe(false);
});

test('a question whose answer was lost is asked again, and says so', async () => {
  const asked: boolean[] = [];
  const ended = await startPublication(
    request('b'),
    doors({
      createRelease: async (_input, isRepeated) => {
        asked.push(isRepeated);
        if (!isRepeated) throw new Error('no answer', { cause: new TypeError('Failed to fetch') });
        return RELEASE;
      },
    }),
  );
  expect(ended.state).toBe('done');
  expect(asked).toEqual([false, true]);
});

test('after a refusal the same upload goes on, and a closed one is opened anew', async () => {
  const prepared: string[] = [];
  const codes = ['storage_full', 'upload_closed', null];
  const parts = doors({
    prepare: async () => {
      prepared.push('opened');
      return { uploadId: '0123456789abcdefghij' };
    },
    carrier: async () => {
      const code = codes.shift();
      if (code === null || code === undefined) return Response.json({ missing: [], leftOut: [] });
      return Response.json({ code, message: `It said ${code}.` }, { status: code === 'storage_full' ? 507 : 409 });
    },
  });
  expect(await startPublication(request('c'), parts)).toMatchObject({
    state: 'failed',
    failure: { message: 'It said storage_full.', isFolderNeeded: false, isUnchanged: false },
  });
  expect(await retryPublication('c')).toMatchObject({ state: 'failed' });
  expect(prepared).toHaveLength(1);
  expect(await retryPublication('c')).toMatchObject({ state: 'done' });
  expect(prepared).toHaveLength(2);
});

test('of files that are live already a release is made only when its owner says so', async () => {
  const wanted: boolean[] = [];
  const onEnd = vi.fn();
  const parts = doors({
    onEnd,
    createRelease: async ({ ifChanged }) => {
      wanted.push(ifChanged);
      if (ifChanged) throw refusal('release_unchanged', 'Nothing changed since release 3.');
      return RELEASE;
    },
  });
  expect(await startPublication(request('same'), parts)).toMatchObject({
    state: 'failed',
    failure: { message: 'Nothing changed since release 3.', isUnchanged: true },
  });
  expect(onEnd, 'a reload asks once more').not.toHaveBeenCalled();
  expect(await publishUnchanged('same')).toMatchObject({ state: 'done', failure: null });
  expect(wanted).toEqual([true, false]);
  expect(onEnd).toHaveBeenCalledOnce();

  await startPublication(request('same'), parts);
  cancelPublication('same');
  expect(onEnd, 'no reload goes on with what was cancelled').toHaveBeenCalledTimes(2);
});

test('a cancelled publication makes no release', async () => {
  let isMade = false;
  const running = startPublication(
    request('d'),
    doors({
      prepare: async () => {
        cancelPublication('d');
        return { uploadId: '0123456789abcdefghij' };
      },
      createRelease: async () => {
        isMade = true;
        return RELEASE;
      },
    }),
  );
  expect(await running).toMatchObject({ state: 'cancelled', failure: null });
  expect(isMade).toBe(false);
});

test('what an earlier page had sent whole is only made a release of, and a release that is there already is taken', async () => {
  const asked: boolean[] = [];
  const calls: string[] = [];
  const parts = doors({
    prepare: async () => expect.fail('an upload is open already'),
    carrier: async (path) => {
      calls.push(path);
      return Response.json(
        { message: 'A release was made of this upload already.', code: 'upload_closed' },
        { status: 409 },
      );
    },
    createRelease: async (_input, isRepeated) => {
      asked.push(isRepeated);
      return RELEASE;
    },
  });
  const before = { uploadId: '0123456789abcdefghij', isSent: true, load: { files: 7, bytes: 70 } };
  expect(await startPublication(request('sent'), parts, before)).toMatchObject({
    state: 'done',
    result: { sentFiles: 7, sentBytes: 70 },
  });
  expect(calls).toEqual([]);
  expect(await startPublication(request('closed'), parts, { ...before, isSent: false })).toMatchObject({
    state: 'done',
  });
  expect(calls).toEqual([`/api/uploads/${before.uploadId}/manifest`]);
  expect(asked).toEqual([true, true]);
});

test('an upload that is gone since a reload gives way to another by itself, and each step is told', async () => {
  const told: unknown[] = [];
  let isOver = false;
  const parts = doors({
    carrier: async (path) =>
      path.includes('gone')
        ? Response.json({ message: 'There is no such upload.', code: 'not_found' }, { status: 404 })
        : Response.json({ missing: [], leftOut: [] }),
    onProgress: (stored) => void told.push(stored),
    onEnd: () => {
      isOver = true;
    },
  });
  const before = { uploadId: 'gone', isSent: false, load: { files: 7, bytes: 70 } };
  const ended = await startPublication(request('again'), parts, before);
  expect(ended.state).toBe('done');
  expect(told).toEqual([
    { uploadId: null, isSent: false, load: null },
    { uploadId: '0123456789abcdefghij', isSent: false, load: null },
    { uploadId: '0123456789abcdefghij', isSent: false, load: { files: 0, bytes: 0 } },
    { uploadId: '0123456789abcdefghij', isSent: true, load: { files: 0, bytes: 0 } },
  ]);
  expect(isOver).toBe(true);
});
