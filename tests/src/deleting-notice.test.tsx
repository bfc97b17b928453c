import { flushSync } from 'react-dom';
import { afterEach, expect, test } from 'vitest';
import type { Destination } from '../../routers/schemas/platforms/destination.ts';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { LinkedText } from '../../src/components/linked-text.tsx';
import { AttentionList } from '../../src/features/deployments/manage/attention/attention-list.tsx';
import { DeletingNotice } from '../../src/features/deployments/manage/deleting-notice.tsx';
import { lossText } from '../../src/features/deployments/manage/site-loss.ts';
import { DeploymentsScreen } from '../../src/screens/deployments.tsx';
import { showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

afterEach(() => document.body.replaceChildren());

const error = {
  code: 'platform_down',
  message: 'Netlify did not respond as expected: maintenance.',
  hint: 'Fairlead tries again automatically.',
  raw: null,
};
const refused = deploymentOf({
  state: 'deleting',
  platform: 'netlify',
  destinations: [{ id: 'there', platform: 'netlify', url: 'https://harbour.netlify.app', state: 'removing', error }],
});

const at = (platform: PlatformId, url: string): Destination => ({
  ...{ id: platform, platform, url: `https://${url}`, state: 'live', error: null },
});

test('a deletion that a platform refuses shows what it said, and can leave the site there', async () => {
  const asked: unknown[] = [];
  const remove = (input: unknown) => {
    asked.push(input);
    return { done: true };
  };
  using shown = showScreen(<DeletingNotice deployment={refused} />, { 'deployments.remove': remove });
  await shown.sees('Not deleted yet: still at Netlify');
  await shown.sees('Netlify did not respond as expected: maintenance. Fairlead tries again automatically.');
  flushSync(() => shown.button('Delete here, leave the site at Netlify').click());
  await expect.poll(() => asked).toEqual([{ deploymentId: 'harbour', leaveSite: true }]);
});

test('what stays at a platform is named among the deployments, with its address, until it is dismissed', async () => {
  const message = 'https://harbour.netlify.app could not be taken off.';
  const sites = [
    { id: 'left', title: 'Harbour stays at Netlify', message, url: 'https://harbour.netlify.app' },
    { id: 'unknown', title: 'Pier stays at Replit', message: 'Its site was left as it is.', url: null },
  ];
  using shown = showScreen(<DeploymentsScreen />, {
    'deployments.leftSites': () => ({ items: sites }),
    'deployments.dismissLeftSite': () => ({ done: sites.shift() !== undefined }),
  });
  await shown.sees('Harbour stays at Netlify');
  expect(shown.linkTo('Open')).toBe('https://harbour.netlify.app');
  expect(shown.page.querySelectorAll('[aria-label="Copy address"], button .sr-only')).toHaveLength(1);
  flushSync(() => shown.button('Dismiss').click());
  await expect.poll(() => shown.page.textContent).not.toContain('Harbour stays at Netlify');
  expect(shown.page.textContent).toContain('Pier stays at Replit');
});

test('an address that a platform wants to be gone to is a link, without the end of its sentence', () => {
  using shown = showScreen(<LinkedText text="Settle it at Heroku. https://heroku.com/billing. Then try again." />, {});
  expect(shown.page.textContent).toBe('Settle it at Heroku. heroku.com/billing. Then try again.');
  expect(shown.linkTo('heroku.com/billing')).toBe('https://heroku.com/billing');
});

test('a deletion that goes its way offers nothing', () => {
  const deployment = deploymentOf({ state: 'deleting' });
  using shown = showScreen(<DeletingNotice deployment={deployment} />, {});
  expect(shown.page.textContent).toBe(
    'harbour is being deletedharbour.localhost:3001 goes offline at once. It disappears from your lists once it is deleted.',
  );
  expect(shown.page.querySelector('button')).toBe(null);
});

test('a deletion says of each platform what becomes of its site', async () => {
  const destinations = [at('netlify', 'harbour.netlify.app'), at('replit', 'harbour.replit.app')];
  const deployment = deploymentOf({ state: 'deleting', destinations });
  const answers = { 'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }) };
  using shown = showScreen(<DeletingNotice deployment={deployment} />, answers);
  await shown.sees('harbour.netlify.app stays at Netlify, which Fairlead can no longer reach: take it down there.');
  await shown.sees('harbour.replit.app stays until you delete the app at Replit yourself.');
  expect(shown.page.textContent).not.toContain('offline');
});

test('a deletion whose owner leaves the sites does not say that they are taken down', () => {
  const here = at('built-in', 'harbour.localhost');
  const destinations = [here, at('netlify', 'harbour.netlify.app'), at('render', 'harbour.onrender.com')];
  const deployment = deploymentOf({ state: 'deleting', destinations, leavesSites: true });
  using shown = showScreen(<DeletingNotice deployment={deployment} />, {});
  expect(shown.page.textContent).toContain(
    'harbour.localhost goes offline at once. harbour.netlify.app stays at Netlify, as you chose. ' +
      'harbour.onrender.com stays at Render, as you chose. Its repository stays at GitHub Pages. It disappears',
  );
});

test('what an unfinished first release may have left is told before it is deleted', () => {
  const failed: Destination = { ...at('netlify', ''), url: '', state: 'failed', mayHaveSite: true };
  const draft = { currentRelease: null, destinations: [failed] };
  expect(lossText(deploymentOf(draft), () => true)).toContain(
    'Whatever an unfinished release left behind is taken down at Netlify.',
  );
});

test('what is asked before a deletion says of each platform what becomes of the site there', () => {
  const here = at('built-in', 'harbour.localhost');
  const there = [at('netlify', 'harbour.netlify.app'), at('replit', 'harbour.replit.app')];
  const everywhere = deploymentOf({ destinations: [here, ...there], releaseCount: 2 });
  expect(lossText(everywhere, () => true)).toBe(
    'harbour.localhost goes offline at once. harbour.netlify.app is taken down at Netlify. ' +
      'harbour.replit.app stays until you delete the app at Replit yourself. ' +
      '2 releases and their files are lost. The visit statistics are deleted too. This cannot be undone. ' +
      'We reserve the address for you for up to 30 days.',
  );
  const unreached = lossText(deploymentOf({ destinations: there }), () => false);
  expect(unreached).toContain('harbour.netlify.app stays at Netlify, which Fairlead can no longer reach: take it down');
  expect(unreached).not.toContain('30 days');
  const built = deploymentOf({ destinations: [at('render', 'harbour.onrender.com')] });
  const repository = 'Its repository stays at GitHub Pages.';
  expect(lossText(built, () => true)).not.toContain(repository);
  expect(lossText(built, (platform) => platform === 'render')).toContain(`is taken down at Render. ${repository}`);
  expect(lossText(built, (platform) => platform !== 'render')).toContain(`take it down there. ${repository}`);
  const own = (platform: PlatformId, what: string, isReached = (_at: PlatformId) => true) =>
    lossText(
      deploymentOf({ destinations: [{ ...at(platform, 'x.example'), named: { what, name: 'boats' } }] }),
      isReached,
    );
  expect(own('heroku', 'app')).toContain('The app boats stays at Heroku, without the site.');
  expect(own('heroku', 'app', () => false)).toContain('take it down there. The app boats stays at Heroku.');
  expect(own('render', 'repository')).toContain('The repository boats stays at GitHub Pages, without the site.');
  const repositoryStays = 'The repository boats stays at GitHub Pages.';
  for (const lost of ['render', 'github-pages'])
    expect(own('render', 'repository', (one) => one !== lost)).toContain(repositoryStays);
  const draft = lossText(deploymentOf({ currentRelease: null, destinations: [here, ...there] }), () => true);
  expect(draft).not.toMatch(/netlify|30 days/);
});

test('a deletion that is refused stands on the dashboard', async () => {
  const answers = { 'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }) };
  using shown = showScreen(<AttentionList deployments={[refused]} allowance={allowanceOf()} />, answers);
  await shown.sees('harbour is not deleted yet');
  expect(shown.linkTo('See what to do')).toBe('/deployments/harbour');
});
