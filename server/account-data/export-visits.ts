import { rowsOf } from '../database/cursor-rows.ts';
import { VisitModel, type VisitRow } from '../database/models/analytics/visit.ts';
import { type VisitHour, VisitHourModel } from '../database/models/analytics/visit-hour.ts';

/** An hour of a deployment for its owner. */
type Hour = Omit<VisitHour, '_id' | 'accountId' | 'deploymentId'>;
/** A minute of a deployment for its owner. */
type Minute = Omit<VisitRow, '_id' | 'accountId' | 'deploymentId' | 'visitors'>;

const PAGE = 100;

/**
 * Yields a deployment's visits (UTC): one entry an hour, and one a minute for those not yet added up to hours. The
 * hashes that distinguish visitors are left out, because they concern other people.
 */
export async function* visitsOf(owned: {
  accountId: string;
  deploymentId: string;
}): AsyncGenerator<Hour | Minute, void> {
  const hours = VisitHourModel.find(owned, { _id: 0, __v: 0, accountId: 0, deploymentId: 0 })
    .sort({ at: 1 })
    .lean<Hour[]>()
    .cursor({ batchSize: PAGE });
  yield* rowsOf<Hour>(hours);
  yield* minutesOf(owned);
}

/** Yields the minutes; each process of the host stores a row of its own at each write. */
async function* minutesOf(owned: { accountId: string; deploymentId: string }): AsyncGenerator<Minute, void> {
  const rows = VisitModel.find(owned, { _id: 0, __v: 0, accountId: 0, deploymentId: 0, visitors: 0 })
    .sort({ at: 1 })
    .lean<Minute[]>()
    .cursor({ batchSize: PAGE });
  let minute: Minute | null = null;
  for await (const row of rowsOf<Minute>(rows)) {
    if (minute?.at.getTime() === row.at.getTime()) {
      minute = sumOf(minute, row);
      continue;
    }
    if (minute !== null) yield minute;
    minute = row;
  }
  if (minute !== null) yield minute;
}

function sumOf(one: Minute, other: Minute): Minute {
  const statuses = counted([...one.statuses, ...other.statuses].map(({ status, requests }) => [status, requests]));
  const pages = counted([...one.pages, ...other.pages].map(({ path, views }) => [path, views]));
  const referrers = counted([...one.referrers, ...other.referrers].map(({ host, views }) => [host, views]));
  return {
    at: one.at,
    requests: one.requests + other.requests,
    views: one.views + other.views,
    bots: one.bots + other.bots,
    bytes: one.bytes + other.bytes,
    statuses: [...statuses].map(([status, requests]) => ({ status, requests })),
    pages: [...pages].map(([path, views]) => ({ path, views })),
    referrers: [...referrers].map(([host, views]) => ({ host, views })),
    replies: one.replies.map((count, index) => count + (other.replies[index] ?? 0)),
  };
}

function counted<Key>(counts: readonly [Key, number][]): Map<Key, number> {
  const sums = new Map<Key, number>();
  for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}
