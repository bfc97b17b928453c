import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { SERVING_DEFAULTS } from '../../../../routers/schemas/deployments.ts';
import { RELEASES_KEPT } from '../../../../routers/schemas/limits.ts';
import { platformIdSchema } from '../../../../routers/schemas/platforms/index.ts';
import { deploymentStateSchema } from '../../../../routers/schemas/states.ts';
import { accountScope } from '../account-scope.ts';
import { type DestinationDoc, destinationDocSchema } from './destination.ts';

const deploymentDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    name: { type: String, required: true },
    /** The text that a search of the list is compared with, made by `listKey`. */
    nameKey: { type: String, required: true },
    slug: { type: String, required: true },
    /** Repeats the primary destination's platform. */
    platform: { type: String, enum: platformIdSchema.options, required: true },
    /** The destination whose address is the deployment's: a release is live when it is seen live there. */
    primaryId: { type: String, required: true },
    /** The places where it is published, at least one, in no order. */
    destinations: { type: [destinationDocSchema], required: true, validate: (list: unknown[]) => list.length > 0 },
    state: { type: String, enum: deploymentStateSchema.options, required: true, default: 'draft' as const },
    /** The release that the host serves. One conditional update of this field is the switch. */
    currentReleaseId: { type: String, default: null },
    latestReleaseId: { type: String, default: null },
    releaseCount: { type: Number, required: true, default: 0 },
    isSinglePage: { type: Boolean, required: true, default: SERVING_DEFAULTS.isSinglePage },
    hasCleanUrls: { type: Boolean, required: true, default: SERVING_DEFAULTS.hasCleanUrls },
    /**
     * Paths whose names promise that their content never changes although it did; they are never cached for a year
     * again (cache-rule.ts).
     */
    reusedNames: { type: [String], required: true, default: [] },
    /** True while the deployment is being deleted and its owner decided to leave its sites at the platforms. */
    leavesSites: { type: Boolean, required: true, default: false },
  },
  { timestamps: true, collection: 'deployments' },
);
deploymentDocSchema.index({ slug: 1 }, { name: 'slug_unique', unique: true });
// Serves the list, latest change first. The fields of its filters are in the index, so that rows that do not match are
// never fetched; a search alone also looks at the addresses that platforms gave.
deploymentDocSchema.index(
  { accountId: 1, updatedAt: -1, _id: -1, state: 1, platform: 1, nameKey: 1 },
  { name: 'account_latest' },
);
// Serves the list of those at one platform, be it their primary or a further one.
deploymentDocSchema.index(
  { accountId: 1, 'destinations.platform': 1, updatedAt: -1, _id: -1, state: 1, nameKey: 1 },
  { name: 'account_platform_latest' },
);
// Finds the deployments that publish by a connection.
deploymentDocSchema.index({ accountId: 1, 'destinations.connectionId': 1 }, { name: 'account_connection' });
deploymentDocSchema.index({ currentReleaseId: 1, _id: 1 }, { name: 'served' });
// Finds deployments with releases that are old enough to be removed (server/publishing/releases/remove-old.ts).
deploymentDocSchema.index(
  { releaseCount: 1 },
  { name: 'old_releases', partialFilterExpression: { releaseCount: { $gt: RELEASES_KEPT } } },
);
deploymentDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type DeploymentRow = InferSchemaType<typeof deploymentDocSchema>;
export type DeploymentDoc = HydratedDocument<DeploymentRow>;
export const DeploymentModel = model('Deployment', deploymentDocSchema);

export type Destinations<D> = { primaryId: string; destinations: readonly D[] };

/** Returns the primary destination, whose state and address are the deployment's own. */
export function primaryOf<D extends Pick<DestinationDoc, '_id'>>({ primaryId, destinations }: Destinations<D>): D {
  const primary = destinations.find(({ _id }) => _id === primaryId);
  if (primary === undefined) throw new Error('A deployment without its primary destination was stored.');
  return primary;
}

/** Returns the others, which follow the primary one. */
export function othersOf<D extends Pick<DestinationDoc, '_id'>>({ primaryId, destinations }: Destinations<D>): D[] {
  return destinations.filter(({ _id }) => _id !== primaryId);
}
