import { model, Schema } from 'mongoose';

/**
 * The random keys that seal the session tickets of one period, for all processes. They belong to no account, and are
 * deleted with their period.
 */
const ticketKeysDocSchema = new Schema(
  {
    /** The id is the beginning of the period like `2026-11-21T12:00:00.000Z`. */
    _id: { type: String, required: true },
    sealedKeys: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'ticket_keys' },
);
ticketKeysDocSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });

export const TicketKeysModel = model('TicketKeys', ticketKeysDocSchema);
