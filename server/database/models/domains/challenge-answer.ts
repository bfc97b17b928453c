import { model, Schema } from 'mongoose';

/** The answer to an HTTP-01 challenge. Its id is the token that the authority asks for, at whichever instance. */
const challengeAnswerDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    text: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'challenge_answers' },
);
challengeAnswerDocSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
export const ChallengeAnswerModel = model('ChallengeAnswer', challengeAnswerDocSchema);
