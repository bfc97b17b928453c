import { model, Schema } from 'mongoose';

/** Our account at one authority, for all customers (Let's Encrypt, "Integration Guide"): its id is the authority's. */
const acmeAccountDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** Sealed for this document and field. */
    key: { type: String, required: true },
    /** Null until the authority has said where it is. */
    url: { type: String, default: null },
    /** What the authority calls itself in persistent records; empty where its orders did not offer them. */
    persistIssuers: { type: [{ type: String, required: true }], required: true },
  },
  { timestamps: true, collection: 'acme_accounts' },
);
export const AcmeAccountModel = model('AcmeAccount', acmeAccountDocSchema);
