import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import type { Session } from '../../../../routers/schemas/auth.ts';
import { accountScope } from '../account-scope.ts';

/** A signed-in browser. Nothing in it can be used to sign in. */
const sessionDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    /**
     * Holds the SHA-256 of every access token that has not expired, newest last and at most 50, and of the last
     * hour's, for logout.
     */
    access: {
      type: [
        new Schema(
          { hash: { type: String, required: true }, expiresAt: { type: Date, required: true } },
          { _id: false },
        ),
      ],
      required: true,
      default: [],
    },
    lastIssuedAt: { type: Date, required: true },
    generation: { type: Number, required: true, default: 0 },
    rotatedAt: { type: Date, required: true },
    /** The key that made the refresh token. */
    keyId: { type: String, required: true },
    device: { type: String, required: true },
    address: { type: String, required: true },
    lastUsedAt: { type: Date, required: true },
    /** 30 days idle or 90 days in all, whichever ends first. */
    idleEndsAt: { type: Date, required: true },
    endsAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
    revokedReason: { type: String, default: null },
  },
  { timestamps: true, collection: 'sessions' },
);
sessionDocSchema.index({ 'access.hash': 1 }, { name: 'access_hash' });
sessionDocSchema.index({ accountId: 1, revokedAt: 1, idleEndsAt: 1 }, { name: 'account_live' });
sessionDocSchema.index({ endsAt: 1 }, { name: 'kept_until_end', expireAfterSeconds: 86_400 });
sessionDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type SessionRow = InferSchemaType<typeof sessionDocSchema>;
export type SessionDoc = HydratedDocument<SessionRow>;
export const SessionModel = model('Session', sessionDocSchema);

/** Returns the filter of sessions that are neither revoked nor expired. */
export function openSessionFilter(now: Date) {
  return { revokedAt: null, endsAt: { $gt: now }, idleEndsAt: { $gt: now } };
}

/** Returns a session without anything that could be used to sign in. */
export function toSession(doc: SessionDoc, currentSessionId: string): Session {
  return {
    id: doc._id,
    device: doc.device,
    address: doc.address,
    isCurrent: doc._id === currentSessionId,
    createdAt: doc.createdAt,
    lastUsedAt: doc.lastUsedAt,
  };
}
