import { errorDetails } from './errors.ts';
import {
  cancelAllPublications,
  isPublishing,
  listPublications,
  type Publication,
  type PublicationDoors,
  type PublicationRequest,
  type StoredProgress,
} from './publication-store.ts';
import { retryPublication, startPublication } from './publications.ts';
import { session, sessionFetch } from './session.ts';
import type { trpc } from './trpc.ts';
import { createWorkerHasher } from './upload.ts';
import { askAgain, stopAsking } from './upload-asked.ts';
import { drop, endCopy, keepForPublication } from './upload-copy.ts';
import { fingerprintOf } from './upload-fingerprint.ts';
import HashWorker from './upload-hash.worker.ts?worker';
import { publishedPicks } from './upload-offer.ts';
import { changeRecord, readRecord, type StoredPublication } from './upload-record.ts';
import type { Restored } from './upload-restore.ts';
import { restoredUploads } from './upload-restored.ts';

const hasher = createWorkerHasher(() => new HashWorker());
let owner: string | null = null;
/** The copy that each publication of this page goes on from after a reload. */
const copyOfRequest = new WeakMap<PublicationRequest, string>();
const running = new Set<PublicationRequest>();

// The folder of one person is never published by the next; the same person who signed in again goes on.
session.onAccountChange(() => {
  if (owner !== null && session.accountId() !== null && session.accountId() !== owner) cancelAllPublications();
});

// What has no copy is in the page's memory alone: closing it now would lose the rest of it.
addEventListener('beforeunload', (event) => {
  const isLosing = [...running].some((request) => readRecord(copyOfRequest.get(request) ?? '')?.hasCopy !== true);
  if (isPublishing() && isLosing) event.preventDefault();
});

// Whoever is online again need not press Try again.
addEventListener('online', () => {
  for (const { deploymentId, state, failure } of listPublications()) {
    if (state === 'failed' && failure?.isUnanswered === true) void retryPublication(deploymentId);
  }
});

type Client = ReturnType<typeof trpc.useUtils>;

/** Starts to publish a folder or ZIP on a deployment, through the session of this page. */
export function publish(utils: Client, request: PublicationRequest): Promise<Publication> {
  const { deployment, publishAnyway, isNew, folder } = request;
  // The folder of an interrupted publication was chosen again: its upload is there still.
  const before = stopAsking(deployment.id);
  if (before !== null) drop(before.id);
  const stored: StoredProgress = {
    uploadId: before?.publication?.uploadId ?? null,
    isSent: false,
    load: before?.fingerprint === fingerprintOf(folder) ? (before.publication?.load ?? null) : null,
  };
  const publication: StoredPublication = { deployment, publishAnyway, isNew, ...stored };
  const copyId = keepForPublication(folder, request, publication);
  return start(utils, request, copyId, before === null ? null : stored);
}

/** Goes on with what an earlier page of this account was sending, and asks for the folders that it could not keep. */
export async function resumePublications(utils: Client): Promise<void> {
  for (const left of await restoredUploads()) {
    const { publication, accountId } = left.record;
    if (publication === null || accountId !== session.accountId() || resumed.has(left)) continue;
    resumed.add(left);
    resume(utils, left, publication);
  }
}

const resumed = new WeakSet<Restored>();

function resume(utils: Client, left: Restored, stored: StoredPublication): void {
  const { record, picked } = left;
  const { deployment, publishAnyway, isNew, uploadId, isSent, load } = stored;
  if (picked === null && !(isSent && uploadId !== null)) {
    left.adopt(record);
    askAgain(record);
    return;
  }
  const whole = picked ?? { name: record.name, files: [] };
  const folder = record.isFinal ? whole : publishedPicks(whole, publishAnyway);
  const request: PublicationRequest = { deployment, folder, publishAnyway, isNew, isFromCopy: true };
  left.adopt(request);
  void start(utils, request, record.id, { uploadId, isSent, load });
}

function start(
  utils: Client,
  request: PublicationRequest,
  copyId: string,
  before: StoredProgress | null,
): Promise<Publication> {
  owner = session.accountId();
  copyOfRequest.set(request, copyId);
  running.add(request);
  const { deployment, publishAnyway, isNew } = request;
  const doors: PublicationDoors = {
    ...doorsOf(utils),
    onProgress: (progress) => changeRecord(copyId, { publication: { deployment, publishAnyway, isNew, ...progress } }),
    onEnd: () => {
      running.delete(request);
      endCopy(copyId, request);
    },
  };
  return startPublication(request, doors, before);
}

function doorsOf(utils: Client): PublicationDoors {
  return {
    prepare: (input) => utils.client.releases.prepare.mutate(input),
    createRelease: async (input, isRepeated) => {
      const release = await utils.client.releases.create.mutate(input).catch(async (cause: unknown) => {
        // The answer was lost, the release was not: it is the newest of the deployment.
        if (!isRepeated || errorDetails(cause).code !== 'upload_closed') throw cause;
        const { items } = await utils.client.releases.list.query({ deploymentId: input.deploymentId, limit: 1 });
        if (items[0] === undefined) throw cause;
        return items[0];
      });
      await utils.invalidate();
      // Its page opens with its steps in sight; should this fail, the page asks again by itself.
      await utils.releases.get.prefetch({ deploymentId: release.deploymentId, number: release.number });
      return release;
    },
    carrier: sessionFetch,
    hasher,
  };
}
