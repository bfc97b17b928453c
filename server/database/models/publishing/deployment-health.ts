import { type InferSchemaType, model, Schema } from 'mongoose';
import { BASIC_CHECKS, checkVerdictSchema } from '../../../../routers/schemas/diagnostics.ts';
import { accountScope } from '../account-scope.ts';

/** The latest results of the three checks that every plan has; `_id` is the deployment's. */
const deploymentHealthDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    /** The checks that apply to the deployment: one without a domain is checked at its address alone. */
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
    /** The time at which a verdict last changed. */
    changedAt: { type: Date, required: true },
    nextCheckAt: { type: Date, required: true },
  },
  { collection: 'deployment_health' },
);
// Finds deployments that are due for a check.
deploymentHealthDocSchema.index({ nextCheckAt: 1, _id: 1 }, { name: 'due' });
deploymentHealthDocSchema.index({ accountId: 1, _id: 1 }, { name: 'account' });
deploymentHealthDocSchema.plugin(accountScope);

export type DeploymentHealthRow = InferSchemaType<typeof deploymentHealthDocSchema>;
export const DeploymentHealthModel = model('DeploymentHealth', deploymentHealthDocSchema);
