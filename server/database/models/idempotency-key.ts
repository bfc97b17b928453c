import { model, Schema } from 'mongoose';
import { accountScope } from './account-scope.ts';

const HOURS_KEPT = 24;

/** The result that a client's key led to. A second call with the same key gets the answer of the first. */
const idempotencyKeySchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    key: { type: String, required: true },
    deploymentId: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'idempotency_keys' },
);
idempotencyKeySchema.index({ accountId: 1, key: 1 }, { name: 'account_key', unique: true });
idempotencyKeySchema.index({ createdAt: 1 }, { name: 'kept_hours', expireAfterSeconds: HOURS_KEPT * 3_600 });
idempotencyKeySchema.plugin(accountScope);

export const IdempotencyKeyModel = model('IdempotencyKey', idempotencyKeySchema);
