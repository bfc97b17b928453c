import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { type ApiToken, SCOPES } from '../../../../routers/schemas/tokens.ts';
import { accountScope } from '../account-scope.ts';

/** An API token that a person has made. Its secret is shown once and never stored. */
const apiTokenSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    name: { type: String, required: true },
    hash: { type: String, required: true },
    prefix: { type: String, required: true },
    scopes: { type: [{ type: String, enum: SCOPES, required: true }], required: true },
    /** Null for a token that lasts until it is revoked. */
    expiresAt: { type: Date, default: null },
    lastUsedAt: { type: Date, default: null },
  },
  { timestamps: true, collection: 'api_tokens' },
);
apiTokenSchema.index({ hash: 1 }, { name: 'hash_unique', unique: true });
apiTokenSchema.index({ accountId: 1, createdAt: -1, _id: -1 }, { name: 'account_newest' });
apiTokenSchema.plugin(accountScope);

export type ApiTokenDoc = HydratedDocument<InferSchemaType<typeof apiTokenSchema>>;
export const ApiTokenModel = model('ApiToken', apiTokenSchema);

/** Returns the token without its secret, of which only the first characters are known after it was made. */
export function toApiToken(doc: ApiTokenDoc): ApiToken {
  return {
    id: doc._id,
    name: doc.name,
    prefix: doc.prefix,
    scopes: [...doc.scopes],
    createdAt: doc.createdAt,
    expiresAt: doc.expiresAt ?? null,
    lastUsedAt: doc.lastUsedAt ?? null,
  };
}
