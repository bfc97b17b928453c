import { DAY_MS, HOUR_MS } from '../lib/durations.ts';
import { hourOf } from './counts.ts';

/** A range of time, cut into hours or days by the wall clock of a time zone. */
export type TimeRange = {
  step: 'hour' | 'day';
  /** The start of its first hour, UTC. */
  from: Date;
  /** The names of its parts, the oldest first: a date, or a date and hour. */
  labels: string[];
  /** The name of the part that an hour (UTC) belongs to. */
  labelOf(hour: Date): string;
};

/** No clock is further ahead of UTC. */
const AHEAD_MS = 15 * HOUR_MS;

/**
 * Returns the last days up to now in a time zone, today included; for one day, the last 24 hours. Hours are counted in
 * UTC, and an hour belongs to the day in which it begins: a day of 23 or 25 hours has as many.
 */
export function timeRange(now: Date, days: number, timeZone: string): TimeRange {
  return days === 1 ? lastHours(now, timeZone) : lastDays(now, days, timeZone);
}

function lastHours(now: Date, timeZone: string): TimeRange {
  const format = isoFormat(timeZone, { hour: '2-digit', minute: '2-digit' });
  const last = hourOf(now).getTime();
  const hours = Array.from({ length: 24 }, (_, index) => new Date(last - (23 - index) * HOUR_MS));
  // An hour that a clock shows twice has the same name twice, so the position distinguishes them.
  const names = hours.map((hour) => format.format(hour));
  const labels = names.map((name, index) => (names.indexOf(name) === index ? name : `${name} (second)`));
  const byTime = new Map(hours.map((hour, index) => [hour.getTime(), labels[index] ?? '']));
  return {
    step: 'hour',
    from: hours[0] ?? now,
    labels,
    labelOf: (hour) => byTime.get(hour.getTime()) ?? '',
  };
}

function lastDays(now: Date, days: number, timeZone: string): TimeRange {
  const format = isoFormat(timeZone);
  const today = Date.parse(format.format(now));
  // Dates are counted without a zone, so each has 24 hours here.
  const labels = Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const first = labels[0] ?? '';
  let from = Date.parse(first) - AHEAD_MS;
  while (format.format(from) < first) from += HOUR_MS;
  return { step: 'day', from: new Date(from), labels, labelOf: (hour) => format.format(hour) };
}

/** Formats dates as in ISO 8601, which is the Swedish form. */
function isoFormat(timeZone: string, more: Intl.DateTimeFormatOptions = {}): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit', ...more });
}
