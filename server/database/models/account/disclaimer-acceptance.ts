import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';

/**
 * Acceptance of the disclaimer in a browser that was signed out. `_id` is the random id in that browser's HttpOnly
 * cookie; registration or login attaches it to the account.
 */
const disclaimerAcceptanceSchema = new Schema(
  {
    _id: { type: String, required: true },
    version: { type: Number, required: true },
    acceptedAt: { type: Date, required: true },
    accountId: { type: String, default: null },
    /** The document lives as long as the cookie. Null once it belongs to an account, which keeps it as a record. */
    expiresAt: { type: Date, default: null },
  },
  { collection: 'disclaimer_acceptances' },
);
disclaimerAcceptanceSchema.index({ accountId: 1 }, { name: 'account' });
disclaimerAcceptanceSchema.index({ expiresAt: 1 }, { name: 'kept_until_end', expireAfterSeconds: 0 });

export type DisclaimerAcceptanceDoc = HydratedDocument<InferSchemaType<typeof disclaimerAcceptanceSchema>>;
export const DisclaimerAcceptanceModel = model('DisclaimerAcceptance', disclaimerAcceptanceSchema);
