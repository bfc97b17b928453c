import { type InferSchemaType, model, Schema } from 'mongoose';
import { DAY_MS } from '../../../lib/durations.ts';
import { accountScope } from '../account-scope.ts';

/** A record that could not be removed for this long, for example because a connection is broken, is abandoned. */
const KEPT_MS = 30 * DAY_MS;

/**
 * A TXT value that answers DNS-01 in an account's zone. It is recorded before it is written there and kept until it is
 * removed again, so that no crash leaves one behind. `_id` consists of the certificate, the name and the value.
 */
const challengeRecordDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    certificateId: { type: String, required: true },
    connectionId: { type: String, required: true },
    /** The zone, as the provider described it (server/dns/provider.ts). */
    zone: { type: Schema.Types.Mixed, required: true },
    name: { type: String, required: true },
    value: { type: String, required: true },
    /** Any run that finds the record after this time removes it. */
    neededUntil: { type: Date, required: true },
    /** Attempts to remove it that failed. */
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
