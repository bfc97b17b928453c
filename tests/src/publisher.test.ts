import { expect, test } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { SESSION_TEXTS, SessionEndedError } from '../../src/api/session/session-errors.ts';
import { rememberItem, setChannelState } from '../../src/realtime/channel.ts';
import { hashBlobs } from '../../src/uploads/hash.ts';
import type { PublishServer } from '../../src/uploads/publish.ts';
import { startSending } from '../../src/uploads/publisher.ts';
import {
  isUnderWay,
  leaveUnchanged,
  type SendingControl,
  type SendingRequest,
  sendings,
} from '../../src/uploads/sendings.ts';
import { dropStored, listStored } from '../../src/uploads/stored-selections.ts';
import { refusal } from '../support/screen.tsx';
import { releaseOf } from '../support/screen-fixtures.ts';

const recordsOf = (id: string) => listStored().filter(({ publication }) => publication?.deployment.id === id);

function controlOf(deploymentId: string): SendingControl {
  const found = sendings.get().find((publication) => publication.deploymentId === deploymentId);
  return found?.control ?? expect.fail(`Nothing is on its way to ${deploymentId}.`);
}

const access = { accessToken: 'token', expiresAt: new Date(Date.now() + 3_600_000) };
const RELEASE = releaseOf({ number: 1, state: 'queued', finishedAt: null });

function request(id: string): SendingRequest {
  return {
    deployment: { id, name: 'photo-site', url: RELEASE.url },
    selection: { name: 'photo-site', files: [{ path: 'index.html', file: new File(['hello'], 'index.html') }] },
    publishAnyway: [],
    isNew: true,
  };
}

function serverOf(parts: Partial<PublishServer> = {}): PublishServer {
  return {
    prepare: async () => ({ uploadId: '0123456789abcdefghij' }),
    createRelease: async () => RELEASE,
    isDeploymentGone: async () => false,
    fetch: async (path) =>
      path.endsWith('/manifest')
        ? Response.json({ missing: [], leftOut: [], droppedCount: 0, notices: [] })
        : new Response(null, { status: 204 }),
    hasher: hashBlobs,
    ...parts,
  };
}

test('a folder becomes a release, and is no longer on its way then', async () => {
  const running = startSending(request('a'), serverOf());
  expect(sendings.get().some(isUnderWay)).toBe(true);
  expect(await running).toMatchObject({ state: 'done', release: { number: 1 } });
  expect(sendings.get().some(isUnderWay)).toBe(false);
});

test('a question whose answer was lost is asked again, and says so', async () => {
  const asked: boolean[] = [];
  const ended = await startSending(
    request('b'),
    serverOf({
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
  const parts = serverOf({
    prepare: async () => {
      prepared.push('opened');
      return { uploadId: '0123456789abcdefghij' };
    },
    fetch: async () => {
      const code = codes.shift();
      if (code === null || code === undefined)
        return Response.json({ missing: [], leftOut: [], droppedCount: 0, notices: [] });
      return Response.json({ code, message: `It said ${code}.` }, { status: code === 'storage_full' ? 507 : 409 });
    },
  });
  expect(await startSending(request('c'), parts)).toMatchObject({
    state: 'failed',
    failure: { message: 'It said storage_full.', isSelectionNeeded: false },
  });
  expect(await controlOf('c').retry()).toMatchObject({ state: 'failed' });
  expect(prepared).toHaveLength(1);
  expect(await controlOf('c').retry()).toMatchObject({ state: 'done' });
  expect(prepared).toHaveLength(2);
});

test('of files that are live already a release is made only when its owner says so', async () => {
  const wanted: boolean[] = [];
  const parts = serverOf({
    createRelease: async ({ ifChanged }) => {
      wanted.push(ifChanged);
      if (ifChanged) throw refusal('release_unchanged', 'Nothing changed since release 3.');
      return RELEASE;
    },
  });
  expect(await startSending(request('same'), parts)).toMatchObject({
    state: 'unchanged',
    failure: { message: 'Nothing changed since release 3.' },
  });
  expect(recordsOf('same'), 'no reload and no other tab asks again').toEqual([]);
  expect(await controlOf('same').publishUnchanged()).toMatchObject({ state: 'done', failure: null });
  expect(wanted).toEqual([true, false]);
  expect(recordsOf('same')).toEqual([]);
  const knowing = { ...request('same'), isUnchangedWanted: true };
  expect(await startSending(knowing, parts), 'who knows it already is not asked').toMatchObject({ state: 'done' });

  await startSending(request('same'), parts);
  leaveUnchanged('same');
  expect(sendings.get().filter(({ deploymentId }) => deploymentId === 'same')).toEqual([]);
});

test('a cancelled publication makes no release', async () => {
  let isMade = false;
  const running = startSending(
    request('d'),
    serverOf({
      prepare: async () => {
        controlOf('d').cancel();
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
  const parts = serverOf({
    prepare: async () => expect.fail('an upload is open already'),
    fetch: async (path) => {
      calls.push(path);
      return Response.json(
        { message: 'This upload has already become a release.', code: 'upload_closed' },
        { status: 409 },
      );
    },
    createRelease: async (_input, isRepeated) => {
      asked.push(isRepeated);
      return RELEASE;
    },
  });
  const before = { uploadId: '0123456789abcdefghij', isSent: true, load: { files: 7, bytes: 70 } };
  expect(await startSending(request('sent'), parts, { stored: before, isRestored: true })).toMatchObject({
    state: 'done',
    result: { sentFiles: 7, sentBytes: 70 },
  });
  expect(calls).toEqual([]);
  expect(
    await startSending(request('closed'), parts, { stored: { ...before, isSent: false }, isRestored: true }),
  ).toMatchObject({
    state: 'done',
  });
  expect(calls).toEqual([`/api/uploads/${before.uploadId}/manifest`]);
  expect(asked).toEqual([true, true]);
});

test('an upload that is gone since a reload gives way to another by itself, and a reload would know of that', async () => {
  const known: unknown[] = [];
  const note = () => void known.push(recordsOf('again')[0]?.publication?.progress);
  const parts = serverOf({
    prepare: async () => {
      note();
      return { uploadId: '0123456789abcdefghij' };
    },
    fetch: async (path) =>
      path.includes('gone')
        ? Response.json({ message: 'There is no such upload.', code: 'not_found' }, { status: 404 })
        : Response.json({ missing: [], leftOut: [], droppedCount: 0, notices: [] }),
    createRelease: async () => {
      await new Promise((resolve) => setTimeout(resolve));
      note();
      return RELEASE;
    },
  });
  const stored = { uploadId: 'gone', isSent: false, load: { files: 7, bytes: 70 } };
  const ended = await startSending(request('again'), parts, { stored, isRestored: true });
  expect(ended.state).toBe('done');
  expect(known).toEqual([
    { uploadId: null, isSent: false, load: null },
    { uploadId: '0123456789abcdefghij', isSent: true, load: { files: 0, bytes: 0 } },
  ]);
  expect(recordsOf('again')).toEqual([]);
});

test('a login that ends in mid-upload is said, and the same account goes on with the same files', async () => {
  session.signIn(access, 'anna');
  let isSignedIn = false;
  const server = serverOf({
    fetch: async () => {
      if (!isSignedIn) throw new SessionEndedError(SESSION_TEXTS.expired);
      return Response.json({ missing: [], leftOut: [], droppedCount: 0, notices: [] });
    },
  });
  expect(await startSending(request('login'), server)).toMatchObject({
    state: 'failed',
    failure: { message: 'You were logged out while this was being sent', isSignedOut: true },
  });
  expect(recordsOf('login')).toHaveLength(1);

  isSignedIn = true;
  session.signIn(access, 'anna');
  await expect.poll(() => sendings.get().find(({ deploymentId }) => deploymentId === 'login')?.state).toBe('done');
});

test('a logout stops what is sent, another account sees nothing of it, and its owner continues it', async () => {
  const stateShown = () => sendings.get().find(({ deploymentId }) => deploymentId === 'left')?.state;
  session.signIn(access, 'anna');
  const answers = { isHeld: true };
  const server = serverOf({
    fetch: (_path, { signal }) =>
      answers.isHeld
        ? new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : Promise.resolve(Response.json({ missing: [], leftOut: [], droppedCount: 0, notices: [] })),
  });
  const running = startSending(request('left'), server);
  await expect.poll(() => recordsOf('left')[0]?.publication?.progress.uploadId).toBeTruthy();
  const login = new BroadcastChannel('fairlead-left-sendings');
  const told: unknown[] = [];
  login.onmessage = ({ data }) => told.push(data);
  session.signOut();
  for (const { id } of recordsOf('left')) dropStored(id);
  expect(await running).toMatchObject({ state: 'failed', failure: { isSignedOut: true } });
  expect(stateShown()).toBe('failed');
  await expect.poll(() => told, { message: 'the Login page of another tab is told' }).toEqual([['photo-site']]);
  login.postMessage(null);
  await expect.poll(() => told, { message: 'and one that comes later' }).toHaveLength(2);
  const isAskedToStay = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  expect(isAskedToStay(), 'its files are in this page alone').toBe(true);

  answers.isHeld = false;
  session.signIn(access, 'berta');
  expect(stateShown()).toBe(undefined);
  expect(isAskedToStay()).toBe(false);
  session.signOut();
  expect(stateShown(), 'nor does the Login page name it to her').toBe(undefined);
  login.close();
  expect(told).toHaveLength(2);
  session.signIn(access, 'anna');
  expect(recordsOf('left'), 'a reload continues it').toHaveLength(1);
  await expect.poll(stateShown).toBe('done');
});

test('what was sent is forgotten with a deleted account: no Login page names it', async () => {
  for (const isOver of [false, true]) {
    session.signIn(access, 'anna');
    const upload = sendingTo('deleted with all', []);
    await expect.poll(upload.isSending).toBe(true);
    // As where the session is over before anybody says why.
    if (isOver) {
      session.signOut(SESSION_TEXTS.expired);
      expect(await upload.ended).toMatchObject({ failure: { isSignedOut: true } });
    }
    if (isOver) session.hear({ kind: 'ended', reason: SESSION_TEXTS.accountDeleted });
    else session.signOut(SESSION_TEXTS.accountDeleted);
    await upload.ended;
    expect(sendings.get()).toEqual([]);
    expect(recordsOf('deleted with all')).toEqual([]);
  }
});

test('what nobody answered is tried again by itself once the browser is online', async () => {
  session.signIn(access, 'anna');
  let isAway = true;
  const server = serverOf({
    pausesMs: [],
    fetch: async () => {
      if (isAway) throw new TypeError('Failed to fetch');
      return Response.json({ missing: [], leftOut: [], droppedCount: 0, notices: [] });
    },
  });
  expect(await startSending(request('offline'), server)).toMatchObject({
    state: 'failed',
    failure: { isUnanswered: true },
  });
  session.signOut();
  for (const { id } of recordsOf('offline')) dropStored(id);
  window.dispatchEvent(new Event('online'));
  expect(recordsOf('offline'), 'nothing is stored for the next account').toEqual([]);
  session.signIn(access, 'anna');
  isAway = false;
  window.dispatchEvent(new Event('online'));
  const offline = () => sendings.get().find(({ deploymentId }) => deploymentId === 'offline');
  await expect.poll(() => offline()?.state).toBe('done');
});

test('a deployment that was deleted in mid-upload is said, and nothing is tried on it again', async () => {
  let asked = 0;
  const server = serverOf({
    createRelease: async () => {
      asked += 1;
      throw refusal('not_found', 'This deployment does not exist.');
    },
    isDeploymentGone: async () => true,
  });
  expect(await startSending(request('gone'), server)).toMatchObject({
    state: 'failed',
    failure: { isDeploymentGone: true },
  });
  expect(asked).toBe(1);
});

test('nothing more is sent to a deployment once the server tells that it was deleted elsewhere', async () => {
  const asked: string[] = [];
  const held = sendingTo('deleted', asked);
  await expect.poll(held.isSending).toBe(true);
  rememberItem('1', { type: 'analytics_update', deploymentId: 'other' });
  rememberItem('2', { type: 'analytics_update', deploymentId: 'deleted' });
  setChannelState('open');
  setChannelState('closed');
  expect(await held.ended).toMatchObject({ state: 'failed', failure: { isDeploymentGone: true } });
  expect(asked, 'each item is handled once').toEqual(['deleted']);
});

test('where the stream cannot tell what was missed, every deployment is asked about', async () => {
  const asked: string[] = [];
  const held = [sendingTo('missed', asked), sendingTo('missed too', asked)];
  await expect.poll(() => held.every(({ isSending }) => isSending())).toBe(true);
  rememberItem('3', { type: 'resync' });
  for (const { ended } of held) {
    expect(await ended).toMatchObject({ state: 'failed', failure: { isDeploymentGone: true } });
  }
  expect(asked).toEqual(['missed', 'missed too']);
});

/** Publishes on a deployment that is deleted meanwhile, whose upload ends only when it is stopped. */
function sendingTo(id: string, asked: string[]) {
  let isSending = false;
  const server = serverOf({
    fetch: (_path, { signal }) => {
      isSending = true;
      return new Promise((_answer, refuse) => signal?.addEventListener('abort', () => refuse(signal.reason)));
    },
    isDeploymentGone: async (deploymentId) => {
      asked.push(deploymentId);
      return true;
    },
  });
  return { ended: startSending(request(id), server), isSending: () => isSending };
}
