import { formatCount } from '../../routers/schemas/format-count.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

/** Formats a time in the largest unit that it is a whole number of: `2 days`, `90 minutes`, `287 seconds`. */
export function timeInWords(seconds: number): string {
  const unit = UNITS.find(([length]) => seconds >= length && seconds % length === 0);
  return unit === undefined ? formatCount(seconds, 'second') : formatCount(seconds / unit[0], unit[1]);
}

/** Formats a day for a sentence. */
export function dayInWords(date: Date): string {
  return date.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' });
}

/**
 * Returns the same time of day that many calendar months later, in UTC. In a shorter month it is the last day: six
 * months after 31 August is 28 or 29 February.
 */
export function addMonths(date: Date, months: number): Date {
  const later = new Date(date);
  later.setUTCDate(1);
  later.setUTCMonth(later.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(date.getUTCDate(), lastDay));
  return later;
}
