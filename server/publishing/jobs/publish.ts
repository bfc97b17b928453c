import type { ClientSession } from 'mongoose';
import { platformCall } from '../../connections/platform-call.ts';
import type { JobHandler, RunningJob, StepReport } from '../../queue/handler.ts';
import { runStep } from '../../queue/steps.ts';
import type { PlatformCall } from '../platforms/platform.ts';
import { saveMissing } from '../publication/missing.ts';
import { complete } from '../publication/outcome.ts';
import { switchTo } from '../publication/promote.ts';
import {
  isAskedToSwitch,
  makePublic,
  prepareFiles,
  restWhileLimited,
  startPublication,
} from '../publication/publish.ts';
import { loadReleaseWork, type ReleaseWork, savePublished } from '../publication/release-work.ts';
import { leaveForLooks, verifyRelease } from '../publication/verify.ts';
import { watchPublication } from '../publication/watch.ts';
import { endDeadPublication, endPublishing } from './end-publishing.ts';

type Job = RunningJob<'publish'>;

/**
 * Prepares, sends, processes and verifies a publication, which is a release at one destination. A release that was
 * live there before is verified only. The job skips what an earlier run has done, and what was live stays live until
 * the new release is. At the primary destination the release itself goes live, and the others follow.
 */
export const publishJob: JobHandler<'publish'> = {
  async run(job) {
    const { providers } = job;
    const work = await loadReleaseWork(providers, job.accountId, job.payload);
    if (work === null) return;
    const watch = watchPublication(providers, work);
    const signal = AbortSignal.any([job.signal, watch.signal]);
    const call = platformCall(providers, work.deployment, work.destination, signal, job);
    try {
      signal.throwIfAborted();
      if (!work.wasLive) await publish(job, work, call);
      await goLive(job, work, call);
    } catch (error) {
      await endPublishing(job, work, call, error, watch.signal);
    } finally {
      watch.stop();
    }
    await providers.faults?.at('release:ended');
  },
  onDeadLetter: endDeadPublication,
};

async function publish(job: Job, work: ReleaseWork, call: PlatformCall): Promise<void> {
  await runStep(job, work, 'preparing', (step) => prepareFiles(job.providers.store, work, step, call.signal));
  const publication = await startPublication(work, job, call);
  for (const [name, act] of [
    ['uploading', publication.upload],
    ['processing', publication.process],
  ] as const) {
    await runStep(job, work, name, (step) => restWhileLimited(work, call, step, () => act(step)));
  }
}

async function goLive(job: Job, work: ReleaseWork, call: PlatformCall): Promise<void> {
  leaveForLooks(job, work);
  const end = (session: ClientSession, at: Date) => complete(session, job.providers, job.accountId, job.payload, at);
  const isVerifiedNow = await runStep(job, work, 'verifying', async (step) => {
    const missingLinks = await restWhileLimited(work, call, step, () => verify(job, work, call, step));
    step.atEnd(async (session, at) => {
      const reported = await saveMissing(session, work, missingLinks);
      await end(session, at);
      return { missingLinks: reported };
    });
  });
  // An earlier version ended the step first, and may have been killed in between.
  if (!isVerifiedNow) await job.transaction((session) => end(session, job.providers.now()));
}

async function verify(job: Job, work: ReleaseWork, call: PlatformCall, step: StepReport): Promise<string[]> {
  const verification = await verifyRelease(job, work, call, step);
  const isFirst = !work.isLive && !work.wasLive;
  if (isFirst) await verification.atOwnAddress();
  await job.providers.faults?.at('verifying:seen');
  const isAsked = isAskedToSwitch(work);
  const change = {
    ...(isFirst && { verifiedUnder: verification.conditions }),
    ...(!isAsked && { publicAt: work.published.publicAt ?? call.now() }),
  };
  await job.transaction(async (session) => {
    await savePublished(session, work, change);
    if (work.isPrimary && !work.isLive) await switchTo(session, work.release);
  });
  await job.providers.faults?.at('verifying:switched');
  if (isAsked) await makePublic(work, job, call, step);
  return verification.atPublicAddress();
}
