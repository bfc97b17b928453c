import type { PlatformCall } from '../platforms/platform.ts';
import { platformCall } from '../services/platform-call.ts';
import { makePublic, prepareFiles, startPublication } from '../services/publish-release.ts';
import { endLive, switchTo } from '../services/releases/outcome.ts';
import { loadReleaseWork, type ReleaseWork, watchCancel } from '../services/releases/work.ts';
import { verifyRelease } from '../services/verify-release.ts';
import { endRelease, giveUpRelease } from './end-release.ts';
import type { JobHandler, RunningJob } from './handler.ts';
import { runStep } from './steps.ts';

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
    const call = platformCall(job.providers, work.deployment, AbortSignal.any([job.signal, cancel.signal]));
    try {
      call.signal.throwIfAborted();
      if (!work.wasVerified) await publish(job, work, call);
      await goLive(job, work, call);
    } catch (error) {
      await endRelease(job, work, call, error, cancel.signal);
    } finally {
      cancel.stop();
    }
    await job.providers.faults?.at('release:ended');
  },
  giveUp: giveUpRelease,
};

async function publish(job: Job, work: ReleaseWork, call: PlatformCall): Promise<void> {
  await runStep(job, work.release, 'preparing', (step) => prepareFiles(job.providers.store, work, step, call.signal));
  const publication = await startPublication(work, job, call);
  await runStep(job, work.release, 'uploading', publication.upload);
  await runStep(job, work.release, 'processing', publication.process);
}

async function goLive(job: Job, work: ReleaseWork, call: PlatformCall): Promise<void> {
  await runStep(job, work.release, 'verifying', async (step) => {
    const verification = await verifyRelease(job.providers, work, call, step);
    if (!work.isSwitched && !work.wasVerified) await verification.atOwnAddress();
    await job.providers.faults?.at('verifying:seen');
    await job.transaction((session) => switchTo(session, work.release));
    await job.providers.faults?.at('verifying:switched');
    await makePublic(work, call);
    await verification.atPublicAddress();
  });
  await job.transaction((session) => endLive(session, job.providers, work.release));
}
