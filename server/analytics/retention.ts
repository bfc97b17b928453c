import { PLANS } from '../../routers/schemas/plans.ts';
import { rowsOf } from '../database/cursor-rows.ts';
import { MAINTENANCE } from '../database/models/account-scope.ts';
import { VisitDayModel } from '../database/models/analytics/visit-day.ts';
import { VisitHourModel } from '../database/models/analytics/visit-hour.ts';
import { activePlan, SubscriptionModel, type SubscriptionRow } from '../database/models/plans/subscription.ts';
import { DAY_MS, HOUR_MS } from '../lib/durations.ts';
import { NAMES_KEPT_MS } from './roll-up.ts';

/** Counts are kept this long after the end of a plan, in case it is renewed. */
const KEPT_AFTER_END_MS = 30 * DAY_MS;
/** Makes up for runs that did not happen for some days. */
const NAMES_LOOKED_BACK_MS = 7 * DAY_MS;

/** Deletes counts that the accounts' plans no longer keep; those beyond the longest plan expire. */
export async function forgetVisits(now: Date, signal: AbortSignal): Promise<void> {
  await forgetNames(now);
  // This reads all of them, in the order of an index.
  const all = { endsAt: { $gt: new Date(0) } };
  const subscriptions = SubscriptionModel.find(all).setOptions(MAINTENANCE).lean<SubscriptionRow[]>().cursor();
  for await (const subscription of rowsOf<SubscriptionRow>(subscriptions)) {
    signal.throwIfAborted();
    const cutoff = retentionStart(subscription, now);
    if (cutoff === null) continue;
    const old = { accountId: subscription.accountId, at: { $lt: cutoff } };
    await VisitHourModel.deleteMany(old);
    await VisitDayModel.deleteMany(old);
  }
}

/** Returns the start of the span that the plan keeps; null when everything that exists is kept. */
function retentionStart(subscription: SubscriptionRow, now: Date): Date | null {
  const plan = activePlan(subscription, now);
  const isOver = plan === 'free' && subscription.endsAt.getTime() + KEPT_AFTER_END_MS <= now.getTime();
  if (isOver) return now;
  const days = PLANS[plan === 'free' ? subscription.plan : plan].analyticsDays;
  // One day more: the first of them begins at midnight in the owner's time zone.
  return days === PLANS.PRO.analyticsDays ? null : new Date(now.getTime() - (days + 1) * DAY_MS);
}

/** Deletes the hashes of visitors on past days: their number is in the hours. */
export async function forgetVisitors(now: Date): Promise<void> {
  const today = new Date(Math.floor((now.getTime() - HOUR_MS) / DAY_MS) * DAY_MS);
  const over = { at: { $lt: today }, seen: { $type: 'binData' as const } };
  await VisitDayModel.updateMany(over, { $set: { seen: null } }).setOptions(MAINTENANCE);
}

/** Deletes names of pages and referrers from old hours: the day has them. */
async function forgetNames(now: Date): Promise<void> {
  const end = now.getTime() - NAMES_KEPT_MS;
  const old = { at: { $gte: new Date(end - NAMES_LOOKED_BACK_MS), $lt: new Date(end) } };
  await VisitHourModel.updateMany(old, { $set: { pages: [], referrers: [] } }).setOptions(MAINTENANCE);
}
