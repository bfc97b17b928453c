import { expect, test, vi } from 'vitest';
import type { ReleaseDetail } from '../../routers/schemas/releases.ts';
import { session } from '../../src/api/session/session.ts';
import { compareLines } from '../../src/features/releases/history/compare-lines.ts';
import { ReleaseDiff } from '../../src/features/releases/history/release-diff.tsx';
import { ReleaseScreen } from '../../src/screens/release.tsx';
import { showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, releaseDetailOf } from '../support/screen-fixtures.ts';

const AT_THE_RELEASE = { pattern: '/deployments/:deploymentId/releases/:number', path: '/deployments/d/releases/4' };
const queued: Partial<ReleaseDetail> = { number: 4, state: 'queued', changedFiles: 0, finishedAt: null };

function showRelease(fields: Partial<ReleaseDetail>, previousNumber: number | null = 3, further = {}) {
  const nothing = { added: [], changed: [], removed: [], counts: { added: 0, changed: 0, removed: 0 }, isCut: false };
  const answers = {
    'releases.get': () => releaseDetailOf(fields),
    'releases.diff': vi.fn(() => ({ previousId: null, previousNumber, ...nothing })),
    'subscription.allowance': () => allowanceOf(),
    ...further,
  };
  const shown = showScreen(<ReleaseScreen />, answers, AT_THE_RELEASE);
  return Object.assign(shown, { asked: answers['releases.diff'] });
}

test('a release that changes nothing says so while it can be stopped, and after', async () => {
  using running = showRelease(queued);
  await running.sees('The same files as release 3');
  expect(running.page.textContent).toContain('Visitors will see no difference: cancel this release, or let it run.');
  expect(running.button('Cancel')).toBeDefined();

  using live = showRelease({ ...queued, state: 'live', servingNumber: 4 });
  await live.sees('The same files as release 3');
  expect(live.page.textContent).not.toContain('cancel it');
});

test('after a roll back the same files as the newest do change what visitors see', async () => {
  using shown = showRelease({ ...queued, servingNumber: 1 });
  await shown.sees('The same files as release 3');
  expect(shown.page.textContent).toContain('Cancel this release, or let it run.');
  expect(shown.page.textContent).not.toContain('no difference');
});

test('the live release has the address that visitors use, an earlier one its own', async () => {
  const visited = { 'deployments.get': () => deploymentOf({ visitUrl: 'https://harbour.example' }) };
  using live = showRelease({ state: 'live' }, 3, visited);
  await live.sees('harbour is live');
  await expect.poll(() => live.page.textContent?.match(/harbour\.[a-z]+/g)).toEqual(['harbour.example']);

  using earlier = showRelease({ state: 'superseded' }, 3, visited);
  await earlier.sees('Another release is live');
  // True of a newer one, and of an older one that was gone back to.
  expect(earlier.page.textContent).toContain('Release 3 is live instead.');
  expect(earlier.page.textContent).toContain('harbour.localhost');
  expect(earlier.page.textContent).not.toContain('harbour.example');
});

test('the lines of a changed text are read when its name is pressed, and compared', async () => {
  const versions: Record<string, string> = {
    '/api/releases/c/files/old': 'Open\nMonday\n',
    '/api/releases/r/files/new': 'Open\nTuesday\n',
  };
  vi.spyOn(session, 'fetch').mockImplementation(async (path) => new Response(versions[path] ?? null));
  const menu = { path: 'menu.html', sizeBytes: 13, sha256: 'new', previousBytes: 12, previousSha256: 'old' };
  using shown = showScreen(
    <ReleaseDiff release={{ id: 'r', deploymentId: 'd', number: 4 }} />,
    {
      'releases.list': () => ({ items: [], rollBacks: [], nextCursor: null }),
      'releases.diff': () => ({
        ...{ previousId: 'c', previousNumber: 3, added: [], changed: [menu], removed: [] },
        ...{ counts: { added: 0, changed: 1, removed: 0 }, isCut: false },
      }),
    },
    AT_THE_RELEASE,
  );
  await shown.sees('menu.html');
  shown.button('menu.html').click();
  await shown.sees('Added: Tuesday');
  expect(shown.page.querySelector('[aria-label="Changed lines of menu.html"]')?.textContent).toBe(
    'Line 11Open2−Removed: Monday2+Added: Tuesday',
  );
});

test('a text that differs too much to be compared in time is not compared', () => {
  const lines = (word: string) => Array.from({ length: 5_000 }, (_, number) => `${word} ${number}`).join('\n');
  expect(compareLines(lines('old'), lines('new'))).toBe(null);
});

test('a release with changes says nothing of it, and does not ask for them while it runs', async () => {
  using shown = showRelease({ ...queued, changedFiles: 1 });
  await shown.sees('You can close this tab.');
  expect(shown.asked).not.toHaveBeenCalled();
  expect(shown.page.textContent).not.toContain('The same files');
});

test('two releases are compared from the older to the newer one, on the page of either', async () => {
  const older = releaseDetailOf({ id: 'old', deploymentId: 'd', number: 3 });
  const newer = releaseDetailOf({ id: 'new', deploymentId: 'd', number: 4 });
  const asked: unknown[] = [];
  const answers = {
    'releases.list': () => ({ items: [newer, older], rollBacks: [], nextCursor: null }),
    'releases.diff': (input: unknown) => {
      asked.push(input);
      const nothing = { added: [], changed: [], removed: [], counts: { added: 0, changed: 0, removed: 0 } };
      return { previousId: 'old', previousNumber: 3, ...nothing, isCut: false };
    },
  };
  for (const [release, other] of [
    [older, newer],
    [newer, older],
  ] as const) {
    using shown = showScreen(<ReleaseDiff release={release} />, answers, {
      ...AT_THE_RELEASE,
      path: `/deployments/d/releases/${release.number}?against=${other.number}`,
    });
    await shown.sees('Changes from release 3 to 4');
    await shown.sees(`The files are the same as in release ${other.number}.`);
  }
  const fromOldToNew = { releaseId: 'new', against: 'old' };
  expect(asked).toEqual([fromOldToNew, fromOldToNew]);
});
