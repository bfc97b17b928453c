import { expect, test } from 'vitest';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { formatDuration, formatRelativeTime, formatSize, formatSizeOf } from '../../src/lib/format.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1 KB'],
  [1_250, '1.3 KB'],
  [212_345, '212 KB'],
  [999_960, '1 MB'],
  [8_400_000, '8.4 MB'],
  [1_500_000_000, '1.5 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test('a part is written in the unit of the whole', () => {
  expect(formatSizeOf(5_100_000, 8_400_000)).toBe('5.1 of 8.4 MB');
  expect(formatSizeOf(0, 8_400_000)).toBe('0 of 8.4 MB');
});

test.each([
  [-5 * SECOND, 'just now'],
  [5 * SECOND, 'just now'],
  [-2 * MINUTE, '2 minutes ago'],
  [-3 * HOUR, '3 hours ago'],
  [-DAY, 'yesterday'],
  [-3 * DAY, '3 days ago'],
  [-60 * DAY, '2 months ago'],
  [-800 * DAY, '2 years ago'],
  [20 * MINUTE, 'in 20 minutes'],
  [14 * DAY, 'in 14 days'],
])('%i ms from now is %s', (differenceMs, text) => {
  const now = new Date(Date.UTC(2026, 10, 21, 12));
  expect(formatRelativeTime(new Date(now.getTime() + differenceMs), now)).toBe(text);
});

test.each([
  [0, '< 0.1 s'],
  [50, '0.1 s'],
  [420, '0.4 s'],
  [12_000, '12 s'],
  [59_600, '1 min'],
  [185_000, '3 min 5 s'],
  [7_800_000, '2 h 10 min'],
])('%i ms last %s', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

test('a count has its noun', () => {
  expect([formatCount(1, 'file'), formatCount(1_204, 'file'), formatCount(2, 'entry', 'entries')]).toEqual([
    '1 file',
    '1,204 files',
    '2 entries',
  ]);
});
