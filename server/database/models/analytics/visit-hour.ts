import { model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';
import { countFields, VISITS_KEPT_SECONDS, type VisitCounts } from './visit.ts';

/**
 * The answers of the host for one deployment in one hour (UTC), added up from the rows of its processes. Days are put
 * together from hours in the time zone of the person who reads them.
 */
const visitHourDocSchema = new Schema(
  {
    /** The deployment and the hour, so that there is one document for each. */
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    at: { type: Date, required: true },
    ...countFields,
    /** Visitors who had not been seen before on this day (UTC). */
    visitors: { type: Number, required: true },
  },
  { collection: 'visit_hours' },
);
visitHourDocSchema.index({ accountId: 1, deploymentId: 1, at: 1 }, { name: 'account_deployment_at' });
visitHourDocSchema.index({ accountId: 1, at: 1 }, { name: 'account_at' });
visitHourDocSchema.index({ at: 1 }, { name: 'expiry', expireAfterSeconds: VISITS_KEPT_SECONDS });
visitHourDocSchema.plugin(accountScope);

export type VisitHour = VisitCounts & {
  _id: string;
  accountId: string;
  deploymentId: string;
  at: Date;
  visitors: number;
};
export const VisitHourModel = model('VisitHour', visitHourDocSchema);
