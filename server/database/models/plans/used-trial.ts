import { model, Schema } from 'mongoose';

/**
 * Records that a trial was used with an address, and outlives the account, because a trial is given once. `_id` is the
 * SHA-256 of the address; nothing else reveals it.
 */
const usedTrialSchema = new Schema({ _id: { type: String, required: true } }, { collection: 'used_trials' });

export const UsedTrialModel = model('UsedTrial', usedTrialSchema);
