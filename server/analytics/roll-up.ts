import type { ClientSession } from 'mongoose';
import { MAINTENANCE } from '../database/models/account-scope.ts';
import { VisitModel, type VisitRow } from '../database/models/analytics/visit.ts';
import { type VisitDay, VisitDayModel } from '../database/models/analytics/visit-day.ts';
import { type VisitHour, VisitHourModel } from '../database/models/analytics/visit-hour.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { DAY_MS, MINUTE_MS } from '../lib/durations.ts';
import { openVisitorSet } from '../lib/visitor-set.ts';
import { emptyCounts, hourOf, sumOfCounts, sumOfNames } from './counts.ts';

/** The rows of one deployment and hour in one transaction; a row is 60 KB at most. */
const ROWS_AT_ONCE = 60;
/** Hours keep the names of pages and referrers for this time; after that only the day has them. */
export const NAMES_KEPT_MS = 35 * DAY_MS;

type Transact = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/**
 * Adds the rows that the host has written, up to the current minute, to their hours and days, and deletes them. Both
 * happen in one transaction: a row is counted in one place at any time, however often this stops halfway.
 */
export async function rollUpVisits(now: Date, signal: AbortSignal, transact: Transact): Promise<void> {
  const until = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  for (;;) {
    signal.throwIfAborted();
    const oldest = await VisitModel.findOne({ at: { $lt: until } }, { accountId: 1, deploymentId: 1, at: 1 })
      .sort({ at: 1 })
      .setOptions(MAINTENANCE)
      .lean();
    if (oldest === null) return;
    await transact((session) => rollUpSome(session, now, oldest, until));
  }
}

type Owner = Pick<VisitRow, 'accountId' | 'deploymentId' | 'at'>;

async function rollUpSome(session: ClientSession, now: Date, owner: Owner, until: Date): Promise<void> {
  const { accountId, deploymentId } = owner;
  const hour = hourOf(owner.at);
  const end = Math.min(hour.getTime() + 60 * MINUTE_MS, until.getTime());
  const rows = await VisitModel.find({ accountId, deploymentId, at: { $gte: hour, $lt: new Date(end) } })
    .sort({ at: 1 })
    .limit(ROWS_AT_ONCE)
    .session(session)
    .lean<VisitRow[]>();
  const staying = { _id: deploymentId, accountId, state: { $ne: 'deleting' as const } };
  if ((await DeploymentModel.exists(staying).session(session)) !== null) {
    const newcomers = await addToDay(session, owner, rows);
    await addToHour(session, now, { accountId, deploymentId, at: hour }, rows, newcomers);
  }
  await VisitModel.deleteMany({ accountId, _id: { $in: rows.map(({ _id }) => _id) } }, { session });
}

async function addToHour(
  session: ClientSession,
  now: Date,
  owner: Owner,
  rows: readonly VisitRow[],
  newcomers: number,
): Promise<void> {
  const _id = `${owner.deploymentId} ${owner.at.getTime()}`;
  const { accountId } = owner;
  const known = await VisitHourModel.findOne({ _id, accountId }).session(session).lean<VisitHour>();
  const sum = sumOfCounts([{ ...emptyCounts(), ...known }, ...rows.map((row) => ({ ...emptyCounts(), ...row }))]);
  const hasNames = owner.at.getTime() > now.getTime() - NAMES_KEPT_MS;
  const names = hasNames ? {} : { pages: [], referrers: [] };
  const hour = { ...owner, ...sum, ...names, visitors: (known?.visitors ?? 0) + newcomers };
  await VisitHourModel.updateOne({ _id, accountId }, { $set: hour }, { upsert: true, session });
}

/** Adds rows to their day; returns the number of visitors who were new on that day. */
async function addToDay(session: ClientSession, owner: Owner, rows: readonly VisitRow[]): Promise<number> {
  const at = dayOf(owner.at);
  const _id = `${owner.deploymentId} ${at.getTime()}`;
  const { accountId, deploymentId } = owner;
  const known = await VisitDayModel.findOne({ _id, accountId }).session(session).lean<VisitDay>();
  const visitors = openVisitorSet(bytesOf(known?.seen));
  const newcomers = visitors.add(rows.flatMap((row) => row.visitors));
  const names = sumOfNames([{ ...emptyCounts(), ...known }, ...rows]);
  const day = { deploymentId, at, ...names, seen: visitors.toBytes() };
  await VisitDayModel.updateOne({ _id, accountId }, { $set: day }, { upsert: true, session });
  return newcomers;
}

/** Returns the start of the day, UTC: a salt, and so a visitor, belongs to one such day. */
export function dayOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
}

/** Returns the bytes: a lean document holds the driver's own type. */
export function bytesOf(stored: unknown): Uint8Array | null {
  if (stored instanceof Uint8Array) return stored;
  if (typeof stored !== 'object' || stored === null || !('buffer' in stored)) return null;
  return stored.buffer instanceof Uint8Array ? stored.buffer : null;
}
