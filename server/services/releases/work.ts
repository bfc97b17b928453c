import type { ClientSession } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import { AppError } from '../../errors.ts';
import { type DeploymentDoc, DeploymentModel } from '../../models/deployment.ts';
import { type ReleaseDoc, ReleaseModel, wasLiveBefore } from '../../models/release.ts';
import type { Platform, PlatformRef, PlatformRelease } from '../../platforms/platform.ts';
import type { Providers } from '../../service-context.ts';

/** How often a worker looks whether its release was cancelled, when no change feed tells it. */
const CANCEL_POLL_MS = 1_000;

/** What a worker needs of a release that is on its way. */
export type ReleaseWork = {
  release: ReleaseDoc;
  deployment: DeploymentDoc;
  platform: Platform;
  /** What people call the platform. */
  title: string;
  /** The pointer is on it already: a run before this one came so far. */
  isSwitched: boolean;
  /** It was seen live before: this is a roll back. */
  wasVerified: boolean;
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
  const platform = providers.platforms[deployment.platform];
  if (platform === undefined)
    throw new AppError('platform_unavailable', 'This platform is not available in this version.');
  return {
    release,
    deployment,
    platform,
    title: PLATFORMS[deployment.platform].title,
    isSwitched: deployment.currentReleaseId === releaseId,
    wasVerified: wasLiveBefore(release),
  };
}

/** The release alone, while it is on its way: for the one who gives it up, whatever the reason is. */
export async function findRunningRelease(accountId: string, releaseId: string): Promise<ReleaseDoc | null> {
  const release = await ReleaseModel.findOne({ _id: releaseId, accountId });
  return release !== null && isRunningReleaseState(release.state) ? release : null;
}

/** Keeps what the platform named, so that a second run continues from there. */
export async function savePlatformRef(session: ClientSession, release: ReleaseDoc, ref: PlatformRef): Promise<void> {
  await ReleaseModel.updateOne(
    { _id: release._id, accountId: release.accountId },
    { $set: { platformRef: ref } },
    { session },
  );
}

/** Keeps the site there: every later release, and the removal, begin from it. Null: it is there no more. */
export async function savePlatformSite(
  session: ClientSession,
  { accountId, deploymentId }: ReleaseDoc,
  site: PlatformRef | null,
): Promise<void> {
  const gone = site === null ? { siteUrl: null } : {};
  await DeploymentModel.updateOne(
    { _id: deploymentId, accountId },
    { $set: { platformSite: site, ...gone } },
    { session },
  );
}

/** Keeps the addresses that the platform gave; none where Fairlead's own host serves. */
export async function saveAddresses(
  session: ClientSession,
  { _id, accountId, deploymentId }: ReleaseDoc,
  { url, ownUrl }: Pick<PlatformRelease, 'url' | 'ownUrl'>,
): Promise<void> {
  if (url !== null) {
    await DeploymentModel.updateOne({ _id: deploymentId, accountId }, { $set: { siteUrl: url } }, { session });
  }
  if (ownUrl !== null) await ReleaseModel.updateOne({ _id, accountId }, { $set: { ownUrl } }, { session });
}

export type CancelWatch = { signal: AbortSignal; stop(): void };

/** A signal that is aborted within a second or two after somebody asked to cancel the release, on any instance. */
export function watchCancel(providers: Providers, release: ReleaseDoc): CancelWatch {
  const cancelled = new AbortController();
  const cancel = (): void => cancelled.abort(new AppError('state_changed', 'This release was cancelled.'));
  if (release.cancelRequestedAt) cancel();
  const look = async (): Promise<void> => {
    const filter = { _id: release._id, accountId: release.accountId, cancelRequestedAt: { $ne: null } };
    if ((await ReleaseModel.exists(filter)) !== null) cancel();
  };
  // While the database is away nothing can be asked; the next look comes soon.
  const lookQuietly = (): void => void look().catch(() => undefined);
  const timer = setInterval(lookQuietly, CANCEL_POLL_MS);
  timer.unref();
  const unsubscribe = providers.changes.subscribe(['releases'], {
    onChange: (change) => change.id === release._id && lookQuietly(),
    onReopened: lookQuietly,
  });
  return {
    signal: cancelled.signal,
    stop: () => {
      clearInterval(timer);
      unsubscribe();
    },
  };
}
