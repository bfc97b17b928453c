import { readUpload } from '../../routers/rules/uploads/upload-rules.ts';
import {
  type LeftOut,
  type UploadManifestAnswer,
  type UploadManifestInput,
  type UploadZipAnswer,
  uploadManifestAnswer,
  uploadMissingAnswer,
  uploadZipAnswer,
  uploadZipArrived,
} from '../../routers/schemas/releases.ts';
import type { SentListener } from '../api/counted-request.ts';
import { type HashedFile, hashBlob } from './hash.ts';
import {
  changed,
  pauseFor,
  type RequestOptions,
  refusal,
  refuseChanged,
  type UploadFetch,
  withRetries,
} from './request.ts';
import type { SelectedZip } from './selection/selection.ts';

/** Sends the list of files; the answer names the hashes that the account does not have yet. */
export async function offerList(
  uploadId: string,
  files: Readonly<UploadManifestInput['files']>,
  publishAnyway: readonly string[],
  options: RequestOptions,
): Promise<UploadManifestAnswer> {
  const body = JSON.stringify({ files, ...(publishAnyway.length > 0 && { publishAnyway }) });
  const response = await withRetries(options, () =>
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

/** Browsers open six connections to a server of HTTP/1.1, of which the page itself needs some. */
const BUNDLES_AT_ONCE = 4;
/** A larger file is sent alone. */
const ALONE_FROM_BYTES = 1024 * 1024;
/**
 * Smaller files are sent together up to this size, or this number, because a request costs more than a small file
 * does.
 */
const BUNDLE_BYTES = 4 * 1024 * 1024;
const BUNDLE_FILES = 1_000;
/** For less than this a screen does not need the number of sent bytes. */
const COUNTED_FROM_BYTES = 64 * 1024;

/** The content of one request: a large file, or small ones. */
export type Bundle = readonly HashedFile[];

export type SendOptions = RequestOptions & {
  onSent(bundle: Bundle): void;
  /** Called with how many bytes of a large bundle were sent; fewer than before when its sending begins anew. */
  onSentBytes(bundle: Bundle, sentBytes: number): void;
};

/**
 * Sends the files, small ones together and several requests at once, each until it is acknowledged. The first that cannot be
 * sent ends all.
 *
 * @throws UploadError; the signal's reason when cancelled
 */
export async function sendFiles(uploadId: string, files: readonly HashedFile[], options: SendOptions): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const bundles = bundlesOf(files);
  const todo = bundles.values();
  const lane = async () => {
    for (const bundle of todo) {
      await sendBundle(uploadId, bundle, { ...options, signal });
      options.onSent(bundle);
      for (const file of bundle) delete file.bytes;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(BUNDLES_AT_ONCE, bundles.length) }, lane));
  } catch (cause) {
    stop.abort(cause);
    options.signal.throwIfAborted();
    throw cause;
  }
}

function bundlesOf(files: readonly HashedFile[]): Bundle[] {
  const bundles: HashedFile[][] = [];
  let open: HashedFile[] = [];
  let bytes = 0;
  for (const hashed of files) {
    if (hashed.file.size >= ALONE_FROM_BYTES) {
      bundles.push([hashed]);
      continue;
    }
    if (open.length === 0) bundles.push(open);
    open.push(hashed);
    bytes += hashed.file.size;
    if (bytes < BUNDLE_BYTES && open.length < BUNDLE_FILES) continue;
    open = [];
    bytes = 0;
  }
  return bundles;
}

/**
 * Sends a bundle. After a request without a good answer it asks the server first which files have arrived all the
 * same.
 */
async function sendBundle(uploadId: string, bundle: Bundle, options: SendOptions): Promise<void> {
  const path = `/api/uploads/${uploadId}/files`;
  let left = bundle;
  let isRepeated = false;
  const attempt = async () => {
    if (isRepeated) {
      const asked = await options.fetch(path, { signal: options.signal });
      if (!asked.ok) return asked;
      const missing = new Set(uploadMissingAnswer.parse(await asked.json()).missing);
      left = bundle.filter(({ sha256 }) => missing.has(sha256));
    }
    isRepeated = true;
    if (left.length === 0) return new Response(null, { status: 204 });
    const bytesThere = bytesOf(bundle) - bytesOf(left);
    return options.fetch(
      ...requestFor(path, left, options.signal, (sentBytes) => options.onSentBytes(bundle, bytesThere + sentBytes)),
    );
  };
  const refuseChangedOnes = async () => {
    const read = left.filter(({ bytes }) => bytes === undefined);
    await Promise.all(read.map(({ path, file }) => refuseChanged(path, file)));
  };
  const response = await withRetries(options, attempt, refuseChangedOnes);
  if (response.ok) return;
  const refused = await refusal(response, left);
  if (refused.code === 'hash_mismatch' && refused.path !== undefined) throw changed(refused.path, refused);
  throw refused;
}

function requestFor(
  path: string,
  bundle: Bundle,
  signal: AbortSignal,
  onSentBytes: SentListener,
): Parameters<UploadFetch> {
  const [first, ...others] = bundle;
  const isAlone = first !== undefined && others.length === 0;
  const body = new Blob(bundle.flatMap(({ sha256, file, bytes }) => [isAlone ? '' : `${sha256}\n`, bytes ?? file]));
  // The lines with the hashes are no bytes of files.
  const share = bytesOf(bundle) / body.size;
  const init = {
    method: isAlone ? 'PUT' : 'POST',
    headers: { 'Content-Type': 'application/octet-stream' },
    body,
    signal,
    ...(bytesOf(bundle) >= COUNTED_FROM_BYTES && {
      onSentBytes: (sentBytes: number) => onSentBytes(Math.floor(sentBytes * share)),
    }),
  };
  return [isAlone ? `${path}/${first.sha256}` : path, init];
}

function bytesOf(bundle: Bundle): number {
  return bundle.reduce((sum, { file }) => sum + file.size, 0);
}

/** The server may still be reading the body of a broken connection and takes a moment to notice. */
const STILL_READING_PAUSE_MS = 2_000;
const STILL_READING_ATTEMPTS = 15;

export type ZipOptions = RequestOptions & { onSentBytes(sentBytes: number): void };

/**
 * Sends a whole ZIP, which the server unpacks. Repeating it with the same upload sends the missing part. If one folder
 * of it is wanted, a list of that folder's files replaces the list of all.
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
    const response = await withRetries(options, attempt, () => refuseChanged(zip.name, zip));
    if (response.ok) return uploadZipAnswer.parse(await response.json());
    const refused = await refusal(response, [{ path: zip.name }]);
    if (refused.code !== 'conflict' || round === STILL_READING_ATTEMPTS) throw refused;
    options.onWaiting?.(true);
    await pauseFor(options.pausesMs?.[0] ?? STILL_READING_PAUSE_MS, options.signal);
  }
}

const HEAD_BYTES = 64 * 1024;
/** The directory, which has a checksum of every file, is no longer than this in most archives. */
const TAIL_BYTES = 1024 * 1024;

/**
 * Tells an archive from another that is sent to the same upload. Two that it cannot tell apart do no harm, because the
 * server checks every file of the combined bytes.
 */
async function keyOf(zip: File): Promise<string> {
  const parts = [`${zip.size} `, zip.slice(0, HEAD_BYTES), zip.slice(-TAIL_BYTES)];
  return hashBlob(new Blob(parts)).catch((cause: unknown) => {
    throw changed(zip.name, cause);
  });
}
