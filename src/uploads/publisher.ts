import { errorDetails } from '../api/errors.ts';
import { session, sessionFetch } from '../api/session/session.ts';
import { isNothing } from '../api/shown-failure.ts';
import type { trpc } from '../api/trpc.ts';
import { extentOf, publishedPart } from './apply-rules.ts';
import { createWorkerHasher, recallHashes, recordHashes } from './hash.ts';
import HashWorker from './hash.worker.ts?worker';
import { failureOf, isMissing, isUploadLost } from './publication-failure.ts';
import {
  isUnderWay,
  type Publication,
  type PublicationControl,
  type PublicationFailure,
  type PublicationRequest,
  publications,
} from './publications.ts';
import { type PublishEvent, type PublishServer, publish, type StoredProgress } from './publish.ts';
import {
  changeStored,
  endStoredPublication,
  isSameSelection,
  readStored,
  restoredSelections,
  type StoredPublication,
  storeSelection,
} from './stored-selections.ts';
import { askToReselect, stopReselect } from './waiting-selection.ts';

type Client = ReturnType<typeof trpc.useUtils>;

/** The work of a publication, from its start to its end. */
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

/** Publishes what was selected on this page. What a reload interrupted on this deployment goes on with its upload. */
export function startSelected(client: Client, request: PublicationRequest): Promise<Publication> {
  const server = serverOf(client, request.selection.name);
  const before = stopReselect(request.deployment.id);
  if (before === null) return startPublication(request, server);
  const { uploadId, load } = before.publication?.progress ?? NOTHING_STORED;
  const stored = { uploadId, isSent: false, load: isSameSelection(before, request.selection) ? load : null };
  return startPublication(request, server, { stored, isRestored: false });
}

/** Goes on with what a reload interrupted, and asks for the files again where the browser could not store them. */
export async function resumeInterrupted(client: Client, accountId: string): Promise<void> {
  for (const { record, selection } of await restoredSelections()) {
    const { publication } = record;
    if (publication === null || record.accountId !== accountId || accountId !== session.accountId()) continue;
    const { deployment, publishAnyway, isNew, progress } = publication;
    const isAllSent = progress.isSent && progress.uploadId !== null;
    if (selection === null && !isAllSent) {
      askToReselect(record);
      continue;
    }
    const request = { deployment, selection: selection ?? { name: record.name, files: [] }, publishAnyway, isNew };
    void startPublication(request, serverOf(client, record.name), { stored: progress, isRestored: true });
  }
}

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
    recordId: storeSelection(selection, storedPublication(request, stored)),
    publication: newPublication(request, resumed?.isRestored === true, {
      retry: () => retry(run),
      publishUnchanged: () => retry(run, true),
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

function retry(run: Run, isUnchangedWanted = run.isUnchangedWanted): Promise<Publication> {
  run.isUnchangedWanted = isUnchangedWanted;
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
  const job = { ...request, deploymentId: request.deployment.id, stored, isResumed, isUnchangedWanted };
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
    const isGone = isMissing(cause) && (await server.isDeploymentGone(job.deploymentId).catch(() => false));
    // An upload that is gone or was used takes nothing more: the next attempt opens another.
    if (!isGone && isUploadLost(cause)) {
      store(run, NOTHING_STORED);
      if (run.isResumed) {
        run.isResumed = false;
        return work(run);
      }
    }
    return change(run, { state: 'failed', failure: failureOf(cause, isGone) });
  }
}

function follow(run: Run, event: PublishEvent): void {
  if (event.type === 'opened') store(run, { uploadId: event.uploadId });
  if (event.type === 'progress') change(run, { progress: event.progress }, PROGRESS_PAUSE_MS);
  if (event.type === 'offered') store(run, { load: event.load });
  if (event.type === 'sent') {
    store(run, { isSent: true });
    change(run, { state: 'creating', result: event.result });
  }
  if (event.type === 'released') change(run, { release: event.release });
}

/** The one way in which a publication changes. A run that another one replaced, or that was forgotten, tells nobody. */
function change(run: Run, fields: Partial<Publication>, pauseMs = 0): Publication {
  run.publication = { ...run.publication, ...fields };
  if (runs.get(run.request.deployment.id) !== run) return run.publication;
  if (pauseMs === 0) {
    endPause(run);
    announce();
  } else {
    run.pause ??= setTimeout(() => {
      run.pause = undefined;
      store(run, {});
      announce();
    }, pauseMs);
  }
  return run.publication;
}

/** What was waiting to be told is told now: no timer outlives the run. */
function endPause(run: Run): void {
  if (run.pause === undefined) return;
  clearTimeout(run.pause);
  run.pause = undefined;
  store(run, {});
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
  arrivedFiles = 0,
): StoredPublication {
  return { deployment: { id, name, url }, publishAnyway, isNew, progress, arrivedFiles };
}

function serverOf(client: Client, name: string): PublishServer {
  const folder = `${session.accountId() ?? ''} ${name}`;
  return {
    prepare: (input) => client.client.releases.prepare.mutate(input),
    createRelease: async (input, isRepeated) => {
      const release = await client.client.releases.create.mutate(input).catch(async (cause: unknown) => {
        // The answer was lost, the release was not: it is the newest of the deployment.
        if (!isRepeated || errorDetails(cause).code !== 'upload_closed') throw cause;
        const { items } = await client.client.releases.list.query({ deploymentId: input.deploymentId, limit: 1 });
        if (items[0] === undefined) throw cause;
        return items[0];
      });
      await client.invalidate();
      // Its page opens with its steps in sight; should this fail, the page asks again by itself.
      await client.releases.get.prefetch({ deploymentId: release.deploymentId, number: release.number });
      return release;
    },
    isDeploymentGone: (deploymentId) =>
      client.client.deployments.get.query({ deploymentId }).then(({ state }) => state === 'deleting', isNothing),
    fetch: sessionFetch,
    hasher: createWorkerHasher(() => new HashWorker()),
    hashes: { recall: (files) => recallHashes(folder, files), record: (files) => recordHashes(folder, files) },
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
    if (session.accountId() === null) return;
    if (session.accountId() === page.owner) {
      retryThose(({ isSignedOut }) => isSignedOut);
      return;
    }
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
  addEventListener('online', () => retryThose(({ isUnanswered }) => isUnanswered));
}

function retryThose(mayRetry: (failure: PublicationFailure) => boolean): void {
  for (const { state, failure, control } of publications.get()) {
    if (state === 'failed' && failure !== null && mayRetry(failure)) void control.retry();
  }
}
