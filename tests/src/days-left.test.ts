import { expect, test } from 'vitest';
import { trialText } from '../../src/features/subscription/days-left.tsx';
import { trial } from '../support/screen-fixtures.ts';

test.each([
  // The page's clock is behind a trial that has just begun.
  ['2030-01-01T11:59:40Z', 'Trial: 14\xa0days\xa0left'],
  ['2030-01-01T12:00:00Z', 'Trial: 14\xa0days\xa0left'],
  ['2030-01-13T12:30:00Z', 'Trial: 2\xa0days\xa0left'],
  ['2030-01-14T12:30:00Z', 'Trial: last\xa0day'],
  ['2030-01-15T12:00:00Z', null],
])('the days of a trial that are left at %s', (at, text) => {
  expect(trialText(trial, new Date(at))).toBe(text);
});

test('no other plan is counted down', () => {
  expect(trialText({ ...trial, status: 'active' }, trial.startedAt)).toBeNull();
  expect(trialText(null, trial.startedAt)).toBeNull();
});
