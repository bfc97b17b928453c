import { expect, test, vi } from 'vitest';
import type { ReleaseDetail } from '../../routers/schemas/releases.ts';
import { ReleaseScreen } from '../../src/screens/release.tsx';
import { showScreen } from '../support/screen.tsx';
import { allowanceOf, releaseDetailOf } from '../support/screen-fixtures.ts';

const AT_THE_RELEASE = { pattern: '/deployments/:deploymentId/releases/:number', path: '/deployments/d/releases/4' };
const queued: Partial<ReleaseDetail> = { number: 4, state: 'queued', changedFiles: 0, finishedAt: null };

function showRelease(fields: Partial<ReleaseDetail>, previousNumber: number | null = 3) {
  const nothing = { added: [], changed: [], removed: [], counts: { added: 0, changed: 0, removed: 0 }, isCut: false };
  const answers = {
    'releases.get': () => releaseDetailOf(fields),
    'releases.diff': vi.fn(() => ({ previousNumber, ...nothing })),
    'subscription.allowance': () => allowanceOf(),
  };
  const shown = showScreen(<ReleaseScreen />, answers, AT_THE_RELEASE);
  return Object.assign(shown, { asked: answers['releases.diff'] });
}

test('a release that changes nothing says so while it can be stopped, and after', async () => {
  using running = showRelease(queued);
  await running.sees('The same files as release 3');
  expect(running.page.textContent).toContain('Visitors will see no difference: cancel it, or let it run.');
  expect(running.button('Cancel')).toBeDefined();

  using live = showRelease({ ...queued, state: 'live', servingNumber: 4 });
  await live.sees('The same files as release 3');
  expect(live.page.textContent).not.toContain('cancel it');
});

test('after a roll back the same files as the newest do change what visitors see', async () => {
  using shown = showRelease({ ...queued, servingNumber: 1 });
  await shown.sees('The same files as release 3');
  expect(shown.page.textContent).toContain('Cancel it, or let it run.');
  expect(shown.page.textContent).not.toContain('no difference');
});

test('a release with changes says nothing of it, and does not ask for them while it runs', async () => {
  using shown = showRelease({ ...queued, changedFiles: 1 });
  await shown.sees('You can close this page.');
  expect(shown.asked).not.toHaveBeenCalled();
  expect(shown.page.textContent).not.toContain('The same files');
});
