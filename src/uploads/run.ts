import { errorDetails, errorMessage } from '../api/errors.ts';
import { session } from '../api/session.ts';
import { extentOf, publishedPart } from './apply-rules.ts';
import {
  isUnderWay,
  type Publication,
  type PublicationControl,
  type PublicationFailure,
  publications,
} from './publications.ts';
import { type PublishEvent, type PublishServer, publish, type StoredProgress } from './publish.ts';
import { isUnanswered, UploadError } from './request.ts';
import type { Selection } from './selection.ts';
import {
  changeStored,
  endStoredPublication,
  readStored,
  type StoredPublication,
  storeSelection,
} from './stored-selections.ts';

export type PublicationRequest = {
  deployment: { id: string; name: string; url: string };
  selection: Selection;
  publishAnyway: readonly string[];
  isNew: boolean;
};

/** The one owner of a publication's work, from its start to its end. */
type Run = {
  request: PublicationRequest;
  server: PublishServer;
  cancel: AbortController;
  stored: StoredProgress;
  isResumed: boolean;
  isUnchangedWanted: boolean;
  /** The record that a reload goes on from. */
  recordId: string;
  /** What the screens are told, at most once a pause. */
  publication: Publication;
  pause: ReturnType<typeof setTimeout> | undefined;
};

/** Progress comes a file at a time; the screen moves at most this often. */
const PROGRESS_PAUSE_MS = 100;
/** How long a finished publication waits for the screen that shows it. */
const DONE_PAUSE_MS = 1_000;
const NOTHING_STORED: StoredProgress = { uploadId: null, isSent: false, load: null };
/** The reason of a signal whose publication nobody wants any more. */
const CANCELLED = new DOMException('Cancelled', 'AbortError');

const runs = new Map<string, Run>();

/**
 * Starts to publish a selection on a deployment, in the place of whatever was on its way there. It goes on while its owner
 * walks through the app. `resumed` is how far an earlier page came with it, and whether that page chose the files.
 *
 * @returns the publication when it ended, however it did; it never rejects
 */
export function startPublication(
  request: PublicationRequest,
  server: PublishServer,
  resumed: { stored: StoredProgress; isRestored: boolean } | null = null,
): Promise<Publication> {
  watchPage();
  const { deployment, selection } = request;
  runs.get(deployment.id)?.cancel.abort(CANCELLED);
  const stored = resumed?.stored ?? NOTHING_STORED;
  const run: Run = {
    request,
    server,
    cancel: new AbortController(),
    stored,
    isResumed: resumed !== null,
    isUnchangedWanted: false,
    recordId: storeSelection(selection, storedPublication(request, stored, 0)),
    publication: newPublication(request, resumed?.isRestored === true, {
      retry: () => retry(run),
      publishUnchanged: () => {
        run.isUnchangedWanted = true;
        return retry(run);
      },
      cancel: () => cancel(run),
      forget: () => forget(run),
    }),
    pause: undefined,
  };
  runs.set(deployment.id, run);
  announce();
  return work(run);
}

function newPublication(request: PublicationRequest, isRestored: boolean, control: PublicationControl): Publication {
  const { deployment, selection, publishAnyway, isNew } = request;
  return {
    deploymentId: deployment.id,
    deploymentName: deployment.name,
    url: deployment.url,
    selection,
    extent: extentOf(publishedPart(selection, publishAnyway)),
    isNew,
    isRestored,
    state: 'sending',
    progress: null,
    result: null,
    release: null,
    failure: null,
    control,
  };
}

function retry(run: Run): Promise<Publication> {
  run.cancel = new AbortController();
  change(run, { state: 'sending', failure: null, result: null });
  return work(run);
}

function cancel(run: Run): void {
  run.cancel.abort(CANCELLED);
  // One that has stopped by itself hears nothing of the signal.
  if (run.publication.state === 'failed') endStoredPublication(run.recordId);
}

function forget(run: Run): void {
  if (runs.get(run.request.deployment.id) !== run) return;
  runs.delete(run.request.deployment.id);
  announce();
}

async function work(run: Run): Promise<Publication> {
  const { request, server, cancel, stored, isResumed, isUnchangedWanted } = run;
  const { deployment, selection, publishAnyway } = request;
  const job = { deploymentId: deployment.id, selection, publishAnyway, stored, isResumed, isUnchangedWanted };
  try {
    for await (const event of publish(job, server, cancel.signal)) follow(run, event);
    endStoredPublication(run.recordId);
    // The screen that shows it leads on to the release; where none does, nobody is led there later.
    setTimeout(() => forget(run), DONE_PAUSE_MS);
    return change(run, { state: 'done' });
  } catch (cause) {
    if (cancel.signal.aborted) {
      endStoredPublication(run.recordId);
      return change(run, { state: 'cancelled' });
    }
    // An upload that is gone or was used takes nothing more: the next attempt opens another.
    if (isUploadLost(cause)) {
      store(run, NOTHING_STORED);
      if (run.isResumed) {
        run.isResumed = false;
        return work(run);
      }
    }
    return change(run, { state: 'failed', failure: failureOf(cause) });
  }
}

function follow(run: Run, event: PublishEvent): void {
  switch (event.type) {
    case 'opened':
      store(run, { uploadId: event.uploadId });
      break;
    case 'progress':
      change(run, { progress: event.progress }, PROGRESS_PAUSE_MS);
      break;
    case 'offered':
      store(run, { load: event.load });
      break;
    case 'sent':
      store(run, { isSent: true });
      change(run, { state: 'creating', result: event.result });
      break;
    case 'released':
      change(run, { release: event.release });
      break;
  }
}

/** The one way in which a publication changes. A run that another one replaced, or that was forgotten, tells nobody. */
function change(run: Run, fields: Partial<Publication>, pauseMs = 0): Publication {
  run.publication = { ...run.publication, ...fields };
  if (runs.get(run.request.deployment.id) !== run) return run.publication;
  if (pauseMs === 0) announce();
  else {
    run.pause ??= setTimeout(() => {
      run.pause = undefined;
      store(run, {});
      announce();
    }, pauseMs);
  }
  return run.publication;
}

function announce(): void {
  publications.set(Array.from(runs.values(), ({ publication }) => publication));
}

/** Notes for a retry, and for a reload, how far a publication is. */
function store(run: Run, fields: Partial<StoredProgress>): void {
  run.stored = { ...run.stored, ...fields };
  const { progress } = run.publication;
  const arrivedFiles = progress?.phase === 'sending' ? progress.filesThere + progress.filesDone : 0;
  // Only while it is a publication: a selection that waits again is none.
  if (!readStored(run.recordId)?.publication) return;
  changeStored(run.recordId, { publication: storedPublication(run.request, run.stored, arrivedFiles) });
}

function storedPublication(
  { deployment: { id, name, url }, publishAnyway, isNew }: PublicationRequest,
  progress: StoredProgress,
  arrivedFiles: number,
): StoredPublication {
  return { deployment: { id, name, url }, publishAnyway, isNew, progress, arrivedFiles };
}

function isUploadLost(cause: unknown): boolean {
  const code = cause instanceof UploadError ? cause.code : errorDetails(cause).code;
  return code === 'not_found' || code === 'upload_closed' || code === 'upload_incomplete';
}

/** The server's own sentences reach the person as they are; anything else is a fault of ours. */
function failureOf(cause: unknown): PublicationFailure {
  const plain = { isSelectionNeeded: false, isUnanswered: false, isUnchanged: false };
  if (cause instanceof UploadError) {
    const { message, hint, code } = cause;
    return { ...plain, message, hint, isSelectionNeeded: code === 'file_changed', isUnanswered: code === 'network' };
  }
  const { hint, code } = errorDetails(cause);
  return {
    ...plain,
    message: errorMessage(cause),
    hint,
    isUnanswered: isUnanswered(cause),
    isUnchanged: code === 'release_unchanged',
  };
}

const page = { isWatched: false, owner: session.accountId() };

/** From the first publication on, another account ends what is under way, and a network that is back resumes it. */
function watchPage(): void {
  page.owner = session.accountId();
  if (page.isWatched) return;
  page.isWatched = true;
  // The files of one person are never published by the next; the same person who signed in again goes on.
  session.onAccountChange(() => {
    if (session.accountId() === null || session.accountId() === page.owner) return;
    for (const run of runs.values()) {
      run.cancel.abort(CANCELLED);
      forget(run);
    }
  });
  // What has no stored files is in the page's memory alone: closing it now would lose the rest of it.
  addEventListener('beforeunload', (event) => {
    const isLosing = [...runs.values()].some(
      ({ publication, recordId }) => isUnderWay(publication) && readStored(recordId)?.hasFiles !== true,
    );
    if (isLosing) event.preventDefault();
  });
  // Whoever is online again need not press Try again.
  addEventListener('online', () => {
    for (const { state, failure, control } of publications.get()) {
      if (state === 'failed' && failure?.isUnanswered === true) void control.retry();
    }
  });
}
