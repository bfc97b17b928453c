import type { ReleaseStepName } from '../../../routers/schemas/states.ts';
import { storedRef } from '../../connections/platform-call.ts';
import { DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { ReleaseModel, type ReleaseRow } from '../../database/models/publishing/release.ts';
import type { PlatformCall, PlatformRef } from '../platforms/platform.ts';
import { findPublication } from './publications.ts';
import type { Writer } from './publish.ts';
import { type ReleaseWork, saveDestination, savePublished } from './release-work.ts';

type Withdrawal = {
  work: ReleaseWork;
  job: Writer;
  call: PlatformCall;
  isCancelled: boolean;
  ref: PlatformRef;
  /** The release that visitors got before; undefined when they do not get this one. */
  before: ReleaseRow | null | undefined;
};

/** Names what takes back what each step has left at the platform, in the order in which that is done. */
const COMPENSATIONS: readonly { step: ReleaseStepName; undo(withdrawal: Withdrawal): Promise<void> }[] = [
  { step: 'processing', undo: stopProcessing },
  { step: 'verifying', undo: leadBack },
  { step: 'uploading', undo: takeSiteAway },
];

/**
 * Undoes at the platform what a failed or cancelled release has done there: a cancelled one is stopped if the platform
 * can do that, and what was public before is public again. A cancelled release with nothing before it leaves no site
 * behind, since nothing was published. May run again; throws the errors of the platform's adapter.
 */
export async function withdraw(
  work: ReleaseWork,
  job: Writer,
  call: PlatformCall,
  isCancelled: boolean,
): Promise<void> {
  const ref = storedRef(work.published.ref);
  if (ref === null) return;
  const { mayBeLive, before } = await servedBefore(work);
  const withdrawal = { work, job, call, isCancelled, ref, before: mayBeLive ? before : undefined };
  for (const { undo } of COMPENSATIONS) await undo(withdrawal);
}

async function stopProcessing({ work, call, isCancelled, ref }: Withdrawal): Promise<void> {
  if (isCancelled) await work.platform.cancel?.(call, ref);
}

async function takeSiteAway({ work, job, call, isCancelled, before }: Withdrawal): Promise<void> {
  if (!isCancelled || before !== null) return;
  await work.platform.remove(call);
  await job.transaction((session) => saveDestination(session, work, { site: null, url: null }));
}

/**
 * Restores the previous release without waiting: the release fails all the same and nobody comes back for it, so the
 * platform is left to finish by itself.
 */
async function leadBack({ work, job, call, before }: Withdrawal): Promise<void> {
  if (!before) return;
  const { platform, release, destination } = work;
  const actId = `${work.published.actId ?? release._id}-withdrawn`;
  const published = await findPublication(before.accountId, { releaseId: before._id, destinationId: destination._id });
  const ref = storedRef(published?.ref);
  if (published === null || ref === null || platform.restore === undefined) return;
  const events = platform.restore(call, { ref, actId });
  for (let next = await events.next(); ; next = await events.next()) {
    const named = next.done ? next.value : next.value.type === 'ref' ? next.value.ref : null;
    if (named !== null) {
      await job.transaction((session) => savePublished(session, { published }, { ref: named }));
    }
    if (next.done || next.value.type === 'waiting') return;
  }
}

/** Returns whether visitors may get this release by now, and the release that they had before. */
async function servedBefore({
  release: { _id, accountId, deploymentId },
  platform,
  isPrimary,
  servedId,
}: ReleaseWork): Promise<{ mayBeLive: boolean; before: ReleaseRow | null }> {
  const read = (id: string | null) => (id === null ? null : ReleaseModel.findOne({ _id: id, accountId }).lean());
  // Elsewhere a release before this one may be public that was called off there: nobody has taken that back.
  if (!isPrimary) return { mayBeLive: true, before: await read(servedId === _id ? null : servedId) };
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId }).lean();
  const isLive = deployment?.currentReleaseId === _id;
  const live = isLive ? await read(_id) : null;
  const beforeId = (isLive ? live?.replacedReleaseId : deployment?.currentReleaseId) ?? null;
  // On a platform that publishes drafts, only the switch has changed what visitors see.
  return { mayBeLive: isLive || !platform.capabilities.draft, before: await read(beforeId) };
}
