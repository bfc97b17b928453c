import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { SERVING_DEFAULTS } from '../../routers/schemas/deployments.ts';
import { platformIdSchema } from '../../routers/schemas/platforms/index.ts';
import { deploymentStateSchema } from '../../routers/schemas/states.ts';
import { accountScope } from './account-scope.ts';

const deploymentDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    name: { type: String, required: true },
    /** Lower-case name, for the search of the list. */
    nameKey: { type: String, required: true },
    slug: { type: String, required: true },
    platform: { type: String, enum: platformIdSchema.options, required: true },
    /** The site there, as its adapter names it; and the address that the platform gave it. */
    platformSite: { type: Schema.Types.Mixed, default: null },
    siteUrl: { type: String, default: null },
    state: { type: String, enum: deploymentStateSchema.options, required: true, default: 'draft' as const },
    /** What the host serves: changed by the one conditional update that is the switch. */
    currentReleaseId: { type: String, default: null },
    latestReleaseId: { type: String, default: null },
    releaseCount: { type: Number, required: true, default: 0 },
    isSinglePage: { type: Boolean, required: true, default: SERVING_DEFAULTS.isSinglePage },
    hasCleanUrls: { type: Boolean, required: true, default: SERVING_DEFAULTS.hasCleanUrls },
  },
  { timestamps: true, collection: 'deployments' },
);
deploymentDocSchema.index({ slug: 1 }, { name: 'slug_unique', unique: true });
// The list, newest first; what it filters by is in the index, so that rows which do not match are never fetched.
deploymentDocSchema.index(
  { accountId: 1, createdAt: -1, _id: -1, state: 1, platform: 1, nameKey: 1 },
  { name: 'account_newest' },
);
deploymentDocSchema.index({ currentReleaseId: 1, _id: 1 }, { name: 'served' });
deploymentDocSchema.plugin(accountScope);

export type DeploymentDoc = HydratedDocument<InferSchemaType<typeof deploymentDocSchema>>;
export const DeploymentModel = model('Deployment', deploymentDocSchema);
