import { model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';

/** A released address. For 30 days only the account that had it can take it. `_id` is the slug. */
const heldSlugSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    heldUntil: { type: Date, required: true },
  },
  { collection: 'held_slugs' },
);
heldSlugSchema.index({ heldUntil: 1 }, { name: 'held_until', expireAfterSeconds: 0 });
// Tells how many an account holds, and which of them is the oldest.
heldSlugSchema.index({ accountId: 1, heldUntil: -1, _id: 1 }, { name: 'account_newest' });
heldSlugSchema.plugin(accountScope);

export const HeldSlugModel = model('HeldSlug', heldSlugSchema);
