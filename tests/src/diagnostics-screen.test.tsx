import { flushSync } from 'react-dom';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { CheckResult, Report, ReportList } from '../../routers/schemas/diagnostics.ts';
import { ReportView } from '../../src/features/diagnostics/report-view.tsx';
import { formatExactTime } from '../../src/lib/format.ts';
import { DiagnosticsScreen } from '../../src/screens/diagnostics.tsx';
import { SharedReportScreen } from '../../src/screens/shared-report.tsx';
import { domainOf } from '../support/domain-fixtures.ts';
import { type Answers, refusal, showScreen, typeInto } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, deploymentsAre, releaseDetailOf, shownAt } from '../support/screen-fixtures.ts';

const ID = 'r'.repeat(20);

function check(fields: Partial<CheckResult>): CheckResult {
  return {
    ...{
      id: 'resolves',
      verdict: 'pass',
      seen: 'shop.test leads to 192.0.2.1.',
      why: 'Browsers ask first.',
      fix: null,
    },
    ...{ because: null, repair: null, tookMs: 12 },
    asked: [{ question: 'A shop.test', server: 'ns1.shop.test (192.0.2.53)', answer: '192.0.2.1', tookMs: 9 }],
    ...fields,
  };
}

function report(fields: Partial<Report>): Report {
  return {
    ...{ id: ID, state: 'done', name: 'shop.test', deploymentId: null, cause: null, checks: [], checkCount: 2 },
    ...{ isWhole: true, startedAt: shownAt, finishedAt: shownAt, changes: [], since: null, sharedUntil: null },
    ...fields,
  };
}

const broken = report({
  cause: 'resolves',
  checks: [
    check({
      ...{ verdict: 'fail', seen: 'shop.test has no address.', fix: 'Set A shop.test to 192.0.2.1.' },
      repair: { kind: 'records', domainId: 'd'.repeat(20) },
    }),
    check({
      ...{ id: 'url-up', verdict: 'fail', seen: 'https://shop.test/ does not answer.', because: 'resolves' },
      fix: 'Look whether the host is up.',
    }),
  ],
  changes: [{ what: 'AAAA of shop.test', before: [], after: ['2001:db8::1'] }],
  since: shownAt,
});

/** A form that is in no document is sent by its event alone. */
function submit(within: ParentNode): void {
  const event = new Event('submit', { bubbles: true, cancelable: true });
  flushSync(() => within.querySelector('form')?.dispatchEvent(event));
}

const nothing: Answers = {
  'diagnostics.list': () => ({ items: [] }),
  'deployments.list': () => ({ items: [], nextCursor: null }),
  'domains.list': () => ({ items: [], nextCursor: null }),
  'certificates.list': () => ({ items: [], localRoot: null }),
};

test('a name is typed, its checks come one by one, and the first broken link is the headline', async () => {
  let shownReport = report({ state: 'running', finishedAt: null, checks: [check({})] });
  const run = vi.fn((_input: unknown) => ({ reportId: ID }));
  const answers: Answers = {
    ...nothing,
    'diagnostics.run': (input) => run(input),
    'diagnostics.get': () => shownReport,
  };
  using shown = showScreen(<DiagnosticsScreen />, answers);
  typeInto(shown.page, 'name', 'shop.test');
  submit(shown.page);
  await shown.sees('Checking shop.test…');
  expect(run.mock.calls).toEqual([[{ name: 'shop.test' }]]);
  expect(shown.page.textContent).toContain('1 of 2 checks done');

  shownReport = broken;
  await shown.sees('The cause is under “DNS resolution”.');
  expect(shown.page.querySelector('h2')?.textContent).toBe('shop.test has no address.');
  expect(shown.page.textContent).toContain('AAAA of shop.test appeared: 2001:db8::1');
  expect(shown.page.textContent).toContain('Set A shop.test to 192.0.2.1.');
  expect(shown.page.textContent).not.toContain('Look whether the host is up.');
  await shown.sees('Fix it');
  expect(shown.page.querySelectorAll('[aria-label="Checks of shop.test"] > li')).toHaveLength(2);
});

test('a plan that has the basic checks alone says so before one is run', async () => {
  using basic = showScreen(<DiagnosticsScreen />, {
    ...nothing,
    'subscription.allowance': () => allowanceOf({ plan: 'BASIC' }),
  });
  await basic.sees('You have the basic checks; Standard includes all.');
  using whole = showScreen(<DiagnosticsScreen />, { ...nothing, 'subscription.allowance': () => allowanceOf() });
  await whole.sees('the check changes nothing.');
  expect(whole.page.textContent).not.toContain('basic checks');
});

test('what waits for the person on the dashboard is counted here as well', async () => {
  const looked = { code: 'lookup_failed', message: 'It could not be looked up.', hint: null, since: shownAt };
  const unproved = domainOf({ state: 'unverified', problem: looked, checkedAt: shownAt });
  const places = [{ platform: 'built-in' }, { platform: 'replit', state: 'waiting' }] as const;
  const lost = { destinationId: 'further', provider: 'netlify' as const, connectionId: null, message: 'It is gone.' };
  const deployment = deploymentOf({
    destinations: places.map((place) => ({ id: place.platform, url: '', state: 'live', error: null, ...place })),
    lostConnections: [lost],
  });
  using shown = showScreen(<DiagnosticsScreen />, {
    ...deploymentsAre(deployment),
    'deployments.get': () => deployment,
    'releases.get': () => releaseDetailOf(),
    'domains.list': () => ({ items: [unproved], nextCursor: null }),
  });
  await shown.sees('3 things to look at in harbour');
  expect(shown.rows('Checks').slice(0, 4)).toEqual([
    expect.stringContaining('Publication at ReplitRelease 3 waits for you to finish it at Replit.Finish at Replit'),
    expect.stringContaining('Connection to NetlifyIt is gone.'),
    expect.stringContaining('It could not be looked up.See what to do'),
    expect.stringContaining('Publication'),
  ]);
  expect(shown.linkTo('Finish at Replit')).toBe('/deployments/harbour/releases/3');
});

test('what is no name is said at the field, and nothing is asked', async () => {
  const run = vi.fn();
  using shown = showScreen(<DiagnosticsScreen />, { ...nothing, 'diagnostics.run': run });
  typeInto(shown.page, 'name', 'not a name');
  submit(shown.page);
  await shown.sees('Type a domain name like example.com');
  expect(run).not.toHaveBeenCalled();
});

test('a report that failed, and one that is gone, say so', async () => {
  const at = { pattern: '/diagnostics', path: `/diagnostics?report=${ID}` };
  const answers: Answers = { ...nothing, 'diagnostics.get': () => report({ state: 'failed' }) };
  using failed = showScreen(<DiagnosticsScreen />, answers, at);
  await failed.sees('The report of shop.test could not be created');
  expect(failed.button('Check again')).toBeDefined();
  answers['diagnostics.get'] = () => refusal('not_found', 'There is no such report.');
  using gone = showScreen(<DiagnosticsScreen />, answers, at);
  await gone.sees('This report is no longer kept');
});

test('reports that are kept are listed with what came of them, and each opens with what changed since', async () => {
  const kept = (id: string, fields: Partial<ReportList['items'][number]>) => ({
    ...{ id: id.repeat(20), state: 'done', name: `${id}.test`, deploymentId: null, cause: null, verdict: 'pass' },
    ...{ startedAt: shownAt, finishedAt: shownAt },
    ...fields,
  });
  const list = [
    kept('a', { verdict: 'fail', cause: 'resolves', name: 'xn--caf-dma.test', unicodeName: 'café.test' }),
    kept('b', { state: 'running', verdict: null, finishedAt: null }),
    kept('c', { state: 'failed', verdict: null }),
    kept('d', { verdict: 'unknown', deploymentId: 'e'.repeat(20) }),
    ...['f', 'g', 'h'].map((id) => kept(id, {})),
  ];
  const get = vi.fn((_input: unknown) => report({ checks: [check({})], since: shownAt }));
  const answers: Answers = {
    ...nothing,
    'diagnostics.list': () => ({ items: list }),
    'diagnostics.get': (input) => get(input),
  };
  using shown = showScreen(<DiagnosticsScreen />, answers, { pattern: '/diagnostics', path: '/diagnostics' });
  await shown.sees('café.test');
  expect(shown.rows('Reports')).toEqual([
    expect.stringMatching(/^café.testFirst failed check: DNS resolutionFail/),
    ...['b.testRunning', 'c.testNot created', 'd.testNo result', 'f.testPass'].map((text) =>
      expect.stringContaining(text),
    ),
  ]);
  shown.button('Show 2 more reports').click();
  await vi.waitFor(() => expect(shown.rows('Reports')).toHaveLength(7));
  expect(shown.linkTo('d.test')).toBe(`/diagnostics?deployment=${'e'.repeat(20)}&report=${'d'.repeat(20)}`);

  const link = [...shown.page.querySelectorAll('a')].find((one) => one.textContent === 'café.test');
  flushSync(() => link?.click());
  await shown.sees('No address, record or certificate changed since');
  expect(get.mock.calls).toEqual([[{ reportId: 'a'.repeat(20) }]]);
  expect(link?.getAttribute('aria-current')).toBe('true');
});

test('before the first report it is said how one comes to be', async () => {
  const harbour = () => ({ items: [deploymentOf()], nextCursor: null });
  using shown = showScreen(<DiagnosticsScreen />, { ...nothing, 'deployments.list': harbour });
  await shown.sees('No saved reports yet. Check a domain name or a deployment above to make one.');
});

test('a report that could see nothing does not say that all is well', async () => {
  const at = { pattern: '/diagnostics', path: `/diagnostics?report=${ID}` };
  const right = check({ id: 'mixed-content', seen: 'Nothing is loaded over HTTP.' });
  const blind = report({ checks: [check({}), check({ id: 'url-up', verdict: 'unknown' }), right] });
  using shown = showScreen(<DiagnosticsScreen />, { ...nothing, 'diagnostics.get': () => blind }, at);
  await shown.sees('shop.test could not be checked from here');
});

test('what is wrong comes first in a report that is done, and no time is told of what gave no result', async () => {
  const at = { pattern: '/diagnostics', path: `/diagnostics?report=${ID}` };
  const blind = check({ id: 'dnssec', verdict: 'unknown', seen: 'It could not be asked.' });
  const mixed = report({ cause: 'resolves', checks: [blind, ...broken.checks] });
  using shown = showScreen(<DiagnosticsScreen />, { ...nothing, 'diagnostics.get': () => mixed }, at);
  await shown.sees('It could not be asked.');
  const rows = [...shown.page.querySelectorAll('[aria-label="Checks of shop.test"] > li')];
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^FailDNS resolution.*Details, checked in 12 ms/),
    expect.stringMatching(/^FailDeployment URL/),
    expect.stringMatching(/^No resultDNSSEC.*DetailsBrowsers/),
  ]);
});

test('of checks that could see nothing for one reason it is said once, above what passed', async () => {
  const at = { pattern: '/diagnostics', path: `/diagnostics?report=${ID}` };
  const seen = 'shop.test could not be looked up from here.';
  const blind = (['dnssec', 'caa', 'url-up'] as const).map((id) => check({ id, verdict: 'unknown', seen }));
  const other = check({ id: 'mixed-content', verdict: 'unknown', seen, because: 'ttl' });
  const mixed = report({ checks: [check({ id: 'ttl' }), ...blind, other] });
  using shown = showScreen(<DiagnosticsScreen />, { ...nothing, 'diagnostics.get': () => mixed }, at);
  await shown.sees(seen);
  const rows = [...shown.page.querySelectorAll('[aria-label="Checks of shop.test"] > li')];
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^No resultDNSSEC, CAA records, Deployment URLshop.test could not be looked up from here\./),
    expect.stringMatching(/^PassTime to live/),
    expect.stringMatching(/^No resultMixed content.*The cause is under “Time to live of DNS records”\./),
  ]);
});

test('a report names a site that is served here with its port', async () => {
  const meta = document.createElement('meta');
  meta.name = 'fairlead-sites-host';
  meta.content = '{slug}.localhost:3001';
  document.head.append(meta);
  onTestFinished(() => meta.remove());
  const shownOf = (name: string) => showScreen(<ReportView report={report({ name })} />, {});
  using here = shownOf('cafe-2.localhost');
  expect(here.page.querySelector('h2')?.textContent).toMatch(/^cafe-2\.localhost:3001 /);
  using elsewhere = shownOf('cafe.test');
  expect(elsewhere.page.querySelector('h2')?.textContent).toMatch(/^cafe\.test /);
});

test('a stranger with the link sees the report, and nothing to do about it', async () => {
  const at = { pattern: '/shared-report', path: `/shared-report#${'t'.repeat(43)}` };
  const ascii = { ...broken, name: 'xn--caf-dma.test', unicodeName: 'café.test' };
  const [first] = broken.checks;
  const checks = [{ ...first, seen: `${ascii.name} has no address.`, fix: `Add an A record for ${ascii.name}.` }];
  const shared = vi.fn((_input: unknown) => ({ ...ascii, checks }));
  using shown = showScreen(<SharedReportScreen />, { 'diagnostics.shared': (input) => shared(input) }, at);
  await shown.sees('café.test has no address.');
  await shown.sees('Add an A record for café.test.');
  expect(shown.page.querySelector('h1')?.textContent).toBe('Report of café.test');
  expect(shown.page.textContent).not.toContain('xn--');
  await shown.sees(`Checked ${formatExactTime(broken.startedAt)}`);
  expect(shared.mock.calls).toEqual([[{ token: 't'.repeat(43) }]]);
  expect(shown.page.querySelectorAll('button')).toHaveLength(0);
});
