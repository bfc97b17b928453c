import type { PlatformCall } from '../platforms/platform.ts';
import type { JobHandler, RunningJob, StepReport } from '../queue/handler.ts';
import { runStep } from '../queue/steps.ts';
import { endLive, switchTo } from '../services/releases/outcome.ts';
import { platformCall } from '../services/releases/platform-call.ts';
import {
  makePublic,
  prepareFiles,
  publishFiles,
  restWhileLimited,
  startPublication,
} from '../services/releases/publish.ts';
import { loadReleaseWork, type ReleaseWork, savePublished } from '../services/releases/release-work.ts';
import { leaveForLooks, verifyRelease } from '../services/releases/verify.ts';
import { wasLiveBefore } from '../services/releases/was-live-before.ts';
import { watchCancel } from '../services/releases/watch.ts';
import { endDeadRelease, endRelease } from './end-release.ts';

type Job = RunningJob<'deploy-release'>;

/**
 * The story of a release: prepared, sent, processed, seen. A roll back is its last chapter alone. What an earlier run
 * has done is skipped; what was live stays live until the new one is.
 */
export const deployReleaseJob: JobHandler<'deploy-release'> = {
  async run(job) {
    const work = await loadReleaseWork(job.providers, job.accountId, job.payload.releaseId);
    if (work === null) return;
    const cancel = watchCancel(job.providers, work.release);
    const call = platformCall(
      job.providers,
      work.deployment,
      work.destination,
      AbortSignal.any([job.signal, cancel.signal]),
      job,
    );
    try {
      call.signal.throwIfAborted();
      if (!wasLiveBefore(work.release)) await publish(job, work, call);
      await goLive(job, work, call);
    } catch (error) {
      await endRelease(job, work, call, error, cancel.signal);
    } finally {
      cancel.stop();
    }
    await job.providers.faults?.at('release:ended');
  },
  onDeadLetter: endDeadRelease,
};

async function publish(job: Job, work: ReleaseWork, call: PlatformCall): Promise<void> {
  await runStep(job, work.release, 'preparing', (step) => prepareFiles(job.providers.store, work, step, call.signal));
  const publication = await startPublication(work, job, call);
  for (const [name, act] of [
    ['uploading', publication.upload],
    ['processing', publication.process],
  ] as const) {
    await runStep(job, work.release, name, (step) => restWhileLimited(work, call, step, () => act(step)));
  }
}

async function goLive(job: Job, work: ReleaseWork, call: PlatformCall): Promise<void> {
  leaveForLooks(job, work);
  await runStep(job, work.release, 'verifying', (step) =>
    restWhileLimited(work, call, step, () => verify(job, work, call, step)),
  );
  await job.transaction((session) => endLive(session, job.providers, work.release));
}

async function verify(job: Job, work: ReleaseWork, call: PlatformCall, step: StepReport): Promise<void> {
  // A roll back to what was live before the deployment moved here has to be sent.
  if (wasLiveBefore(work.release) && !work.wasVerified) await publishFiles(work, job, call, step);
  const verification = await verifyRelease(job, work, call, step);
  const isFirst = !work.isSwitched && !work.wasVerified;
  if (isFirst) await verification.atOwnAddress();
  await job.providers.faults?.at('verifying:seen');
  await job.transaction(async (session) => {
    if (isFirst) await savePublished(session, work, { verifiedUnder: verification.conditions });
    await switchTo(session, work.release);
  });
  await job.providers.faults?.at('verifying:switched');
  await makePublic(work, job, call, step);
  const missingLinks = await verification.atPublicAddress();
  await job.transaction((session) => savePublished(session, work, { missingLinks }));
}
