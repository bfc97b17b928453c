import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { connectionProviderSchema, connectionStateSchema } from '../../../routers/schemas/connections.ts';
import { dnsProviderIdSchema } from '../../../routers/schemas/dns-providers.ts';
import { accountScope } from './account-scope.ts';

const usedZoneDocSchema = new Schema(
  { name: { type: String, required: true }, lostAt: { type: Date, default: null } },
  { _id: false },
);

/** An account's credential at a hosting platform or DNS provider, sealed under the keys of this installation. */
const connectionDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    provider: {
      type: String,
      enum: [...connectionProviderSchema.options, ...dnsProviderIdSchema.options],
      required: true,
    },
    /** Sealed for this document and field; opened only to make a request. */
    credential: { type: String, required: true },
    identity: { type: String, required: true },
    /** What the provider itself knows the identity by; null where it does not tell. */
    subject: { type: String, default: null },
    warnings: { type: [{ type: String, required: true }], required: true },
    state: { type: String, enum: connectionStateSchema.options, required: true, default: 'ok' as const },
    problem: { type: { message: { type: String, required: true }, hint: String }, default: null, _id: false },
    /** Of the token; where it can be renewed, the authorization outlives it. */
    expiresAt: { type: Date, default: null },
    isRenewable: { type: Boolean, required: true, default: false },
    /** While one process renews the token, the others wait for it. */
    leaseEndsAt: { type: Date, default: null },
    testedAt: { type: Date, required: true },
    /** Of a DNS provider: the zones that were worked with, and since when one is not there any more. */
    usedZones: { type: [usedZoneDocSchema], required: true },
  },
  { timestamps: true, collection: 'connections' },
);
connectionDocSchema.index({ accountId: 1, createdAt: -1, _id: -1 }, { name: 'account_newest' });
// Those that nobody has asked after for long.
connectionDocSchema.index({ testedAt: 1 }, { name: 'due' });
connectionDocSchema.plugin(accountScope);

/** As it is stored, for reads that change nothing. */
export type ConnectionRow = InferSchemaType<typeof connectionDocSchema>;
export type ConnectionDoc = HydratedDocument<ConnectionRow>;
export const ConnectionModel = model('Connection', connectionDocSchema);
