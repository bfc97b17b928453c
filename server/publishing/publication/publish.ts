import type { ClientSession } from 'mongoose';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { ShownError } from '../../../routers/schemas/platforms/destination.ts';
import { refusalByLimits } from '../../../routers/schemas/platforms/limits.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { storedRef } from '../../connections/platform-call.ts';
import type { Providers } from '../../context.ts';
import { ArtifactModel, HASHES_A_QUERY } from '../../database/models/publishing/artifact.ts';
import { ReleaseModel } from '../../database/models/publishing/release.ts';
import { publishEvent } from '../../events/publish.ts';
import { AppError } from '../../lib/errors.ts';
import { LOOKED_AT } from '../../lib/remedies.ts';
import type { StepReport } from '../../queue/handler.ts';
import { compareManifests, type Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { reportFindings } from '../inspection/inspect.ts';
import type { Platform, PlatformCall, PlatformRef, PublishEvent, PublishRequest } from '../platforms/platform.ts';
import { refusePrivateKeys } from '../uploads/index.ts';
import { pagesWithBrokenLinks, saveFindings } from './missing.ts';
import { folderAtHost, reportPacked } from './place-report.ts';
import { findPublication } from './publications.ts';
import { comparedRelease } from './release-files.ts';
import { begunAt, type ReleaseTime, timeOf } from './release-time.ts';
import { isServedAsSinglePage, type ReleaseWork, saveDestination, savePublished } from './release-work.ts';
import { reportRules } from './rule-report.ts';

export type PublishSteps = {
  /** Sends the files that the platform misses. */
  upload(report: StepReport): Promise<void>;
  /** Waits until the platform says that it is done. */
  process(report: StepReport): Promise<void>;
};

/** The providers and the transactions that a job lends to its work. */
export type Writer = {
  providers: Providers;
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
};

/**
 * Reads the list of files, checks it against the platform's own limits, and logs remarkable files that the last live
 * release did not have. Throws `content_refused`, `upload_refused`, and the signal's reason.
 */
export async function prepareFiles(
  store: ArtifactStore,
  work: ReleaseWork,
  report: StepReport,
  signal: AbortSignal,
): Promise<void> {
  const { release, platform, title } = work;
  const manifest = await work.readManifest(release.manifestHash);
  requireWithinLimits(platform, title, manifest);
  await refusePrivateKeys(store, manifest, { signal });
  report.progress({
    done: manifest.size,
    total: manifest.size,
    doneBytes: release.totalBytes,
    totalBytes: release.totalBytes,
  });
  const { line, changed } = await describe(work, manifest);
  report.log(line);
  const folder = await folderAtHost(work);
  const isSinglePage = isServedAsSinglePage(work);
  const found = await reportFindings(store, manifest, { changed, folder, isSinglePage, signal });
  for (const finding of found.lines) report.log(finding);
  report.atEnd((session) => saveFindings(session, work, found));
  for (const line of reportPacked(work, manifest)) report.log(line);
  for (const rule of await reportRules(work, store, manifest)) report.log(rule);
}

/**
 * Returns the first line of a release's log, and the paths whose findings are told: those that are new or have another
 * content, and pages with links that led nowhere before; null when it is all of them, as when a file was removed that
 * any page may link to.
 */
async function describe(
  work: ReleaseWork,
  manifest: Manifest,
): Promise<{ line: string; changed: ReadonlySet<string> | null }> {
  const files = formatCount(manifest.size, 'file');
  const previous = await comparedRelease(work.release);
  if (previous === null) return { line: firstReleaseLine(manifest.size), changed: null };
  const earlier = await work.readEarlier(previous);
  if (earlier === null)
    return {
      line: `${files}. What changed is unknown: the list of files of release ${previous.number} is lost`,
      changed: null,
    };
  const { added, changed, removed } = await compareManifests(earlier, manifest);
  const counts = `${added.length} new, ${changed.length} changed, ${removed.length} removed`;
  const broken = pagesWithBrokenLinks(previous);
  return {
    line: `${files}: ${counts} since release ${previous.number}`,
    changed: broken === null || removed.length > 0 ? null : new Set([...added, ...changed, ...broken]),
  };
}

export function firstReleaseLine(fileCount: number): string {
  return `First release, ${formatCount(fileCount, 'file')}`;
}

/**
 * Runs `platform.publish` in the two halves that are steps of a release. When an earlier run has done the first half,
 * the second one calls it again with the stored reference: the platform continues, and repeats nothing.
 *
 * Each half throws JobDeferred when nothing can be done for a while, and `platform_failed` past the deadline.
 */
export async function startPublication(work: ReleaseWork, job: Writer, call: PlatformCall): Promise<PublishSteps> {
  const { release, platform } = work;
  const manifest = await work.readManifest(release.manifestHash);
  // Files that an earlier run has sent were not there before.
  let isFirstTold = storedRef(work.published.ref) === null;
  const since = begunAt(work, call.now());
  const time = timeOf(work, call, since);
  const events = platform.publish(time.call, {
    // The platform must not take a site of this publication for one that another left there.
    release: { id: work.published.actId ?? release._id, number: release.number },
    manifest,
    manifestHash: release.manifestHash,
    ref: storedRef(work.published.ref),
    previous: await readPrevious(work),
    sha1Of: (sha256s) => readSha1s(release.accountId, sha256s),
    confirmedUrl: work.published.confirmedUrl ?? null,
  });
  let next: IteratorResult<PublishEvent, PlatformRef> | null = null;
  const advance = async (): Promise<IteratorResult<PublishEvent, PlatformRef>> => {
    const result = await time.within(() => events.next());
    if (!result.done) await saveEvent(result.value, work, job, call);
    return result;
  };

  return {
    async upload(report) {
      for (next = await advance(); !next.done && next.value.type !== 'processing'; next = await advance()) {
        if (isFirstTold && next.value.type === 'uploading') {
          report.progress({ doneBefore: next.value.done, doneBytesBefore: next.value.doneBytes });
          isFirstTold = false;
        }
        reportEvent(next.value, report, time);
      }
    },
    async process(report) {
      for (next ??= await advance(); !next.done; next = await advance()) reportEvent(next.value, report, time);
      const ref = next.value;
      const { url, ownUrl } = await platform.release(call, ref);
      report.atEnd(async (session) => {
        if (url !== null) await saveDestination(session, work, { url });
        const ledTo = { ref, url, ownUrl };
        Object.assign(work.published, ledTo);
        return ledTo;
      });
    },
  };
}

/** Returns the release that visitors of the destination have now, unless the deployment moved there since. */
async function readPrevious(work: ReleaseWork): Promise<PublishRequest['previous']> {
  const { servedId, release } = work;
  if (servedId === null || servedId === release._id) return null;
  const { accountId } = release;
  const current = await ReleaseModel.findOne({ _id: servedId, accountId }).lean();
  const published = await findPublication(accountId, { releaseId: servedId, destinationId: work.destination._id });
  const ref = storedRef(published?.ref);
  if (current === null || ref === null) return null;
  const manifest = await work.readEarlier(current);
  if (manifest === null) return null;
  const isServedHere = PLATFORMS[work.destination.platform].isServedHere;
  return { ref, manifest: isServedHere ? without(manifest, current.corruptedFiles) : manifest };
}

/**
 * Leaves out files that the store has lost, since Fairlead's own host does not serve them any more; another platform
 * has a copy of its own.
 */
function without(manifest: Manifest, lost: readonly { path: string }[]): Manifest {
  if (lost.length === 0) return manifest;
  const paths = new Set(lost.map(({ path }) => path));
  return new Map([...manifest].filter(([path]) => !paths.has(path)));
}

/**
 * Returns whether the platform is asked to lead its visitors to this release. Otherwise publishing has done that, or on
 * Fairlead's own host the deployment's pointer does.
 */
export function isAskedToSwitch({ platform, published, wasLive }: ReleaseWork): boolean {
  const isDraft = platform.capabilities.draft && !PLATFORMS[platform.id].isServedHere;
  return (isDraft || wasLive) && platform.restore !== undefined && storedRef(published.ref) !== null;
}

/**
 * Leads the platform's visitors to this release; a request by an earlier run is not repeated. Throws the errors of the
 * halves of a publication.
 */
export async function makePublic(work: ReleaseWork, job: Writer, call: PlatformCall, step: StepReport): Promise<void> {
  const { platform, published, release } = work;
  const ref = storedRef(published.ref);
  if (published.publicAt instanceof Date || ref === null || platform.restore === undefined) return;
  const time = timeOf(work, call, begunAt(work, step.startedAt));
  const events = platform.restore(time.call, { ref, actId: published.actId ?? release._id });
  for (;;) {
    const next = await time.within(() => events.next());
    if (next.done) {
      const change = { ref: next.value, publicAt: call.now() };
      return job.transaction((session) => savePublished(session, work, change));
    }
    await saveEvent(next.value, work, job, call);
    reportEvent(next.value, step, time);
  }
}

/** A reference consists of ids and addresses; a longer one is nothing that a platform needs to be told again. */
const REF_MAX_LENGTH = 32_000;

/** Stores the names that the platform gave before its next request, here and in the call that continues. */
async function saveEvent(event: PublishEvent, work: ReleaseWork, job: Writer, call: PlatformCall): Promise<void> {
  const named = event.type === 'site' ? event.site : event.type === 'ref' ? event.ref : null;
  if (named !== null && JSON.stringify(named).length > REF_MAX_LENGTH) {
    throw new AppError('platform_failed', `${work.title} sent an identifier that is too long.`, { hint: 'Try again.' });
  }
  if (event.type === 'site') {
    await job.providers.faults?.at('publishing:site');
    await job.transaction((session) => saveDestination(session, work, { site: event.site }));
    call.destination.site = event.site;
  }
  if (event.type === 'ref') {
    await job.providers.faults?.at('publishing:ref');
    await job.transaction((session) => savePublished(session, work, { ref: event.ref }));
  }
  if (event.type === 'waiting') {
    const state = event.forPerson === true ? 'waiting' : 'publishing';
    const { accountId, deploymentId, _id: releaseId } = work.release;
    const isNews = work.published.state !== state;
    const change = { state, error: refusalOf(event, work) } as const;
    await job.transaction(async (session) => {
      await savePublished(session, work, change);
      await saveDestination(session, work, change);
      // A person who has the release open is shown their part at once.
      if (isNews) await publishEvent(session, accountId, { type: 'analytics_update', deploymentId, releaseId });
    });
  }
}

/** Returns the reason why the person has to check the address that they gave; null when they have given none. */
function refusalOf({ text, forPerson }: Waiting, { published }: ReleaseWork): ShownError | null {
  if (forPerson !== true || !published.confirmedUrl) return null;
  return { code: 'out_of_sync', message: `${text}.`, hint: LOOKED_AT.job, raw: null };
}

type Waiting = Extract<PublishEvent, { type: 'waiting' }>;

/** Reports the event. A wait throws instead: the job goes back to the queue, and continues from the stored state. */
function reportEvent(event: PublishEvent, report: StepReport, time: ReleaseTime): void {
  if (event.type === 'processing') report.log(event.text);
  if (event.type === 'waiting') throw time.rest(event.text, event.retryAfterMs);
  if (event.type !== 'uploading') return;
  const { done, total, doneBytes, totalBytes, text } = event;
  report.progress({ done, total, doneBytes, totalBytes });
  if (text !== undefined) report.log(text);
}

/**
 * Runs a part of a release's work. When a platform asks for a pause, or Fairlead's own capacity does, the job waits as
 * long as the release as a whole has time, and no attempt is counted. Throws JobDeferred in that case, otherwise the
 * errors of `act`.
 */
export async function restWhileLimited<T>(
  work: ReleaseWork,
  call: PlatformCall,
  report: StepReport,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isPause = error instanceof AppError && (error.code === 'rate_limited' || error.code === 'overloaded');
    const time = timeOf(work, call, begunAt(work, report.startedAt));
    if (!isPause || error.retryAfterMs === undefined || time.leftMs() < 0) throw error;
    const rest = time.rest(error.message, error.retryAfterMs);
    report.log(`${error.message} Trying again in ${Math.ceil(rest.delayMs / 1_000)} s.`);
    throw rest;
  }
}

/** Returns the SHA-1 of contents by their SHA-256, as it was computed when they arrived. */
async function readSha1s(accountId: string, sha256s: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let start = 0; start < sha256s.length; start += HASHES_A_QUERY) {
    const some = sha256s.slice(start, start + HASHES_A_QUERY);
    const rows = await ArtifactModel.find({ accountId, sha256: { $in: some } }, { sha256: 1, sha1: 1 }).lean();
    for (const { sha256, sha1 } of rows) found.set(sha256, sha1);
  }
  return found;
}

/** Checks a release against the platform's own limits, before anything is sent. Throws `content_refused`. */
export function requireWithinLimits({ capabilities }: Platform, title: string, manifest: Manifest): void {
  const files = [...manifest].map(([path, { sizeBytes }]) => ({ path, sizeBytes }));
  const refusal = refusalByLimits(capabilities, title, files);
  if (refusal !== null) throw new AppError('content_refused', refusal.message, { hint: refusal.hint });
}
