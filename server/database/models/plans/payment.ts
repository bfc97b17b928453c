import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import type { Payment } from '../../../../routers/schemas/payments.ts';
import { daysFor, PAID_PLANS } from '../../../../routers/schemas/plans.ts';
import { paymentStateSchema } from '../../../../routers/schemas/states.ts';
import { accountScope } from '../account-scope.ts';

const DISPUTES = ['open', 'won', 'lost'] as const;

/** Fairlead decides price, plan and months, and records them before anybody is asked to pay. */
const paymentDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    plan: { type: String, enum: PAID_PLANS, required: true },
    months: { type: Number, required: true },
    amountCents: { type: Number, required: true },
    creditCents: { type: Number, required: true },
    /** Credit beyond the price, which makes the period longer. */
    surplusCents: { type: Number, required: true, default: 0 },
    state: { type: String, enum: paymentStateSchema.options, required: true },
    isProcessing: { type: Boolean, required: true, default: false },
    isRenewal: { type: Boolean, required: true, default: false },
    isTest: { type: Boolean, required: true },
    expiresAt: { type: Date, required: true },
    /** The time at which the person had done everything for a payment whose money arrives later. */
    confirmedAt: { type: Date, default: null },
    paidAt: { type: Date, default: null },
    startsAt: { type: Date, default: null },
    endsAt: { type: Date, default: null },
    currency: { type: String, required: true, default: 'usd' },
    /** A part of the amount. */
    taxCents: { type: Number, required: true, default: 0 },
    /** The part of the money paid that was given back. */
    refundedCents: { type: Number, required: true, default: 0 },
    dispute: { type: String, enum: [...DISPUTES, null], default: null },
    /**
     * Ids at a payment service: the checkout page, the payment, the charge that a refund goes back to, and the
     * subscription.
     */
    checkoutId: { type: String, default: null },
    paidId: { type: String, default: null },
    chargeId: { type: String, default: null },
    subscriptionId: { type: String, default: null },
    /**
     * The time at which another plan replaced the one that this payment bought; the rest of its time was credited
     * then.
     */
    replacedAt: { type: Date, default: null },
    /** The time at which a failed payment is deleted; null for one that was paid or is on its way. */
    forgetAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: 'payments' },
);
/** Two clicks at once lead to one checkout. */
paymentDocSchema.index(
  { accountId: 1 },
  { name: 'account_pending', unique: true, partialFilterExpression: { state: 'pending' } },
);
paymentDocSchema.index({ accountId: 1, createdAt: -1 }, { name: 'account_newest' });
paymentDocSchema.index(
  { accountId: 1, plan: 1, replacedAt: 1, endsAt: 1 },
  { name: 'account_paid', partialFilterExpression: { state: 'paid' } },
);
/** Money is taken once, so it starts a plan once, whichever instance is notified. */
paymentDocSchema.index(
  { paidId: 1 },
  { name: 'paid_id_unique', unique: true, partialFilterExpression: { paidId: { $type: 'string' } } },
);
paymentDocSchema.index({ chargeId: 1 }, { name: 'charge', partialFilterExpression: { chargeId: { $type: 'string' } } });
paymentDocSchema.index({ forgetAt: 1 }, { name: 'kept_until_end', expireAfterSeconds: 0 });
paymentDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type PaymentRow = InferSchemaType<typeof paymentDocSchema>;
export type PaymentDoc = HydratedDocument<PaymentRow>;
export const PaymentModel = model('Payment', paymentDocSchema);

/** A checkout past its end reads as `expired` at once; a payment on its way has no such end. */
export function hasExpired(doc: Pick<PaymentRow, 'state' | 'isProcessing' | 'expiresAt'>, now: Date): boolean {
  return doc.state === 'pending' && !doc.isProcessing && doc.expiresAt <= now;
}

export function toPayment(doc: PaymentRow, now: Date): Payment {
  const { _id: id, plan, months, amountCents, creditCents, isProcessing, isTest, createdAt, expiresAt } = doc;
  const { currency = 'usd', taxCents = 0, refundedCents = 0 } = doc;
  return {
    id,
    plan,
    months,
    amountCents,
    currency,
    taxCents,
    creditCents,
    refundedCents,
    extraDays: daysFor(plan, doc.surplusCents ?? 0),
    state: hasExpired(doc, now) ? 'expired' : doc.state,
    isProcessing,
    isRenewal: doc.isRenewal ?? false,
    isTest,
    createdAt,
    expiresAt,
    paidAt: doc.paidAt ?? null,
    period: doc.startsAt && doc.endsAt ? { startsAt: doc.startsAt, endsAt: doc.endsAt } : null,
  };
}
