import type { ClientSession } from 'mongoose';
import { compareManifests, type Manifest } from '../artifacts/manifest.ts';
import type { ArtifactStore } from '../artifacts/store.ts';
import { DAY_MS } from '../durations.ts';
import { AppError } from '../errors.ts';
import type { StepReport } from '../jobs/handler.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from '../platforms/platform.ts';
import type { Providers } from '../service-context.ts';
import { requireWithinLimits, storedRef } from './platform-call.ts';
import { reportFindings } from './releases/inspect.ts';
import { previousRelease, readManifest } from './releases/read.ts';
import { reportRules } from './releases/rule-report.ts';
import { type ReleaseWork, saveAddresses, savePlatformRef, savePlatformSite } from './releases/work.ts';

const MINUTE_MS = 60_000;

export type Publication = {
  /** Sends what the platform misses. */
  upload(report: StepReport): Promise<void>;
  /** Waits until the platform says that it is done. */
  process(report: StepReport): Promise<void>;
};

/** What a job lends to the work that it does: its adapters, and its way to write. */
export type Writer = {
  providers: Providers;
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
};

/**
 * Reads the list of files, holds it against the platform's own limits, and tells what is remarkable in the files.
 * Throws `content_refused`, and the signal's reason.
 */
export async function prepareFiles(
  store: ArtifactStore,
  work: ReleaseWork,
  report: StepReport,
  signal: AbortSignal,
): Promise<void> {
  const { release, platform, title } = work;
  const manifest = await readManifest(store, release.manifestHash);
  requireWithinLimits(platform, title, manifest);
  report.progress({
    done: manifest.size,
    total: manifest.size,
    doneBytes: release.totalBytes,
    totalBytes: release.totalBytes,
  });
  report.log(await describe(store, work, manifest));
  for (const line of await reportFindings(store, manifest, signal)) report.log(line);
  for (const line of await reportRules(store, manifest)) report.log(line);
}

async function describe(store: ArtifactStore, work: ReleaseWork, manifest: Manifest): Promise<string> {
  const { accountId, deploymentId, number } = work.release;
  const files = manifest.size === 1 ? '1 file' : `${manifest.size} files`;
  const previous = await previousRelease(accountId, deploymentId, number);
  if (previous === null) return `${files}, the first release that goes live`;
  const { added, changed, removed } = compareManifests(await readManifest(store, previous.manifestHash), manifest);
  return `${files}: ${added.length} new, ${changed.length} changed, ${removed.length} gone since release ${previous.number}`;
}

/**
 * Walks `platform.publish` in the two halves that are steps of a release. When the first half was done by an earlier
 * run, the second one walks it again from the stored reference: the platform continues, and repeats nothing.
 *
 * A half throws `platform_waiting` when nothing can be done for a while, and `platform_failed` past the deadline.
 */
export async function startPublication(work: ReleaseWork, job: Writer, call: PlatformCall): Promise<Publication> {
  const { release, platform } = work;
  const { store } = job.providers;
  const events = platform.publish(call, {
    release: { id: release._id, number: release.number },
    manifest: await readManifest(store, release.manifestHash),
    manifestHash: release.manifestHash,
    ref: storedRef(release.platformRef),
  });
  const deadline = (release.startedAt ?? call.now()).getTime() + platform.capabilities.limits.releaseMs;
  let next: IteratorResult<PublishEvent, PlatformRef> | null = null;

  const advance = async (): Promise<IteratorResult<PublishEvent, PlatformRef>> => {
    call.signal.throwIfAborted();
    if (call.now().getTime() > deadline) throw tooLate(work);
    const result = await events.next();
    if (!result.done) await keep(result.value, work, job, call);
    return result;
  };

  return {
    async upload(report) {
      for (next = await advance(); !next.done && !isProcessing(next.value); next = await advance()) {
        if (next.value.type === 'uploading') tell(report, next.value);
      }
    },
    async process(report) {
      for (next ??= await advance(); !next.done; next = await advance()) {
        if (next.value.type === 'processing') report.log(next.value.text);
        if (next.value.type === 'waiting') throw cannotGoOn(next.value);
      }
      const ref = next.value;
      const seen = await platform.release(call, ref);
      await job.transaction(async (session) => {
        await savePlatformRef(session, release, ref);
        await saveAddresses(session, release, seen);
      });
      release.platformRef = ref;
    },
  };
}

/** Leads the platform's visitors to this release, where that is not done with publishing it. */
export async function makePublic({ platform, release, wasVerified }: ReleaseWork, call: PlatformCall): Promise<void> {
  const ref = storedRef(release.platformRef);
  if (ref !== null && (platform.capabilities.draft || wasVerified)) await platform.restore?.(call, ref);
}

/** Before the platform is asked for anything more, what it named is on record, here and in the call that goes on. */
async function keep(event: PublishEvent, { release }: ReleaseWork, job: Writer, call: PlatformCall): Promise<void> {
  if (event.type === 'site') {
    await job.providers.faults?.at('publishing:site');
    await job.transaction((session) => savePlatformSite(session, release, event.site));
    call.site = event.site;
  }
  if (event.type === 'ref') {
    await job.providers.faults?.at('publishing:ref');
    await job.transaction((session) => savePlatformRef(session, release, event.ref));
    release.platformRef = event.ref;
  }
}

function isProcessing(event: PublishEvent): boolean {
  return event.type === 'processing' || event.type === 'waiting';
}

function cannotGoOn({ text, retryAfterMs }: Extract<PublishEvent, { type: 'waiting' }>): AppError {
  return new AppError('platform_waiting', text, { retryAfterMs });
}

function tooLate({ platform, title }: ReleaseWork): AppError {
  const { releaseMs } = platform.capabilities.limits;
  const time = releaseMs >= 2 * DAY_MS ? `${releaseMs / DAY_MS} days` : `${releaseMs / MINUTE_MS} minutes`;
  return new AppError('platform_failed', `${title} did not finish this release within ${time}.`, {
    hint: `Try again. If it takes as long, look at ${title} what it says of this site.`,
  });
}

function tell(report: StepReport, event: Extract<PublishEvent, { type: 'uploading' }>): void {
  const { done, total, doneBytes, totalBytes, text } = event;
  report.progress({ done, total, doneBytes, totalBytes });
  if (text !== undefined) report.log(text);
}
