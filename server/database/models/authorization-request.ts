import { model, Schema } from 'mongoose';
import { connectionProviderSchema } from '../../../routers/schemas/connections.ts';
import { accountScope } from './account-scope.ts';

/**
 * A person was sent to a platform to give consent and has not come back yet. There is one document for each account
 * and platform.
 */
const authorizationRequestSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    provider: { type: String, enum: connectionProviderSchema.options, required: true },
    stateHash: { type: String, required: true },
    verifier: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { timestamps: true, collection: 'authorization_requests' },
);
authorizationRequestSchema.index({ accountId: 1, provider: 1 }, { name: 'account_provider_unique', unique: true });
authorizationRequestSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
authorizationRequestSchema.plugin(accountScope);

export const AuthorizationRequestModel = model('AuthorizationRequest', authorizationRequestSchema);
