import { type InferSchemaType, model, Schema } from 'mongoose';
import { accountScope } from './account-scope.ts';

const DAYS_KEPT = 7;

/** The event log of an account: `seq` is the order of commits, without gaps. */
const eventSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    seq: { type: Number, required: true },
    type: { type: String, required: true },
    /** The event without its type, in the shape of routers/schemas/events.ts. */
    payload: { type: Schema.Types.Mixed, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'events', minimize: false },
);
eventSchema.index({ accountId: 1, seq: 1 }, { name: 'account_seq', unique: true });
eventSchema.index({ at: 1 }, { name: 'kept_days', expireAfterSeconds: DAYS_KEPT * 86_400 });
eventSchema.plugin(accountScope);

export type EventDoc = InferSchemaType<typeof eventSchema>;
export const EventModel = model('Event', eventSchema);
