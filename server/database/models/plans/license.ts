import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { licenseActSchema, licenseStateSchema } from '../../../../routers/schemas/licenses.ts';
import { PAID_PLANS } from '../../../../routers/schemas/plans.ts';
import { accountScope } from '../account-scope.ts';

/** More entries than a license needs. Handing it on and back again and again cannot fill the document. */
export const LICENSE_HISTORY_MAX = 50;

const periodDocSchema = new Schema(
  { startsAt: { type: Date, required: true }, endsAt: { type: Date, required: true } },
  { _id: false },
);

const historyDocSchema = new Schema(
  { at: { type: Date, required: true }, what: { type: String, enum: licenseActSchema.options, required: true } },
  { _id: false },
);

/** A license key and its history. The key itself is shown once and never stored. */
const licenseDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** Null until it is redeemed. */
    accountId: { type: String, default: null },
    hash: { type: String, required: true },
    prefix: { type: String, required: true },
    plan: { type: String, enum: PAID_PLANS, required: true },
    /**
     * Calendar months that the key is good for. Null for a key from a transfer, which is good for the rest of
     * `period`.
     */
    months: { type: Number, default: null },
    state: { type: String, enum: licenseStateSchema.options, required: true },
    /** The key cannot be redeemed after this time. */
    redeemBy: { type: Date, default: null },
    redeemedAt: { type: Date, default: null },
    /** The time of the plan that the key gave, or that redeeming the rest gives. */
    period: { type: periodDocSchema, default: null },
    /** The license whose rest this one is. */
    transferOf: { type: String, default: null },
    /** The license that has the rest of this one. */
    transferredTo: { type: String, default: null },
    /** The operator's note. */
    note: { type: String, default: '' },
    history: { type: [historyDocSchema], required: true },
  },
  { timestamps: true, collection: 'licenses' },
);
licenseDocSchema.index({ hash: 1 }, { name: 'hash_unique', unique: true });
licenseDocSchema.index({ accountId: 1, redeemedAt: -1, _id: -1 }, { name: 'account_newest' });
licenseDocSchema.index({ createdAt: 1, _id: 1 }, { name: 'oldest' });
// Finds the keys that transfers of a license have made.
licenseDocSchema.index(
  { transferOf: 1 },
  { name: 'transfer_of', partialFilterExpression: { transferOf: { $gt: '' } } },
);
licenseDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type LicenseRow = InferSchemaType<typeof licenseDocSchema>;
export type LicenseDoc = HydratedDocument<LicenseRow>;
export const LicenseModel = model('License', licenseDocSchema);
