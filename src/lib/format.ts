export { formatSize, formatSizeOf } from '../../routers/schemas/format-size.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Formats a time as `just now`, `2 minutes ago`, `yesterday`, `in 3 days`; the largest unit that fits. */
export function formatRelativeTime(at: Date, now: Date = new Date()): string {
  const differenceMs = at.getTime() - now.getTime();
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs < 45 * SECOND_MS) return differenceMs > 10 * SECOND_MS ? 'in a moment' : 'just now';
  if (distanceMs < 45 * MINUTE_MS) return relative.format(roundAway(differenceMs / MINUTE_MS), 'minute');
  if (distanceMs < 22 * HOUR_MS) return relative.format(roundAway(differenceMs / HOUR_MS), 'hour');
  if (distanceMs < 26 * DAY_MS) return relative.format(roundAway(differenceMs / DAY_MS), 'day');
  if (distanceMs < 320 * DAY_MS) return relative.format(roundAway(differenceMs / (30.44 * DAY_MS)), 'month');
  return relative.format(roundAway(differenceMs / (365.25 * DAY_MS)), 'year');
}

/** Formats a time like `Nov 21, 2026, 2:32:10 PM` in the person's own time zone. */
export function formatExactTime(at: Date): string {
  return exact.format(at);
}

/** Formats a date like `Nov 21, 2026`. */
export function formatDate(at: Date): string {
  return day.format(at);
}

/** Formats a time like `14:32:10`, for log lines. */
export function formatClock(at: Date): string {
  return clock.format(at);
}

/** Formats a duration like `< 0.1 s`, `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  if (ms < 50) return '< 0.1 s';
  if (ms < 9_950) return `${(ms / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return parts(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  return parts(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

/** Returns an address for people: without its scheme and the slash at its end. */
export function formatAddress(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

/** Rounds halves away from zero: `-1.5` days are two days ago, not one. */
function roundAway(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

function parts(whole: number, wholeUnit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole} ${wholeUnit}` : `${whole} ${wholeUnit} ${rest} ${restUnit}`;
}
