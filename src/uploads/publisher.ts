import { session } from '../api/session/session.ts';
import { channel } from '../realtime/channel.ts';
import './other-tabs/left-sendings.ts';
import { type PublishEvent, type PublishServer, publish, type StoredProgress } from './publish.ts';
import { type Client, serverOf } from './publish-server.ts';
import { UploadError } from './request.ts';
import { extentOf, publishedPart } from './selection/apply-rules.ts';
import { failureOf, isMissing, isUnchanged, isUploadLost } from './sending-failure.ts';
import {
  isUnderWay,
  type Sending,
  type SendingControl,
  type SendingFailure,
  type SendingRequest,
  sendings,
} from './sendings.ts';
import {
  changeStored,
  endStoredSending,
  isSameSelection,
  readStored,
  restoredSelections,
  type StoredSending,
  storeSelection,
} from './stored-selections.ts';
import { askToReselect, stopReselect } from './waiting-selection.ts';

/** The work of a sending, from its start to its end. */
type Run = {
  /** The account that it belongs to: no other account sees or continues it. */
  owner: string | null;
  request: SendingRequest;
  server: PublishServer;
  cancel: AbortController;
  stored: StoredProgress;
  isResumed: boolean;
  isUnchangedWanted: boolean;
  /** The record from which a reload continues. */
  recordId: string;
  /** The state that the screens get, at most once in each pause. */
  sending: Sending;
  pause: ReturnType<typeof setTimeout> | undefined;
};

/** Each file makes progress; the screen moves at most this often. */
const PROGRESS_PAUSE_MS = 100;
/** The time for which a finished sending waits for a screen that shows it. */
const DONE_PAUSE_MS = 1_000;
const NOTHING_STORED: StoredProgress = { uploadId: null, isSent: false, load: null };
/** The reason in the signal of a sending that nobody wants any more. */
const CANCELLED = new DOMException('Cancelled', 'AbortError');
/** The reasons for one whose deployment was deleted meanwhile, and for one whose owner is logged out. */
const GONE = new UploadError('not_found', 'This deployment does not exist.');
const SIGNED_OUT = new UploadError('unauthenticated', 'Log in to do this.');

const runs = new Map<string, Run>();

/** Publishes a selection of this page, with the upload of a sending that a reload interrupted, if there is one. */
export function startSelected(client: Client, request: SendingRequest): Promise<Sending> {
  const server = serverOf(client, request.selection.name);
  const before = stopReselect(request.deployment.id);
  if (before === null) return startSending(request, server);
  const { uploadId, load } = before.publication?.progress ?? NOTHING_STORED;
  const stored = { uploadId, isSent: false, load: isSameSelection(before, request.selection) ? load : null };
  return startSending(request, server, { stored, isRestored: false });
}

/** Continues interrupted sendings, and asks for the files again if the browser could not store them. */
export async function resumeInterrupted(client: Client, accountId: string): Promise<void> {
  for (const { record, selection } of await restoredSelections()) {
    const { publication: sending } = record;
    if (sending === null || record.accountId !== accountId || accountId !== session.accountId()) continue;
    const { deployment, publishAnyway, isNew, progress } = sending;
    if (selection === null && (!progress.isSent || progress.uploadId === null)) {
      askToReselect(record);
      continue;
    }
    const request = { deployment, selection: selection ?? { name: record.name, files: [] }, publishAnyway, isNew };
    void startSending(request, serverOf(client, record.name), { stored: progress, isRestored: true });
  }
}

/**
 * Starts to publish a selection on a deployment, in place of any running sending there. It continues while its
 * owner moves through the app. `resumed` holds the progress of an earlier page, and whether that page chose the files.
 *
 * @returns the sending when it ended, however it did; it never rejects
 */
export function startSending(
  request: SendingRequest,
  server: PublishServer,
  resumed: { stored: StoredProgress; isRestored: boolean } | null = null,
): Promise<Sending> {
  watchPage();
  const { deployment, selection } = request;
  runs.get(deployment.id)?.cancel.abort(CANCELLED);
  const stored = resumed?.stored ?? NOTHING_STORED;
  const run: Run = {
    owner: session.accountId(),
    request,
    server,
    cancel: new AbortController(),
    stored,
    isResumed: resumed !== null,
    isUnchangedWanted: request.isUnchangedWanted === true,
    recordId: storeSelection(selection, toStoredSending(request, stored)),
    sending: newSending(request, resumed?.isRestored === true, {
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

function newSending(request: SendingRequest, isRestored: boolean, control: SendingControl): Sending {
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

function retry(run: Run, isUnchangedWanted = run.isUnchangedWanted): Promise<Sending> {
  run.isUnchangedWanted = isUnchangedWanted;
  run.cancel = new AbortController();
  // A logout has removed its record.
  run.recordId = storeSelection(run.request.selection, toStoredSending(run.request, run.stored));
  change(run, { state: 'sending', failure: null, result: null });
  return work(run);
}

function cancel(run: Run): void {
  run.cancel.abort(CANCELLED);
  // A sending that has stopped by itself ignores the signal.
  if (run.sending.state === 'failed') endStoredSending(run.recordId);
}

function forget(run: Run): void {
  if (runs.get(run.request.deployment.id) !== run) return;
  runs.delete(run.request.deployment.id);
  announce();
}

async function work(run: Run): Promise<Sending> {
  const { request, server, cancel, stored, isResumed, isUnchangedWanted } = run;
  const job = { ...request, deploymentId: request.deployment.id, stored, isResumed, isUnchangedWanted };
  try {
    for await (const event of publish(job, server, cancel.signal)) follow(run, event);
    endStoredSending(run.recordId);
    // The screen that shows it leads on to the release; where none does, nobody is led there later.
    setTimeout(() => forget(run), DONE_PAUSE_MS);
    return change(run, { state: 'done' });
  } catch (cause) {
    if (cancel.signal.reason === CANCELLED) {
      endStoredSending(run.recordId);
      return change(run, { state: 'cancelled' });
    }
    if (isUnchanged(cause)) {
      // It is answered: no reload and no other tab asks again.
      endStoredSending(run.recordId);
      return change(run, { state: 'unchanged', failure: failureOf(cause, false) });
    }
    const isGone =
      cancel.signal.reason === GONE ||
      (isMissing(cause) && (await server.isDeploymentGone(job.deploymentId).catch(() => false)));
    // An upload that is gone or was used accepts nothing more, so the next attempt opens another.
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

/** The only function that changes a sending. A run that was replaced or forgotten notifies nobody. */
function change(run: Run, fields: Partial<Sending>, pauseMs = 0): Sending {
  run.sending = { ...run.sending, ...fields };
  if (runs.get(run.request.deployment.id) !== run) return run.sending;
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
  return run.sending;
}

/** Stores pending progress now, so that no timer outlives the run. */
function endPause(run: Run): void {
  if (run.pause === undefined) return;
  clearTimeout(run.pause);
  run.pause = undefined;
  store(run, {});
}

/** The account that is logged in, or was last. */
let lastAccountId: string | null = null;
let isWatched = false;

const ownRuns = (): Run[] => [...runs.values()].filter(({ owner }) => owner === lastAccountId);

/** Shows each sending to its owner alone, on the Login page after a logout as well. */
function announce(): void {
  lastAccountId = session.accountId() ?? lastAccountId;
  sendings.set(ownRuns().map(({ sending }) => sending));
}

/** Stores the progress of a sending, for a retry and for a reload. */
function store(run: Run, fields: Partial<StoredProgress>): void {
  run.stored = { ...run.stored, ...fields };
  const { progress } = run.sending;
  const arrivedFiles = progress?.phase === 'sending' ? progress.filesThere + progress.filesDone : 0;
  // Only while it is a sending; a selection that waits again is none.
  if (!readStored(run.recordId)?.publication) return;
  changeStored(run.recordId, { publication: toStoredSending(run.request, run.stored, arrivedFiles) });
}

function toStoredSending(request: SendingRequest, progress: StoredProgress, arrivedFiles = 0): StoredSending {
  const { deployment, publishAnyway, isNew } = request;
  const { id, name, url } = deployment;
  return { deployment: { id, name, url }, publishAnyway, isNew, progress, arrivedFiles };
}

/** From the first sending on, a logout stops running ones, and their owner or a network that is back resumes them. */
function watchPage(): void {
  if (isWatched) return;
  isWatched = true;
  session.onAccountChange(() => {
    for (const { owner, cancel } of runs.values()) if (owner !== session.accountId()) cancel.abort(SIGNED_OUT);
    announce();
    retryThose(({ isSignedOut }) => isSignedOut);
  });
  // A selection without stored files is in the page's memory alone: closing it now would lose the rest.
  addEventListener('beforeunload', (event) => {
    const isOpen = ({ sending }: Run) => isUnderWay(sending) || sending.failure?.isSignedOut;
    if (ownRuns().some((run) => isOpen(run) && readStored(run.recordId)?.hasFiles !== true)) event.preventDefault();
  });
  // An upload belongs to the account: without this it would end only when all of it had been sent in vain.
  let handled = channel.get().items[0];
  channel.subscribe(() => {
    const newest = channel.get().items[0];
    if (newest === undefined || newest === handled) return;
    handled = newest;
    const { item } = newest;
    if (item.type === 'analytics_update') void stopIfGone(item.deploymentId);
    // The deletion may be among the events that were missed.
    if (item.type === 'resync') for (const deploymentId of runs.keys()) void stopIfGone(deploymentId);
  });
  // Nobody has to press Try again once the browser is online.
  addEventListener('online', () => retryThose(({ isUnanswered }) => isUnanswered));
}

async function stopIfGone(deploymentId: string | undefined): Promise<void> {
  const run = runs.get(deploymentId ?? '');
  if (run === undefined || !isUnderWay(run.sending)) return;
  const { cancel } = run;
  if (await run.server.isDeploymentGone(run.request.deployment.id).catch(() => false)) cancel.abort(GONE);
}

/** Retries nothing while nobody is logged in: that would only store the files again, for the next account. */
function retryThose(mayRetry: (failure: SendingFailure) => boolean): void {
  for (const run of session.accountId() === null ? [] : ownRuns()) {
    const { state, failure } = run.sending;
    if (state === 'failed' && failure !== null && mayRetry(failure)) void retry(run);
  }
}
