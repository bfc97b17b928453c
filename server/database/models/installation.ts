import { model, Schema } from 'mongoose';

/** The id of the one document that ties this database to its keys and its artifact store. */
export const INSTALLATION_ID = 'installation';

const installationSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** Of the keys that seal and sign here: an instance with others would lock people out, and is refused. */
    keysFingerprint: { type: String, default: null },
    /** Of the artifact store: an instance with another would serve nothing, and is refused. */
    storeId: { type: String, default: null },
    /** The process that runs migrations at the moment, until `leaseUntil` by the server's clock. */
    leaseHolder: { type: String, default: null },
    leaseUntil: { type: Date, default: null },
  },
  { timestamps: true, collection: 'installation' },
);

export const InstallationModel = model('Installation', installationSchema);
