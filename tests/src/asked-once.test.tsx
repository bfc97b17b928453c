import { afterEach, expect, test, vi } from 'vitest';
import { ada } from '../support/screen-fixtures.ts';
import { press, showApp, shown } from '../support/shown-app.tsx';

afterEach(() => vi.useRealTimers());

const NO_DEPLOYMENTS = 'No deployments yet. Publish a folder to see it here.';
const NO_RELEASES = 'No releases yet. Each folder that you publish makes one.';
const empty = () => ({ items: [], nextCursor: null });
const noReleases = () => ({ ...empty(), rollBacks: [] });
const lists = { 'deployments.list': empty, 'releases.list': noReleases };

test('what was read is not read again: not on a way back, not on focus, not by the clock', async () => {
  await using app = showApp('/deployments', { user: ada, answers: lists });
  await shown('main p', NO_DEPLOYMENTS);
  await press('aside a', 'Deployment History');
  await shown('main p', NO_RELEASES);
  vi.useFakeTimers();
  const before = app.calls.length;
  vi.advanceTimersByTime(4.5 * 60_000);
  await press('aside a', 'Active Deployments');
  await shown('main p', NO_DEPLOYMENTS);
  for (const name of ['visibilitychange', 'focus', 'online']) {
    document.dispatchEvent(new Event(name, { bubbles: true }));
    window.dispatchEvent(new Event(name));
  }
  await vi.advanceTimersByTimeAsync(9 * 60_000);
  expect(app.calls.slice(before).filter((procedure) => procedure in lists)).toEqual([]);
});

test('a query that fails is asked once, and again only by Retry', async () => {
  let list: () => unknown = () => new Response('No.', { status: 500 });
  await using app = showApp('/deployment-history', { user: ada, answers: { 'releases.list': () => list() } });
  const retry = await shown('main button', 'Retry');
  vi.useFakeTimers();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(app.calls.filter((procedure) => procedure === 'releases.list')).toHaveLength(1);
  vi.useRealTimers();
  list = noReleases;
  retry.click();
  await shown('main p', NO_RELEASES);
});
