import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { DISCLAIMER_VERSION } from '../../../../routers/schemas/disclaimer.ts';
import type { User } from '../../../../routers/schemas/user.ts';

/** One account, whose `_id` is the `accountId` of everything it owns. */
const userSchema = new Schema(
  {
    _id: { type: String, required: true },
    username: { type: String, required: true },
    /** The user name in lower case with runs of spaces collapsed, which is unique. */
    usernameKey: { type: String, required: true },
    email: { type: String, required: true },
    emailKey: { type: String, required: true },
    emailConfirmedAt: { type: Date, default: null },
    /** A new address that waits for its confirmation; the old one stays until then. */
    pendingEmail: { type: String, default: null },
    passwordHash: { type: String, required: true },
    /**
     * The transaction that opens a session by the password raises it, so that it conflicts with a change of the
     * password.
     */
    signIns: { type: Number, required: true, default: 0 },
    disclaimer: {
      version: { type: Number, default: 0 },
      acceptedAt: { type: Date, default: null },
    },
    /** The number that the plan caps count, changed only in the transaction that creates or removes a deployment. */
    deploymentCount: { type: Number, required: true, default: 0 },
    /** The number of the account's last stored event. Every transaction that publishes one raises it first. */
    eventSeq: { type: Number, required: true, default: 0 },
    /** Every transaction that makes an API token raises it, so that of two at once one sees the other's. */
    tokenWrites: { type: Number, required: true, default: 0 },
    connectionWrites: { type: Number, required: true, default: 0 },
    /** The badge follows the Beta plan. */
    betaTesterUntil: { type: Date, default: null },
    notifications: {
      type: new Schema(
        {
          releaseFailed: { type: Boolean, required: true, default: true },
          releaseLive: { type: Boolean, required: true, default: false },
        },
        { _id: false },
      ),
      required: true,
      default: () => ({}),
    },
    /**
     * Sites of deleted deployments that are still at their platforms, until the person dismisses them; the newest are
     * kept.
     */
    leftSites: {
      type: [
        new Schema({
          _id: { type: String, required: true },
          title: { type: String, required: true },
          message: { type: String, required: true },
          url: { type: String, default: null },
        }),
      ],
      required: true,
      default: () => [],
    },
    /** The time since which nobody can sign in, while a job erases what is left. */
    deletedAt: { type: Date, default: null },
  },
  { timestamps: true, collection: 'users' },
);
userSchema.index({ usernameKey: 1 }, { name: 'username_unique', unique: true });
userSchema.index({ emailKey: 1 }, { name: 'email_unique', unique: true });

/** The stored shape, for reads that change nothing. */
export type UserRow = InferSchemaType<typeof userSchema>;
export type UserDoc = HydratedDocument<UserRow>;
export const UserModel = model('User', userSchema);

/** Returns the account as the person sees it, without the hash of the password. */
export function toUser(doc: UserRow, now: Date): User {
  return {
    id: doc._id,
    username: doc.username,
    email: doc.email,
    emailConfirmed: doc.emailConfirmedAt !== null && doc.emailConfirmedAt !== undefined,
    pendingEmail: doc.pendingEmail ?? null,
    disclaimerAccepted: (doc.disclaimer?.version ?? 0) >= DISCLAIMER_VERSION,
    deploymentCount: doc.deploymentCount,
    isBetaTester: doc.betaTesterUntil instanceof Date && doc.betaTesterUntil > now,
    createdAt: doc.createdAt,
  };
}
