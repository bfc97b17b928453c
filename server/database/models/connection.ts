import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { connectionProviderSchema, connectionStateSchema } from '../../../routers/schemas/connections.ts';
import { dnsProviderIdSchema } from '../../../routers/schemas/dns-providers.ts';
import { accountScope } from './account-scope.ts';

const usedZoneDocSchema = new Schema(
  { name: { type: String, required: true }, lostAt: { type: Date, default: null } },
  { _id: false },
);

/** An account's credential at a hosting platform or DNS provider, sealed with the keys of this installation. */
const connectionDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    provider: {
      type: String,
      enum: [...connectionProviderSchema.options, ...dnsProviderIdSchema.options],
      required: true,
    },
    /** Sealed for this document and field, and opened only to make a request. */
    credential: { type: String, required: true },
    identity: { type: String, required: true },
    /** The id by which the provider itself knows the identity; null when it does not tell. */
    subject: { type: String, default: null },
    warnings: { type: [{ type: String, required: true }], required: true },
    state: { type: String, enum: connectionStateSchema.options, required: true, default: 'ok' as const },
    problem: { type: { message: { type: String, required: true }, hint: String }, default: null, _id: false },
    /** The end of the access token. A token that can be renewed belongs to an authorization that lasts longer. */
    expiresAt: { type: Date, default: null },
    isRenewable: { type: Boolean, required: true, default: false },
    /** While one process renews the token, the others wait until then. */
    leaseEndsAt: { type: Date, default: null },
    testedAt: { type: Date, required: true },
    /** Zones of a DNS provider that were written to, and since when one of them is missing. */
    usedZones: { type: [usedZoneDocSchema], required: true },
  },
  { timestamps: true, collection: 'connections' },
);
connectionDocSchema.index({ accountId: 1, createdAt: -1, _id: -1 }, { name: 'account_newest' });
// Finds connections that were not tested for long.
connectionDocSchema.index({ testedAt: 1 }, { name: 'due' });
connectionDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type ConnectionRow = InferSchemaType<typeof connectionDocSchema>;
export type ConnectionDoc = HydratedDocument<ConnectionRow>;
export const ConnectionModel = model('Connection', connectionDocSchema);
