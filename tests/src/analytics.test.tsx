import { expect, test } from 'vitest';
import type { VisitPoint, Visits } from '../../routers/schemas/analytics.ts';
import { countsLine, rangeOptions, shortLabel } from '../../src/features/analytics/visit-labels.ts';
import { AnalyticsScreen } from '../../src/screens/analytics.tsx';
import { type Answers, refusal, showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, releaseOf } from '../support/screen-fixtures.ts';

const NO_COUNTS = { views: 0, visitors: 0, requests: 0, bots: 0, bytes: 0 };
const point = (label: string, counts: Partial<VisitPoint> = {}): VisitPoint => ({ label, ...NO_COUNTS, ...counts });
const some = { views: 1_200, visitors: 300, requests: 4_000, bots: 50, bytes: 8_400_000 };

function visitsOf(fields: Partial<Visits> = {}): Visits {
  return {
    keptDays: 396,
    step: 'day',
    totals: some,
    points: [point('2026-11-24'), point('2026-11-25', some)],
    pages: [{ path: '/a', views: 900 }],
    otherPages: 300,
    referrers: [],
    otherReferrers: 0,
    statuses: [
      { status: 200, requests: 3_990 },
      { status: 404, requests: 10 },
    ],
    replyTimes: { p50: 0.8, p75: 12.4, p95: 90, p99: 2_300 },
    ...fields,
  };
}

const answersWith = (visits: unknown): Answers => ({
  'subscription.allowance': () => allowanceOf(),
  'deployments.list': () => ({ items: [deploymentOf()], nextCursor: null }),
  'releases.list': () => ({ items: [releaseOf()], rollBacks: [], nextCursor: null }),
  'analytics.releases': () => ({
    isCut: false,
    platforms: [
      {
        ...{ platform: 'built-in', releases: 3, live: 2, failed: 1, cancelled: 0, running: 0 },
        ...{ medianMs: 2_000, p95Ms: 9_000, medianBytes: 8_400_000, largestBytes: 9_000_000 },
      },
    ],
  }),
  'analytics.visits': () => visits,
});

test('visits stand as figures, a chart with its table, and what was asked for most', async () => {
  using shown = showScreen(<AnalyticsScreen />, answersWith(visitsOf()));
  await shown.sees('Page views1,200');
  for (const text of [
    'Visitors300',
    'Bandwidth8.4 MB',
    '/a900',
    'All others300',
    '40410',
    'Half of all requests0.8 ms',
  ])
    expect(shown.page.textContent).toContain(text);
  expect(shown.page.querySelector('figure[role=img]')?.getAttribute('aria-label')).toBe(
    'Page views and visitors by day',
  );
  expect(shown.page.textContent).toContain('99% of requests2.3 s');
  const titles = [...shown.page.querySelectorAll('h2')].map(({ textContent }) => textContent ?? '');
  expect(titles.slice(0, 5)).toEqual(['Visits', 'Releases1', 'Releases by platform', 'By deployment', 'Pages']);
  shown.button('Show as a table').click();
  await shown.sees('Hide the table');
  const rows = shown.rows('Visits by day');
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain('1,200\u00a0views · 300\u00a0visitors · 8.4\u00a0MB');
  await shown.sees('2\u00a0live · 1\u00a0failed · median\u00a02.0\u00a0s\u00a0and\u00a08.4\u00a0MB');
});

test('no visits, visits that cannot be fetched, and a plan that keeps none say so', async () => {
  const none = visitsOf({ totals: NO_COUNTS, points: [point('2026-11-25')], pages: [], otherPages: 0, statuses: [] });
  using empty = showScreen(<AnalyticsScreen />, answersWith(none));
  await empty.sees('No visits in this period.');
  const figures = [...(empty.page.querySelector('dl')?.children ?? [])];
  const kept = figures.flatMap((one) => (one.matches('[class*="hidden"]') ? [] : [one.textContent]));
  expect(kept, 'on a small screen: those that the legend names').toEqual(['Page views0', 'Visitors0']);
  // The first visit moves nothing: its place is kept, and what grows stands last.
  expect(empty.page.querySelector('.invisible figure[role=img]')).not.toBeNull();
  const answers = answersWith(refusal('database_unavailable', 'The database is away.'));
  using failed = showScreen(<AnalyticsScreen />, answers);
  await failed.sees('The visits could not be loaded');
  answers['analytics.visits'] = () => visitsOf();
  failed.button('Retry').click();
  await failed.sees('Page views1,200');
  using free = showScreen(<AnalyticsScreen />, answersWith(visitsOf({ keptDays: null })));
  await free.sees('Your plan has no visit statistics');
  expect(free.linkTo('See the plans')).toBe('/pricing');
});

test('before the first release the whole page says one thing', async () => {
  const none = () => ({ items: [], rollBacks: [], nextCursor: null });
  using shown = showScreen(<AnalyticsScreen />, { ...answersWith(visitsOf()), 'releases.list': none });
  await shown.sees('No releases yet.');
  expect(shown.linkTo('Publish a folder')).toBe('/new-deployment');
  expect(shown.page.querySelectorAll('section')).toHaveLength(1);
});

test('figures of releases that cannot be fetched are asked for once, and what else there is stands', async () => {
  let asked = 0;
  const answers = answersWith(visitsOf());
  answers['analytics.releases'] = () => {
    asked += 1;
    return refusal('database_unavailable', 'The database is away.');
  };
  using shown = showScreen(<AnalyticsScreen />, answers);
  await shown.sees('Page views1,200');
  await shown.sees('By deployment');
  expect(asked).toBe(1);
});

test('labels are short, and what is nothing is left out', () => {
  expect([shortLabel('2026-11-25'), shortLabel('2026-11-25 14:00')]).toEqual(['Nov 25', '14:00']);
  expect(countsLine({ ...NO_COUNTS, views: 1, requests: 1 })).toBe('1\u00a0view');
  expect(countsLine({ ...NO_COUNTS, requests: 2, bytes: 10 })).toBe('2\u00a0requests · 10\u00a0B');
  expect(countsLine(NO_COUNTS)).toBe('');
  expect(rangeOptions(30).map(({ value }) => value)).toEqual(['1', '7', '30']);
  expect(rangeOptions(undefined)).toHaveLength(5);
});
