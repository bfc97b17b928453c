import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import type { Plan } from '../../../routers/schemas/plans.ts';
import { PAID_PLANS } from '../../../routers/schemas/plans.ts';
import { subscriptionStatusSchema } from '../../../routers/schemas/states.ts';
import { PLAN_SOURCES, type Subscription } from '../../../routers/schemas/subscription.ts';
import { accountScope } from './account-scope.ts';

/** An account has at most one. `trialStartedAt` stays for ever: a trial is given once. */
const subscriptionDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    plan: { type: String, enum: PAID_PLANS, required: true },
    status: { type: String, enum: subscriptionStatusSchema.options, required: true },
    startedAt: { type: Date, required: true },
    endsAt: { type: Date, required: true },
    trialStartedAt: { type: Date, default: null },
    source: { type: String, enum: PLAN_SOURCES, required: true, default: 'trial' },
    /** Goes on by itself at `endsAt`, by another payment. */
    renews: { type: Boolean, required: true, default: false },
    /** The deployments that are to stay writable where a plan allows fewer than there are, as the person chose. */
    writableIds: { type: [String], required: true, default: [] },
    /** The end of the month in which they were chosen, on a plan that allows `writableChosenLimit`: once a month. */
    writableChosenFor: { type: Date, default: null },
    writableChosenLimit: { type: Number, default: null },
    /** It was to renew, and ends with its period all the same. */
    cancelAtEnd: { type: Boolean, required: true, default: false },
    /** When it was cancelled: a payment that was asked for before and arrives after does not undo that. */
    canceledAt: { type: Date, default: null },
    /** The subscription at a payment service that renews it. */
    subscriptionId: { type: String, default: null },
    /** When that one takes the next payment. */
    renewsAt: { type: Date, default: null },
    /** Since when its renewal is tried for in vain. */
    pastDueSince: { type: Date, default: null },
    /** Until then the plan goes on past its end: a renewal is paid a little later, or is to be tried again. */
    graceUntil: { type: Date, default: null },
    /** The smaller plan that was chosen for the time after this period. */
    nextPlan: { type: String, enum: [...PAID_PLANS, null], default: null },
    /** The ends of which the owner was told; one that moves is told anew. */
    warnedWeekFor: { type: Date, default: null },
    warnedDayFor: { type: Date, default: null },
    endToldFor: { type: Date, default: null },
  },
  { timestamps: true, collection: 'subscriptions' },
);
subscriptionDocSchema.index({ accountId: 1 }, { name: 'account_unique', unique: true });
/** Those whose end is near. */
subscriptionDocSchema.index({ endsAt: 1 }, { name: 'ends' });
subscriptionDocSchema.plugin(accountScope);

/** As it is stored, for reads that change nothing. */
export type SubscriptionRow = InferSchemaType<typeof subscriptionDocSchema>;
export type SubscriptionDoc = HydratedDocument<SubscriptionRow>;
export const SubscriptionModel = model('Subscription', subscriptionDocSchema);

/** Of whoever takes the money: whether that is the app itself, in the test checkout. */
export type Renewing = { isTest: boolean };

/** Whether it goes on at its end. What the test checkout has sold does not once a payment service takes the money. */
export function goesOnAtEnd(
  { renews, subscriptionId }: Pick<SubscriptionRow, 'renews' | 'subscriptionId'>,
  { isTest }: Renewing,
): boolean {
  return renews && (isTest || typeof subscriptionId === 'string');
}

/** One past its end reads as `expired` at once, whether or not a job has run. */
export function toSubscription(doc: SubscriptionRow, now: Date, payments: Renewing): Subscription {
  const renews = goesOnAtEnd(doc, payments);
  return {
    status: isActiveStatus(doc.status) && !isRunning(doc, now) ? 'expired' : doc.status,
    plan: doc.plan,
    startedAt: doc.startedAt,
    endsAt: doc.endsAt,
    renews,
    cancelAtEnd: renews && doc.cancelAtEnd,
    nextPlan: renews ? (doc.nextPlan ?? null) : null,
    ...(renews && !doc.cancelAtEnd && earlierPayment(doc, now)),
  };
}

function earlierPayment({ subscriptionId, renewsAt, endsAt }: SubscriptionRow, now: Date) {
  if (typeof subscriptionId !== 'string' || !renewsAt || renewsAt <= now || renewsAt >= endsAt) return {};
  return { renewsAt };
}

/** Returns the plan that counts now: `free` unless a subscription is active, or within its time of grace. */
export function activePlan(doc: SubscriptionRow | null, now: Date): Plan {
  return doc !== null && isRunning(doc, now) ? doc.plan : 'free';
}

function isRunning({ status, endsAt, graceUntil }: SubscriptionRow, now: Date): boolean {
  if (!isActiveStatus(status) && status !== 'past_due') return false;
  return endsAt > now || (graceUntil ?? endsAt) > now;
}
