import { model, Schema } from 'mongoose';

/**
 * What a payment service has told, by its id there: it tells everything at least once, and perhaps again for days. Kept
 * for 90 days, longer than any of them repeats itself (https://docs.stripe.com/webhooks: three days).
 */
const KEPT_SECONDS = 90 * 24 * 60 * 60;

const paymentEventSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'payment_events' },
);
paymentEventSchema.index({ at: 1 }, { name: 'kept_90_days', expireAfterSeconds: KEPT_SECONDS });
paymentEventSchema.index({ accountId: 1 }, { name: 'account' });

export const PaymentEventModel = model('PaymentEvent', paymentEventSchema);
