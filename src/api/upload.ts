import type { LeftOut } from '../../routers/schemas/releases.ts';
import { type HashResult, hashBlobs } from './upload-hash.ts';
import { awaitHashing, knownHash, rememberHash } from './upload-known.ts';
import type { PickedFile } from './upload-picks.ts';
import { type Carrier, changed, type OutgoingFile, sendFiles, sendManifest } from './upload-send.ts';

export type UploadPhase = 'reading' | 'comparing' | 'sending';
export type UploadProgress = {
  phase: UploadPhase;
  filesDone: number;
  filesTotal: number;
  bytesDone: number;
  bytesTotal: number;
  /** Files that the server already held: they are not sent. */
  filesThere: number;
  /** The network is away, or the server asked for a pause. */
  isWaiting: boolean;
};

export type Hasher = (
  files: readonly File[],
  onResult: (result: HashResult) => void,
  signal: AbortSignal,
) => Promise<void>;
/** Files and bytes that have to travel. */
export type Load = { files: number; bytes: number };
export type UploadRequest = {
  uploadId: string;
  files: readonly PickedFile[];
  /** The load that this upload began with; null where it begins now. What arrived of it since counts as done. */
  load: Load | null;
  /** Told it, for whoever goes on with this upload later. */
  onLoad?: (load: Load) => void;
  /** Paths that would be left out by default and that the person chose to publish. */
  publishAnyway: readonly string[];
  carrier: Carrier;
  hasher: Hasher;
  signal: AbortSignal;
  onProgress(progress: UploadProgress): void;
  pausesMs?: readonly number[];
};
export type UploadResult = { sentFiles: number; sentBytes: number; leftOut: LeftOut[] };

/**
 * Brings a folder to the server: hashes it, hands in the manifest, sends what is missing. Doing it again with the same
 * upload sends only what did not arrive.
 *
 * @throws UploadError; the signal's reason when cancelled
 */
export async function uploadFiles(request: UploadRequest): Promise<UploadResult> {
  const { uploadId, signal } = request;
  const report = progressOf(request);
  const files = await hashFiles(request, report);
  signal.throwIfAborted();

  report({ phase: 'comparing', filesDone: 0, bytesDone: 0 });
  const sending = {
    carrier: request.carrier,
    signal,
    onWaiting: (isWaiting: boolean) => report({ isWaiting }),
    ...(request.pausesMs && { pausesMs: request.pausesMs }),
  };
  const manifest = files.map(({ path, sha256, file }) => ({ path, sha256, sizeBytes: file.size }));
  const publishAnyway = [...request.publishAnyway];
  const { missing, leftOut } = await sendManifest(
    uploadId,
    { files: manifest, ...(publishAnyway.length > 0 && { publishAnyway }) },
    sending,
  );

  const wanted = new Set(missing);
  // Two files with the same content travel once.
  const outgoing = files.filter(({ sha256 }) => wanted.delete(sha256));
  const left = { files: outgoing.length, bytes: outgoing.reduce((sum, { file }) => sum + file.size, 0) };
  const load = isPartOf(left, request.load) ? request.load : left;
  request.onLoad?.(load);
  let filesDone = load.files - left.files;
  let bytesSent = load.bytes - left.bytes;
  report({
    phase: 'sending',
    filesDone,
    filesTotal: load.files,
    bytesDone: bytesSent,
    bytesTotal: load.bytes,
    filesThere: Math.max(0, files.length - leftOut.length - load.files),
  });
  const partly = new Map<OutgoingFile, number>();
  const reportBytes = () => {
    report({ filesDone, bytesDone: bytesSent + [...partly.values()].reduce((sum, bytes) => sum + bytes, 0) });
  };
  await sendFiles(uploadId, outgoing, {
    ...sending,
    onSent: (sent) => {
      partly.delete(sent);
      filesDone += 1;
      bytesSent += sent.file.size;
      reportBytes();
    },
    onSentBytes: (sent, bytes) => {
      partly.set(sent, Math.min(bytes, sent.file.size));
      reportBytes();
    },
  });
  return { sentFiles: load.files, sentBytes: load.bytes, leftOut };
}

/** More to send than at the beginning: that one was of other files. */
function isPartOf(left: Load, whole: Load | null): whole is Load {
  return whole !== null && left.files <= whole.files && left.bytes <= whole.bytes;
}

function progressOf({ files, onProgress }: UploadRequest): (change: Partial<UploadProgress>) => void {
  let progress: UploadProgress = {
    phase: 'reading',
    filesDone: 0,
    filesTotal: files.length,
    bytesDone: 0,
    bytesTotal: files.reduce((sum, { file }) => sum + file.size, 0),
    filesThere: 0,
    isWaiting: false,
  };
  return (change) => {
    progress = { ...progress, ...change };
    onProgress(progress);
  };
}

async function hashFiles(
  { files, hasher, signal }: UploadRequest,
  report: (change: Partial<UploadProgress>) => void,
): Promise<OutgoingFile[]> {
  let filesDone = files.filter(({ file }) => knownHash(file) !== undefined).length;
  let bytesDone = files.reduce((sum, { file }) => sum + (knownHash(file) === undefined ? 0 : file.size), 0);
  const countDone = (file: Blob) => {
    filesDone += 1;
    bytesDone += file.size;
    report({ filesDone, bytesDone });
  };
  report({ filesDone, bytesDone });
  await awaitHashing(
    files.map(({ file }) => file),
    countDone,
    signal,
  );
  signal.throwIfAborted();
  const todo = files.filter(({ file }) => knownHash(file) === undefined);
  let problem: Error | undefined;
  const onResult = (result: HashResult) => {
    const picked = todo[result.index];
    if (picked === undefined) return;
    if ('problem' in result) {
      problem ??= changed(picked.path, new Error(result.problem));
      return;
    }
    rememberHash(picked.file, result.sha256);
    countDone(picked.file);
  };
  await hasher(
    todo.map(({ file }) => file),
    onResult,
    signal,
  );
  if (problem) throw problem;
  return files.map(({ path, file }) => {
    const sha256 = knownHash(file);
    if (sha256 === undefined) throw changed(path, new Error('not hashed'));
    return { path, file, sha256 };
  });
}

/** Hashes in one worker beside the page, so that the page stays quick; on the page where a worker cannot start. */
export function createWorkerHasher(createWorker: () => Worker): Hasher {
  return (files, onResult, signal) => {
    if (files.length === 0) return Promise.resolve();
    return new Promise<void>((resolve, reject) => {
      let left = files.length;
      const worker = createWorker();
      const end = (settle: () => void) => {
        worker.terminate();
        signal.removeEventListener('abort', stop);
        settle();
      };
      const stop = () => end(() => reject(signal.reason));
      signal.addEventListener('abort', stop);
      worker.onmessage = ({ data }: MessageEvent<HashResult[]>) => {
        for (const result of data) onResult(result);
        left -= data.length;
        if (left === 0) end(resolve);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        if (left < files.length) end(() => reject(new Error(event.message)));
        else end(() => void hashBlobs(files, onResult).then(resolve, reject));
      };
      worker.postMessage(files);
    });
  };
}
