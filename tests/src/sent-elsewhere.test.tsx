import { afterEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { SentElsewhere } from '../../src/features/releases/sent-elsewhere.tsx';
import { writeStored } from '../../src/uploads/stored-selections.ts';
import { showScreen } from '../support/screen.tsx';

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

test('a draft says so no more once the tab that sends its files is closed', async () => {
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
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const locks = { query: async () => ({ held }), request: () => closed };
  vi.stubGlobal('navigator', { locks });
  using shown = showScreen(<SentElsewhere deploymentId="quay" />, {});
  await shown.sees('Another tab of this browser sends them.');
  held.pop();
  close();
  await expect.poll(() => shown.page.textContent).toBe('');
});
