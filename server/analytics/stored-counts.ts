import type { ClientSession, PipelineStage } from 'mongoose';
import { OTHER, VisitModel, type VisitRow } from '../database/models/analytics/visit.ts';
import { VisitDayModel } from '../database/models/analytics/visit-day.ts';
import { VisitHourModel } from '../database/models/analytics/visit-hour.ts';
import { DAY_MS } from '../lib/durations.ts';
import { openVisitorSet } from '../lib/visitor-set.ts';
import { bytesOf, dayOf } from './roll-up.ts';

/** The owner and the span of the counts. */
export type Scope = { accountId: string; deploymentId?: string; from: Date; to: Date };
export type HourSum = { at: Date; views: number; visitors: number; requests: number; bots: number; bytes: number };
export type Counted<Key> = { key: Key; count: number };

/** The number of names to read: a range may have very many. */
const NAMES_MAX = 500;
/** The rows since the last roll-up: five minutes of some sites; further rows show after the next one. */
const ROWS_MAX = 2_000;

const SUMS = {
  views: { $sum: '$views' },
  visitors: { $sum: '$visitors' },
  requests: { $sum: '$requests' },
  bots: { $sum: '$bots' },
  bytes: { $sum: '$bytes' },
};

function matching({ accountId, deploymentId, from, to }: Scope): PipelineStage.Match {
  return {
    $match: { accountId, ...(deploymentId !== undefined && { deploymentId }), at: { $gte: from, $lte: to } },
  };
}

/** Returns the sums of each hour with requests. */
export async function readHours(session: ClientSession, scope: Scope): Promise<HourSum[]> {
  return VisitHourModel.aggregate<HourSum>([
    matching(scope),
    { $group: { _id: '$at', ...SUMS } },
    { $project: { _id: 0, at: '$_id', views: 1, visitors: 1, requests: 1, bots: 1, bytes: 1 } },
  ]).session(session);
}

export async function readStatuses(session: ClientSession, scope: Scope): Promise<Counted<number>[]> {
  return VisitHourModel.aggregate<Counted<number>>([
    matching(scope),
    { $unwind: '$statuses' },
    { $group: { _id: '$statuses.status', count: { $sum: '$statuses.requests' } } },
    { $project: { _id: 0, key: '$_id', count: 1 } },
  ]).session(session);
}

/** Returns the number of answers for each position in `replies`, which are steps of time. */
export async function readReplies(session: ClientSession, scope: Scope): Promise<Counted<number>[]> {
  return VisitHourModel.aggregate<Counted<number>>([
    matching(scope),
    { $unwind: { path: '$replies', includeArrayIndex: 'index' } },
    { $group: { _id: '$index', count: { $sum: '$replies' } } },
    { $project: { _id: 0, key: { $toInt: '$_id' }, count: 1 } },
  ]).session(session);
}

type Names = { top: Counted<string>[]; all: number };

/** Returns the most frequent pages or referrers: from whole days (UTC), and from hours at both ends. */
export async function readNames(
  session: ClientSession,
  scope: Scope,
  list: 'pages' | 'referrers',
): Promise<Counted<string>[]> {
  const firstDay = new Date(Math.ceil(scope.from.getTime() / DAY_MS) * DAY_MS);
  const today = dayOf(scope.to);
  const before = (at: Date): Date => new Date(at.getTime() - 1);
  const days = matching({ ...scope, from: firstDay, to: before(today) });
  const start = matching({ ...scope, to: before(firstDay) });
  const end = matching({ ...scope, from: firstDay < today ? today : firstDay });
  const stages = namesStages(list);
  const found = [
    ...(await VisitDayModel.aggregate<Names>([days, ...stages]).session(session)),
    ...(await VisitHourModel.aggregate<Names>([start, ...stages]).session(session)),
    ...(await VisitHourModel.aggregate<Names>([end, ...stages]).session(session)),
  ];
  return found.flatMap(({ top, all }) => [
    ...top,
    { key: OTHER, count: all - top.reduce((sum, { count }) => sum + count, 0) },
  ]);
}

function namesStages(list: 'pages' | 'referrers'): PipelineStage[] {
  const name = list === 'pages' ? '$pages.path' : '$referrers.host';
  const top = { n: NAMES_MAX, sortBy: { count: -1 }, output: { key: '$_id', count: '$count' } };
  return [
    { $unwind: `$${list}` },
    { $group: { _id: name, count: { $sum: `$${list}.views` } } },
    { $group: { _id: null, all: { $sum: '$count' }, top: { $topN: top } } },
  ];
}

/** Returns rows that are not yet added up; each has the number of its visitors who are new on their day. */
export async function readRows(session: ClientSession, scope: Scope): Promise<(VisitRow & { newcomers: number })[]> {
  const { $match } = matching(scope);
  const rows = await VisitModel.find($match).sort({ at: 1 }).limit(ROWS_MAX).session(session).lean<VisitRow[]>();
  const dayIdOf = ({ deploymentId, at }: VisitRow): string => `${deploymentId} ${dayOf(at).getTime()}`;
  const ids = [...new Set(rows.map(dayIdOf))];
  const { accountId } = scope;
  const days = await VisitDayModel.find({ accountId, _id: { $in: ids } }, { seen: 1 })
    .session(session)
    .lean();
  const seen = new Map(days.map(({ _id, seen: hashes }) => [_id, openVisitorSet(bytesOf(hashes))]));
  return rows.map((row) => {
    const id = dayIdOf(row);
    const visitors = seen.get(id) ?? openVisitorSet(null);
    seen.set(id, visitors);
    return { ...row, newcomers: visitors.add(row.visitors) };
  });
}
