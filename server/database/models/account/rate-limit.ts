import { type InferSchemaType, model, Schema } from 'mongoose';

/**
 * One counter. `_id` is its name and the hash of what it counts by, so that no user name or address is stored. Only
 * server/account/rate-limit.ts writes it, by the server's clock.
 */
const rateLimitSchema = new Schema(
  {
    _id: { type: String, required: true },
    count: { type: Number, required: true },
    /** A counter that spaces attempts out allows none before this time. */
    blockedUntil: { type: Date, default: null },
    /** True when the last attempt came too early. */
    isBlocked: { type: Boolean, default: false },
    /** The server's time of the last attempt, from which the remaining wait is counted. */
    at: { type: Date, required: true },
    /** The end of the window. A counter past it starts anew, deleted or not. */
    expiresAt: { type: Date, required: true },
  },
  { collection: 'rate_limits' },
);
rateLimitSchema.index({ expiresAt: 1 }, { name: 'kept_until_end', expireAfterSeconds: 60 });

export type RateLimitDoc = InferSchemaType<typeof rateLimitSchema>;
export const RateLimitModel = model('RateLimit', rateLimitSchema);
