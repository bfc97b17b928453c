import type { ClientSession } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import type { Providers } from '../../context.ts';
import { type DeploymentDoc, DeploymentModel, primaryOf } from '../../database/models/deployment.ts';
import type { DestinationDoc, ReleaseDestinationDoc } from '../../database/models/destination.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/release.ts';
import { AppError } from '../../lib/errors.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { readManifest, unlessLost } from './read.ts';

/** A release that is on its way, with what its worker needs. */
export type ReleaseWork = {
  release: ReleaseDoc;
  deployment: DeploymentDoc;
  /** The destination, as the deployment has it and as the release has it. */
  destination: DestinationDoc;
  published: ReleaseDestinationDoc;
  platform: Platform;
  title: string;
  /** The pointer is on it already: a run before this one came so far. */
  isSwitched: boolean;
  /** It was live at this destination before: nothing has to be sent. */
  wasVerified: boolean;
  /** The release that visitors of this destination have, or null. */
  servedId: string | null;
  /** A release's list of files, read once for all steps. Throws `artifact_corrupted`. */
  readManifest(manifestHash: string): Promise<Manifest>;
  /** Reads the list of an earlier release; null when the store has lost it. */
  readEarlier(earlier: Pick<ReleaseDoc, 'manifestHash'>): Promise<Manifest | null>;
};

/** Reads it as it stands; null when it is over, so that there is nothing left to do. */
export async function loadReleaseWork(
  providers: Providers,
  accountId: string,
  releaseId: string,
): Promise<ReleaseWork | null> {
  const release = await findRunningRelease(accountId, releaseId);
  if (release === null) return null;
  const deployment = await DeploymentModel.findOne({ _id: release.deploymentId, accountId });
  if (deployment === null) return null;
  return workAt(providers, {
    release,
    deployment,
    destination: primaryOf(deployment),
    published: primaryOf(release),
    servedId: deployment.currentReleaseId ?? null,
  });
}

/**
 * The same for a destination besides the primary one, which follows what is live at that; null when there is nothing to
 * follow, or somebody has taken the destination away.
 */
export async function loadDestinationWork(
  providers: Providers,
  accountId: string,
  { deploymentId, destinationId }: DestinationIds,
): Promise<ReleaseWork | null> {
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId, state: { $ne: 'deleting' } });
  const destination = deployment?.destinations.find(({ _id }) => _id === destinationId);
  const release = await ReleaseModel.findOne({ _id: deployment?.currentReleaseId ?? '', accountId });
  const published = release?.destinations.find(({ _id }) => _id === destinationId);
  if (!deployment || !destination || !release || !published) return null;
  if (!BEING_PUBLISHED.some((state) => state === destination.state)) return null;
  return workAt(providers, { release, deployment, destination, published, servedId: destination.releaseId ?? null });
}

export type DestinationIds = { deploymentId: string; destinationId: string };

/** The states of a destination that somebody works on, or will. */
export const BEING_PUBLISHED = ['publishing', 'waiting'] as const;

type WorkPlace = Pick<ReleaseWork, 'release' | 'deployment' | 'destination' | 'published' | 'servedId'>;

function workAt(providers: Providers, place: WorkPlace): ReleaseWork {
  const { release, deployment, destination, published } = place;
  const platform = providers.platforms[destination.platform];
  if (platform === undefined)
    throw new AppError('platform_unavailable', 'This platform is not available in this version.');
  return {
    ...place,
    platform,
    title: PLATFORMS[destination.platform].title,
    isSwitched: deployment.currentReleaseId === release._id,
    wasVerified: published.wasLive,
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

/** Returns the release alone, while it is on its way: for the one who gives it up, whatever the reason is. */
export async function findRunningRelease(accountId: string, releaseId: string): Promise<ReleaseDoc | null> {
  const release = await ReleaseModel.findOne({ _id: releaseId, accountId });
  return release !== null && isRunningReleaseState(release.state) ? release : null;
}

type ReleaseChange = Partial<
  Pick<
    ReleaseDestinationDoc,
    'ref' | 'url' | 'ownUrl' | 'actId' | 'publicAt' | 'verifiedUnder' | 'looked' | 'missingLinks' | 'state' | 'error'
  >
>;

/** Writes what became of the release at its destination, and has the work go on with it. */
export async function savePublished(
  session: ClientSession,
  { release, published }: ReleaseWork,
  change: ReleaseChange,
): Promise<void> {
  const { _id, accountId } = release;
  await ReleaseModel.updateOne(
    { _id, accountId, 'destinations._id': published._id },
    { $set: fieldsBelow('destinations.$', change) },
    { session },
  );
  Object.assign(published, change);
}

/** Writes what is known of the destination from now on: every later release, and the removal, begin from it. */
export async function saveDestination(
  session: ClientSession,
  { deployment, destination }: ReleaseWork,
  change: Partial<Pick<DestinationDoc, 'site' | 'url' | 'state' | 'error'>>,
): Promise<void> {
  const { _id, accountId } = deployment;
  await DeploymentModel.updateOne(
    { _id, accountId, 'destinations._id': destination._id },
    { $set: fieldsBelow('destinations.$', change) },
    { session },
  );
  Object.assign(destination, change);
}

/** Fields of one element of a list, as an update names them. */
export function fieldsBelow(path: string, change: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [`${path}.${name}`, value]));
}
