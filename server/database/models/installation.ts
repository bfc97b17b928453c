import { model, Schema } from 'mongoose';

/** The id of the one document that ties this database to its keys and its artifact store. */
export const INSTALLATION_ID = 'installation';

const installationSchema = new Schema(
  {
    _id: { type: String, required: true },
    /**
     * Identifies the keys that seal and sign here. An instance with other keys would lock people out and is refused.
     */
    keysFingerprint: { type: String, default: null },
    /** Identifies the artifact store. An instance with another store would have nothing to serve and is refused. */
    storeId: { type: String, default: null },
    /** Identifies the indexes that a start has built last (server/database/mongo.ts). */
    indexes: { type: String, default: null },
    /** The process that runs migrations until `leaseUntil`, by the server's clock. */
    leaseHolder: { type: String, default: null },
    leaseUntil: { type: Date, default: null },
  },
  { timestamps: true, collection: 'installation' },
);

export const InstallationModel = model('Installation', installationSchema);
