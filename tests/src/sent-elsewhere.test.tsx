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

test('a deployment says so, live or a draft, while the tab that sends its files is open, also after it was loaded again', async () => {
  session.signIn({ accessToken: 'ann', expiresAt: new Date('2100-01-01') }, 'ann');
  writeStored({
    ...{ id: 'a', savedAt: Date.now(), accountId: 'ann', name: 'photo-site', noun: 'folder', within: '' },
    ...{ fileCount: 1, totalBytes: 5, hasFiles: true },
    publication: {
      deployment: { id: 'quay', name: 'Quay', url: '' },
      ...{ publishAnyway: [], isNew: true, arrivedFiles: 0 },
      progress: { uploadId: null, isSent: false, load: null },
    },
  });
  const held = [{ name: 'fairlead-upload-a' }];
  vi.stubGlobal('navigator', { locks: { query: async () => ({ held: [...held] }) } });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const answers = {
    'deployments.get': () => deploymentOf({ id: 'quay' }),
    'subscription.allowance': () => allowanceOf(),
  };
  const place = { pattern: '/deployments/:deploymentId', path: '/deployments/quay' };
  using shown = showScreen(<DeploymentScreen />, answers, place);
  const words = 'Another tab of this browser is sending them.';
  await shown.sees(words);
  const [lock] = held.splice(0);
  vi.advanceTimersByTime(2_000);
  await expect.poll(() => shown.page.textContent).not.toContain(words);
  if (lock) held.push(lock);
  vi.advanceTimersByTime(2_000);
  await shown.sees(words);
});
