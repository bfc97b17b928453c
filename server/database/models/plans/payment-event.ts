import { model, Schema } from 'mongoose';

/**
 * Events of a payment service are recorded by the id that they have there, since every event is delivered at least
 * once, and perhaps again for days. They are kept for 90 days, longer than any service repeats them
 * (https://docs.stripe.com/webhooks: three days).
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
