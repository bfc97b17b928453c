import type { ClientSession } from 'mongoose';
import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import { type PaidPlan, PLANS } from '../../../routers/schemas/plans.ts';
import { mailOwner } from '../../account/mail/queue-mail.ts';
import type { Providers } from '../../context.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { MAINTENANCE } from '../../database/models/account-scope.ts';
import {
  goesOnAtEnd,
  type Renewing,
  SubscriptionModel,
  type SubscriptionRow,
} from '../../database/models/plans/subscription.ts';
import { publishEvent } from '../../events/publish.ts';
import { DAY_MS, dayInWords, MINUTE_MS } from '../../lib/durations.ts';

/** The action that the end of a period needs now. */
export type EndStep = 'renewal' | 'ended' | 'day' | 'week';

type Ending = Pick<
  SubscriptionRow,
  | 'plan'
  | 'status'
  | 'endsAt'
  | 'renews'
  | 'cancelAtEnd'
  | 'nextPlan'
  | 'subscriptionId'
  | 'graceUntil'
  | 'warnedWeekFor'
  | 'warnedDayFor'
  | 'endToldFor'
>;

/** A plan is renewed a little ahead of its end, so that there is no gap. */
const RENEW_AHEAD_MS = 10 * MINUTE_MS;
/** An account that was without the plan for longer, since no worker ran, is not charged for it. */
const RENEW_LATE_MS = 7 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;
/** Older news is not sent. */
const TOLD_LATE_MS = 30 * DAY_MS;

/** Returns the plan that follows at the end of the period; null when there is none. */
export function planAfter(row: Ending, payments: Renewing): PaidPlan | null {
  if (!goesOnAtEnd(row, payments) || row.cancelAtEnd) return null;
  return row.nextPlan ?? row.plan;
}

/** Returns the due action, once for each end: an end that moves is announced again. */
export function dueStep(row: Ending, now: Date, payments: Renewing): EndStep | null {
  const { plan, status, endsAt, graceUntil, subscriptionId, warnedWeekFor, warnedDayFor, endToldFor } = row;
  if (!isActiveStatus(status) && status !== 'past_due') return null;
  const leftMs = endsAt.getTime() - now.getTime();
  const isOf = (date: Date | null | undefined) => date?.getTime() === endsAt.getTime();
  const next = planAfter(row, payments);
  const isRenewedHere = next !== null && typeof subscriptionId !== 'string' && leftMs > -RENEW_LATE_MS;
  if (isRenewedHere && leftMs <= (next === plan ? RENEW_AHEAD_MS : 0)) return 'renewal';
  if (leftMs <= 0 && graceUntil && graceUntil > now) return null;
  if (leftMs <= 0) return isOf(endToldFor) ? null : 'ended';
  if (next === plan || leftMs > WEEK_MS) return null;
  if (leftMs <= DAY_MS) return isOf(warnedDayFor) ? null : 'day';
  return isOf(warnedWeekFor) ? null : 'week';
}

/** Finds the subscriptions of all accounts whose end is near or has just passed. */
export function findEnding(now: Date) {
  const within = { $gt: new Date(now.getTime() - TOLD_LATE_MS), $lte: new Date(now.getTime() + WEEK_MS) };
  return SubscriptionModel.find({ endsAt: within }).setOptions(MAINTENANCE).hint('ends').lean().cursor();
}

const WARNED_FIELDS = { week: 'warnedWeekFor', day: 'warnedDayFor', ended: 'endToldFor' } as const;
const KINDS = { week: 'plan-ends-week', day: 'plan-ends-day', ended: 'plan-ended' } as const;

/**
 * Notifies the owner that the plan ends, or has ended, in the caller's transaction: by mail, and open tabs by an
 * event. It reads again first, since the end may have moved meanwhile.
 */
export async function notifyEnd(session: ClientSession, providers: Providers, accountId: string): Promise<void> {
  if ((await UserModel.exists({ _id: accountId, deletedAt: null }).session(session)) === null) return;
  const known = await SubscriptionModel.findOne({ accountId }).session(session);
  const step = known === null ? null : dueStep(known, providers.now(), providers.payments);
  if (known === null || step === null || step === 'renewal') return;
  // Of two simultaneous instances one conflicts on the account here, runs again and sees that the notice was sent.
  await publishEvent(session, accountId, { type: 'subscription_update' });
  known.set(WARNED_FIELDS[step], known.endsAt);
  await known.save({ session });
  const { title } = PLANS[known.plan];
  const next = step === 'ended' ? null : planAfter(known, providers.payments);
  await mailOwner(session, providers, accountId, {
    kind: KINDS[step],
    name: known.status === 'trialing' ? `${title} trial` : `${title} plan`,
    next: next === null ? null : PLANS[next].title,
    message: endText(known, step, next),
    page: '/subscription/pricing',
  });
}

function endText(row: Ending, step: Exclude<EndStep, 'renewal'>, next: PaidPlan | null): string {
  const { title } = PLANS[row.plan];
  const named = row.status === 'trialing' ? `Your trial of ${title}` : `Your ${title} plan`;
  if (next !== null) {
    return `${named} becomes ${PLANS[next].title} on ${dayInWords(row.endsAt)}. Deployments beyond its limit stay live and become read-only.`;
  }
  const when = step === 'ended' ? 'has ended' : `ends on ${dayInWords(row.endsAt)}`;
  const stays = step === 'ended' ? 'stays live and is read-only' : 'stays live and becomes read-only';
  return `${named} ${when}. What you published ${stays} until a plan is active again.`;
}
