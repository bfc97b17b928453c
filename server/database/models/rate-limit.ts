import { type InferSchemaType, model, Schema } from 'mongoose';

/**
 * One counter: `_id` is its name and the hash of what it counts by, so that no user name or address is kept. Written by
 * services/rate-limit.ts alone, by the server's clock.
 */
const rateLimitSchema = new Schema(
  {
    _id: { type: String, required: true },
    count: { type: Number, required: true },
    /** Of counters that space attempts out: nothing goes before this. */
    blockedUntil: { type: Date, default: null },
    /** True when the last attempt came too early. */
    isBlocked: { type: Boolean, default: false },
    /** The server's time of the last attempt: what is left to wait is counted from it. */
    at: { type: Date, required: true },
    /** The window ends then; past it the counter starts anew, swept or not. */
    expiresAt: { type: Date, required: true },
  },
  { collection: 'rate_limits' },
);
rateLimitSchema.index({ expiresAt: 1 }, { name: 'kept_until_end', expireAfterSeconds: 60 });

export type RateLimitDoc = InferSchemaType<typeof rateLimitSchema>;
export const RateLimitModel = model('RateLimit', rateLimitSchema);
