import { OTHER, REPLY_BUCKETS_MS, type VisitCounts } from '../database/models/analytics/visit.ts';
import { HOUR_MS } from '../lib/durations.ts';

/** The names that an hour or a day keeps; the others are counted together. */
const PAGES_MAX = 100;
const REFERRERS_MAX = 50;
/**
 * The limit for all names of a list together: a hundred pages of an ordinary site have a fifth of it, and visitors
 * choose the names.
 */
const NAMES_LENGTH_MAX = 10_000;

/** Returns empty sums, for any span of time. */
export function emptyCounts(): VisitCounts {
  return {
    requests: 0,
    views: 0,
    bots: 0,
    bytes: 0,
    statuses: [],
    pages: [],
    referrers: [],
    replies: [...REPLY_BUCKETS_MS.map(() => 0), 0],
  };
}

/** Adds up counts, for any spans of time. */
export function sumOfCounts(all: readonly VisitCounts[]): VisitCounts {
  const sum = (pick: (counts: VisitCounts) => number): number => all.reduce((total, one) => total + pick(one), 0);
  const statuses = summed(
    all.flatMap((one) => one.statuses.map(({ status, requests }) => [status, requests] as const)),
  );
  return {
    requests: sum((one) => one.requests),
    views: sum((one) => one.views),
    bots: sum((one) => one.bots),
    bytes: sum((one) => one.bytes),
    statuses: [...statuses].map(([status, requests]) => ({ status, requests })),
    ...sumOfNames(all),
    replies: emptyCounts().replies.map((_, index) => sum((one) => one.replies[index] ?? 0)),
  };
}

type Names = Pick<VisitCounts, 'pages' | 'referrers'>;

/** Adds up pages and referrers, keeping the most frequent by name. */
export function sumOfNames(all: readonly Names[]): Names {
  const pages = summed(all.flatMap((one) => one.pages.map(({ path, views }) => [path, views] as const)));
  const referrers = summed(all.flatMap((one) => one.referrers.map(({ host, views }) => [host, views] as const)));
  return {
    pages: mostOf(pages, PAGES_MAX).map(([path, views]) => ({ path, views })),
    referrers: mostOf(referrers, REFERRERS_MAX).map(([host, views]) => ({ host, views })),
  };
}

function summed<Key>(counts: readonly (readonly [Key, number])[]): Map<Key, number> {
  const sums = new Map<Key, number>();
  for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

/** Returns the most frequent first, then the sum of all others. */
function mostOf(sums: ReadonlyMap<string, number>, most: number): [string, number][] {
  const named = [...sums].filter(([name]) => name !== OTHER).sort(([, one], [, other]) => other - one);
  let kept = 0;
  for (let length = 0; kept < Math.min(most, named.length); kept += 1) {
    length += named[kept]?.[0].length ?? 0;
    if (length > NAMES_LENGTH_MAX) break;
  }
  const rest = named.slice(kept).reduce((sum, [, count]) => sum + count, sums.get(OTHER) ?? 0);
  return rest === 0 ? named : [...named.slice(0, kept), [OTHER, rest]];
}

/**
 * Returns the time within which this share of the answers was given, to the precision of the counted steps; null when
 * there was no answer.
 */
export function percentileMs(replies: readonly number[], share: number): number | null {
  const all = replies.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let before = 0;
  for (const [index, count] of replies.entries()) {
    const wanted = all * share - before;
    if (count > 0 && wanted <= count) {
      const from = REPLY_BUCKETS_MS[index - 1] ?? 0;
      // Nobody knows how much slower the slowest were.
      const to = REPLY_BUCKETS_MS[index] ?? from;
      return from + ((to - from) * wanted) / count;
    }
    before += count;
  }
  return REPLY_BUCKETS_MS.at(-1) ?? null;
}

/** Returns the start of the hour, UTC. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
}
