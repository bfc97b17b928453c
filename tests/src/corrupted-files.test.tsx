import { expect, test, vi } from 'vitest';
import type { ReleaseDiff } from '../../routers/schemas/releases.ts';
import type { Allowance } from '../../routers/schemas/subscription.ts';
import { AttentionList } from '../../src/features/deployments/manage/attention/attention-list.tsx';
import { MissingLinks } from '../../src/features/releases/history/missing-links.tsx';
import { ReleaseTable } from '../../src/features/releases/history/release-table.tsx';
import { LiveCard } from '../../src/features/releases/progress/live-card.tsx';
import { StartedSteps } from '../../src/flows/started-steps.tsx';
import { DeploymentScreen } from '../../src/screens/deployment.tsx';
import { ReleaseScreen } from '../../src/screens/release.tsx';
import { type Answers, showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, releaseDetailOf, releaseOf, releaseRefOf } from '../support/screen-fixtures.ts';

const AT_THE_RELEASE = { pattern: '/deployments/:deploymentId/releases/:number', path: '/deployments/d/releases/3' };
const NO_DIFFERENCE: ReleaseDiff = {
  previousId: null,
  previousNumber: null,
  added: [],
  changed: [],
  removed: [],
  counts: { added: 0, changed: 0, removed: 0 },
  isCut: false,
};

function showRelease(corruptedFiles: string[], plan: Allowance['plan'] = 'PRO') {
  const answers = {
    'releases.get': () => releaseDetailOf({ deploymentId: 'd', corruptedFiles }),
    'releases.diff': () => NO_DIFFERENCE,
    'subscription.allowance': () => allowanceOf({ plan }),
  };
  return showScreen(<ReleaseScreen />, answers, AT_THE_RELEASE);
}

const panelOf = (page: Element) => page.querySelector('[aria-label="Damaged files"]');
const lazyPanel = (page: Element) => vi.waitFor(() => expect(panelOf(page)).not.toBe(null));

test('a release names the files that it has lost, and leads to where they are published again', async () => {
  using shown = showRelease(['index.html', 'a/b.css']);
  await lazyPanel(shown.page);
  expect(panelOf(shown.page)?.querySelector('h2')?.textContent).toBe('2 files of release 3 are damaged');
  expect([...(panelOf(shown.page)?.querySelectorAll('li') ?? [])].map((row) => row.textContent)).toEqual([
    'index.html',
    'a/b.css',
  ]);
  expect(shown.linkTo('Publish the same files again')).toBe('/deployments/d#publish');
});

test('while no plan is active the files are named, and nothing is offered that would be refused', async () => {
  using shown = showRelease(['index.html'], 'free');
  await lazyPanel(shown.page);
  expect(panelOf(shown.page)?.querySelector('h2')?.textContent).toBe('1 file of release 3 is damaged');
  await vi.waitFor(() => expect(shown.linkTo('Publish the same files again')).toBeUndefined());
});

test('a sound release says nothing of damage', async () => {
  using shown = showRelease([]);
  await shown.sees('harbour is live');
  expect(shown.page.textContent).not.toMatch(/damaged/i);
});

test('a live release names what its entry page asks for in vain, and says where links lead outside its folder', async () => {
  const [place = expect.fail('The release is nowhere')] = releaseDetailOf({}).destinations;
  const below = { ...place, platform: 'github-pages', url: 'https://pat.github.io/things' } as const;
  const show = (...destinations: (typeof place)[]) =>
    showScreen(
      <ReleaseScreen />,
      {
        'releases.get': () => releaseDetailOf({ deploymentId: 'd', destinations }),
        'releases.diff': () => NO_DIFFERENCE,
      },
      AT_THE_RELEASE,
    );
  using inFolder = show({ ...below, missingLinks: ['/style.css'] });
  await inFolder.sees('1 file on the start page does not load');
  await inFolder.sees('The site’s address ends in /things/');
  await inFolder.sees('/style.css');
  using several = show(place, { ...below, id: 'b', missingLinks: ['/things/a.png', '/things/b.png'] });
  await several.sees('2 files on the start page do not load on GitHub Pages');
  expect(several.page.textContent).not.toContain('The site is below');
});

test('links that lead nowhere stay said where a release is live, with the page that has them', async () => {
  const brokenLinks = [
    { path: 'index.html', line: 2, text: '/gone.html is not there' },
    { path: 'about.html', line: 1, text: 'Boat.png is called boat.png' },
  ];
  const missing = { files: 0, links: 2, example: 'index.html, line 2: /gone.html is not there' };
  const deployment = deploymentOf({ currentRelease: releaseRefOf({ missing }) });
  const answers: Answers = {
    'deployments.get': () => deployment,
    'releases.get': () => releaseDetailOf({ deploymentId: 'd', brokenLinks }),
    'releases.diff': () => NO_DIFFERENCE,
    'diagnostics.list': () => ({ items: [] }),
    'domains.list': () => ({ items: [], nextCursor: null }),
  };
  using release = showScreen(<ReleaseScreen />, answers, AT_THE_RELEASE);
  await release.sees('about.html, line 1: Boat.png is called boat.png');
  await release.sees('2 links lead nowhere');
  const again = [...release.page.querySelectorAll('a')].filter(({ textContent }) =>
    textContent?.includes('Publish again'),
  );
  expect(again, 'one act has one place').toHaveLength(1);

  const short =
    '2 links lead nowhere.For example, index.html, line 2: /gone.html is not there. Add the files or fix the links, then publish again. See release 3';
  using overview = showScreen(<DeploymentScreen />, answers, {
    pattern: '/deployments/:deploymentId',
    path: '/deployments/harbour',
  });
  await overview.sees(short);
  expect(overview.linkTo('See release 3')).toBe('/deployments/harbour/releases/3');
  using end = showScreen(
    <StartedSteps
      {...{ deploymentId: 'harbour', wantedDomain: null, mayChange: true, onStartAgain: () => {}, next: null }}
    />,
    answers,
  );
  await end.sees(short);

  // Nothing is published while no plan is active.
  const current = releaseRefOf({ missing, hasStartPage: false });
  const [lacking] = releaseDetailOf().destinations.map((one) => ({ ...one, missingLinks: ['/a.css'] }));
  using readOnly = showScreen(
    <>
      <LiveCard deployment={deployment} current={current} isReadOnly />
      <MissingLinks release={releaseDetailOf({ brokenLinks })} isReadOnly />
      <MissingLinks release={releaseDetailOf({ needsBuild: true })} isReadOnly />
      <MissingLinks release={releaseDetailOf({ destinations: lacking ? [lacking] : [] })} isReadOnly />
    </>,
    answers,
  );
  await readOnly.sees('/gone.html is not there. See release 3');
  await readOnly.sees('about.html, line 1: Boat.png is called boat.png');
  for (const text of ['sees “not found”.', 'A browser cannot show these files as they are.', 'may look broken.'])
    expect(readOnly.page.textContent).toContain(text);
  expect(readOnly.page.textContent).not.toMatch(/publish (again|the folder)/i);
});

test('of a live release without a start page it is said, also beside its address, what visitors see', async () => {
  const words = 'Anyone who opens the address sees “not found”.';
  const answers = {
    'releases.get': () => releaseDetailOf({ deploymentId: 'd', hasStartPage: false }),
    'releases.diff': () => NO_DIFFERENCE,
  };
  using release = showScreen(<ReleaseScreen />, answers, AT_THE_RELEASE);
  await release.sees(words);
  const current = releaseRefOf({ hasStartPage: false });
  using card = showScreen(<LiveCard deployment={deploymentOf()} current={current} isReadOnly={false} />, {});
  await card.sees(words);
});

test('of a live release that needs a build only that is said, on its page and beside its address', async () => {
  const needed = { hasStartPage: false, needsBuild: true };
  const missing = { files: 1, links: 0, example: '/vite.svg' };
  const answers = {
    'releases.get': () => releaseDetailOf({ deploymentId: 'd', ...needed }),
    'releases.diff': () => NO_DIFFERENCE,
    'deployments.get': () => deploymentOf({ currentRelease: releaseRefOf({ ...needed, missing }) }),
  };
  using release = showScreen(<ReleaseScreen />, answers, AT_THE_RELEASE);
  await release.sees('Published without a build');
  const current = releaseRefOf(needed);
  using overview = showScreen(<LiveCard deployment={deploymentOf()} current={current} isReadOnly={false} />, answers);
  await overview.sees('Published without a build');
  for (const { page } of [release, overview]) expect(page.textContent).not.toMatch(/No start page|vite\.svg/);
});

test('a list of releases marks the one that is damaged, or live without its files, and no other', () => {
  const releases = [releaseOf({ corruptedFiles: ['a.css'] }), releaseOf({ number: 2, state: 'superseded' })];
  using shown = showScreen(
    <ReleaseTable label="Releases" releases={releases} rollBacks={[]} isReadOnly={() => false} />,
    {},
  );
  const marked = [...shown.page.querySelectorAll('tr')].filter((row) => row.textContent?.includes('Damaged'));
  expect(marked.map((row) => row.querySelector('a')?.textContent)).toEqual(['Release 3']);
  const bare = [releaseOf({ hasStartPage: false }), releaseOf({ number: 2, state: 'superseded', hasStartPage: false })];
  using list = showScreen(
    <ReleaseTable label="Releases" releases={bare} rollBacks={[]} isReadOnly={() => false} />,
    {},
  );
  const [live, replaced] = list.rows('Releases');
  expect(live).toContain('LiveFiles missing');
  expect(replaced, 'nobody visits it').not.toContain('Files missing');
});

test('what needs the person names deployments whose live release is damaged', () => {
  const deployments = [
    deploymentOf({ name: 'Harbour', currentRelease: releaseRefOf({ corruptedFileCount: 2 }) }),
    deploymentOf({ name: 'Quay' }),
  ];
  using shown = showScreen(<AttentionList deployments={deployments} allowance={allowanceOf()} />, {});
  const rows = [...shown.page.querySelectorAll('li')].map((row) => row.textContent ?? '');
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain('Files of Harbour are damaged');
  expect(rows[0]).toContain('2 files of release 3 can no longer be read and are not served.');
  expect(shown.linkTo('See what to do')).toBe('/deployments/Harbour/releases/3');

  using quiet = showScreen(<AttentionList deployments={deployments.slice(1)} allowance={allowanceOf()} />, {});
  expect(quiet.page.textContent).toBe('');
});

test('what needs the person while no plan is active is the trial, or a plan where that is used', () => {
  const need = (isTrialAvailable: boolean) =>
    showScreen(
      <AttentionList deployments={[deploymentOf()]} allowance={allowanceOf({ plan: 'free', isTrialAvailable })} />,
      {},
    );
  using trial = need(true);
  expect(trial.page.textContent).toContain('Start the free trial to publish');
  expect(trial.linkTo('See the trial')).toBe('/subscription/pricing');
  using plan = need(false);
  expect(plan.page.textContent).toContain('No plan is active');
  expect(plan.linkTo('See the plans')).toBe('/subscription/pricing');
});
