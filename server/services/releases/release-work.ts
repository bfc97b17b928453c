import type { ClientSession } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import type { Providers } from '../../context.ts';
import { type DeploymentDoc, DeploymentModel, primaryOf } from '../../database/models/deployment.ts';
import type { DestinationDoc } from '../../database/models/destination.ts';
import { PublicationModel, type PublicationRow } from '../../database/models/publication.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/release.ts';
import { AppError } from '../../lib/errors.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { findPublication, type PublicationIds } from './publications.ts';
import { readManifest, unlessLost } from './read.ts';

/** A release that is on its way, with what its worker needs. */
export type ReleaseWork = {
  release: ReleaseDoc;
  deployment: DeploymentDoc;
  /** Where it goes, and what has become of it there. */
  destination: DestinationDoc;
  published: PublicationRow;
  /** The release is live when it is seen live here. */
  isPrimary: boolean;
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

/**
 * Reads it as it stands; null when there is nothing left to do: at the primary destination once the release is over, at
 * another one, which follows what is live there, once that is another release or somebody has taken it away.
 */
export async function loadReleaseWork(
  providers: Providers,
  accountId: string,
  { releaseId, destinationId }: PublicationIds,
): Promise<ReleaseWork | null> {
  const release = await ReleaseModel.findOne({ _id: releaseId, accountId });
  const deployment = await DeploymentModel.findOne({ _id: release?.deploymentId ?? '', accountId });
  const destination = deployment?.destinations.find(({ _id }) => _id === destinationId);
  const published = await findPublication(accountId, { releaseId, destinationId });
  if (!release || !deployment || !destination || !published) return null;
  const isPrimary = primaryOf(deployment)._id === destinationId;
  const isWanted = isPrimary
    ? isRunningReleaseState(release.state)
    : isWantedElsewhere(deployment, destination, release);
  if (!isWanted) return null;
  const servedId = (isPrimary ? deployment.currentReleaseId : destination.releaseId) ?? null;
  return workAt(providers, { release, deployment, destination, published, isPrimary, servedId });
}

function isWantedElsewhere(deployment: DeploymentDoc, { state }: DestinationDoc, release: ReleaseDoc): boolean {
  const isBeingPublished = BEING_PUBLISHED.some((one) => one === state);
  return isBeingPublished && deployment.state !== 'deleting' && deployment.currentReleaseId === release._id;
}

export type DestinationIds = { deploymentId: string; destinationId: string };

/** Is the key of the jobs at one destination, of which one runs at a time. */
export function destinationKey({ deploymentId, destinationId }: DestinationIds): string {
  return `${deploymentId}.${destinationId}`;
}

/** The states of a destination that somebody works on, or will. */
export const BEING_PUBLISHED = ['publishing', 'waiting'] as const;

type WorkPlace = Pick<ReleaseWork, 'release' | 'deployment' | 'destination' | 'published' | 'isPrimary' | 'servedId'>;

function workAt(providers: Providers, place: WorkPlace): ReleaseWork {
  const { release, deployment, destination, published, isPrimary } = place;
  const platform = providers.platforms[destination.platform];
  if (platform === undefined)
    throw new AppError('platform_unavailable', 'This platform is not available in this version.');
  return {
    ...place,
    platform,
    title: PLATFORMS[destination.platform].title,
    isSwitched: isPrimary && deployment.currentReleaseId === release._id,
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

type PublicationChange = Partial<
  Pick<
    PublicationRow,
    'ref' | 'url' | 'ownUrl' | 'actId' | 'publicAt' | 'verifiedUnder' | 'looked' | 'missingLinks' | 'state' | 'error'
  >
>;

/** Writes what became of the release at its destination, and has the work go on with it. */
export async function savePublished(
  session: ClientSession,
  { published }: Pick<ReleaseWork, 'published'>,
  change: PublicationChange,
): Promise<void> {
  const { _id, accountId } = published;
  await PublicationModel.updateOne({ _id, accountId }, { $set: change }, { session });
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
