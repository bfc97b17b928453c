import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import type { ReleaseDestination } from '../../routers/schemas/platforms/destination.ts';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { OpenRollBackDialog } from '../../src/features/releases/acts/roll-back-dialog.tsx';
import { LastActivity } from '../../src/features/releases/history/last-activity.tsx';
import { ReleaseTable } from '../../src/features/releases/history/release-table.tsx';
import { LatestNotice } from '../../src/features/releases/latest-notice.tsx';
import { LiveCard } from '../../src/features/releases/progress/live-card.tsx';
import { ReleaseOutcome, type ReleaseOutcomeProps } from '../../src/features/releases/progress/release-outcome.tsx';
import { SupersededPanel } from '../../src/features/releases/progress/release-panels.tsx';
import { showScreen } from '../support/screen.tsx';
import {
  deploymentOf,
  releaseDetailOf,
  releaseOf,
  releaseRefOf,
  secondsLater,
  stepOf,
} from '../support/screen-fixtures.ts';

const live = (platform: PlatformId): ReleaseDestination => ({
  ...{ id: platform, platform, url: '', state: 'live', error: null, missingLinks: [] },
});

test.each<[PlatformId, string]>([
  ['built-in', 'This one is kept, and can go live again in about a second.'],
  ['vercel', 'can go live again in seconds, a minute at most.'],
  ['github-pages', 'can go live again in minutes, ten at most, since GitHub Pages builds it again.'],
  ['render', 'can go live again in minutes, five at most, since Render deploys it again.'],
  ['replit', 'To roll back, go to Replit'],
])('going back is said to take as long as it takes at %s', (platform, text) => {
  const release = releaseDetailOf({ platform, state: 'superseded', destinations: [live(platform)] });
  using shown = showScreen(<SupersededPanel release={release} action={null} />, {});
  expect(shown.page.textContent).toContain(text);
});

test('a release from before a move is said to be sent, and each further platform to follow in its own time', async () => {
  const release = releaseDetailOf({ platform: 'vercel', state: 'superseded', destinations: [live('render')] });
  using panel = showScreen(<SupersededPanel release={release} action={null} />, {});
  expect(panel.page.textContent).toContain('can go live again once its files are on Vercel.');
  using _dialog = showScreen(<OpenRollBackDialog target={release} onClose={() => undefined} />, {
    'deployments.get': () =>
      deploymentOf({ destinations: [live('vercel'), live('render'), live('netlify'), live('replit')] }),
    'releases.get': () => release,
  });
  await expect
    .poll(() => document.querySelector('[role="alertdialog"]')?.textContent)
    .toContain(
      'Visitors see that release again once its files are on Vercel. ' +
        'Render follows in minutes, five at most, since Render deploys it again. ' +
        'Netlify follows once its files are on Netlify. At Replit you publish it yourself.',
    );
});

test.each([
  [1, 3, 'Roll back to release 1'],
  [3, 1, 'Bring back release 3'],
])('to make release %i live in the place of release %i reads: %s', async (number, serving, label) => {
  const target = releaseOf({ number, state: 'superseded', servingNumber: serving });
  const live = releaseDetailOf({ number: serving, servingNumber: serving, replaced: { id: target.id, number } });
  const answers = { 'releases.get': () => live };
  const current = releaseRefOf({ number: serving });
  using card = showScreen(<LiveCard deployment={deploymentOf()} current={current} isReadOnly={false} />, answers);
  await card.sees(label);
  card.button(label).click();
  await vi.waitFor(() => expect(document.querySelector('[role="alertdialog"]')?.textContent).toContain(label));

  // A page, or a list of one state, need not have the live one.
  const table = <ReleaseTable label="Releases" releases={[target]} rollBacks={[]} isReadOnly={() => false} />;
  using list = showScreen(table, {});
  const arrow = list.button(label).querySelector('svg');
  expect(arrow?.classList.contains('-scale-x-100'), 'it points ahead').toBe(number > serving);
  expect(list.page.textContent).toContain('sailor, Folder');
});

test.each([
  [1, 2],
  [2, 1],
])(
  'the switch to release %i in the place of release %i is named as what it is, and so is its failure',
  (number, serving) => {
    const told = (fields: Partial<ReturnType<typeof releaseRefOf>>) => {
      const releases = { latest: releaseRefOf({ number, ...fields }), serving: releaseRefOf({ number: serving }) };
      const place = { deploymentId: 'harbour', platform: 'built-in', isWaiting: false, isReadOnly: false } as const;
      using shown = showScreen(<LatestNotice {...place} {...releases} />, {});
      return shown.page.textContent;
    };
    expect(told({ state: 'verifying' })).toContain(`Switching to release ${number}.`);
    expect(told({ state: 'superseded', errorMessage: 'Nobody answered.' })).toContain(
      `Release ${number} did not go live again`,
    );
  },
);

test('a release to which a rollback runs has one word, in the lists as on its page', () => {
  const running = releaseOf({ number: 1, state: 'verifying', finishedAt: secondsLater(0) });
  using list = showScreen(
    <ReleaseTable label="Releases" releases={[running]} rollBacks={[]} isReadOnly={() => false} />,
    {},
  );
  expect(list.rows('Releases')[0]).toContain('Switching');
  expect(list.page.querySelector('thead')?.textContent, 'it goes live later').toContain('Started');
  const history = { items: [running], rollBacks: [] };
  using activity = showScreen(<LastActivity history={history} shownEntries={1} action={null} />, {});
  expect(activity.page.textContent).toContain('Switching');
});

test('a release that a rollback made live says so', () => {
  const finishedAt = secondsLater(0);
  const retry = { isPending: false } as ReleaseOutcomeProps['retry'];
  const checked = stepOf({ name: 'verifying', state: 'done', startedAt: secondsLater(60), endedAt: secondsLater(61) });
  const show = (fields: Parameters<typeof releaseDetailOf>[0]) =>
    showScreen(<ReleaseOutcome release={releaseDetailOf(fields)} retry={retry} mayChange={false} />, {});
  using back = show({ number: 1, finishedAt, steps: [checked] });
  expect(back.page.textContent).toContain('harbour is live with release 1 again');
  using first = show({ number: 1, finishedAt, steps: [{ ...checked, startedAt: secondsLater(-1) }] });
  expect(first.page.textContent).not.toContain('again');
});

test.each([
  ['failed', 'Try again', 'queued', 'Publishing harbour'],
  ['superseded', 'Roll back to release 1', 'verifying', 'Switching harbour to release 1'],
] as const)('when a release that %s runs again, its title has the focus', async (state, pressed, next, title) => {
  const first = releaseDetailOf({ number: 1, state, servingNumber: 2, finishedAt: secondsLater(0) });
  let show = (_release: typeof first) => {};
  const retry = { isPending: false } as ReleaseOutcomeProps['retry'];
  function Outcome() {
    const [release, setRelease] = useState(first);
    show = setRelease;
    return <ReleaseOutcome release={release} retry={retry} mayChange />;
  }
  using shown = showScreen(<Outcome />, {});
  document.body.replaceChildren(shown.page);
  shown.button(pressed).focus();
  show({ ...first, state: next, finishedAt: next === 'queued' ? null : first.finishedAt });
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe(title));
});

test.each([
  [1, '7 new'],
  [2, '7 changes'],
])('the files of release %i are counted as: %s', (number, count) => {
  const releases = [releaseOf({ number, changedFiles: 7 })];
  using list = showScreen(
    <ReleaseTable label="Releases" releases={releases} rollBacks={[]} isReadOnly={() => false} />,
    {},
  );
  expect(list.page.textContent).toContain(count);
});

test.each([
  [2, true],
  [3, false],
])('with release %i live, the others are told apart from the one above them: %s', (live, isToldApart) => {
  const releases = [3, 2, 1].map((number) =>
    releaseOf({ number, id: String(number), createdAt: secondsLater(number), isCurrent: number === live }),
  );
  using list = showScreen(
    <ReleaseTable label="Releases" releases={releases} rollBacks={[]} isReadOnly={() => false} />,
    {},
  );
  const rows = Array.from(list.page.querySelectorAll('tbody tr'), ({ textContent }) => textContent);
  expect(rows[0]).toContain(`Release ${live}`);
  expect(rows.indexOf('Other releases, newest first')).toBe(isToldApart ? 1 : -1);
});
