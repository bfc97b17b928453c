import { expect, test } from 'vitest';
import { parseRenewalInfo } from '../../../server/domains/certificates/authority/acme/ari.ts';
import { budgetOf, freeAt, limitsOf } from '../../../server/domains/certificates/authority/budget.ts';
import { renewAt, retryDelayMs } from '../../../server/domains/certificates/authority/renewal.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = new Date('2026-11-23T00:00:00Z');
const after = (ms: number) => new Date(START.getTime() + ms);
const lifetime = (ms: number) => ({ notBefore: START, notAfter: after(ms) });

test.each([
  ['90 days', 90 * DAY_MS, 60 * DAY_MS],
  ['45 days', 45 * DAY_MS, 30 * DAY_MS],
  ['30 days', 30 * DAY_MS, 20 * DAY_MS],
  ['160 hours', 160 * HOUR_MS, 80 * HOUR_MS],
  ['24 hours', 24 * HOUR_MS, 12 * HOUR_MS],
  ['two minutes', 2 * MINUTE_MS, MINUTE_MS],
])('a certificate of %s is renewed by its lifetime', (_name, ms, expectedMs) => {
  expect(renewAt(lifetime(ms), null, 0)).toEqual(after(expectedMs));
});

test('the window of the authority decides, wherever in it the instant was chosen', () => {
  const window = { start: after(10 * DAY_MS), end: after(20 * DAY_MS) };
  expect(renewAt(lifetime(90 * DAY_MS), window, 0.5)).toEqual(after(15 * DAY_MS));
});

test.each([
  ['90 days', 90 * DAY_MS, 2 * DAY_MS],
  ['160 hours', 160 * HOUR_MS, 40 * HOUR_MS],
  ['24 hours', 24 * HOUR_MS, 6 * HOUR_MS],
  ['two minutes', 2 * MINUTE_MS, 30_000],
])(
  'a certificate of %s is left alone at first, where its authority always says that it is late',
  (_name, ms, soonest) => {
    expect(renewAt(lifetime(ms), { start: after(-DAY_MS), end: after(-HOUR_MS) }, 0.5)).toEqual(after(soonest));
  },
);

test.each([
  ['ten minutes', 10 * MINUTE_MS, 5 * MINUTE_MS],
  ['two minutes', 2 * MINUTE_MS, MINUTE_MS],
  ['90 days', 90 * DAY_MS, 60 * DAY_MS],
])('the lifetime of %s counts from when it was signed, though it is dated back by an hour', (_name, ms, expectedMs) => {
  const dated = { notBefore: after(-HOUR_MS), signedAt: START, notAfter: after(ms) };
  expect(renewAt(dated, null, 0)).toEqual(after(expectedMs));
});

test.each([89.9, 90, 120])('a window from day %d of 90 on gives way to the emergency', (day) => {
  const window = { start: after(day * DAY_MS), end: after((day + 0.09) * DAY_MS) };
  expect(renewAt(lifetime(90 * DAY_MS), window, 1)).toEqual(after(85.5 * DAY_MS));
});

test.each([
  ['two minutes', 2 * MINUTE_MS, 5, 12],
  ['ten minutes', 10 * MINUTE_MS, 1, 3],
  ['24 hours', DAY_MS, 0, 0],
  ['90 days', 90 * DAY_MS, 0, 0],
])('in ten minutes a certificate of %s is renewed as often as it has to be', (_name, ms, least, most) => {
  let renewals = 0;
  for (let at = START; renewals <= most; renewals += 1) {
    const signed = { notBefore: new Date(at.getTime() - HOUR_MS), signedAt: at, notAfter: new Date(at.getTime() + ms) };
    at = renewAt(signed, null, 0);
    if (at > after(10 * MINUTE_MS)) break;
  }
  expect(renewals).toBeGreaterThanOrEqual(least);
  expect(renewals).toBeLessThanOrEqual(most);
});

test('failures wait for a minute at first and for a day in the end', () => {
  expect([1, 2, 3, 4, 5, 60].map((failures) => retryDelayMs(failures))).toEqual([
    MINUTE_MS,
    10 * MINUTE_MS,
    100 * MINUTE_MS,
    6 * HOUR_MS,
    DAY_MS,
    DAY_MS,
  ]);
});

test('an authority that looks in vain is asked to look three times a day', () => {
  const tries = [0];
  for (let failures = 1; failures < 10; failures += 1) {
    tries.push((tries.at(-1) ?? 0) + retryDelayMs(failures, { isValidation: true }));
  }
  const within = tries.map((from) => tries.filter((at) => at >= from && at < from + DAY_MS).length);
  expect(Math.max(...within)).toBe(3);
});

test('renewal information is asked for again within its bounds', () => {
  const suggestedWindow = { start: START.toISOString(), end: after(DAY_MS).toISOString() };
  const askAgain = [null, 0, 60_000, 30 * DAY_MS].map((ms) => parseRenewalInfo({ suggestedWindow }, ms)?.askAgainMs);
  expect(askAgain).toEqual([6 * HOUR_MS, 5_000, 60_000, 6 * HOUR_MS]);
});

test.each([
  null,
  {},
  { suggestedWindow: { start: 'soon', end: 'later' } },
  { suggestedWindow: { start: after(DAY_MS).toISOString(), end: START.toISOString() } },
])('renewal information that makes no sense is none: %j', (answer) => {
  expect(parseRenewalInfo(answer, null)).toBe(null);
});

const question = {
  accountUrl: 'https://authority.test/1',
  accountId: 'ada',
  names: ['harbour.example', 'www.harbour.example'],
  domains: ['harbour.example'],
  isByHand: false,
  renews: null,
};
const LETS_ENCRYPT = limitsOf('acme-v02.api.letsencrypt.org');

test.each([
  [
    'an order for new names',
    null,
    [
      ['orders', 200],
      ['share', 30],
      ['domain', 50],
    ],
  ],
  [
    'one for the names of a certificate from elsewhere',
    'other',
    [
      ['orders', 300],
      ['orders', 300],
      ['share', 30],
      ['domain', 50],
    ],
  ],
  ['one for the names of a certificate of its own', 'own', []],
] as const)("Let's Encrypt counts %s, besides sets of names and failures", (_what, renews, counted) => {
  const kinds = budgetOf(LETS_ENCRYPT, { ...question, renews }).map(({ kind, limit }) => [kind, limit.count]);
  expect(kinds).toEqual([...counted, ['names', 5], ['failures', 3], ['failures', 3]]);
});

test('of an authority that publishes no limits only failures are counted, and by hand there are more', () => {
  const budget = budgetOf(limitsOf('ca.harbour.example'), { ...question, isByHand: true });
  expect(budget.map(({ key, limit }) => [key, limit.count])).toEqual([
    ['failures harbour.example', 5],
    ['failures www.harbour.example', 5],
  ]);
});

test('a full budget has room again when its oldest use leaves the window', () => {
  const limit = { count: 2, windowMs: HOUR_MS };
  const now = after(HOUR_MS);
  expect(freeAt(limit, [after(10 * MINUTE_MS)], now)).toEqual(now);
  expect(freeAt(limit, [after(10 * MINUTE_MS), after(30 * MINUTE_MS)], now)).toEqual(after(70 * MINUTE_MS));
  expect(freeAt(limit, [START, after(-MINUTE_MS), after(30 * MINUTE_MS)], now)).toEqual(now);
});
