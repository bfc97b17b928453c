import { AppError } from '../errors.ts';
import { prepareFiles, startPublication } from '../services/publish-release.ts';
import { endCancelled, endFailed, endLive, switchTo } from '../services/releases/outcome.ts';
import { readManifest } from '../services/releases/read.ts';
import { loadReleaseWork, type ReleaseWork, savePlatformRef, watchCancel } from '../services/releases/work.ts';
import { verifyRelease } from '../services/verify-release.ts';
import { isFinal } from './failure.ts';
import type { JobHandler, RunningJob } from './handler.ts';
import { runStep } from './steps.ts';

type Job = RunningJob<'deploy-release'>;

/**
 * The story of a release: prepared, sent, processed, seen. A roll back is its last chapter alone. What an earlier run
 * has done is skipped; what was live stays live until the new one is.
 */
export const deployRelease: JobHandler<'deploy-release'> = {
  async run(job) {
    const work = await loadReleaseWork(job.providers, job.accountId, job.payload.releaseId);
    if (work === null) return;
    const cancel = watchCancel(job.providers, work.release);
    try {
      const signal = AbortSignal.any([job.signal, cancel.signal]);
      if (!work.wasVerified) await publish(job, work, signal);
      await goLive(job, work, signal);
    } catch (error) {
      await end(job, work, error, cancel.signal);
    } finally {
      cancel.stop();
    }
    await job.providers.faults?.at('release:ended');
  },

  async giveUp(session, job, error) {
    const work = await loadReleaseWork(job.providers, job.accountId, job.payload.releaseId);
    if (work !== null) await endFailed(session, job.providers, work.release, error);
  },
};

async function publish(job: Job, work: ReleaseWork, signal: AbortSignal): Promise<void> {
  const { providers } = job;
  await runStep(job, work.release, 'preparing', (step) => prepareFiles(providers.store, work, step));
  const manifest = await readManifest(providers.store, work.release.manifestHash);
  const publication = startPublication(work, {
    providers,
    manifest,
    signal,
    saveRef: (ref) => job.transaction((session) => savePlatformRef(session, work.release, ref)),
  });
  await runStep(job, work.release, 'uploading', publication.upload);
  await runStep(job, work.release, 'processing', publication.process);
}

async function goLive(job: Job, work: ReleaseWork, signal: AbortSignal): Promise<void> {
  await runStep(job, work.release, 'verifying', async (step) => {
    const verification = await verifyRelease(job.providers, work, step, signal);
    if (!work.isSwitched && !work.wasVerified) await verification.atOwnAddress();
    await job.providers.faults?.at('verifying:seen');
    await job.transaction((session) => switchTo(session, work.release));
    await job.providers.faults?.at('verifying:switched');
    await verification.atPublicAddress();
  });
  await job.transaction((session) => endLive(session, job.providers, work.release));
}

/** Cancelled, failed for good, or left to the worker to try again. */
async function end(job: Job, work: ReleaseWork, error: unknown, cancelled: AbortSignal): Promise<void> {
  if (job.signal.aborted) throw job.signal.reason;
  const isCancelled = cancelled.aborted || (error instanceof AppError && error.code === 'state_changed');
  if (!isCancelled && !isFinal(error)) throw error;
  await job.transaction((session) =>
    isCancelled
      ? endCancelled(session, job.providers, work.release)
      : endFailed(session, job.providers, work.release, error),
  );
}
