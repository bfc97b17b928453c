import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import { requireWriter } from '../../routers/access.ts';
import { contextFor } from '../../routers/context.ts';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { idSchema, sha256Schema } from '../../routers/schemas/primitives.ts';
import type { UploadManifestAnswer, UploadMissingAnswer, UploadZipArrived } from '../../routers/schemas/releases.ts';
import type { AccountContext, Providers } from '../context.ts';
import { MINUTE_MS } from '../lib/durations.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { withSlot } from '../lib/with-slot.ts';
import { withFileListSlot } from '../publishing/uploads/file-list-slot.ts';
import {
  arrivedOfZip,
  countBytes,
  missingOfUpload,
  receiveBundle,
  receiveFile,
  receiveManifest,
  receiveZip,
  type SentZip,
} from '../publishing/uploads/index.ts';
import { readManifestBody } from './manifest-body.ts';

/** The content type of a ZIP from a browser on Windows, which reads it from the registry. */
const WINDOWS_ZIP = 'application/x-zip-compressed';
/**
 * Bytes that still arrive are read for this long: closing the connection earlier would take the answer with it (RFC
 * 9112, section 9.6).
 */
const DRAIN_MS = 5_000;

/**
 * Returns the routes below `/api/uploads` that take files. Bodies are streamed: a single file is never whole in
 * memory; lists of files, and files that come together, are bounded, and only a few are held at a time. The
 * application has checked origin and headers before.
 */
export function uploadRoutes(providers: Providers): Router {
  const routes = express.Router({ caseSensitive: true, strict: true });
  const requests = createRequestCounter(providers);
  addManifestRoute(routes, providers, requests);
  addFileRoutes(routes, providers, requests);
  addZipRoutes(routes, providers, requests);
  routes.use(drainBody);
  return routes;
}

function addManifestRoute(routes: Router, providers: Providers, requests: RequestCounter): void {
  routes.put('/:uploadId/manifest', async (request, response) => {
    requireType(request, 'application/json');
    const ctx = await writerFor(providers, request, response, { calls: 1 });
    const uploadId = uploadIdOf(request);
    const answer = await requests.during(ctx.actor.accountId, () => {
      const body = bounded(request, UPLOAD_LIMITS.maxManifestBytes, 'A list of files can have');
      return takeManifest(ctx, uploadId, body);
    });
    response.json(answer);
  });
}

function addFileRoutes(routes: Router, providers: Providers, requests: RequestCounter): void {
  routes.put('/:uploadId/files/:sha256', async (request, response) => {
    requireType(request, 'application/octet-stream');
    const ctx = await writerFor(providers, request, response);
    const sha256 = sha256Schema.safeParse(request.params.sha256);
    if (!sha256.success) throw new AppError('hash_unannounced', 'This is not a SHA-256 hash in lowercase.');
    const uploadId = uploadIdOf(request);
    await requests.during(ctx.actor.accountId, () =>
      receiveFile(ctx, uploadId, {
        sha256: sha256.data,
        body: bytesOf(request),
        contentLength: contentLengthOf(request),
      }),
    );
    response.status(204).end();
  });

  routes.get('/:uploadId/files', async (request, response) => {
    const ctx = await writerFor(providers, request, response, { calls: 1 });
    const missing = await withFileListSlot(ctx, () => missingOfUpload(ctx, uploadIdOf(request)));
    response.json({ missing } satisfies UploadMissingAnswer);
  });

  routes.post('/:uploadId/files', async (request, response) => {
    requireType(request, 'application/octet-stream');
    const ctx = await writerFor(providers, request, response);
    const uploadId = uploadIdOf(request);
    await requests.during(ctx.actor.accountId, () => {
      const body = bounded(request, UPLOAD_LIMITS.maxBundleBytes, 'Files that are sent together can have');
      return receiveBundle(ctx, uploadId, { body, contentLength: contentLengthOf(request) });
    });
    response.status(204).end();
  });
}

function addZipRoutes(routes: Router, providers: Providers, requests: RequestCounter): void {
  routes.get('/:uploadId/zip', async (request, response) => {
    const ctx = await writerFor(providers, request, response, { calls: 1 });
    const resume = resumeOf(queryOf(request));
    if (resume === null) throw new AppError('bad_request', 'Give the `key` of the archive in the address.');
    const bytes = await arrivedOfZip(ctx, uploadIdOf(request), resume.key);
    response.json({ bytes } satisfies UploadZipArrived);
  });

  routes.post('/:uploadId/zip', async (request, response) => {
    requireType(request, 'application/zip', WINDOWS_ZIP);
    const ctx = await writerFor(providers, request, response);
    const uploadId = uploadIdOf(request);
    const query = queryOf(request);
    const resume = resumeOf(query);
    const answer = await requests.during(ctx.actor.accountId, () =>
      receiveZip(ctx, uploadId, {
        body: bytesOf(request),
        contentLength: contentLengthOf(request),
        publishAnyway: query.getAll('publishAnyway'),
        resume,
        signal: goneSignal(response),
      }),
    );
    response.json(answer);
  });
}

/** Reads on after a refusal in mid-body: many senders read no answer before they have sent everything. */
const drainBody: ErrorRequestHandler = (error, request, _response, next) => {
  if (!request.complete) {
    const timer = setTimeout(() => request.destroy(), DRAIN_MS);
    request.once('close', () => clearTimeout(timer));
    request.resume();
  }
  next(error);
};

/** With these errors a list of files ends before it is stored, and so before its bytes are counted. */
const REFUSED_UNCOUNTED: ReadonlySet<string> = new Set([
  'client_closed',
  'body_too_large',
  'bad_request',
  'validation_failed',
  'upload_refused',
  'not_found',
  'upload_closed',
]);

/** Takes a list of files. One that is refused, or breaks off, costs the bytes that came. */
async function takeManifest(
  ctx: AccountContext,
  uploadId: string,
  sent: AsyncIterable<Uint8Array>,
): Promise<UploadManifestAnswer> {
  let arrivedBytes = 0;
  async function* arriving(): AsyncGenerator<Uint8Array> {
    for await (const chunk of sent) {
      arrivedBytes += chunk.byteLength;
      yield chunk;
    }
  }
  try {
    // It is whole in memory only while it is read, which happens for a few at a time.
    return await ctx.providers.zips.spool(arriving(), (readWhole) =>
      withFileListSlot(ctx, async () => receiveManifest(ctx, uploadId, await readManifestBody(await readWhole()))),
    );
  } catch (error) {
    if (error instanceof AppError && REFUSED_UNCOUNTED.has(error.code)) await countBytes(ctx, arrivedBytes);
    throw error;
  }
}

/**
 * Checks the right to upload, as `writeProcedure` does for calls. Bytes count against limits of their own and not as
 * calls; only validating a list of files is a call.
 */
async function writerFor(
  providers: Providers,
  request: Request,
  response: Response,
  { calls = 0 }: { calls?: number } = {},
): Promise<AccountContext> {
  return requireWriter(await contextFor(providers, request, response, { calls }));
}

function uploadIdOf(request: Request): string {
  const id = idSchema.safeParse(request.params.uploadId);
  if (!id.success) throw notFound('upload');
  return id.data;
}

function queryOf(request: Request): URLSearchParams {
  return new URL(request.originalUrl, 'http://localhost').searchParams;
}

/** Reads `key`, by which the sender recognizes its archive, and `from`, the number of bytes that were sent before. */
function resumeOf(query: URLSearchParams): NonNullable<SentZip['resume']> | null {
  const key = query.get('key');
  const from = query.get('from') ?? '0';
  if (key === null && from === '0') return null;
  if (!sha256Schema.safeParse(key).success || !/^\d{1,10}$/.test(from) || key === null) {
    throw new AppError(
      'bad_request',
      'The `key` of the archive must have 64 hex digits, and the offset at which it continues must be a number of bytes.',
    );
  }
  return { key, from: Number(from) };
}

function requireType(request: Request, type: string, alias = type): void {
  const sent = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (sent !== type && sent !== alias) throw new AppError('body_type_unsupported', `Send the body as ${type}.`);
}

/** Returns a signal that ends work when the client has gone. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(senderGone());
  });
  return gone.signal;
}

function senderGone(cause?: unknown): AppError {
  return new AppError('client_closed', 'The sender ended the request.', { cause });
}

/** Returns the length of the body. Without one the body is chunked, and its bytes are counted as they arrive. */
function contentLengthOf(request: Request): number | null {
  const sent = request.headers['content-length'];
  return sent === undefined ? null : Number(sent);
}

/** Yields the request's bytes; a sender that disconnects in the middle ends them with an error of its own. */
async function* bytesOf(request: Request): AsyncGenerator<Uint8Array> {
  try {
    // A reader that stops early leaves the connection open, because an answer has to go out on it.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk;
  } catch (error) {
    throw senderGone(error);
  }
  if (!request.complete) throw senderGone();
}

/** Returns the bytes of a body, and refuses it as soon as it is known to be too large: by its length at once. */
function bounded(request: Request, maxBytes: number, whatHas: string): AsyncIterable<Uint8Array> {
  const tooLarge = new AppError('body_too_large', `${whatHas} at most ${maxBytes / 1024 ** 2} MB.`);
  if ((contentLengthOf(request) ?? 0) > maxBytes) throw tooLarge;
  return upTo(maxBytes, request, tooLarge);
}

async function* upTo(maxBytes: number, request: Request, tooLarge: AppError): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytesOf(request)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge;
    yield chunk;
  }
}

type RequestCounter = { during<T>(accountId: string, work: () => Promise<T>): Promise<T> };

/**
 * Limits how many lists and files an account sends at once, over all processes of this instance, whose memory and disk
 * this guards, and how many in a minute: a file without bytes is work as well.
 */
function createRequestCounter({ rateCounters, limits }: Providers): RequestCounter {
  const { uploadsAtOnce: limit, uploadsPerMinute } = limits;
  const refused = (rule: string, retryAfterMs: number): AppError =>
    new AppError('rate_limited', rule, { retryAfterMs });
  return {
    async during(accountId, work) {
      const key = `uploads of ${accountId}`;
      const { count, leftMs } = await rateCounters.count(key, 1, MINUTE_MS);
      if (count > uploadsPerMinute)
        throw refused(`You can send at most ${uploadsPerMinute} files in a minute.`, leftMs);
      const full = (): AppError => refused(`You can send at most ${limit} files at once.`, 1_000);
      return withSlot(rateCounters, { key, limit, full }, work);
    },
  };
}
