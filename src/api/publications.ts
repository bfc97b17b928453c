import { useSyncExternalStore } from 'react';
import type { Release } from '../../routers/schemas/releases.ts';
import { errorDetails, errorMessage } from './errors.ts';
import { type Hasher, type UploadProgress, type UploadResult, uploadFiles } from './upload.ts';
import type { PickedFolder } from './upload-folder.ts';
import { type Carrier, UploadError, untilAnswered } from './upload-send.ts';

export type PublicationState = 'sending' | 'creating' | 'done' | 'failed' | 'cancelled';
/** A folder on its way to become a release: it lives in the page, across screens, until the server has it all. */
export type Publication = {
  deploymentId: string;
  deploymentName: string;
  url: string;
  folder: PickedFolder;
  /** The deployment was made for this folder: cancelling may take it away again. */
  isNew: boolean;
  state: PublicationState;
  progress: UploadProgress | null;
  result: UploadResult | null;
  release: Release | null;
  failure: { message: string; hint: string | undefined; isFolderNeeded: boolean } | null;
};

/** What a publication asks the server, besides the files themselves. */
export type PublicationDoors = {
  prepare(input: { deploymentId: string }): Promise<{ uploadId: string }>;
  /** `isRepeated`: the question before this one got no answer, and may have been heard all the same. */
  createRelease(input: { deploymentId: string; uploadId: string }, isRepeated: boolean): Promise<Release>;
  carrier: Carrier;
  hasher: Hasher;
};

export type PublicationRequest = {
  deployment: { id: string; name: string; url: string };
  folder: PickedFolder;
  publishAnyway: readonly string[];
  isNew: boolean;
};

type Run = { request: PublicationRequest; doors: PublicationDoors; cancel: AbortController; uploadId: string | null };

/** Progress comes a file at a time; the screen moves at most this often. */
const PROGRESS_PAUSE_MS = 100;

/** How long a finished publication waits for the screen that shows it. */
const LEAD_ON_MS = 1_000;

const publications = new Map<string, Publication>();
const runs = new Map<string, Run>();
const listeners = new Set<() => void>();
let snapshot: readonly Publication[] = [];
let announcement: ReturnType<typeof setTimeout> | undefined;

/**
 * Starts to publish a folder on a deployment: upload, then release. It goes on while its owner walks through the app.
 *
 * @returns the publication when it ended, however it did; it never rejects
 */
export function startPublication(request: PublicationRequest, doors: PublicationDoors): Promise<Publication> {
  const { id } = request.deployment;
  runs.get(id)?.cancel.abort(CANCELLED);
  const run: Run = { request, doors, cancel: new AbortController(), uploadId: null };
  runs.set(id, run);
  publications.delete(id);
  change(run, {});
  return work(run);
}

/** Goes on where it stopped: what arrived is not sent again. */
export function retryPublication(deploymentId: string): Promise<Publication> | null {
  const run = runs.get(deploymentId);
  if (run === undefined) return null;
  run.cancel = new AbortController();
  change(run, { state: 'sending', failure: null, result: null });
  return work(run);
}

export function cancelPublication(deploymentId: string): void {
  runs.get(deploymentId)?.cancel.abort(CANCELLED);
}

export function cancelAllPublications(): void {
  for (const [deploymentId, run] of runs) {
    run.cancel.abort(CANCELLED);
    forgetPublication(deploymentId);
  }
}

/** Its outcome was seen: it leaves the lists. */
export function forgetPublication(deploymentId: string): void {
  runs.delete(deploymentId);
  if (publications.delete(deploymentId)) announce();
}

export function isPublishing(): boolean {
  return snapshot.some(({ state }) => state === 'sending' || state === 'creating');
}

export function subscribePublications(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function usePublications(): readonly Publication[] {
  return useSyncExternalStore(subscribePublications, () => snapshot);
}

export function usePublication(deploymentId: string): Publication | null {
  return useSyncExternalStore(subscribePublications, () => publications.get(deploymentId) ?? null);
}

const CANCELLED = new DOMException('Cancelled', 'AbortError');

async function work(run: Run): Promise<Publication> {
  const { request, doors } = run;
  const { signal } = run.cancel;
  const deploymentId = request.deployment.id;
  try {
    const asking = { signal, onWaiting: (isWaiting: boolean) => void noteWaiting(run, isWaiting) };
    run.uploadId ??= (await untilAnswered(() => doors.prepare({ deploymentId }), asking)).uploadId;
    const { uploadId } = run;
    signal.throwIfAborted();
    const result = await upload(run, uploadId);
    signal.throwIfAborted();
    change(run, { state: 'creating', result });
    const release = await untilAnswered(
      (isRepeated) => doors.createRelease({ deploymentId, uploadId }, isRepeated),
      asking,
    );
    // The screen that shows it leads on to the release; where none does, nobody is led there later.
    setTimeout(() => runs.get(deploymentId) === run && forgetPublication(deploymentId), LEAD_ON_MS);
    return change(run, { state: 'done', release });
  } catch (cause) {
    if (signal.aborted) return change(run, { state: 'cancelled' });
    return change(run, { state: 'failed', failure: failureOf(cause) });
  }
}

function noteWaiting(run: Run, isWaiting: boolean): void {
  const progress = publications.get(run.request.deployment.id)?.progress;
  if (progress && progress.isWaiting !== isWaiting) change(run, { progress: { ...progress, isWaiting } });
}

async function upload(run: Run, uploadId: string): Promise<UploadResult> {
  const { request, doors } = run;
  try {
    return await uploadFiles({
      uploadId,
      files: request.folder.files,
      publishAnyway: request.publishAnyway,
      carrier: doors.carrier,
      hasher: doors.hasher,
      signal: run.cancel.signal,
      onProgress: (progress) => change(run, { progress }, PROGRESS_PAUSE_MS),
    });
  } catch (cause) {
    // An upload that is gone or was used is no place to go on: the next attempt opens another.
    if (cause instanceof UploadError && (cause.code === 'not_found' || cause.code === 'upload_closed')) {
      run.uploadId = null;
    }
    throw cause;
  }
}

function change(run: Run, fields: Partial<Publication>, pauseMs = 0): Publication {
  const { id, name, url } = run.request.deployment;
  const after: Publication = {
    ...(publications.get(id) ?? {
      deploymentId: id,
      deploymentName: name,
      url,
      folder: run.request.folder,
      isNew: run.request.isNew,
      state: 'sending',
      progress: null,
      result: null,
      release: null,
      failure: null,
    }),
    ...fields,
  };
  // A run that another one replaced, or that was forgotten, tells nobody.
  if (runs.get(id) === run) {
    publications.set(id, after);
    if (pauseMs === 0) announce();
    else announcement ??= setTimeout(announce, pauseMs);
  }
  return after;
}

function announce(): void {
  clearTimeout(announcement);
  announcement = undefined;
  snapshot = [...publications.values()];
  for (const listener of listeners) listener();
}

/** The server's own sentences reach the person as they are; anything else is a fault of ours. */
function failureOf(cause: unknown): Publication['failure'] {
  if (cause instanceof UploadError) {
    return { message: cause.message, hint: cause.hint, isFolderNeeded: cause.code === 'file_changed' };
  }
  return { message: errorMessage(cause), hint: errorDetails(cause).hint, isFolderNeeded: false };
}
