import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import {
  type UploadManifestAnswer,
  type UploadZipAnswer,
  uploadZipAnswer,
  uploadZipArrived,
} from '../../routers/schemas/releases.ts';
import { readUpload } from '../../routers/schemas/upload-rules.ts';
import type { Load, UploadProgress, UploadResult } from './upload.ts';
import type { PickedZip } from './upload-picks.ts';
import {
  type Carrier,
  changed,
  pauseFor,
  persistently,
  refusal,
  refuseChanged,
  type SendOptions,
  sendManifest,
} from './upload-send.ts';

/** The server may still be reading a body whose sender is gone: it takes a moment to notice. */
const STILL_READING_PAUSE_MS = 2_000;
const STILL_READING_ATTEMPTS = 15;

export type ZipUploadRequest = {
  uploadId: string;
  picked: PickedZip;
  /** Paths that would be left out by default and that the person chose to publish. */
  publishAnyway: readonly string[];
  carrier: Carrier;
  signal: AbortSignal;
  /** Told what has to travel, for whoever goes on with this upload later. */
  onLoad?: (load: Load) => void;
  onProgress(progress: UploadProgress): void;
  pausesMs?: readonly number[];
};

/**
 * Brings a ZIP to the server as it is; the server unpacks it. Doing it again with the same upload sends what is missing
 * of it. Where one folder of it is wanted, a list of that folder's files takes the place of the list of all.
 *
 * @throws UploadError; the signal's reason when cancelled
 */
export async function uploadZip(request: ZipUploadRequest): Promise<UploadResult> {
  const { uploadId, picked, signal } = request;
  const report = progressOf(request);
  report({});
  request.onLoad?.({ files: 1, bytes: picked.zip.size });
  const options: SendOptions = {
    carrier: request.carrier,
    signal,
    onWaiting: (isWaiting) => report({ isWaiting }),
    ...(request.pausesMs && { pausesMs: request.pausesMs }),
  };
  const prefix = picked.within === '' ? '' : `${picked.within}/`;
  const anyway = request.publishAnyway.map((path) => prefix + path);
  const answer = await sendZip(uploadId, picked, anyway, {
    ...options,
    onSentBytes: (bytesDone) => report({ bytesDone: Math.min(bytesDone, picked.zip.size) }),
  });
  report({ filesDone: 1, bytesDone: picked.zip.size });
  const { leftOut } = prefix === '' ? answer : await narrow(request, answer, prefix, options);
  return { sentFiles: 1, sentBytes: picked.zip.size, leftOut };
}

function progressOf({ picked, onProgress }: ZipUploadRequest): (change: Partial<UploadProgress>) => void {
  let progress: UploadProgress = {
    phase: 'sending',
    filesDone: 0,
    filesTotal: 1,
    bytesDone: 0,
    bytesTotal: picked.zip.size,
    filesThere: 0,
    isWaiting: false,
  };
  return (change) => {
    progress = { ...progress, ...change };
    onProgress(progress);
  };
}

async function sendZip(
  uploadId: string,
  { zip }: PickedZip,
  publishAnyway: readonly string[],
  options: SendOptions & { onSentBytes(sentBytes: number): void },
): Promise<UploadZipAnswer> {
  const key = await keyOf(zip);
  const door = `/api/uploads/${uploadId}/zip`;
  const post = async () => {
    const asked = await options.carrier(`${door}?key=${key}`, { signal: options.signal });
    if (!asked.ok) return asked;
    const from = uploadZipArrived.parse(await asked.json()).bytes;
    options.onSentBytes(from);
    const anyway = publishAnyway.map((path) => ['publishAnyway', path]);
    const query = new URLSearchParams([['key', key], ['from', String(from)], ...anyway]);
    return options.carrier(`${door}?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/zip' },
      body: zip.slice(from),
      signal: options.signal,
      onSentBytes: (sentBytes: number) => options.onSentBytes(from + sentBytes),
    });
  };
  for (let attempt = 1; ; attempt += 1) {
    const response = await persistently(options, post, () => refuseChanged(zip.name, zip));
    if (response.ok) return uploadZipAnswer.parse(await response.json());
    const refused = await refusal(response, zip.name);
    if (refused.code !== 'conflict' || attempt === STILL_READING_ATTEMPTS) throw refused;
    options.onWaiting?.(true);
    await pauseFor(options.pausesMs?.[0] ?? STILL_READING_PAUSE_MS, options.signal);
  }
}

const HEAD_BYTES = 64 * 1024;
/** Of most archives all of the directory, which holds a checksum of every file. */
const TAIL_BYTES = 1024 * 1024;

/**
 * Tells an archive from another that is sent to the same upload. Two that it cannot tell apart do no harm: the server
 * checks every file of what came together.
 */
async function keyOf(zip: File): Promise<string> {
  const hash = sha256.create().update(new TextEncoder().encode(`${zip.size} `));
  for (const part of [zip.slice(0, HEAD_BYTES), zip.slice(-TAIL_BYTES)]) {
    const bytes = await part.arrayBuffer().catch((cause: unknown) => {
      throw changed(zip.name, cause);
    });
    hash.update(new Uint8Array(bytes));
  }
  return bytesToHex(hash.digest());
}

/** Everything has arrived: a list of the files below `prefix` makes them the upload. */
async function narrow(
  { uploadId, publishAnyway }: ZipUploadRequest,
  { files }: UploadZipAnswer,
  prefix: string,
  options: SendOptions,
): Promise<UploadManifestAnswer> {
  const inside = files
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
  const reading = readUpload(inside, { publishAnyway, takesRootOff: true });
  const list = reading.files.map(({ path, sha256, sizeBytes }) => ({ path, sha256, sizeBytes }));
  return sendManifest(uploadId, { files: list, publishAnyway: [...publishAnyway] }, options);
}
