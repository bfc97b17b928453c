import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { DeleteAccountDialog } from '../../src/features/account/delete-account-dialog.tsx';
import { endSession } from '../../src/features/auth/end-session.ts';
import { askToLogOut } from '../../src/features/auth/logout-question.tsx';
import { DeploymentDialog } from '../../src/features/deployments/manage/deployment-dialog.tsx';
import { DeploymentScreen } from '../../src/screens/deployment.tsx';
import { DeploymentsScreen } from '../../src/screens/deployments.tsx';
import { findReceiving } from '../../src/uploads/receiving-deployments.ts';
import { sendings } from '../../src/uploads/sendings.ts';
import { writeStored } from '../../src/uploads/stored-selections.ts';
import { showScreen } from '../support/screen.tsx';
import { ada, allowanceOf, deploymentOf, sendingOf } from '../support/screen-fixtures.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  localStorage.clear();
  sessionStorage.clear();
  sendings.set([]);
});

function otherTabBegins(): void {
  writeStored({
    ...{ id: 'a', savedAt: Date.now(), accountId: 'ann', name: 'photo-site', noun: 'folder', within: '' },
    ...{ fileCount: 1, totalBytes: 5, hasFiles: true },
    publication: {
      deployment: { id: 'quay', name: 'Quay', url: '' },
      ...{ publishAnyway: [], isNew: true, arrivedFiles: 0 },
      progress: { uploadId: null, isSent: false, load: null },
    },
  });
  // It is not a sending of this tab.
  sessionStorage.clear();
}

const PLACE = { pattern: '/deployments/:deploymentId', path: '/deployments/quay' };
const WORDS = 'Another tab of this browser is sending them.';

/** Lets a tab hold the lock of its upload as long as it is in the list. */
function holdLocks(): { name: string }[] {
  session.signIn({ accessToken: 'ann', expiresAt: new Date('2100-01-01') }, 'ann');
  const held = [{ name: 'fairlead-upload-a' }];
  vi.stubGlobal('navigator', { locks: { query: async () => ({ held: [...held] }) } });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  return held;
}

test.each([
  ['live', {}],
  ['a draft', { state: 'draft', currentRelease: null }],
] as const)('an open page of a deployment, %s, says so while another tab sends its files', async (_what, fields) => {
  const held = holdLocks();
  const answers = {
    'deployments.get': () => deploymentOf({ id: 'quay', ...fields }),
    'subscription.allowance': () => allowanceOf({ writableIds: [] }),
  };
  using shown = showScreen(<DeploymentScreen />, answers, PLACE);
  // All answers are there then, and nothing else draws the page again.
  await shown.sees('Read-only');
  otherTabBegins();
  vi.advanceTimersByTime(2_000);
  await shown.sees(WORDS);
  await shown.sees('Sending');
  const [lock] = held.splice(0);
  vi.advanceTimersByTime(2_000);
  await expect.poll(() => shown.page.textContent).not.toContain(WORDS);
  // The tab that sends was loaded again.
  if (lock) held.push(lock);
  vi.advanceTimersByTime(2_000);
  await shown.sees(WORDS);
});

test('who deletes a deployment, the account or the session is told what another tab is sending', async () => {
  holdLocks();
  otherTabBegins();
  const nothing = () => undefined;
  const boxSees = (text: string) =>
    expect.poll(() => document.querySelector('[role=alertdialog]')?.textContent).toContain(text);
  const deployment = deploymentOf({ id: 'quay', name: 'Quay' });
  {
    using _shown = showScreen(<DeploymentDialog {...{ deployment, act: 'delete', onClose: nothing }} />, {});
    await boxSees('Files are being sent to it. Deleting it stops that.');
  }
  {
    using _shown = showScreen(<DeleteAccountDialog user={ada} onMailed={nothing} onClose={nothing} />, {});
    await boxSees('Sending files to Quay stops.');
  }
  const answered = askToLogOut();
  await boxSees('Quay is being sent from another tab. Logging out stops that.');
  const [cancel] = document.querySelectorAll<HTMLElement>('[role=alertdialog] button');
  cancel?.click();
  expect(await answered).toBe(false);
  const outlived = askToLogOut();
  await boxSees('Logging out stops that.');
  session.signOut();
  expect(await outlived, 'the session it asked about has ended').toBe(false);
  expect(document.querySelector('[role=alertdialog]')).toBe(null);
});

test('what this tab found after a reload, and waits for its person to send, is not sent elsewhere', async () => {
  holdLocks();
  otherTabBegins();
  expect(await findReceiving()).toMatchObject([{ id: 'quay' }]);
  sessionStorage.setItem('fairlead.ownUploads', 'a');
  expect(await findReceiving()).toEqual([]);
});

test('a logout goes on where nobody can say what is sent, once for a double press', async () => {
  holdLocks();
  otherTabBegins();
  vi.stubGlobal('navigator', { locks: { query: () => Promise.reject(new Error('refused')) } });
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('no network'));
  const [first, second] = await Promise.all([endSession({ title: 'Warned' }), endSession({ title: 'Warned' })]);
  expect([first?.title, second]).toEqual(['Warned', null]);
});

test('while another tab sends files, no others can be chosen', async () => {
  const held = holdLocks();
  otherTabBegins();
  using shown = showScreen(<DeploymentScreen />, { 'deployments.get': () => deploymentOf({ id: 'quay' }) }, PLACE);
  const chooser = 'Drop a folder or a ZIP to publish again';
  await shown.sees(WORDS);
  expect(shown.page.textContent).not.toContain(chooser);
  held.pop();
  vi.advanceTimersByTime(2_000);
  await shown.sees(chooser);
});

test('a list says of this tab and of others what they send, and its menu leads there', async () => {
  const held = holdLocks();
  otherTabBegins();
  sendings.set([sendingOf({ deploymentId: 'mole' })]);
  const items = ['quay', 'mole', 'pier'].map((id) =>
    deploymentOf({ id, name: id, state: 'draft', currentRelease: null }),
  );
  using shown = showScreen(<DeploymentsScreen />, { 'deployments.list': () => ({ items, nextCursor: null }) });
  document.body.append(shown.page);
  const states = () => shown.rows('Deployments').map((row) => /Sending|Draft/.exec(row)?.[0]);
  await expect.poll(states).toEqual(['Sending', 'Sending', 'Draft']);
  const trigger = shown.button('Actions for quay');
  flushSync(() => void trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })));
  const links = () => [...document.querySelectorAll('[role=menuitem][href]')].map((link) => link.getAttribute('href'));
  await expect.poll(links).toEqual(['/deployments/quay']);
  held.pop();
  vi.advanceTimersByTime(2_000);
  await expect.poll(states).toEqual(['Draft', 'Sending', 'Draft']);
  const publish = ['/deployments/quay#publish', '/deployments/quay#publish-zip'];
  expect(links()).toEqual([...publish, '/deployment-editor/quay']);
});
