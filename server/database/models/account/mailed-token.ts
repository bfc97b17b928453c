import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';

/** Expired links are kept for a day, so that a late click is told "used" or "too old", and then deleted. */
const KEPT_SECONDS = 86_400;

const MAILED_PURPOSES = ['reset-password', 'confirm-email', 'stop-email-change', 'delete-account'] as const;

/** A one-time link that was mailed. Only the hash of its secret is stored. */
const mailedTokenSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    purpose: { type: String, enum: MAILED_PURPOSES, required: true },
    hash: { type: String, required: true },
    /** The address that the link was mailed to. Opening the link proves that the person reads mail there. */
    email: { type: String, required: true },
    /**
     * The address in the form that is compared. Nobody else can take an address while a change to it can still be
     * stopped.
     */
    emailKey: { type: String, required: true },
    expiresAt: { type: Date, required: true },
    usedAt: { type: Date, default: null },
  },
  { timestamps: true, collection: 'mailed_tokens' },
);
mailedTokenSchema.index({ hash: 1 }, { name: 'hash_unique', unique: true });
// All open links of an account are closed together when one of them is used.
mailedTokenSchema.index({ accountId: 1, purpose: 1, usedAt: 1 }, { name: 'account_purpose_open' });
mailedTokenSchema.index({ emailKey: 1, purpose: 1 }, { name: 'held_email' });
mailedTokenSchema.index({ expiresAt: 1 }, { name: 'kept_until_end', expireAfterSeconds: KEPT_SECONDS });
mailedTokenSchema.plugin(accountScope);

export type MailedTokenDoc = HydratedDocument<InferSchemaType<typeof mailedTokenSchema>>;
export const MailedTokenModel = model('MailedToken', mailedTokenSchema);
