import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { licenseActSchema, licenseStateSchema } from '../../../routers/schemas/licenses.ts';
import { PAID_PLANS } from '../../../routers/schemas/plans.ts';
import { accountScope } from './account-scope.ts';

/** More than happens to a license; whoever hands one on and takes it back again and again fills no document. */
export const LICENSE_HISTORY_MAX = 50;

const periodDocSchema = new Schema(
  { startsAt: { type: Date, required: true }, endsAt: { type: Date, required: true } },
  { _id: false },
);

const historyDocSchema = new Schema(
  { at: { type: Date, required: true }, what: { type: String, enum: licenseActSchema.options, required: true } },
  { _id: false },
);

/** A license key and what became of it. The key itself is shown once and never kept. */
const licenseDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** Null until somebody redeems it. */
    accountId: { type: String, default: null },
    hash: { type: String, required: true },
    prefix: { type: String, required: true },
    plan: { type: String, enum: PAID_PLANS, required: true },
    /** Calendar months that the key is good for; null of one that a transfer made, which is good for the rest of `period`. */
    months: { type: Number, default: null },
    state: { type: String, enum: licenseStateSchema.options, required: true },
    /** Nobody can redeem it after that. */
    redeemBy: { type: Date, default: null },
    redeemedAt: { type: Date, default: null },
    /** The time of the plan that it gave, or gives whoever redeems the rest. */
    period: { type: periodDocSchema, default: null },
    /** The license whose rest this one is. */
    transferOf: { type: String, default: null },
    /** The license that has the rest of this one. */
    transferredTo: { type: String, default: null },
    /** What the operator has noted. */
    note: { type: String, default: '' },
    history: { type: [historyDocSchema], required: true },
  },
  { timestamps: true, collection: 'licenses' },
);
licenseDocSchema.index({ hash: 1 }, { name: 'hash_unique', unique: true });
licenseDocSchema.index({ accountId: 1, redeemedAt: -1, _id: -1 }, { name: 'account_newest' });
licenseDocSchema.index({ createdAt: 1, _id: 1 }, { name: 'oldest' });
// The keys that transfers of a license have made.
licenseDocSchema.index(
  { transferOf: 1 },
  { name: 'transfer_of', partialFilterExpression: { transferOf: { $gt: '' } } },
);
licenseDocSchema.plugin(accountScope);

/** As it is stored, for reads that change nothing. */
export type LicenseRow = InferSchemaType<typeof licenseDocSchema>;
export type LicenseDoc = HydratedDocument<LicenseRow>;
export const LicenseModel = model('License', licenseDocSchema);
