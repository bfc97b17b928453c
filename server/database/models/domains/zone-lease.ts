import { model, Schema } from 'mongoose';

/** The process that holds the lease writes to a zone; `_id` is the hash of its provider, its server and its id there. */
const zoneLeaseDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    holder: { type: String, required: true },
    endsAt: { type: Date, required: true },
  },
  { collection: 'zone_leases' },
);
zoneLeaseDocSchema.index({ endsAt: 1 }, { name: 'kept_until_end', expireAfterSeconds: 3_600 });

export const ZoneLeaseModel = model('ZoneLease', zoneLeaseDocSchema);
