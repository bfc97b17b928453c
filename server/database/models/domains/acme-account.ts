import { model, Schema } from 'mongoose';

/**
 * One account at an authority serves all customers (Let's Encrypt, "Integration Guide"); the document has the
 * authority's id.
 */
const acmeAccountDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** The private key, sealed for this document and field. */
    key: { type: String, required: true },
    /** Null until the authority has named the account's address. */
    url: { type: String, default: null },
    /**
     * The issuer names by which the authority is recognised in persistent validation records; empty when its orders
     * did not offer any.
     */
    persistIssuers: { type: [{ type: String, required: true }], required: true },
  },
  { timestamps: true, collection: 'acme_accounts' },
);
export const AcmeAccountModel = model('AcmeAccount', acmeAccountDocSchema);
