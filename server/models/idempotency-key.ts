import { type InferSchemaType, model, Schema } from 'mongoose';
import { accountScope } from './account-scope.ts';

/** Security facts, section 9: the second answer is the first's, for 24 hours. */
const KEPT_SECONDS = 86_400;

/** A key that a client made up for one act, and the id of what the act made. Written in the same transaction. */
const idempotencyKeySchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    key: { type: String, required: true },
    answerId: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'idempotency_keys' },
);
idempotencyKeySchema.index({ accountId: 1, key: 1 }, { name: 'account_key_unique', unique: true });
idempotencyKeySchema.index({ at: 1 }, { name: 'kept_a_day', expireAfterSeconds: KEPT_SECONDS });
idempotencyKeySchema.plugin(accountScope);

export type IdempotencyKeyDoc = InferSchemaType<typeof idempotencyKeySchema>;
export const IdempotencyKeyModel = model('IdempotencyKey', idempotencyKeySchema);
