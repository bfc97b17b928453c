import type { LeftOut, Release } from '../../routers/schemas/releases.ts';
import { copiesOf, type HashedFile, type Hasher, hashFiles } from './hash.ts';
import { type RequestOptions, UploadError, type UploadFetch, untilAnswered } from './request.ts';
import { extentOf, publishedPart } from './selection/apply-rules.ts';
import { readPrivateKeys } from './selection/private-keys.ts';
import { type Extent, isZip, type SelectedFile, type SelectedZip, type Selection } from './selection/selection.ts';
import { type Bundle, offerList, type SendOptions, sendFiles, sendZip } from './send.ts';

/** A selection to publish on a deployment, with the progress of an earlier attempt or page. */
export type PublishJob = {
  deploymentId: string;
  /** Everything that was selected; the rules decide which part of it is published. */
  selection: Selection;
  /** Paths that would be left out by default and that the person chose to publish. */
  publishAnyway: readonly string[];
  stored: StoredProgress;
  /** True when an earlier page began it, so that a release may have been made of it already. */
  isResumed: boolean;
  /** True when a release is wanted though nothing has changed. */
  isUnchangedWanted: boolean;
};

/** The progress of a sending that a retry or a reload needs. */
export type StoredProgress = {
  /** Null until the server has opened an upload. */
  uploadId: string | null;
  /** True when everything has arrived and only the release is left to be made. */
  isSent: boolean;
  /** Everything that has to be sent; null until the server has said which files are missing. */
  load: Load | null;
};

/** Files and bytes to be sent. */
export type Load = { files: number; bytes: number };

/** The functions of the server and of the page that a sending uses. */
export type PublishServer = {
  prepare(input: { deploymentId: string }): Promise<{ uploadId: string }>;
  /** `isRepeated`: the previous request got no answer, and may have been carried out all the same. */
  createRelease(
    input: { deploymentId: string; uploadId: string; ifChanged: boolean },
    isRepeated: boolean,
  ): Promise<Release>;
  /** Returns whether the deployment was deleted, which an upload does not show, because it belongs to the account. */
  isDeploymentGone(deploymentId: string): Promise<boolean>;
  fetch: UploadFetch;
  hasher: Hasher;
  /** Recalls hashes from the last time that this folder was published; when absent, all files are read. */
  hashes?: {
    recall(files: readonly SelectedFile[]): Promise<void>;
    record(files: readonly HashedFile[]): Promise<void>;
  };
  /** Shorter pauses between repeated requests, for tests. */
  pausesMs?: readonly number[];
};

export type PublishEvent =
  | { type: 'opened'; uploadId: string }
  | { type: 'progress'; progress: UploadProgress }
  | { type: 'offered'; load: Load }
  | { type: 'sent'; result: UploadResult }
  | { type: 'released'; release: Release };

export type UploadProgress = {
  phase: 'reading' | 'comparing' | 'sending';
  filesDone: number;
  filesTotal: number;
  bytesDone: number;
  bytesTotal: number;
  /** Files that the server already had, which are not sent. */
  filesThere: number;
  /** True when the network is away, or the server asked for a pause. */
  isWaiting: boolean;
};

export type UploadResult = { sentFiles: number; sentBytes: number; leftOut: readonly LeftOut[] };

/**
 * Publishes a selection: it opens an upload, hashes the files, offers their list, sends the missing ones (or the whole
 * ZIP) and makes a release. Repeating it with the same stored progress sends only the rest.
 *
 * @throws UploadError and the errors of tRPC; the signal's reason when cancelled
 */
export function publish(
  job: PublishJob,
  server: PublishServer,
  signal: AbortSignal,
): AsyncGenerator<PublishEvent, void> {
  return reporting(async (emit) => {
    const { deploymentId, stored } = job;
    await readPrivateKeys(job.selection);
    const published = publishedPart(job.selection, job.publishAnyway);
    const report = progressOf(extentOf(published), emit);
    const options: RequestOptions = {
      fetch: server.fetch,
      signal,
      onWaiting: (isWaiting) => report({ isWaiting }),
      ...(server.pausesMs && { pausesMs: server.pausesMs }),
    };
    const uploadId = stored.uploadId ?? (await untilAnswered(() => server.prepare({ deploymentId }), options)).uploadId;
    if (stored.uploadId === null) emit({ type: 'opened', uploadId });
    signal.throwIfAborted();

    const run: UploadRun = { ...job, uploadId, server, options, report, emit };
    const result = stored.isSent ? null : await upload(run, published);
    emit({ type: 'sent', result: result ?? sentBefore(stored) });
    signal.throwIfAborted();
    const wanted = { deploymentId, uploadId, ifChanged: !job.isUnchangedWanted };
    const release = await untilAnswered(
      (isRepeated) => server.createRelease(wanted, isRepeated || result === null),
      options,
    );
    emit({ type: 'released', release });
  });
}

type UploadRun = Pick<PublishJob, 'publishAnyway' | 'stored' | 'isResumed'> & {
  uploadId: string;
  server: PublishServer;
  options: RequestOptions;
  report: (change: Partial<UploadProgress>) => void;
  emit: (event: PublishEvent) => void;
};

/** The one sending of the page that holds the bytes of its files: their limit is that of a page. */
let bytesHeldBy: UploadRun | null = null;

/** Returns null when a release was made of the upload before, so that it accepts nothing more. */
async function upload(run: UploadRun, published: Selection): Promise<UploadResult | null> {
  if (!isZip(published)) bytesHeldBy ??= run;
  try {
    return isZip(published) ? await uploadZip(run, published) : await uploadFiles(run, published.files);
  } catch (cause) {
    if (run.isResumed && cause instanceof UploadError && cause.code === 'upload_closed') return null;
    throw cause;
  } finally {
    if (bytesHeldBy === run) bytesHeldBy = null;
  }
}

/** Returns the counts of an earlier page, which has sent everything. */
function sentBefore({ load }: StoredProgress): UploadResult {
  return { sentFiles: load?.files ?? 0, sentBytes: load?.bytes ?? 0, leftOut: [] };
}

async function uploadZip(run: UploadRun, selection: SelectedZip): Promise<UploadResult> {
  const { report, publishAnyway } = run;
  // The files inside are counted, as they are everywhere else, by the share of the ZIP that has arrived.
  const load = { files: extentOf(selection).fileCount, bytes: selection.zip.size };
  const reportBytes = (bytes: number) => {
    const bytesDone = Math.min(bytes, load.bytes);
    report({ bytesDone, filesDone: Math.floor((load.files * bytesDone) / load.bytes), isWaiting: false });
  };
  report({ phase: 'sending', filesTotal: load.files, bytesTotal: load.bytes });
  run.emit({ type: 'offered', load });
  const leftOut = await sendZip(run.uploadId, selection, publishAnyway, {
    ...run.options,
    onSentBytes: reportBytes,
  });
  reportBytes(load.bytes);
  return { sentFiles: load.files, sentBytes: load.bytes, leftOut };
}

async function uploadFiles(run: UploadRun, files: readonly SelectedFile[]): Promise<UploadResult> {
  const { uploadId, server, publishAnyway, options, report } = run;
  await server.hashes?.recall(files);
  const hashed = await hashFiles(files, server.hasher, countingFiles(report), options.signal, bytesHeldBy === run);
  void server.hashes?.record(hashed);
  options.signal.throwIfAborted();

  report({ phase: 'comparing', filesDone: 0, bytesDone: 0 });
  const list = hashed.map(({ path, sha256, file }) => ({ path, sha256, sizeBytes: file.size }));
  const { missing, leftOut } = await offerList(uploadId, list, publishAnyway, options);

  const wanted = new Set(missing);
  const copies = copiesOf(hashed, new Set(leftOut.map(({ path }) => path)));
  // Two files with the same content are sent once, and counted as the two that the person chose.
  const outgoing = hashed
    .filter(({ sha256 }) => wanted.delete(sha256))
    .map((file) => ({ ...file, copies: copies.get(file.sha256) ?? 1 }));
  // From here on, bytes are held only of what is sent.
  for (const file of hashed) delete file.bytes;
  const { load, ...counting } = beginSending(run, outgoing, files.length - leftOut.length);
  await sendFiles(uploadId, outgoing, { ...options, ...counting });
  return { sentFiles: load.files, sentBytes: load.bytes, leftOut };
}

/**
 * Reports the total to be sent, part of which may have arrived before a retry or a reload. Then counts the files that
 * arrive and the sent bytes of large bundles.
 */
function beginSending(
  { stored, emit, report }: UploadRun,
  outgoing: readonly HashedFile[],
  fileCount: number,
): Pick<SendOptions, 'onSent' | 'onSentBytes'> & { load: Load } {
  const left = loadOf(outgoing);
  const before = stored.load;
  // More to send than at the beginning: that was the beginning of another selection.
  const isPart = before !== null && left.files <= before.files && left.bytes <= before.bytes;
  const load = isPart ? before : left;
  const filesThere = Math.max(0, fileCount - load.files);
  let arrived = { files: load.files - left.files, bytes: load.bytes - left.bytes };
  const underway = new Map<Bundle, Load>();
  const reportCounts = () => {
    const { files: filesDone, bytes: bytesDone } = [...underway.values()].reduce(added, arrived);
    const totals = { filesTotal: load.files, bytesTotal: load.bytes, filesThere };
    // What is being sent waits no more, though its answer may take long.
    report({ phase: 'sending', filesDone, bytesDone, ...totals, isWaiting: false });
  };
  emit({ type: 'offered', load });
  reportCounts();
  return {
    load,
    onSent: (bundle) => {
      underway.delete(bundle);
      arrived = added(arrived, loadOf(bundle));
      reportCounts();
    },
    onSentBytes: (bundle, bytes) => {
      underway.set(bundle, partOf(bundle, bytes));
      reportCounts();
    },
  };
}

function added(one: Load, other: Load): Load {
  return { files: one.files + other.files, bytes: one.bytes + other.bytes };
}

/** Counts the first sent bytes of a bundle, by their share of it, and the files that are whole in them. */
function partOf(bundle: Bundle, sentBytes: number): Load {
  let left = sentBytes;
  const whole = bundle.filter(({ file }) => {
    left -= file.size;
    return left >= 0;
  });
  const ofAll = sentBytes / bundle.reduce((sum, { file }) => sum + file.size, 0);
  return { files: loadOf(whole).files, bytes: Math.floor(loadOf(bundle).bytes * Math.min(ofAll || 0, 1)) };
}

function loadOf(files: readonly (SelectedFile & Pick<HashedFile, 'copies'>)[]): Load {
  return {
    files: files.reduce((sum, { copies = 1 }) => sum + copies, 0),
    bytes: files.reduce((sum, { file, copies = 1 }) => sum + file.size * copies, 0),
  };
}

function progressOf(
  { fileCount, totalBytes }: Extent,
  emit: (event: PublishEvent) => void,
): (change: Partial<UploadProgress>) => void {
  let progress: UploadProgress = {
    phase: 'reading',
    filesDone: 0,
    filesTotal: fileCount,
    bytesDone: 0,
    bytesTotal: totalBytes,
    filesThere: 0,
    isWaiting: false,
  };
  return (change) => {
    progress = { ...progress, ...change };
    emit({ type: 'progress', progress });
  };
}

function countingFiles(report: UploadRun['report']): (files: readonly SelectedFile[]) => void {
  let done = loadOf([]);
  return (files) => {
    done = added(done, loadOf(files));
    report({ filesDone: done.files, bytesDone: done.bytes });
  };
}

/** Turns work that reports its events through `emit` into a generator of them. */
async function* reporting<Event>(work: (emit: (event: Event) => void) => Promise<void>): AsyncGenerator<Event, void> {
  const events: Event[] = [];
  let isOver = false;
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  const job = work((event) => {
    events.push(event);
    wake();
  });
  job.then(end, end);
  while (!isOver || events.length > 0) {
    const event = events.shift();
    if (event !== undefined) yield event;
    else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  await job;
}
