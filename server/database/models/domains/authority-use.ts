import { model, Schema } from 'mongoose';

/** One use of what an authority limits, by any instance; server/domains/certificates/authority/budget.ts knows the limits. */
const authorityUseDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** The key begins with the authority's id. */
    key: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'authority_uses' },
);
authorityUseDocSchema.index({ key: 1, at: 1 }, { name: 'key_time' });
// The longest span over which an authority counts is a week.
authorityUseDocSchema.index({ at: 1 }, { name: 'expiry', expireAfterSeconds: 8 * 24 * 60 * 60 });
export const AuthorityUseModel = model('AuthorityUse', authorityUseDocSchema);
