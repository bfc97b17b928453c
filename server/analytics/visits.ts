import type { ClientSession } from 'mongoose';
import type { VisitPoint, Visits, VisitsInput } from '../../routers/schemas/analytics.ts';
import { PLANS } from '../../routers/schemas/plans.ts';
import type { AccountContext, Providers } from '../context.ts';
import { findDeployment } from '../database/find-deployment.ts';
import { OTHER } from '../database/models/analytics/visit.ts';
import { activePlan, SubscriptionModel } from '../database/models/plans/subscription.ts';
import { transaction } from '../database/mongo.ts';
import { AppError } from '../lib/errors.ts';
import { withSlot } from '../lib/with-slot.ts';
import { emptyCounts, hourOf, percentileMs } from './counts.ts';
import {
  type Counted,
  type HourSum,
  readHours,
  readNames,
  readReplies,
  readRows,
  readStatuses,
  type Scope,
} from './stored-counts.ts';
import { type TimeRange, timeRange } from './time-range.ts';

/** The limit for pages, and for referrers. */
const SHOWN_NAMES = 50;
/** Reading thirteen months of many sites takes a second. */
const AT_ONCE = { limit: 4, queueLength: 200 };
const OF_AN_ACCOUNT = { limit: 1, queueLength: 20 };

/**
 * Returns the host's counts in a range of days, for one deployment or for all, as far back as the plan keeps them.
 * Throws `not_found`, `rate_limited`.
 */
export async function readVisits(ctx: AccountContext, input: VisitsInput): Promise<Visits> {
  const { accountId } = ctx.actor;
  if (input.deploymentId !== undefined) await findDeployment(ctx, input.deploymentId);
  return readVisitsOf(ctx.providers, accountId, input);
}

/** Returns the same for an account whose right has been checked. */
export async function readVisitsOf(providers: Providers, accountId: string, input: VisitsInput): Promise<Visits> {
  const { rateCounters } = providers;
  const own = { key: `visits of ${accountId}`, ...OF_AN_ACCOUNT, full: tooMany };
  const ofAll = { key: 'visits', ...AT_ONCE, full: tooMany };
  return withSlot(rateCounters, own, () =>
    withSlot(rateCounters, ofAll, () => read(accountId, input, providers.now())),
  );
}

function tooMany(): AppError {
  return new AppError('rate_limited', 'Too many visit statistics are being loaded at once. Try again in a second.', {
    retryAfterMs: 1_000,
  });
}

async function read(accountId: string, { deploymentId, days, timeZone }: VisitsInput, now: Date): Promise<Visits> {
  const subscription = await SubscriptionModel.findOne({ accountId }).lean();
  const keptDays = PLANS[activePlan(subscription, now)].analyticsDays;
  const range = timeRange(now, Math.min(days, keptDays ?? 1), timeZone);
  const scope = { accountId, ...(deploymentId !== undefined && { deploymentId }), from: range.from, to: now };
  const stored = keptDays === null ? NOTHING : await transaction((session) => readStored(session, scope));
  const points = pointsOf(range, stored.hours);
  const totals = points.reduce((sum, point) => addPoint(sum, point), NO_COUNTS);
  const referrers = topOf(stored.referrers);
  const pages = topOf(stored.pages.filter(({ key }) => key !== OTHER));
  return {
    keptDays,
    step: range.step,
    totals,
    points,
    pages: pages.top.map(({ key, count }) => ({ path: key, views: count })),
    // Every view is of a page: views without a name here are of another page.
    otherPages: Math.max(0, totals.views - pages.top.reduce((sum, { count }) => sum + count, 0)),
    referrers: referrers.top.map(({ key, count }) => ({ host: key, views: count })),
    otherReferrers: referrers.others,
    statuses: summed(stored.statuses)
      .map(({ key, count }) => ({ status: key, requests: count }))
      .sort((one, other) => one.status - other.status),
    replyTimes: replyTimesOf(stored.replies),
  };
}

type Stored = {
  hours: HourSum[];
  statuses: Counted<number>[];
  replies: Counted<number>[];
  pages: Counted<string>[];
  referrers: Counted<string>[];
};
const NOTHING: Stored = { hours: [], statuses: [], replies: [], pages: [], referrers: [] };

/** Reads one snapshot, since a roll-up moves counts from one place to another. */
async function readStored(session: ClientSession, scope: Scope): Promise<Stored> {
  const hours = await readHours(session, scope);
  const statuses = await readStatuses(session, scope);
  const replies = await readReplies(session, scope);
  const pages = await readNames(session, scope, 'pages');
  const referrers = await readNames(session, scope, 'referrers');
  const rows = await readRows(session, scope);
  return {
    hours: [...hours, ...rows.map(({ newcomers, ...row }) => ({ ...row, at: hourOf(row.at), visitors: newcomers }))],
    statuses: [...statuses, ...rows.flatMap((row) => row.statuses.map((one) => counted(one.status, one.requests)))],
    replies: [...replies, ...rows.flatMap((row) => row.replies.map((count, index) => counted(index, count)))],
    pages: [...pages, ...rows.flatMap((row) => row.pages.map(({ path, views }) => counted(path, views)))],
    referrers: [...referrers, ...rows.flatMap((row) => row.referrers.map(({ host, views }) => counted(host, views)))],
  };
}

function counted<Key>(key: Key, count: number): Counted<Key> {
  return { key, count };
}

type Counts = Omit<VisitPoint, 'label'>;
const NO_COUNTS: Counts = { views: 0, visitors: 0, requests: 0, bots: 0, bytes: 0 };

function addPoint(one: Counts, other: Counts): Counts {
  return {
    views: one.views + other.views,
    visitors: one.visitors + other.visitors,
    requests: one.requests + other.requests,
    // Rows of an older version do not say.
    bots: one.bots + (other.bots ?? 0),
    bytes: one.bytes + other.bytes,
  };
}

function pointsOf({ labels, labelOf }: TimeRange, hours: readonly HourSum[]): VisitPoint[] {
  const sums = new Map<string, Counts>(labels.map((label) => [label, NO_COUNTS]));
  for (const hour of hours) {
    const label = labelOf(hour.at);
    const known = sums.get(label);
    if (known !== undefined) sums.set(label, addPoint(known, hour));
  }
  return [...sums].map(([label, counts]) => ({ label, ...counts }));
}

function summed<Key>(counts: readonly Counted<Key>[]): Counted<Key>[] {
  const sums = new Map<Key, number>();
  for (const { key, count } of counts) sums.set(key, (sums.get(key) ?? 0) + count);
  return [...sums].map(([key, count]) => ({ key, count }));
}

function topOf(counts: readonly Counted<string>[]): { top: Counted<string>[]; others: number } {
  const sums = summed(counts).sort((one, other) => other.count - one.count);
  const named = sums.filter(({ key }) => key !== OTHER);
  const top = named.slice(0, SHOWN_NAMES);
  const sum = (some: readonly Counted<string>[]): number => some.reduce((total, { count }) => total + count, 0);
  return { top, others: sum(sums) - sum(top) };
}

function replyTimesOf(counts: readonly Counted<number>[]): Visits['replyTimes'] {
  const byIndex = new Map(summed(counts).map(({ key, count }) => [key, count]));
  const replies = emptyCounts().replies.map((_, index) => byIndex.get(index) ?? 0);
  const [p50, p75, p95, p99] = [0.5, 0.75, 0.95, 0.99].map((share) => percentileMs(replies, share));
  if (p50 == null || p75 == null || p95 == null || p99 == null) return null;
  return { p50, p75, p95, p99 };
}
