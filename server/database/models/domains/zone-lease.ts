import { model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';

/** The process that holds the lease writes to a zone; `_id` is the account and the zone's name. */
const zoneLeaseDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    holder: { type: String, required: true },
    endsAt: { type: Date, required: true },
  },
  { collection: 'zone_leases' },
);
zoneLeaseDocSchema.index({ endsAt: 1 }, { name: 'kept_until_end', expireAfterSeconds: 3_600 });
zoneLeaseDocSchema.index({ accountId: 1 }, { name: 'account' });
zoneLeaseDocSchema.plugin(accountScope);

export const ZoneLeaseModel = model('ZoneLease', zoneLeaseDocSchema);
