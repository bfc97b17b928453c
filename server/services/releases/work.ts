import type { ClientSession } from 'mongoose';
import { isRunningReleaseState } from '../../../routers/schemas/states.ts';
import { AppError } from '../../errors.ts';
import { DeploymentModel } from '../../models/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from '../../models/release.ts';
import type { Platform, PlatformRef } from '../../platforms/platform.ts';
import type { Providers } from '../../service-context.ts';

/** How often a worker looks whether its release was cancelled, when no change feed tells it. */
const CANCEL_POLL_MS = 1_000;

/** What a worker needs of a release that is on its way. */
export type ReleaseWork = {
  release: ReleaseDoc;
  deployment: { id: string; slug: string };
  platform: Platform;
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
    deployment: { id: deployment._id, slug: deployment.slug },
    platform,
    isSwitched: deployment.currentReleaseId === releaseId,
    wasVerified: release.verifiedAt !== null && release.verifiedAt !== undefined,
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

export type CancelWatch = { signal: AbortSignal; stop(): void };

/** A signal that is aborted within a second or two after somebody asked to cancel the release, on any instance. */
export function watchCancel(providers: Providers, release: ReleaseDoc): CancelWatch {
  const cancelled = new AbortController();
  const look = async (): Promise<void> => {
    const filter = { _id: release._id, accountId: release.accountId, cancelRequestedAt: { $ne: null } };
    if ((await ReleaseModel.exists(filter)) === null) return;
    cancelled.abort(new AppError('state_changed', 'This release was cancelled.'));
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
