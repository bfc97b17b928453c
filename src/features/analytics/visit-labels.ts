import type { RangeDays, VisitPoint } from '../../../routers/schemas/analytics.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { ANALYTICS_RANGE_DAYS } from '../../../routers/schemas/limits.ts';
import { formatSize } from '../../lib/format.ts';

const titles: Record<RangeDays, string> = {
  1: 'Last 24 hours',
  7: 'Last 7 days',
  30: 'Last 30 days',
  90: 'Last 90 days',
  396: 'Last 13 months',
};

/** Returns the ranges to choose from, as far back as the plan keeps visits. */
export function rangeOptions(keptDays: number | null | undefined): { value: string; label: string }[] {
  const most = keptDays ?? ANALYTICS_RANGE_DAYS.at(-1) ?? 0;
  return ANALYTICS_RANGE_DAYS.filter((days) => days <= most).map((days) => ({
    value: String(days),
    label: titles[days],
  }));
}

/** Returns the range that an address names, or a week. */
export function rangeOf(given: string | null): RangeDays {
  return ANALYTICS_RANGE_DAYS.find((days) => String(days) === given) ?? 7;
}

const date = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Returns the label of a point for people: "Nov 25" for a day, "14:00" for an hour. */
export function shortLabel(label: string): string {
  const [day = '', time] = label.split(' ');
  return time ?? date.format(new Date(day));
}

/** Returns a text like `12 page views, 1 visitor`. */
export function visitsText(views: number, visitors: number): string {
  return `${formatCount(views, 'page view')}, ${formatCount(visitors, 'visitor')}`;
}

/**
 * Returns the counts in one line for a small screen: zeros are left out, and so are requests when there are page
 * views.
 */
export function countsLine({ views, visitors, requests, bytes }: Omit<VisitPoint, 'label'>): string {
  const parts = [
    { count: views, text: formatCount(views, 'view') },
    { count: visitors, text: formatCount(visitors, 'visitor') },
    { count: views > 0 ? 0 : requests, text: formatCount(requests, 'request') },
    { count: bytes, text: formatSize(bytes) },
  ];
  return inOneLine(parts.flatMap(({ count, text }) => (count > 0 ? [text] : [])));
}

/** Joins texts that each stay whole where the line breaks: a number stays with its unit. */
export function inOneLine(texts: readonly string[]): string {
  return texts.map((text) => text.replaceAll(' ', '\u00a0')).join(' · ');
}

/** Formats a time like "12 ms"; from a second on in seconds. */
export function formatReplyTime(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}
