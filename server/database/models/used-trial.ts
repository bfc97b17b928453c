import { model, Schema } from 'mongoose';

/**
 * That a trial was used with this address, kept when its account is gone: a trial is once.
 * `_id` is the SHA-256 of the address, which nothing else tells.
 */
const usedTrialSchema = new Schema({ _id: { type: String, required: true } }, { collection: 'used_trials' });

export const UsedTrialModel = model('UsedTrial', usedTrialSchema);
