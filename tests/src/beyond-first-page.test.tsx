import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { signInAs } from '../../src/api/user.ts';
import { DownloadList } from '../../src/features/deployments/setup/download-list.tsx';
import { DashboardScreen } from '../../src/screens/dashboard.tsx';
import { DeploymentsScreen } from '../../src/screens/deployments.tsx';
import { type Answers, showScreen } from '../support/screen.tsx';
import { ada, allowanceOf, deploymentOf, releaseRefOf, secondsLater, shownAt } from '../support/screen-fixtures.ts';

beforeEach(() => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 401 }));
  signInAs(ada);
});

afterEach(() => {
  vi.restoreAllMocks();
});

type Wish = { needsCare?: true; state?: string };

const failed = deploymentOf({ name: 'far', latestRelease: releaseRefOf({ number: 7, state: 'failed' }) });
const running = deploymentOf({
  name: 'busy',
  state: 'deploying',
  latestRelease: releaseRefOf({ number: 4, state: 'uploading' }),
});

const elsewhere = { id: 'elsewhere', platform: 'netlify', url: '', state: 'failed', error: null } as const;
const down = deploymentOf({ name: 'down', destinations: [...deploymentOf().destinations, elsewhere] });

/** Old ones stand behind the first page. */
function listOf(input: unknown) {
  const { needsCare, state } = (input ?? {}) as Wish;
  if (needsCare) return { items: [failed, down], nextCursor: 'more' };
  if (state === 'deploying') return { items: [running], nextCursor: null };
  return { items: [deploymentOf()], nextCursor: 'more' };
}

const answers: Answers = {
  'deployments.list': listOf,
  'subscription.allowance': () => allowanceOf(),
  'subscription.get': () => null,
  'connections.list': () => ({ items: [], signIn: [] }),
  'domains.list': () => ({ items: [], nextCursor: null }),
  'certificates.list': () => ({ items: [], localRoot: null }),
  'diagnostics.health': (input) => ({ items: healthOf(input) }),
};

/** One of those that are asked for is down. */
function healthOf(input: unknown) {
  const { deploymentIds } = input as { deploymentIds: string[] };
  const checks = [{ id: 'url-up', verdict: 'fail', seen: 'https://down.test answers 500.' }];
  return deploymentIds.includes('down')
    ? [{ deploymentId: 'down', checks, checkedAt: secondsLater(2), nextCheckAt: shownAt }]
    : [];
}

test('what waits for the person and what is being published is looked for among all deployments', async () => {
  using shown = showScreen(<DashboardScreen />, answers);
  await shown.sees('Release 7 of far failed');
  await shown.sees('busy, release 4');
  await shown.sees('down failed its last check');
  expect(shown.page.textContent).toContain('down.test answers 500.');
  await shown.sees('down failed at Netlify');
  await shown.sees('More deployments need you');
});

test('no row of the dashboard is shown before its checks are: one that turned red would push the others down', async () => {
  const early: boolean[] = [];
  using shown = showScreen(<DashboardScreen />, {
    ...answers,
    'deployments.list': () => ({ items: [down], nextCursor: null }),
    'diagnostics.health': async (input) => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      early.push(shown.page.querySelector('[aria-label="Checks of down"]') !== null);
      return { items: healthOf(input) };
    },
  });
  await shown.sees('https://down.test answers 500.');
  expect(early).toEqual([false]);
});

test('files of every website can be taken to a platform by hand', async () => {
  using shown = showScreen(<DownloadList platformTitle="Netlify" />, {
    'deployments.list': (input) => {
      const isFirst = (input as { cursor?: string }).cursor === undefined;
      const names = isFirst ? ['near'] : ['far'];
      return { items: names.map((name) => deploymentOf({ name })), nextCursor: isFirst ? 'more' : null };
    },
  });
  await shown.sees('near');
  shown.button('Load more').click();
  await shown.sees('far');
  expect(shown.button('Download near as ZIP')).toBeDefined();
  expect(shown.button('Download far as ZIP')).toBeDefined();
});

test('the filter offers the platforms of all deployments, those beyond the first page included', async () => {
  using shown = showScreen(<DeploymentsScreen />, {
    ...answers,
    'deployments.platforms': () => ({ items: ['built-in'] }),
  });
  await shown.sees('harbour');
  const labels = ({ page }: typeof shown) =>
    [...page.querySelectorAll('[role=combobox]')].map((one) => one.getAttribute('aria-label'));
  expect(labels(shown)).toEqual(['State']);
  using other = showScreen(<DeploymentsScreen />, {
    ...answers,
    'deployments.platforms': () => ({ items: ['netlify', 'built-in'] }),
  });
  await vi.waitFor(() => expect(labels(other)).toEqual(['Platform', 'State']));
});

test('a site that is live although its newest release failed says both, in the list and on the dashboard', async () => {
  const shaky = deploymentOf({ name: 'shaky', latestRelease: releaseRefOf({ number: 4, state: 'failed' }) });
  const both = { ...answers, 'deployments.list': () => ({ items: [deploymentOf(), shaky], nextCursor: null }) };
  using list = showScreen(<DeploymentsScreen />, both);
  await list.sees('shaky');
  const [calm, failed] = list.rows('Deployments');
  expect(calm).not.toMatch(/failed/i);
  expect(failed).toMatch(/Live.*Last release failed.*Release 4 failed, /);
  using dashboard = showScreen(<DashboardScreen />, both);
  await dashboard.sees('Last release failed');
});
