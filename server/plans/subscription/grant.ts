import type { ClientSession } from 'mongoose';
import { isAbove, PAID_PLANS, type PaidPlan, PLANS } from '../../../routers/schemas/plans.ts';
import type { PlanSource } from '../../../routers/schemas/subscription.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { LicenseModel } from '../../database/models/plans/license.ts';
import { PaymentModel } from '../../database/models/plans/payment.ts';
import {
  activePlan,
  type SubscriptionDoc,
  SubscriptionModel,
  type SubscriptionRow,
} from '../../database/models/plans/subscription.ts';
import { newId } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { addMonths, dayInWords } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';
import { requireLiveAccount } from './live-account.ts';
import { askAbout, graceAfter } from './renewal.ts';

export type PlanGrant = {
  accountId: string;
  plan: PaidPlan;
  source: Exclude<PlanSource, 'trial'>;
  /** Calendar months in UTC, the day clamped to the length of the month. */
  months: number;
  /** The rest of a period that another account began, in addition to the months or without any. */
  restMs?: number;
  /** The rest of the replaced lower plan, as time of this one: it follows the period. */
  keptMs?: number;
  /** The period of a payment service, in place of `months`. */
  period?: GrantedPeriod | null;
  /** The subscription there that renews the plan. All its payments count, even for a smaller plan. */
  subscriptionId?: string | null;
  /** True when another payment continues the plan at the end of the period. */
  renews?: boolean;
  /** The earlier time at which the person requested it: a cancellation since then stays. */
  askedAt?: Date | null | undefined;
  now: Date;
};

/** The time that one grant gave; the caller stores it, so that it can be taken back. */
export type GrantedPeriod = { startsAt: Date; endsAt: Date };

/**
 * Gives the account a period of a plan, in the caller's transaction, and informs its open tabs. The same plan
 * continues from the end of the present one, and a paid Pro from the end of the trial. A higher plan replaces a lower
 * one at once, and any plan replaces the trial. It never gives less than the present plan: throws `conflict` for a
 * lower plan, and for Pro and Beta beside each other (`refusePlan` checks that ahead). Throws `not_found` without such
 * an account. The returned period is without the kept time, which belongs to no payment or key and ends with none.
 */
export async function grantPlan(session: ClientSession, grant: PlanGrant): Promise<GrantedPeriod> {
  const { accountId, plan, source, keptMs = 0, renews = false, askedAt = null, now } = grant;
  const known = await takeSubscription(session, accountId);
  const isOwnSubscription = grant.subscriptionId && known?.subscriptionId === grant.subscriptionId;
  if (!isOwnSubscription) refusePlan(known, plan, now);
  const goesOn = known !== null && activePlan(known, now) === plan;
  const startsAt = goesOn ? known.endsAt : now;
  const endsAt = endOf(grant, { startsAt, goesOn });
  const renewedBy = known?.subscriptionId ?? null;
  const subscriptionId = grant.subscriptionId ?? (goesOn ? renewedBy : null);
  const doc = known ?? new SubscriptionModel({ _id: newId(), accountId });
  const startedAt = goesOn ? known.startedAt : now;
  // A key extends what a payment renews. In the test checkout the next payment comes later by that much; a payment
  // service charges on its own day, and the time of that payment follows.
  const renewsNow = renews || (goesOn && known.renews);
  const isCanceledSince = askedAt !== null && doc.cancelAtEnd && (doc.canceledAt ?? askedAt) > askedAt;
  const until = new Date(endsAt.getTime() + keptMs);
  doc.set({ plan, status: 'active', startedAt, endsAt: until, source, renews: renewsNow });
  doc.set({ subscriptionId, pastDueSince: null, graceUntil: subscriptionId === null ? null : graceAfter(until) });
  // The renewal of a replaced plan would go on charging for it.
  if (renewedBy !== null && renewedBy !== subscriptionId) await askAbout(session, accountId);
  // Decisions about the end of another plan are void.
  if (!goesOn) doc.set({ cancelAtEnd: isCanceledSince, nextPlan: null });
  await doc.save({ session });
  if (!goesOn) await replacePayments(session, accountId, { by: plan, now });
  await moveBadge(session, doc);
  return { startsAt, endsAt };
}

/**
 * Returns the end. A payment service's period is added to the present end like months: none of the earlier time is
 * lost.
 */
function endOf(
  { months, period, restMs = 0 }: PlanGrant,
  { startsAt, goesOn }: { startsAt: Date; goesOn: boolean },
): Date {
  if (!period) return new Date(addMonths(startsAt, months).getTime() + restMs);
  const lengthMs = period.endsAt.getTime() - period.startsAt.getTime();
  return new Date((goesOn ? startsAt.getTime() + lengthMs : period.endsAt.getTime()) + restMs);
}

/**
 * Marks payments for other plans as replaced: their rest was credited to this one, kept as its time, or has ended, and
 * must not count again.
 */
async function replacePayments(
  session: ClientSession,
  accountId: string,
  { by, now }: { by: PaidPlan; now: Date },
): Promise<void> {
  const others = PAID_PLANS.filter((plan) => plan !== by);
  const left = { accountId, state: 'paid', plan: { $in: others }, replacedAt: null, endsAt: { $gt: now } } as const;
  await PaymentModel.updateMany(left, { $set: { replacedAt: now } }, { session });
}

/** Throws `conflict` when another plan would give less than the present one, or nothing more. */
export function refusePlan(known: SubscriptionRow | null, plan: PaidPlan, now: Date): void {
  const running = activePlan(known, now);
  if (known === null || running === 'free' || running === plan || known.status === 'trialing') return;
  // Nothing is left of it but its time of grace.
  if (known.endsAt <= now) return;
  if (isAbove(plan, running)) return;
  const reason = isAbove(running, plan)
    ? `includes all of ${PLANS[plan].title}`
    : `allows the same as ${PLANS[plan].title}`;
  throw new AppError(
    'conflict',
    `Your ${PLANS[running].title} plan ${reason} and runs until ${dayInWords(known.endsAt)}.`,
    {
      hint: `Choose ${PLANS[plan].title} once your ${PLANS[running].title} plan has ended.`,
    },
  );
}

type PlanEnd = {
  accountId: string;
  plan: PaidPlan;
  period: GrantedPeriod;
  /** The subscription at a payment service whose money was refunded: it renews nothing any more. */
  subscriptionId?: string | null | undefined;
  now: Date;
};

/**
 * Takes back the unused part of a granted period, in the caller's transaction, because a key was revoked or a payment
 * refunded. The plan ends that much earlier, at once when nothing is left, and then is `canceled`; later licenses and
 * payments begin that much earlier. Returns the milliseconds that were taken: 0 when another plan has replaced it or
 * the period is over. Deployments stay live.
 */
export async function endPlan(
  session: ClientSession,
  { accountId, plan, period, subscriptionId, now }: PlanEnd,
): Promise<number> {
  const known = await takeSubscription(session, accountId);
  if (known === null || activePlan(known, now) !== plan || known.startedAt > period.startsAt) return 0;
  const unusedMs = period.endsAt.getTime() - Math.max(now.getTime(), period.startsAt.getTime());
  if (unusedMs <= 0) return 0;
  const takenMs = Math.min(unusedMs, known.endsAt.getTime() - now.getTime());
  const endsAt = new Date(known.endsAt.getTime() - takenMs);
  const isOver = endsAt <= now;
  const isReturned = subscriptionId !== undefined && subscriptionId !== null && known.subscriptionId === subscriptionId;
  const goesOnBy = isOver || isReturned ? null : (known.subscriptionId ?? null);
  known.set({
    endsAt,
    ...(isOver && { status: 'canceled' }),
    ...((isOver || isReturned) && { renews: false, cancelAtEnd: false, nextPlan: null, pastDueSince: null }),
    subscriptionId: goesOnBy,
    graceUntil: goesOnBy === null || known.cancelAtEnd ? null : graceAfter(endsAt),
  });
  await known.save({ session });
  await moveBadge(session, known);
  await bringForward(session, { accountId, plan, from: period.endsAt, byMs: takenMs });
  return takenMs;
}

type Shift = { accountId: string; plan: PaidPlan; from: Date; byMs: number };

/** Moves later periods forward, into the time that was taken. */
async function bringForward(session: ClientSession, { accountId, plan, from, byMs }: Shift): Promise<void> {
  const earlier = (field: string) => ({ $subtract: [`$${field}`, byMs] });
  await LicenseModel.updateMany(
    { accountId, state: 'redeemed', plan, 'period.startsAt': { $gte: from } },
    [{ $set: { period: { startsAt: earlier('period.startsAt'), endsAt: earlier('period.endsAt') } } }],
    { session, updatePipeline: true },
  );
  await PaymentModel.updateMany(
    { accountId, state: 'paid', plan, replacedAt: null, startsAt: { $gte: from } },
    [{ $set: { startsAt: earlier('startsAt'), endsAt: earlier('endsAt') } }],
    { session, updatePipeline: true },
  );
}

/** Gives or takes the Beta Tester badge, which follows the plan. */
async function moveBadge(session: ClientSession, { accountId, plan, endsAt }: SubscriptionDoc): Promise<void> {
  const betaTesterUntil = plan === 'BETA' ? endsAt : null;
  await UserModel.updateOne({ _id: accountId }, { $set: { betaTesterUntil } }, { session });
}

/**
 * Reads the subscription for a change of it. The event is appended first, which takes a number of the account: of two
 * simultaneous changes the later one conflicts there, runs again, and sees the other's writes.
 */
async function takeSubscription(session: ClientSession, accountId: string): Promise<SubscriptionDoc | null> {
  await requireLiveAccount(session, accountId);
  await publishEvent(session, accountId, { type: 'subscription_update' });
  return SubscriptionModel.findOne({ accountId }).session(session);
}
