import type { ClientSession } from 'mongoose';
import { compareManifests, type Manifest } from '../artifacts/manifest.ts';
import type { ArtifactStore } from '../artifacts/store.ts';
import { AppError } from '../errors.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from '../platforms/platform.ts';
import type { Providers } from '../service-context.ts';
import { previousRelease, readManifest } from './releases/read.ts';
import { type ReleaseWork, savePlatformRef } from './releases/work.ts';

/** Where a step tells how far it is. */
export type StepReport = {
  progress(progress: Partial<{ done: number; total: number; doneBytes: number; totalBytes: number }>): void;
  log(text: string): void;
};

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

/** Reads the list of files and holds it against the platform's own limits. Throws `platform_failed`. */
export async function prepareFiles(store: ArtifactStore, work: ReleaseWork, report: StepReport): Promise<void> {
  const { release, platform } = work;
  const manifest = await readManifest(store, release.manifestHash);
  const { maxFiles, maxFileBytes, maxTotalBytes } = platform.capabilities.limits;
  const large = [...manifest].find(([, entry]) => entry.sizeBytes > (maxFileBytes ?? Number.POSITIVE_INFINITY));
  if (large !== undefined) throw new AppError('platform_failed', `${large[0]} is larger than the platform takes.`);
  if (
    manifest.size > (maxFiles ?? Number.POSITIVE_INFINITY) ||
    release.totalBytes > (maxTotalBytes ?? Number.POSITIVE_INFINITY)
  ) {
    throw new AppError('platform_failed', 'This release is larger than the platform takes.');
  }
  report.progress({
    done: manifest.size,
    total: manifest.size,
    doneBytes: release.totalBytes,
    totalBytes: release.totalBytes,
  });
  report.log(await describe(store, work, manifest));
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
 */
export async function startPublication(
  work: ReleaseWork,
  { providers, transaction }: Writer,
  signal: AbortSignal,
): Promise<Publication> {
  const { release, platform, deployment } = work;
  const { store } = providers;
  const call: PlatformCall = { deployment, store, signal, now: () => providers.now() };
  const events = platform.publish(call, {
    release: { id: release._id, number: release.number },
    manifest: await readManifest(store, release.manifestHash),
    manifestHash: release.manifestHash,
    ref: storedRef(release.platformRef),
  });
  const save = (ref: PlatformRef): Promise<void> => transaction((session) => savePlatformRef(session, release, ref));
  let next: IteratorResult<PublishEvent, PlatformRef> | null = null;

  const advance = async (): Promise<IteratorResult<PublishEvent, PlatformRef>> => {
    signal.throwIfAborted();
    const result = await events.next();
    if (!result.done && result.value.type === 'ref') await save(result.value.ref);
    return result;
  };

  return {
    async upload(report) {
      for (next = await advance(); !next.done && next.value.type !== 'processing'; next = await advance()) {
        if (next.value.type === 'uploading') tell(report, next.value);
      }
    },
    async process(report) {
      for (next ??= await advance(); !next.done; next = await advance()) {
        if (next.value.type === 'processing') report.log(next.value.text);
      }
      await save(next.value);
    },
  };
}

function tell(report: StepReport, event: Extract<PublishEvent, { type: 'uploading' }>): void {
  const { done, total, doneBytes, totalBytes, text } = event;
  report.progress({ done, total, doneBytes, totalBytes });
  if (text !== undefined) report.log(text);
}

/** The field is free in the schema; only `savePlatformRef` writes it, with what an adapter named. */
function storedRef(stored: unknown): PlatformRef | null {
  return (stored ?? null) as PlatformRef | null;
}
