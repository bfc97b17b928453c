import { PLANS } from '../../../routers/schemas/plans.ts';
import { rowsOf } from '../../database/cursor-rows.ts';
import { MAINTENANCE } from '../../database/models/account-scope.ts';
import { activePlan, SubscriptionModel, type SubscriptionRow } from '../../database/models/subscription.ts';
import { VisitDayModel } from '../../database/models/visit-day.ts';
import { VisitHourModel } from '../../database/models/visit-hour.ts';
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import { NAMES_KEPT_MS } from './roll-up.ts';

/** How long after the end of a plan its counts are kept, for whoever comes back. */
const KEPT_AFTER_END_MS = 30 * DAY_MS;
/** A run that was left out for some days is made up for. */
const NAMES_LOOKED_BACK_MS = 7 * DAY_MS;

/** Deletes what the plans of the accounts no longer keep; what is older than the longest goes by its age. */
export async function forgetVisits(now: Date, signal: AbortSignal): Promise<void> {
  await forgetNames(now);
  // All of them, in the order of an index.
  const all = { endsAt: { $gt: new Date(0) } };
  const subscriptions = SubscriptionModel.find(all).setOptions(MAINTENANCE).lean<SubscriptionRow[]>().cursor();
  for await (const subscription of rowsOf<SubscriptionRow>(subscriptions)) {
    signal.throwIfAborted();
    const cutoff = keptFrom(subscription, now);
    if (cutoff === null) continue;
    const old = { accountId: subscription.accountId, at: { $lt: cutoff } };
    await VisitHourModel.deleteMany(old);
    await VisitDayModel.deleteMany(old);
  }
}

/** The start of what is kept by the plan; null where that is what is kept of all. */
function keptFrom(subscription: SubscriptionRow, now: Date): Date | null {
  const plan = activePlan(subscription, now);
  const isOver = plan === 'free' && subscription.endsAt.getTime() + KEPT_AFTER_END_MS <= now.getTime();
  if (isOver) return now;
  const days = PLANS[plan === 'free' ? subscription.plan : plan].analyticsDays;
  // One day more: the first of them begins at midnight where its owner lives.
  return days === PLANS.PRO.analyticsDays ? null : new Date(now.getTime() - (days + 1) * DAY_MS);
}

/** Forgets the hashes of the visitors of days that are over: the number of them is in their hours. */
export async function forgetVisitors(now: Date): Promise<void> {
  const today = new Date(Math.floor((now.getTime() - HOUR_MS) / DAY_MS) * DAY_MS);
  const over = { at: { $lt: today }, seen: { $type: 'binData' as const } };
  await VisitDayModel.updateMany(over, { $set: { seen: null } }).setOptions(MAINTENANCE);
}

/** Old hours have no names of pages and referrers: their day has them. */
async function forgetNames(now: Date): Promise<void> {
  const end = now.getTime() - NAMES_KEPT_MS;
  const old = { at: { $gte: new Date(end - NAMES_LOOKED_BACK_MS), $lt: new Date(end) } };
  await VisitHourModel.updateMany(old, { $set: { pages: [], referrers: [] } }).setOptions(MAINTENANCE);
}
