import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { DISCLAIMER_VERSION } from '../../../routers/schemas/disclaimer.ts';
import type { User } from '../../../routers/schemas/user.ts';

/** One account, whose `_id` is the `accountId` of everything it owns. */
const userSchema = new Schema(
  {
    _id: { type: String, required: true },
    username: { type: String, required: true },
    /** Lower case, runs of spaces collapsed: what is unique. */
    usernameKey: { type: String, required: true },
    email: { type: String, required: true },
    emailKey: { type: String, required: true },
    emailConfirmedAt: { type: Date, default: null },
    /** A new address that waits for its confirmation; the old one stays until then. */
    pendingEmail: { type: String, default: null },
    passwordHash: { type: String, required: true },
    /** Raised in the transaction that opens a session by the password, so that a change of the password meets it. */
    signIns: { type: Number, required: true, default: 0 },
    disclaimer: {
      version: { type: Number, default: 0 },
      acceptedAt: { type: Date, default: null },
    },
    /** The number that the plan caps count; changed only in the transaction that creates or removes a deployment. */
    deploymentCount: { type: Number, required: true, default: 0 },
    /** Number of the account's last stored event: raised first in every transaction that publishes one. */
    eventSeq: { type: Number, required: true, default: 0 },
    /** Raised in every transaction that makes an API token, so that of two at once one sees the other's. */
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
    /** What stays at platforms of what was deleted, until the person has read it; the newest are kept. */
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
    /** Since then nobody can sign in, and a job erases what is left. */
    deletedAt: { type: Date, default: null },
  },
  { timestamps: true, collection: 'users' },
);
userSchema.index({ usernameKey: 1 }, { name: 'username_unique', unique: true });
userSchema.index({ emailKey: 1 }, { name: 'email_unique', unique: true });

/** As it is stored, for reads that change nothing. */
export type UserRow = InferSchemaType<typeof userSchema>;
export type UserDoc = HydratedDocument<UserRow>;
export const UserModel = model('User', userSchema);

/** As the person sees it: without the password's hash. */
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
