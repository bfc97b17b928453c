import { type InferSchemaType, model, Schema } from 'mongoose';
import { ROLL_BACK_STATES } from '../../../../routers/schemas/releases.ts';
import { accountScope } from '../account-scope.ts';

/** One rollback, as the history shows it: a release that is live again keeps the times at which it was made. */
const rollBackDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    /** The release that was live until then. */
    fromNumber: { type: Number, required: true },
    toReleaseId: { type: String, required: true },
    toNumber: { type: Number, required: true },
    createdBy: { type: String, required: true },
    state: { type: String, enum: ROLL_BACK_STATES, required: true, default: 'running' as const },
    createdAt: { type: Date, required: true },
    endedAt: { type: Date, default: null },
  },
  { collection: 'roll_backs' },
);
// The history of the account and of one deployment, newest first.
rollBackDocSchema.index({ accountId: 1, createdAt: -1, _id: -1 }, { name: 'account_newest' });
rollBackDocSchema.index(
  { accountId: 1, deploymentId: 1, createdAt: -1, _id: -1 },
  { name: 'account_deployment_newest' },
);
// Finds the rollback whose outcome is still open.
rollBackDocSchema.index({ toReleaseId: 1 }, { name: 'running', partialFilterExpression: { state: 'running' } });
rollBackDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type RollBackRow = InferSchemaType<typeof rollBackDocSchema>;
export const RollBackModel = model('RollBack', rollBackDocSchema);
