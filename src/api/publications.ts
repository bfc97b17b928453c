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
  type StoredProgress,
} from './publication-store.ts';
import { type Load, type UploadProgress, type UploadResult, uploadFiles } from './upload.ts';
import { isZip } from './upload-picks.ts';
import { isUnanswered, UploadError, untilAnswered } from './upload-send.ts';
import { uploadZip } from './upload-send-zip.ts';

/** Progress comes a file at a time; the screen moves at most this often. */
const PROGRESS_PAUSE_MS = 100;

/** How long a finished publication waits for the screen that shows it. */
const LEAD_ON_MS = 1_000;

const NOTHING_STORED: StoredProgress = { uploadId: null, isSent: false, load: null };

/**
 * Starts to publish a folder or ZIP on a deployment: upload, then release. It goes on while its owner walks through the
 * app. `resumed` is how far an earlier page came with it.
 *
 * @returns the publication when it ended, however it did; it never rejects
 */
export function startPublication(
  request: PublicationRequest,
  doors: PublicationDoors,
  resumed: StoredProgress | null = null,
): Promise<Publication> {
  const run: Run = {
    request,
    doors,
    cancel: new AbortController(),
    stored: resumed ?? NOTHING_STORED,
    isResumed: resumed !== null,
    isWantedUnchanged: false,
  };
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

/** Makes the release that nothing is new in. */
export function publishUnchanged(deploymentId: string): Promise<Publication> | null {
  const run = runs.get(deploymentId);
  if (run !== undefined) run.isWantedUnchanged = true;
  return retryPublication(deploymentId);
}

async function work(run: Run): Promise<Publication> {
  const { request, doors } = run;
  const { signal } = run.cancel;
  const deploymentId = request.deployment.id;
  try {
    const asking = { signal, onWaiting: (isWaiting: boolean) => void noteWaiting(run, isWaiting) };
    const uploadId =
      run.stored.uploadId ?? (await untilAnswered(() => doors.prepare({ deploymentId }), asking)).uploadId;
    if (run.stored.uploadId === null) store(run, { uploadId });
    signal.throwIfAborted();
    const sent = await upload(run, uploadId);
    signal.throwIfAborted();
    change(run, { state: 'creating', result: sent ?? sentBefore(run.stored) });
    const wanted = { deploymentId, uploadId, ifChanged: !run.isWantedUnchanged };
    const release = await untilAnswered(
      (isRepeated) => doors.createRelease(wanted, isRepeated || sent === null),
      asking,
    );
    doors.onEnd?.();
    // The screen that shows it leads on to the release; where none does, nobody is led there later.
    setTimeout(() => runs.get(deploymentId) === run && forgetPublication(deploymentId), LEAD_ON_MS);
    return change(run, { state: 'done', release });
  } catch (cause) {
    if (signal.aborted) {
      doors.onEnd?.();
      return change(run, { state: 'cancelled' });
    }
    // An upload that is gone or was used is no place to go on: the next attempt opens another.
    if (isLost(cause)) {
      store(run, NOTHING_STORED);
      if (run.isResumed) {
        run.isResumed = false;
        return work(run);
      }
    }
    return change(run, { state: 'failed', failure: failureOf(cause) });
  }
}

/** All of it arrived from an earlier page. */
function sentBefore({ load }: StoredProgress): UploadResult {
  return { sentFiles: load?.files ?? 0, sentBytes: load?.bytes ?? 0, leftOut: [] };
}

function store(run: Run, fields: Partial<StoredProgress>): void {
  run.stored = { ...run.stored, ...fields };
  run.doors.onProgress?.(run.stored);
}

function noteWaiting(run: Run, isWaiting: boolean): void {
  const progress = publicationOf(run.request.deployment.id)?.progress;
  if (progress && progress.isWaiting !== isWaiting) change(run, { progress: { ...progress, isWaiting } });
}

/** Null where everything had arrived before, or a release was made of it already. */
async function upload(run: Run, uploadId: string): Promise<UploadResult | null> {
  if (run.stored.isSent) return null;
  const { request, doors } = run;
  const { folder } = request;
  const sending = {
    uploadId,
    publishAnyway: request.publishAnyway,
    carrier: doors.carrier,
    signal: run.cancel.signal,
    onLoad: (load: Load) => store(run, { load }),
    onProgress: (progress: UploadProgress) => change(run, { progress }, PROGRESS_PAUSE_MS),
  };
  try {
    const result = isZip(folder)
      ? await uploadZip({ ...sending, picked: folder })
      : await uploadFiles({ ...sending, files: folder.files, hasher: doors.hasher, load: run.stored.load });
    store(run, { isSent: true });
    return result;
  } catch (cause) {
    if (run.isResumed && cause instanceof UploadError && cause.code === 'upload_closed') return null;
    throw cause;
  }
}

function isLost(cause: unknown): boolean {
  const code = cause instanceof UploadError ? cause.code : errorDetails(cause).code;
  return code === 'not_found' || code === 'upload_closed' || code === 'upload_incomplete';
}

/** The server's own sentences reach the person as they are; anything else is a fault of ours. */
function failureOf(cause: unknown): Publication['failure'] {
  if (cause instanceof UploadError) {
    return {
      message: cause.message,
      hint: cause.hint,
      isFolderNeeded: cause.code === 'file_changed',
      isUnanswered: cause.code === 'network',
      isUnchanged: false,
    };
  }
  const { hint, code } = errorDetails(cause);
  return {
    message: errorMessage(cause),
    hint,
    isFolderNeeded: false,
    isUnanswered: isUnanswered(cause),
    isUnchanged: code === 'release_unchanged',
  };
}
