import type { ClientSession, PipelineStage } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import type { Providers } from '../../context.ts';
import { DeploymentModel, type DeploymentRow } from '../../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../../database/models/publishing/destination.ts';
import { PublicationModel, type PublicationRow, publicationId } from '../../database/models/publishing/publication.ts';
import { ReleaseModel, type ReleaseRow } from '../../database/models/publishing/release.ts';
import { AppError } from '../../lib/errors.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import type { Platform } from '../platforms/platform.ts';
import type { PublicationIds } from './publications.ts';
import { readManifest, unlessLost } from './release-files.ts';

/** A publication that is on its way, or waits for a person. */
export type Wanted = {
  release: ReleaseRow;
  deployment: DeploymentRow;
  /** The destination, and the release's publication there. */
  destination: DestinationDoc;
  published: PublicationRow;
  /** True for the destination that decides whether the release is live. */
  isPrimary: boolean;
};

/** A wanted publication with everything that its worker needs. */
export type ReleaseWork = Wanted & {
  platform: Platform;
  title: string;
  /** True when the pointer is on the release already, set by a previous run. */
  isLive: boolean;
  /** It was live at this destination before, so that nothing has to be sent. */
  wasLive: boolean;
  /** The release that visitors of this destination have, or null. */
  servedId: string | null;
  /** Returns a release's list of files, read once for all steps. Throws `artifact_corrupted`. */
  readManifest(manifestHash: string): Promise<Manifest>;
  /** Returns the list of an earlier release; null when the store has lost it. */
  readEarlier(earlier: Pick<ReleaseRow, 'manifestHash'>): Promise<Manifest | null>;
};

/**
 * Reads the release with its deployment and destination; null when there is nothing left to do. At the primary
 * destination that is when the release has ended, and at any other, which follows the live release, when another one
 * is live or the destination was removed.
 */
export async function findWanted(
  session: ClientSession | null,
  accountId: string,
  ids: PublicationIds,
): Promise<Wanted | null> {
  const [row] = await PublicationModel.aggregate<
    PublicationRow & { releases: ReleaseRow[]; deployments: DeploymentRow[] }
  >([
    { $match: { _id: publicationId(ids), accountId } },
    join(accountId, ReleaseModel.collection.name, 'releaseId', 'releases'),
    join(accountId, DeploymentModel.collection.name, 'deploymentId', 'deployments'),
  ]).session(session);
  if (row === undefined) return null;
  const {
    releases: [release],
    deployments: [deployment],
    ...published
  } = row;
  const destination = deployment?.destinations.find(({ _id }) => _id === ids.destinationId);
  if (!release || !deployment || !destination) return null;
  const isPrimary = deployment.primaryId === ids.destinationId;
  const isWanted = isPrimary
    ? isRunningReleaseState(release.state)
    : isWantedElsewhere(deployment, destination, release);
  return isWanted ? { release, deployment, destination, published, isPrimary } : null;
}

function join(accountId: string, from: string, localField: string, as: string): PipelineStage.Lookup {
  return { $lookup: { from, localField, foreignField: '_id', pipeline: [{ $match: { accountId } }], as } };
}

function isWantedElsewhere(deployment: DeploymentRow, { state }: DestinationDoc, release: ReleaseRow): boolean {
  const isBeingPublished = BEING_PUBLISHED.some((one) => one === state);
  return isBeingPublished && deployment.state !== 'deleting' && deployment.currentReleaseId === release._id;
}

export type DestinationIds = { deploymentId: string; destinationId: string };

/** Returns the key of the jobs at one destination, of which one runs at a time. */
export function destinationKey({ deploymentId, destinationId }: DestinationIds): string {
  return `${deploymentId}.${destinationId}`;
}

/** Returns whether every address without a file of its own shows the start page. */
export function isServedAsSinglePage({ deployment, platform }: Pick<ReleaseWork, 'deployment' | 'platform'>): boolean {
  return deployment.isSinglePage && platform.capabilities.serving.singlePage;
}

/** The states of a destination where a publication runs or waits. */
export const BEING_PUBLISHED = ['publishing', 'waiting'] as const;

/** Returns a publication with what its worker needs; null when there is nothing left to do. */
export async function loadReleaseWork(
  providers: Providers,
  accountId: string,
  ids: PublicationIds,
): Promise<ReleaseWork | null> {
  const wanted = await findWanted(null, accountId, ids);
  if (wanted === null) return null;
  const { release, deployment, destination, published, isPrimary } = wanted;
  const platform = providers.platforms[destination.platform];
  if (platform === undefined)
    throw new AppError('platform_unavailable', 'This platform is not available in this version.');
  return {
    ...wanted,
    platform,
    title: PLATFORMS[destination.platform].title,
    servedId: (isPrimary ? deployment.currentReleaseId : destination.releaseId) ?? null,
    isLive: isPrimary && deployment.currentReleaseId === release._id,
    wasLive: published.wasLive,
    ...createManifestReader(providers.store),
  };
}

function createManifestReader(store: ArtifactStore): Pick<ReleaseWork, 'readManifest' | 'readEarlier'> {
  const lists = new Map<string, Promise<Manifest>>();
  const read = (manifestHash: string): Promise<Manifest> => {
    const list = lists.get(manifestHash) ?? readManifest(store, manifestHash);
    lists.set(manifestHash, list);
    return list;
  };
  return {
    readManifest: read,
    readEarlier: ({ manifestHash }) => unlessLost(read(manifestHash)),
  };
}

type PublicationChange = Partial<
  Pick<
    PublicationRow,
    'ref' | 'url' | 'ownUrl' | 'actId' | 'publicAt' | 'verifiedUnder' | 'looked' | 'missingLinks' | 'state' | 'error'
  >
>;

/** Stores the outcome of the release at its destination, and updates `work` with it. */
export async function savePublished(
  session: ClientSession,
  { published }: Pick<ReleaseWork, 'published'>,
  change: PublicationChange,
): Promise<void> {
  const { _id, accountId } = published;
  await PublicationModel.updateOne({ _id, accountId }, { $set: change }, { session });
  Object.assign(published, change);
}

/** Stores the destination's new fields, from which every later release, and the removal, begin. */
export async function saveDestination(
  session: ClientSession,
  { deployment, destination }: ReleaseWork,
  change: Partial<Pick<DestinationDoc, 'site' | 'url' | 'state' | 'error'>>,
): Promise<void> {
  const ids = { deploymentId: deployment._id, destinationId: destination._id };
  await writeDestination(session, deployment.accountId, ids, change);
  Object.assign(destination, change);
}

/** Writes a change of one destination of a deployment. */
export async function writeDestination(
  session: ClientSession,
  accountId: string,
  { deploymentId, destinationId }: DestinationIds,
  change: Partial<Pick<DestinationDoc, 'site' | 'url' | 'state' | 'error' | 'releaseId'>>,
): Promise<void> {
  await DeploymentModel.updateOne(
    { _id: deploymentId, accountId, 'destinations._id': destinationId },
    { $set: fieldsBelow('destinations.$', change) },
    { session },
  );
}

/** Names the fields of one element of an array, as an update addresses them. */
export function fieldsBelow(path: string, change: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [`${path}.${name}`, value]));
}
