import { type InferSchemaType, model, Schema } from 'mongoose';
import { DAY_MS } from '../../lib/durations.ts';
import { accountScope } from './account-scope.ts';

/** Whatever stands in the way for so long, such as a connection that was broken, is not waited for any more. */
const KEPT_MS = 30 * DAY_MS;

/**
 * A TXT value that answers DNS-01 in somebody's zone. It is written down before it is put there, and kept until it is taken
 * away again, so that no crash leaves one behind. `_id` is the certificate with the name and the value.
 */
const challengeRecordDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    certificateId: { type: String, required: true },
    connectionId: { type: String, required: true },
    /** As the provider named it (server/dns/provider.ts). */
    zone: { type: Schema.Types.Mixed, required: true },
    name: { type: String, required: true },
    value: { type: String, required: true },
    /** From then on nobody needs it, and whoever finds it takes it away. */
    neededUntil: { type: Date, required: true },
    /** How often it could not be taken away. */
    failures: { type: Number },
  },
  { timestamps: true, collection: 'challenge_records', minimize: false },
);
challengeRecordDocSchema.index({ neededUntil: 1 }, { name: 'left' });
challengeRecordDocSchema.index({ accountId: 1, neededUntil: 1 }, { name: 'account_left' });
challengeRecordDocSchema.index({ accountId: 1, certificateId: 1 }, { name: 'account_certificate' });
challengeRecordDocSchema.index({ createdAt: 1 }, { name: 'given_up', expireAfterSeconds: KEPT_MS / 1_000 });
challengeRecordDocSchema.plugin(accountScope);

export type ChallengeRecordRow = InferSchemaType<typeof challengeRecordDocSchema>;
export const ChallengeRecordModel = model('ChallengeRecord', challengeRecordDocSchema);
