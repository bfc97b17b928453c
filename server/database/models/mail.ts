import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { accountScope } from './account-scope.ts';

const DAYS_KEPT = 7;

/**
 * A mail that waits for its job or was sent. Its text is made when it leaves; the secret of a link is sealed until then
 * and removed afterwards, so that a dump of the database holds no usable link.
 */
const mailSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    kind: { type: String, required: true },
    to: { type: String, required: true },
    /** Words of the text that are no secret: device, address, when. */
    values: { type: Schema.Types.Mixed, required: true },
    sealedToken: { type: String, default: null },
    /** A link that is over helps nobody: not sent after this. */
    usefulUntil: { type: Date, default: null },
    /** Its reader gets so many of such mails and no more (services/mail.ts). */
    isUnasked: { type: Boolean, default: false },
    sentAt: { type: Date, default: null },
  },
  { timestamps: true, collection: 'mails', minimize: false },
);
mailSchema.index({ createdAt: 1 }, { name: 'kept_days', expireAfterSeconds: DAYS_KEPT * 86_400 });
mailSchema.plugin(accountScope);

export type MailDoc = HydratedDocument<InferSchemaType<typeof mailSchema>>;
export const MailModel = model('Mail', mailSchema);
