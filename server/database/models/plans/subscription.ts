import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { isActiveStatus } from '../../../../routers/schemas/active-status.ts';
import type { Plan } from '../../../../routers/schemas/plans.ts';
import { PAID_PLANS } from '../../../../routers/schemas/plans.ts';
import { subscriptionStatusSchema } from '../../../../routers/schemas/states.ts';
import { PLAN_SOURCES, type Subscription } from '../../../../routers/schemas/subscription.ts';
import { accountScope } from '../account-scope.ts';

/** An account has at most one subscription. `trialStartedAt` stays for ever, because a trial is given once. */
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
    /** The subscription continues by itself at `endsAt`, with another payment. */
    renews: { type: Boolean, required: true, default: false },
    /** The deployments that the person chose to keep writable on a plan that allows fewer than there are. */
    writableIds: { type: [String], required: true, default: [] },
    /**
     * The end of the month in which they were chosen, on a plan that allows `writableChosenLimit`. The choice can be
     * made once a month.
     */
    writableChosenFor: { type: Date, default: null },
    writableChosenLimit: { type: Number, default: null },
    /** True when a subscription that would renew ends with its period instead. */
    cancelAtEnd: { type: Boolean, required: true, default: false },
    /** The time of the cancellation. A payment requested before it that arrives after it does not undo it. */
    canceledAt: { type: Date, default: null },
    /** The subscription at the payment service that renews it. */
    subscriptionId: { type: String, default: null },
    /** The time at which the payment service takes the next payment. */
    renewsAt: { type: Date, default: null },
    /** The time of the first failed attempt to renew. */
    pastDueSince: { type: Date, default: null },
    /** The plan continues past its end until this time, because a renewal is paid a little later or is tried again. */
    graceUntil: { type: Date, default: null },
    /** The smaller plan that was chosen for the time after this period. */
    nextPlan: { type: String, enum: [...PAID_PLANS, null], default: null },
    /** The ends that the owner was warned of. If the end moves, the owner is warned anew. */
    warnedWeekFor: { type: Date, default: null },
    warnedDayFor: { type: Date, default: null },
    endToldFor: { type: Date, default: null },
  },
  { timestamps: true, collection: 'subscriptions' },
);
subscriptionDocSchema.index({ accountId: 1 }, { name: 'account_unique', unique: true });
/** Finds subscriptions that end soon. */
subscriptionDocSchema.index({ endsAt: 1 }, { name: 'ends' });
subscriptionDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type SubscriptionRow = InferSchemaType<typeof subscriptionDocSchema>;
export type SubscriptionDoc = HydratedDocument<SubscriptionRow>;
export const SubscriptionModel = model('Subscription', subscriptionDocSchema);

/** Describes who takes the money: `isTest` means that Fairlead itself does, in the test checkout. */
export type Renewing = { isTest: boolean };

/**
 * True when the subscription continues at its end. One that the test checkout has sold does not once a payment service
 * takes the money.
 */
export function goesOnAtEnd(
  { renews, subscriptionId }: Pick<SubscriptionRow, 'renews' | 'subscriptionId'>,
  { isTest }: Renewing,
): boolean {
  return renews && (isTest || typeof subscriptionId === 'string');
}

/** A subscription past its end reads as `expired` at once, whether or not a job has run. */
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

/** Returns the current plan: `free` unless a subscription is active or within its grace time. */
export function activePlan(doc: SubscriptionRow | null, now: Date): Plan {
  return doc !== null && isRunning(doc, now) ? doc.plan : 'free';
}

function isRunning({ status, endsAt, graceUntil }: SubscriptionRow, now: Date): boolean {
  if (!isActiveStatus(status) && status !== 'past_due') return false;
  return endsAt > now || (graceUntil ?? endsAt) > now;
}
