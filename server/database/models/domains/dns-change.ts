import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { recordPlanStateSchema } from '../../../../routers/schemas/domains.ts';
import { accountScope } from '../account-scope.ts';

/** A change of records as it was shown to a person, and its outcome. `_id` is the id of the plan. */
const dnsChangeDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    domainId: { type: String, required: true },
    connectionId: { type: String, required: true },
    /** The zone, as the provider described it (server/dns/provider.ts). */
    zone: { type: Schema.Types.Mixed, required: true },
    state: { type: String, enum: recordPlanStateSchema.options, required: true },
    changes: { type: [Schema.Types.Mixed], required: true },
    conflicts: { type: [Schema.Types.Mixed], required: true },
    /** Explains why the plan was not written or not undone; while it is still running, the reason why it waits. */
    error: {
      type: {
        code: { type: String, required: true },
        message: { type: String, required: true },
        hint: { type: String, default: null },
      },
      default: null,
      _id: false,
    },
    expiresAt: { type: Date, required: true },
  },
  { timestamps: true, collection: 'dns_changes', minimize: false },
);
dnsChangeDocSchema.index({ expiresAt: 1 }, { name: 'kept_until_end', expireAfterSeconds: 0 });
// Finds a domain's plans in some states, newest first.
dnsChangeDocSchema.index({ accountId: 1, domainId: 1, state: 1, updatedAt: -1 }, { name: 'account_domain_state' });
dnsChangeDocSchema.plugin(accountScope);

export type DnsChangeDoc = HydratedDocument<InferSchemaType<typeof dnsChangeDocSchema> & { updatedAt: Date }>;
export const DnsChangeModel = model('DnsChange', dnsChangeDocSchema);
