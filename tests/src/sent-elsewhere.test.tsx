import { afterEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { DeploymentScreen } from '../../src/screens/deployment.tsx';
import { writeStored } from '../../src/uploads/stored-selections.ts';
import { showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  localStorage.clear();
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
  // The browser tells the other tabs alone.
  window.dispatchEvent(new StorageEvent('storage'));
}

test.each([
  ['live', {}],
  ['a draft', { state: 'draft', currentRelease: null }],
] as const)('an open page of a deployment, %s, says so while another tab sends its files', async (_what, fields) => {
  session.signIn({ accessToken: 'ann', expiresAt: new Date('2100-01-01') }, 'ann');
  const held = [{ name: 'fairlead-upload-a' }];
  vi.stubGlobal('navigator', { locks: { query: async () => ({ held: [...held] }) } });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const answers = {
    'deployments.get': () => deploymentOf({ id: 'quay', ...fields }),
    'subscription.allowance': () => allowanceOf({ writableIds: [] }),
  };
  const place = { pattern: '/deployments/:deploymentId', path: '/deployments/quay' };
  using shown = showScreen(<DeploymentScreen />, answers, place);
  const words = 'Another tab of this browser is sending them.';
  // All answers are there then, and nothing else draws the page again.
  await shown.sees('Read-only');
  otherTabBegins();
  await shown.sees(words);
  const [lock] = held.splice(0);
  vi.advanceTimersByTime(2_000);
  await expect.poll(() => shown.page.textContent).not.toContain(words);
  // The tab that sends was loaded again.
  if (lock) held.push(lock);
  vi.advanceTimersByTime(2_000);
  await shown.sees(words);
});
