import { flushSync } from 'react-dom';
import { expect, test, vi } from 'vitest';
import type { CheckResult, Report } from '../../routers/schemas/diagnostics.ts';
import { DiagnosticsScreen } from '../../src/screens/diagnostics.tsx';
import { SharedReportScreen } from '../../src/screens/shared-report.tsx';
import { type Answers, refusal, showScreen, typeInto } from '../support/screen.tsx';
import { shownAt } from '../support/screen-fixtures.ts';

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
    check({ id: 'url-up', verdict: 'fail', seen: 'https://shop.test/ does not answer.', because: 'resolves' }),
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
  await shown.sees('This follows from “The domain resolves”.');
  expect(shown.page.querySelector('h2')?.textContent).toBe('shop.test has no address.');
  expect(shown.page.textContent).toContain('AAAA of shop.test appeared: 2001:db8::1');
  expect(shown.page.textContent).toContain('Set A shop.test to 192.0.2.1.');
  await shown.sees('Fix it');
  expect(shown.page.querySelectorAll('[aria-label="Checks of shop.test"] > li')).toHaveLength(2);
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
  await failed.sees('The report of shop.test could not be made');
  expect(failed.button('Check again')).toBeDefined();
  answers['diagnostics.get'] = () => refusal('not_found', 'There is no such report.');
  using gone = showScreen(<DiagnosticsScreen />, answers, at);
  await gone.sees('This report is no longer kept');
});

test('a stranger with the link sees the report, and nothing to do about it', async () => {
  const at = { pattern: '/shared-report', path: `/shared-report#${'t'.repeat(43)}` };
  const shared = vi.fn((_input: unknown) => broken);
  using shown = showScreen(<SharedReportScreen />, { 'diagnostics.shared': (input) => shared(input) }, at);
  await shown.sees('shop.test has no address.');
  expect(shared.mock.calls).toEqual([[{ token: 't'.repeat(43) }]]);
  expect(shown.page.querySelectorAll('button')).toHaveLength(0);
});
