import { model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';
import { countFields, VISITS_KEPT_SECONDS, type VisitCounts } from './visit.ts';

/**
 * The pages and referrers of one deployment on one day (UTC), for ranges in which hours would be too many. Until the
 * day is over it also holds the salted hashes of the visitors, so that nobody is counted twice.
 */
const visitDayDocSchema = new Schema(
  {
    /** The deployment and the day, so that there is one document for each. */
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    at: { type: Date, required: true },
    pages: countFields.pages,
    referrers: countFields.referrers,
    /** The hashed visitors of the day in 4,096 bytes at most (server/lib/visitor-set.ts); null once the day is over. */
    seen: { type: Buffer, default: null },
  },
  { collection: 'visit_days' },
);
visitDayDocSchema.index({ accountId: 1, deploymentId: 1, at: 1 }, { name: 'account_deployment_at' });
visitDayDocSchema.index({ accountId: 1, at: 1 }, { name: 'account_at' });
visitDayDocSchema.index({ at: 1 }, { name: 'expiry', expireAfterSeconds: VISITS_KEPT_SECONDS });
/** Finds the days whose visitors are still told apart. */
visitDayDocSchema.index({ at: 1 }, { name: 'seen', partialFilterExpression: { seen: { $type: 'binData' } } });
visitDayDocSchema.plugin(accountScope);

export type VisitDay = Pick<VisitCounts, 'pages' | 'referrers'> & {
  _id: string;
  accountId: string;
  deploymentId: string;
  at: Date;
  seen: unknown;
};
export const VisitDayModel = model('VisitDay', visitDayDocSchema);
