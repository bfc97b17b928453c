import { model, Schema } from 'mongoose';

/**
 * The id of the one document. All instances sign with the same root, so that a device that trusts it trusts them all.
 */
export const LOCAL_ROOT_ID = 'local';

const localRootSchema = new Schema(
  {
    _id: { type: String, required: true },
    certificate: { type: String, required: true },
    /** The private key, sealed for this field. */
    key: { type: String, required: true },
  },
  { timestamps: true, collection: 'local_roots' },
);
export const LocalRootModel = model('LocalRoot', localRootSchema);
