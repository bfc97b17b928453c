import { once } from 'node:events';
import express, { type Request, type Response, type Router } from 'express';
import { requireAccount } from '../../routers/access.ts';
import { contextFor } from '../../routers/context.ts';
import { idSchema, sha256Schema } from '../../routers/schemas/primitives.ts';
import type { Download } from '../account/download-ticket.ts';
import { findExporter, openExport } from '../account-data/index.ts';
import { findVisitsReader, openVisitsDownload, parseVisitsQuery } from '../analytics/index.ts';
import type { AccountContext, Limits, Providers } from '../context.ts';
import { MINUTE_MS } from '../lib/durations.ts';
import { AppError, notFound } from '../lib/errors.ts';
import type { FreeSlot } from '../lib/rate-counters.ts';
import { findDownloader, openDownload, openFile, openFileList } from '../publishing/releases/index.ts';

/** Returns the routes below `/api` whose answers people save; they are streamed, never whole in memory. */
export function downloadRoutes(providers: Providers): Router {
  const routes = express.Router({ caseSensitive: true, strict: true });
  const slots = createSlots(providers);

  async function sendToAccount(
    request: Request,
    response: Response,
    open: (ctx: AccountContext) => Promise<Download>,
  ): Promise<void> {
    const ctx = requireAccount(await contextFor(providers, request, response));
    await slots.during(ctx.actor.accountId, (watch) =>
      send(request, response, watch(request, response), async () => open(ctx)),
    );
  }

  routes.get('/releases/:releaseId/download', async (request, response) => {
    const ctx = await contextFor(providers, request, response);
    const releaseId = releaseIdOf(request);
    const ticket = ticketOf(request);
    const caller = ticket === null ? requireAccount(ctx) : ctx;
    const accountId = await findDownloader(caller, releaseId, ticket);
    await slots.duringWhole(accountId, (watch) =>
      send(request, response, watch(request, response), () => openDownload(providers, accountId, releaseId)),
    );
  });

  routes.get('/releases/:releaseId/files', (request, response) =>
    sendToAccount(request, response, (ctx) => openFileList(ctx, releaseIdOf(request))),
  );

  routes.get('/releases/:releaseId/files/:sha256', (request, response) =>
    sendToAccount(request, response, (ctx) => {
      const sha256 = sha256Schema.safeParse(request.params.sha256);
      if (!sha256.success) throw notFound('file');
      return openFile(ctx, releaseIdOf(request), sha256.data);
    }),
  );

  routes.get('/account/export', async (request, response) => {
    const ctx = await contextFor(providers, request, response);
    const accountId = await findExporter(ctx, ticketOf(request));
    await slots.duringWhole(accountId, (watch) =>
      send(request, response, watch(request, response), () => openExport(providers, accountId)),
    );
  });

  routes.get('/analytics/visits.csv', async (request, response) => {
    const ctx = await contextFor(providers, request, response);
    const input = parseVisitsQuery(request.query);
    const accountId = await findVisitsReader(ctx, input, ticketOf(request));
    await slots.duringWhole(accountId, (watch) =>
      send(request, response, watch(request, response), () => openVisitsDownload(providers, accountId, input)),
    );
  });

  return routes;
}

function releaseIdOf(request: Request): string {
  const releaseId = idSchema.safeParse(request.params.releaseId);
  if (!releaseId.success) throw notFound('release');
  return releaseId.data;
}

function ticketOf(request: Request): string | null {
  const { ticket } = request.query;
  return typeof ticket === 'string' ? ticket : null;
}

/** A browser may ask again after this time, since running downloads take a while. */
const RETRY_AFTER_MS = 5_000;

/** An account may displace others at this interval at most, or a few would do so in turns and let nobody finish. */
const MAKES_ROOM_EVERY_MS = 10 * 60_000;

type Watch = (request: Request, response: Response) => Reader;
type During = <T>(accountId: string, work: (watch: Watch) => Promise<T>) => Promise<T>;
/** `duringWhole` is for answers that are assembled from many stored parts, which is work even when they are small. */
type DownloadSlots = { during: During; duringWhole: During };

/**
 * Limits the downloads at once: of an account over the processes of this instance, and of all in this process, whose
 * memory it guards. A slot is taken before anything is read, and held until the last byte has left or the reader is
 * gone. An account that has one takes another only while more than half of the process's slots are free, so that a few
 * accounts cannot keep all others out. Slow readers cannot fill all slots either: the longest running one gives way to
 * an account that has none.
 */
function createSlots({ rateCounters, limits }: Providers): DownloadSlots {
  const { downloadsAtOnce, downloadsPerMinute, slowestDownload } = limits;
  const { perAccount, perProcess } = downloadsAtOnce;
  const ofAll = `downloads in process ${process.pid}`;
  const running = new Set<Reader>();
  const longestSlow = (): Reader | undefined => [...running].find((reader) => reader.isSlow());

  const watch: Watch = (request, response) => {
    const reader = watchReader(request, response, slowestDownload, () => running.delete(reader));
    running.add(reader);
    return reader;
  };

  async function makeRoom(accountId: string): Promise<boolean> {
    if (longestSlow() === undefined) return false;
    const { count } = await rateCounters.count(`downloads that gave way to ${accountId}`, 1, MAKES_ROOM_EVERY_MS);
    const slow = count > 1 ? undefined : longestSlow();
    slow?.giveWay();
    return slow !== undefined;
  }

  async function takeOfAll(accountId: string, isFirst: boolean): Promise<FreeSlot> {
    const limit = isFirst ? perProcess : perProcess / 2;
    const free = await rateCounters.takeSlot(ofAll, { limit });
    if (free !== null) return free;
    // There is one more than the limit until the displaced reader has gone.
    const freed = isFirst && (await makeRoom(accountId)) ? { limit, queueLength: perProcess } : { limit };
    const next = await rateCounters.takeSlot(ofAll, freed);
    if (next === null) throw full('Too many downloads are running. Start this one again in a moment.');
    return next;
  }

  const slots: DownloadSlots = {
    async duringWhole(accountId, work) {
      const { count, leftMs } = await rateCounters.count(`whole downloads of ${accountId}`, 1, MINUTE_MS);
      if (count <= downloadsPerMinute) return slots.during(accountId, work);
      throw full(`You can start ${downloadsPerMinute} downloads a minute. Try this one again in a minute.`, leftMs);
    },
    async during(accountId, work) {
      const key = `downloads of ${accountId}`;
      const first = await rateCounters.takeSlot(key, { limit: 1 });
      const own = first ?? (await rateCounters.takeSlot(key, { limit: perAccount }));
      if (own === null) {
        throw full(`You can run ${perAccount} downloads at once. Try this one again when one has ended.`);
      }
      try {
        const place = await takeOfAll(accountId, first !== null);
        try {
          return await work(watch);
        } finally {
          place();
        }
      } finally {
        own();
      }
    },
  };
  return slots;
}

function full(message: string, retryAfterMs = RETRY_AFTER_MS): AppError {
  return new AppError('rate_limited', message, { retryAfterMs });
}

async function send(
  request: Request,
  response: Response,
  reader: Reader,
  open: () => Promise<Download>,
): Promise<void> {
  try {
    const download = await open();
    reader.signal.throwIfAborted();
    setHead(response, download);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    // Headers go out at once: the checksum of a large first file takes a while, and the reader should see that the
    // download starts.
    response.flushHeaders();
    await write(response, download.body(reader.signal), reader);
  } catch (error) {
    // Work that waited for the connection only reports that it was aborted.
    throw reader.signal.aborted ? reader.signal.reason : error;
  } finally {
    reader.leave();
  }
}

type Reader = {
  /**
   * Aborted when the connection closes: by its reader, for its silence (transport/connections.ts), or here. All
   * reading ends then.
   */
  signal: AbortSignal;
  waitUntil(event: 'drain' | 'finish', sentBytes: number): Promise<void>;
  /** Returns whether this reader has been slow for a while, so that others may have its slot. */
  isSlow(): boolean;
  giveWay(): void;
  leave(): void;
};

/**
 * Ends the connection of a reader that is slower than the slowest allowed rate, measured over the time in which we
 * waited for it: a trickle would hold a slot for ever. The time in which it waits for us does not count.
 */
function watchReader(
  { socket }: Request,
  response: Response,
  slowest: Limits['slowestDownload'],
  onLeave: () => void,
): Reader {
  const gone = new AbortController();
  const end = (): void => gone.abort(new AppError('client_closed', 'The download was ended by its reader.'));
  // Listening on the connection is needed: a second answer that waits for it gets no event.
  socket.once('close', end);
  if (socket.destroyed) end();
  let waitedMs = 0;
  let waitsSince: number | null = null;
  let allBytes = 0;
  return {
    signal: gone.signal,
    async waitUntil(event, sentBytes) {
      const allowedMs = Math.max(slowest.patienceMs, (1_000 * sentBytes) / slowest.bytesPerSecond);
      const startedAt = performance.now();
      const timer = setTimeout(() => socket.destroy(), allowedMs - waitedMs);
      allBytes = sentBytes;
      waitsSince = startedAt;
      try {
        await once(response, event, { signal: gone.signal });
      } finally {
        clearTimeout(timer);
        waitsSince = null;
        waitedMs += performance.now() - startedAt;
      }
    },
    isSlow() {
      const allMs = waitedMs + (waitsSince === null ? 0 : performance.now() - waitsSince);
      if (gone.signal.aborted) return false;
      return allMs > slowest.patienceMs && (1_000 * allBytes) / allMs < slowest.givesWayBelow;
    },
    giveWay() {
      end();
      socket.destroy();
    },
    leave() {
      socket.off('close', end);
      onLeave();
    },
  };
}

function setHead(response: Response, download: Download): void {
  response.setHeader('Content-Type', download.contentType ?? 'application/zip');
  if (download.sizeBytes !== null) response.setHeader('Content-Length', download.sizeBytes);
  response.setHeader('Content-Disposition', disposition(download));
  // A browser that opens the file in a tab must not run any of it.
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
}

/**
 * Resolves when the last byte has left. Node's `pipeline` would wait for ever for an answer that never gets its
 * connection.
 */
async function write(response: Response, body: AsyncIterable<Buffer>, reader: Reader): Promise<void> {
  let sentBytes = 0;
  for await (const piece of body) {
    reader.signal.throwIfAborted();
    sentBytes += piece.length;
    if (!response.write(piece)) await reader.waitUntil('drain', sentBytes);
  }
  response.end();
  await reader.waitUntil('finish', sentBytes);
}

/**
 * Writes the name of a download (RFC 6266): in RFC 5987's encoding for letters of all scripts, and in ASCII for
 * clients that do not read that.
 */
function disposition({ fileName, plainName }: Download): string {
  const visible = fileName.replace(/[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]/gu, '-');
  const encoded = encodeURIComponent(visible).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plainName}"; filename*=UTF-8''${encoded}`;
}
