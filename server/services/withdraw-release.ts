import { DeploymentModel } from '../models/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from '../models/release.ts';
import type { PlatformCall } from '../platforms/platform.ts';
import { storedRef } from './platform-call.ts';
import type { Writer } from './publish-release.ts';
import { type ReleaseWork, savePlatformSite } from './releases/work.ts';

/**
 * Undoes at the platform what a release that failed or was cancelled has done there: a cancelled one is stopped where
 * that can be asked for, and what was public before is public again. A cancelled release with nothing before it leaves
 * no site behind, since nothing was published. May run again; throws what the platform's adapter throws.
 */
export async function withdrawRelease(
  work: ReleaseWork,
  job: Writer,
  call: PlatformCall,
  isCancelled: boolean,
): Promise<void> {
  const { platform, release } = work;
  const ref = storedRef(release.platformRef);
  if (ref === null) return;
  if (isCancelled) await platform.cancel?.(call, ref);
  const { isSwitched, before } = await servedBefore(release);
  // Where publishing is not going public, only the switch has changed what visitors see.
  if (platform.capabilities.draft && !isSwitched) return;
  const refBefore = storedRef(before?.platformRef);
  if (refBefore !== null) return platform.restore?.(call, refBefore);
  if (!isCancelled) return;
  await platform.remove(call);
  await job.transaction((session) => savePlatformSite(session, release, null));
}

/** Whether visitors are led to this release by now, and what they were led to before. */
async function servedBefore({
  _id,
  accountId,
  deploymentId,
}: ReleaseDoc): Promise<{ isSwitched: boolean; before: ReleaseDoc | null }> {
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId });
  const isSwitched = deployment?.currentReleaseId === _id;
  const switched = isSwitched ? await ReleaseModel.findOne({ _id, accountId }) : null;
  const beforeId = (isSwitched ? switched?.replacedReleaseId : deployment?.currentReleaseId) ?? null;
  const before = beforeId === null ? null : await ReleaseModel.findOne({ _id: beforeId, accountId });
  return { isSwitched, before };
}
