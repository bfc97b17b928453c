import { model, Schema } from 'mongoose';

const DAYS_KEPT = 365;

/** A message from the contact form. `accountId` is null when the sender was signed out. */
const contactMessageSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, default: null },
    name: { type: String, required: true },
    email: { type: String, required: true },
    message: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'contact_messages' },
);
contactMessageSchema.index({ accountId: 1, at: -1 }, { name: 'account_newest' });
contactMessageSchema.index({ at: 1 }, { name: 'kept_days', expireAfterSeconds: DAYS_KEPT * 86_400 });

export const ContactMessageModel = model('ContactMessage', contactMessageSchema);
