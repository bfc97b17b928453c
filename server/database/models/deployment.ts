import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { SERVING_DEFAULTS } from '../../../routers/schemas/deployments.ts';
import { RELEASES_KEPT } from '../../../routers/schemas/limits.ts';
import { platformIdSchema } from '../../../routers/schemas/platforms/index.ts';
import { deploymentStateSchema } from '../../../routers/schemas/states.ts';
import { accountScope } from './account-scope.ts';
import { type DestinationDoc, destinationDocSchema } from './destination.ts';

const deploymentDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    name: { type: String, required: true },
    /** The search of the list uses this lower-case name. */
    nameKey: { type: String, required: true },
    slug: { type: String, required: true },
    /** The primary destination's, again: an index over a list could not filter the rows of a page by itself. */
    platform: { type: String, enum: platformIdSchema.options, required: true },
    /** Where it is published, at least one: the first is the primary one. */
    destinations: { type: [destinationDocSchema], required: true, validate: (list: unknown[]) => list.length > 0 },
    state: { type: String, enum: deploymentStateSchema.options, required: true, default: 'draft' as const },
    /** What the host serves: changed by the one conditional update that is the switch. */
    currentReleaseId: { type: String, default: null },
    latestReleaseId: { type: String, default: null },
    releaseCount: { type: Number, required: true, default: 0 },
    isSinglePage: { type: Boolean, required: true, default: SERVING_DEFAULTS.isSinglePage },
    hasCleanUrls: { type: Boolean, required: true, default: SERVING_DEFAULTS.hasCleanUrls },
    /** Paths that changed their content under a name that promises none: never kept for a year again (cache-rule.ts). */
    reusedNames: { type: [String], required: true, default: [] },
    /** While it is being deleted: its sites at platforms stay there, as its owner decided. */
    leavesSites: { type: Boolean, required: true, default: false },
  },
  { timestamps: true, collection: 'deployments' },
);
deploymentDocSchema.index({ slug: 1 }, { name: 'slug_unique', unique: true });
// The list, what happened last first; what it filters by is in the index, so that rows which do not match are never fetched.
deploymentDocSchema.index(
  { accountId: 1, updatedAt: -1, _id: -1, state: 1, platform: 1, nameKey: 1 },
  { name: 'account_latest' },
);
// Which deployments publish by a connection.
deploymentDocSchema.index({ accountId: 1, 'destinations.connectionId': 1 }, { name: 'account_connection' });
deploymentDocSchema.index({ currentReleaseId: 1, _id: 1 }, { name: 'served' });
// Those with releases that are old enough to go (server/services/releases/remove-old.ts).
deploymentDocSchema.index(
  { releaseCount: 1 },
  { name: 'old_releases', partialFilterExpression: { releaseCount: { $gt: RELEASES_KEPT } } },
);
deploymentDocSchema.plugin(accountScope);

/** As it is stored, for reads that change nothing. */
export type DeploymentRow = InferSchemaType<typeof deploymentDocSchema>;
export type DeploymentDoc = HydratedDocument<DeploymentRow>;
export const DeploymentModel = model('Deployment', deploymentDocSchema);

/** Returns the primary destination: its state and address are the deployment's own. */
export function primaryOf<D extends { platform: DestinationDoc['platform'] }>({
  destinations,
}: {
  destinations: readonly D[];
}): D {
  const [primary] = destinations;
  if (primary === undefined) throw new Error('A deployment without a destination was stored.');
  return primary;
}
