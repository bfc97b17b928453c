import type { PlatformCall } from '../platforms/platform.ts';
import { isFinal } from '../queue/failure.ts';
import type { JobHandler, RunningJob, StepReport } from '../queue/handler.ts';
import { endFailedAt, endLiveAt } from '../services/releases/other-destinations.ts';
import { shownError } from '../services/releases/outcome.ts';
import { platformCall } from '../services/releases/platform-call.ts';
import { makePublic, publishFiles, restWhileLimited } from '../services/releases/publish.ts';
import { loadDestinationWork, type ReleaseWork, savePublished } from '../services/releases/release-work.ts';
import { leaveForLooks, verifyRelease } from '../services/releases/verify.ts';
import { watchDestination } from '../services/releases/watch.ts';

type Job = RunningJob<'publish-destination'>;

/**
 * What is live at the primary destination is published and seen live at one of the others. Whatever comes between, another
 * release or the removal, ends the run: what is wanted then has a job of its own.
 */
export const publishDestinationJob: JobHandler<'publish-destination'> = {
  async run(job) {
    const { providers, accountId, payload } = job;
    const work = await loadDestinationWork(providers, accountId, payload);
    if (work === null) return;
    const watch = watchDestination(providers, work);
    try {
      const signal = AbortSignal.any([job.signal, watch.signal]);
      const call = platformCall(providers, work.deployment, work.destination, signal, job);
      const step = silentStep(work.published.startedAt ?? call.now());
      await restWhileLimited(work, call, step, () => publish(job, work, call, step));
      await job.transaction((session) => endLiveAt(session, work));
    } catch (error) {
      if (job.signal.aborted) throw job.signal.reason;
      if (watch.signal.aborted) return;
      if (!isFinal(error)) throw error;
      await job.transaction((session) => endFailedAt(session, accountId, payload, shownError(error)));
    } finally {
      watch.stop();
    }
  },
  onDeadLetter: (session, { accountId, payload }, error) => endFailedAt(session, accountId, payload, shownError(error)),
};

async function publish(job: Job, work: ReleaseWork, call: PlatformCall, step: StepReport): Promise<void> {
  if (!work.wasVerified) await publishFiles(work, job, call, step);
  leaveForLooks(job, work);
  const verification = await verifyRelease(job, work, call, step);
  if (!work.wasVerified) {
    await verification.atOwnAddress();
    const verifiedUnder = verification.conditions;
    await job.transaction((session) => savePublished(session, work, { verifiedUnder }));
  }
  await makePublic(work, job, call, step);
  const missingLinks = await verification.atPublicAddress();
  await job.transaction((session) => savePublished(session, work, { missingLinks }));
}

/** The steps of a release tell of its primary destination; of the others a person sees the state. */
function silentStep(startedAt: Date): StepReport {
  return { startedAt, progress: () => undefined, log: () => undefined };
}
