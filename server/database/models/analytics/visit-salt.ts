import { model, Schema } from 'mongoose';

/**
 * The random salt of a day, by which visitors are counted without being identified. It belongs to no account and is
 * deleted a few minutes after its day.
 */
const visitSaltDocSchema = new Schema(
  {
    /** The id is a day like `2026-11-21`, UTC. */
    _id: { type: String, required: true },
    salt: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'visit_salts' },
);
visitSaltDocSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });

export const VisitSaltModel = model('VisitSalt', visitSaltDocSchema);
