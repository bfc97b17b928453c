import { model, Schema } from 'mongoose';
import { FEEDBACK_STARS } from '../../../../routers/schemas/limits.ts';

const DAYS_KEPT = 365;

/** A rating of Fairlead, or of one of a person's deployments. `accountId` is null when the person was signed out. */
const feedbackSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, default: null },
    rating: { type: Number, required: true, min: 1, max: FEEDBACK_STARS },
    comment: { type: String, default: null },
    /** `main-app` stands for the product itself. */
    deploymentId: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'feedback' },
);
feedbackSchema.index({ accountId: 1, at: -1 }, { name: 'account_newest' });
feedbackSchema.index({ at: 1 }, { name: 'kept_days', expireAfterSeconds: DAYS_KEPT * 86_400 });

export const FeedbackModel = model('Feedback', feedbackSchema);
