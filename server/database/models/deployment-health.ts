import { type InferSchemaType, model, Schema } from 'mongoose';
import { BASIC_CHECKS, checkVerdictSchema } from '../../../routers/schemas/diagnostics.ts';
import { accountScope } from './account-scope.ts';

/** What the three checks of every plan saw of a deployment last; `_id` is the deployment's. */
const deploymentHealthDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    /** Those that have a meaning for it: a deployment without a domain has its address alone. */
    checks: {
      type: [
        new Schema(
          {
            id: { type: String, enum: BASIC_CHECKS, required: true },
            verdict: { type: String, enum: checkVerdictSchema.options, required: true },
            seen: { type: String, required: true },
          },
          { _id: false },
        ),
      ],
      required: true,
    },
    checkedAt: { type: Date, default: null },
    /** When a verdict was last another one than before. */
    changedAt: { type: Date, required: true },
    nextCheckAt: { type: Date, required: true },
  },
  { collection: 'deployment_health' },
);
// What is due to be looked at.
deploymentHealthDocSchema.index({ nextCheckAt: 1, _id: 1 }, { name: 'due' });
deploymentHealthDocSchema.index({ accountId: 1, _id: 1 }, { name: 'account' });
deploymentHealthDocSchema.plugin(accountScope);

export type DeploymentHealthRow = InferSchemaType<typeof deploymentHealthDocSchema>;
export const DeploymentHealthModel = model('DeploymentHealth', deploymentHealthDocSchema);
