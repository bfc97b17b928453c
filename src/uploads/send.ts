import {
  type LeftOut,
  type UploadManifestAnswer,
  type UploadManifestInput,
  type UploadZipAnswer,
  uploadManifestAnswer,
  uploadZipAnswer,
  uploadZipArrived,
} from '../../routers/schemas/releases.ts';
import { readUpload } from '../../routers/schemas/upload-rules.ts';
import { type HashedFile, hashBlob } from './hash.ts';
import { changed, pauseFor, persistently, type RequestOptions, refusal, refuseChanged } from './request.ts';
import type { SelectedZip } from './selection.ts';

/** Hands in the list of files; the answer names the hashes that the account does not hold yet. */
export async function offerList(
  uploadId: string,
  files: Readonly<UploadManifestInput['files']>,
  publishAnyway: readonly string[],
  options: RequestOptions,
): Promise<UploadManifestAnswer> {
  const body = JSON.stringify({ files, ...(publishAnyway.length > 0 && { publishAnyway }) });
  const response = await persistently(options, () =>
    options.fetch(`/api/uploads/${uploadId}/manifest`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body,
      signal: options.signal,
    }),
  );
  if (!response.ok) throw await refusal(response);
  return uploadManifestAnswer.parse(await response.json());
}

/** Browsers open six connections to a server of HTTP/1.1. */
const FILES_AT_ONCE = 6;
/** Of smaller files a screen need not know how much of each has left. */
const COUNTED_FROM_BYTES = 1024 * 1024;

export type SendOptions = RequestOptions & {
  onSent(file: HashedFile): void;
  /** Told how many bytes of a large file have left; fewer than before when its sending begins anew. */
  onSentBytes(file: HashedFile, sentBytes: number): void;
};

/**
 * Sends the files, six at once, each until it is acknowledged. The first that cannot be sent ends all.
 *
 * @throws UploadError; the signal's reason when cancelled
 */
export async function sendFiles(uploadId: string, files: readonly HashedFile[], options: SendOptions): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const todo = files.values();
  const lane = async () => {
    for (const file of todo) {
      await sendFile(uploadId, file, { ...options, signal });
      options.onSent(file);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(FILES_AT_ONCE, files.length) }, lane));
  } catch (cause) {
    stop.abort(cause);
    options.signal.throwIfAborted();
    throw cause;
  }
}

async function sendFile(uploadId: string, hashed: HashedFile, options: SendOptions): Promise<void> {
  const { path, sha256, file } = hashed;
  const isCounted = file.size >= COUNTED_FROM_BYTES;
  const response = await persistently(
    options,
    () =>
      options.fetch(`/api/uploads/${uploadId}/files/${sha256}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: file,
        signal: options.signal,
        ...(isCounted && { onSentBytes: (sentBytes: number) => options.onSentBytes(hashed, sentBytes) }),
      }),
    () => refuseChanged(path, file),
  );
  if (response.ok) return;
  const refused = await refusal(response, path);
  if (refused.code === 'hash_mismatch') throw changed(path, refused);
  throw refused;
}

/** The server may still be reading a body whose sender is gone: it takes a moment to notice. */
const STILL_READING_PAUSE_MS = 2_000;
const STILL_READING_ATTEMPTS = 15;

export type ZipOptions = RequestOptions & { onSentBytes(sentBytes: number): void };

/**
 * Sends a ZIP as it is; the server unpacks it. Doing it again with the same upload sends what is missing of it. Where
 * one folder of it is wanted, a list of that folder's files takes the place of the list of all.
 *
 * @throws UploadError; the signal's reason when cancelled
 */
export async function sendZip(
  uploadId: string,
  selection: SelectedZip,
  publishAnyway: readonly string[],
  options: ZipOptions,
): Promise<readonly LeftOut[]> {
  const prefix = selection.within === '' ? '' : `${selection.within}/`;
  const anyway = publishAnyway.map((path) => prefix + path);
  const answer = await post(uploadId, selection, anyway, options);
  if (prefix === '') return answer.leftOut;
  const inside = answer.files
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
  const { files } = readUpload(inside, { publishAnyway, takesRootOff: true });
  return (await offerList(uploadId, files, publishAnyway, options)).leftOut;
}

async function post(
  uploadId: string,
  { zip }: SelectedZip,
  publishAnyway: readonly string[],
  options: ZipOptions,
): Promise<UploadZipAnswer> {
  const key = await keyOf(zip);
  const path = `/api/uploads/${uploadId}/zip`;
  const attempt = async () => {
    const asked = await options.fetch(`${path}?key=${key}`, { signal: options.signal });
    if (!asked.ok) return asked;
    const from = uploadZipArrived.parse(await asked.json()).bytes;
    options.onSentBytes(from);
    const anyway = publishAnyway.map((path) => ['publishAnyway', path]);
    const query = new URLSearchParams([['key', key], ['from', String(from)], ...anyway]);
    return options.fetch(`${path}?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/zip' },
      body: zip.slice(from),
      signal: options.signal,
      onSentBytes: (sentBytes: number) => options.onSentBytes(from + sentBytes),
    });
  };
  for (let round = 1; ; round += 1) {
    const response = await persistently(options, attempt, () => refuseChanged(zip.name, zip));
    if (response.ok) return uploadZipAnswer.parse(await response.json());
    const refused = await refusal(response, zip.name);
    if (refused.code !== 'conflict' || round === STILL_READING_ATTEMPTS) throw refused;
    options.onWaiting?.(true);
    await pauseFor(options.pausesMs?.[0] ?? STILL_READING_PAUSE_MS, options.signal);
  }
}

const HEAD_BYTES = 64 * 1024;
/** The directory, which holds a checksum of every file, is no longer than this in most archives. */
const TAIL_BYTES = 1024 * 1024;

/**
 * Tells an archive from another that is sent to the same upload. Two that it cannot tell apart do no harm: the server
 * checks every file of what came together.
 */
async function keyOf(zip: File): Promise<string> {
  const parts = [`${zip.size} `, zip.slice(0, HEAD_BYTES), zip.slice(-TAIL_BYTES)];
  return hashBlob(new Blob(parts)).catch((cause: unknown) => {
    throw changed(zip.name, cause);
  });
}
