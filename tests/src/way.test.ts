import { expect, test } from 'vitest';
import type { Report } from '../../routers/schemas/diagnostics.ts';
import { CHECK_TITLES } from '../../src/features/diagnostics/check-titles.ts';
import { wayOf } from '../../src/features/diagnostics/way.ts';
import { certificateOf, domainOf } from '../support/domain-fixtures.ts';

const AT = new Date('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;

const check = { why: '', fix: null, because: null, repair: null, asked: [], tookMs: 1 };
const report: Report = {
  ...{ id: 'report', state: 'done', name: 'shop.example', deploymentId: null, cause: 'url-up' },
  checks: [{ ...check, id: 'url-up', verdict: 'fail', seen: 'It answers 502.' }],
  ...{ checkCount: 1, isWhole: true, startedAt: AT, finishedAt: AT, changes: [], since: null, sharedUntil: null },
};

const after = new Date(AT.getTime() + 1);

test.each([
  ['as it was found', {}, 'It answers 502.'],
  // Added again, a domain knows nothing of what was seen of the one before.
  ['of a domain that was added later', { createdAt: after, changedAt: after }, 'Not checked from outside yet.'],
  ['from before a change', { changedAt: after }, 'Not checked from outside since the last change.'],
])('a report is shown %s', (_, changes, text) => {
  expect(wayOf(domainOf(changes), [], report, AT).at(-1)?.seen).toBe(text);
});

test('what a visit found names the domain as people write it', () => {
  const named = { name: 'xn--caf-dma.example', unicodeName: 'café.example' };
  const checks = [{ ...check, id: 'url-up', verdict: 'fail', seen: 'xn--caf-dma.example answers 502.' } as const];
  expect(wayOf(domainOf(named), [], { ...report, checks }, AT).at(-1)?.seen).toBe('café.example answers 502.');
});

test('while no name server answers, that failed, and nothing is known of the records', () => {
  const problem = { code: 'zone_missing', message: 'It is not registered.', hint: null, since: AT };
  const way = wayOf(domainOf({ problem, checkedAt: AT }), [], undefined, AT);
  expect(way.slice(0, 2).map(({ title, verdict }) => [title, verdict])).toEqual([
    [CHECK_TITLES.delegation, 'fail'],
    [CHECK_TITLES.resolves, 'unknown'],
  ]);
});

test('what is wrong with the certificate is said once on the page, where it stands', () => {
  const problem = { type: 'caa', message: 'Refused.', detail: null, link: null, at: AT };
  const uncovered = ['www.shop.example'];
  const late = certificateOf({ problem, uncovered, notAfter: new Date(AT.getTime() + DAY_MS) });
  const way = wayOf(domainOf({ state: 'active' }), [late], undefined, AT);
  expect(way.find(({ title }) => title === CHECK_TITLES.certificate)).toMatchObject({
    ...{ verdict: 'warn', seen: 'See above for what is in the way.' },
  });
});

test.each([
  ['before the certificate was issued', AT, 'pass', /^It is valid until/],
  ['while it was served', new Date(AT.getTime() + DAY_MS), 'fail', /^It is refused\.$/],
])('what was found from outside %s is shown for what it is', (_, startedAt, verdict, seen) => {
  const found = { ...check, id: 'certificate', verdict: 'fail', seen: 'It is refused.' } as const;
  const way = wayOf(domainOf({ state: 'active' }), [certificateOf()], { ...report, startedAt, checks: [found] }, AT);
  const shown = way.find(({ title }) => title === CHECK_TITLES.certificate);
  expect(shown).toMatchObject({ verdict, seen: expect.stringMatching(seen) });
});
