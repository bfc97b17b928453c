import { errorDetails, errorMessage } from './errors.ts';
import {
  beginRun,
  change,
  forgetPublication,
  type Publication,
  type PublicationDoors,
  type PublicationRequest,
  publicationOf,
  type Run,
  runs,
} from './publication-store.ts';
import { type UploadResult, uploadFiles } from './upload.ts';
import { UploadError, untilAnswered } from './upload-send.ts';

export {
  cancelAllPublications,
  cancelPublication,
  forgetPublication,
  isPublishing,
  type Publication,
  type PublicationDoors,
  type PublicationRequest,
  subscribePublications,
} from './publication-store.ts';

/** Progress comes a file at a time; the screen moves at most this often. */
const PROGRESS_PAUSE_MS = 100;

/** How long a finished publication waits for the screen that shows it. */
const LEAD_ON_MS = 1_000;

/**
 * Starts to publish a folder on a deployment: upload, then release. It goes on while its owner walks through the app.
 *
 * @returns the publication when it ended, however it did; it never rejects
 */
export function startPublication(request: PublicationRequest, doors: PublicationDoors): Promise<Publication> {
  const run: Run = { request, doors, cancel: new AbortController(), uploadId: null };
  beginRun(run);
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
  const progress = publicationOf(run.request.deployment.id)?.progress;
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

/** The server's own sentences reach the person as they are; anything else is a fault of ours. */
function failureOf(cause: unknown): Publication['failure'] {
  if (cause instanceof UploadError) {
    return { message: cause.message, hint: cause.hint, isFolderNeeded: cause.code === 'file_changed' };
  }
  return { message: errorMessage(cause), hint: errorDetails(cause).hint, isFolderNeeded: false };
}
