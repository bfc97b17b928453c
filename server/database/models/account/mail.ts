import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';

const DAYS_KEPT = 7;

/**
 * A mail that waits for its job or was sent. Its text is made at sending; the secret of a link is sealed until then
 * and removed afterwards, so that a dump of the database holds no usable link.
 */
const mailSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    kind: { type: String, required: true },
    to: { type: String, required: true },
    /** Words of the text that are no secret, such as the device, the address or the time. */
    values: { type: Schema.Types.Mixed, required: true },
    sealedToken: { type: String, default: null },
    /** A mail with an expired link helps nobody, so it is not sent after this time. */
    usefulUntil: { type: Date, default: null },
    /** The recipient gets a limited number of such mails (server/account/mail/queue-mail.ts). */
    isUnasked: { type: Boolean, default: false },
    sentAt: { type: Date, default: null },
  },
  { timestamps: true, collection: 'mails', minimize: false },
);
mailSchema.index({ createdAt: 1 }, { name: 'kept_days', expireAfterSeconds: DAYS_KEPT * 86_400 });
mailSchema.plugin(accountScope);

export type MailDoc = HydratedDocument<InferSchemaType<typeof mailSchema>>;
export const MailModel = model('Mail', mailSchema);
