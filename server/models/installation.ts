import { model, Schema } from 'mongoose';

/** This is the one document that says what this database belongs to. */
export const INSTALLATION_ID = 'installation';

const installationSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** Of the keys that seal and sign here: an instance with others would lock people out, and is refused. */
    keysFingerprint: { type: String, default: null },
    /** Of the artifact store: an instance with another would serve nothing, and is refused. */
    storeId: { type: String, default: null },
    /** Says who runs migrations at the moment, by the server's clock. */
    leaseHolder: { type: String, default: null },
    leaseUntil: { type: Date, default: null },
  },
  { timestamps: true, collection: 'installation' },
);

export const InstallationModel = model('Installation', installationSchema);
