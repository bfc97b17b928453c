import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { judge } from './conditions.ts';
import { type FileCache, WHOLE_MAX_BYTES } from './file-cache.ts';
import { PAGES, type Page } from './pages.ts';
import { locationOf, type RequestPath } from './request-path.ts';
import { type Entry, findEarlierAsset, type Site } from './site.ts';

/** Performance facts, section 3: large files leave in pieces of this size. */
const PIECE_BYTES = 256 * 1024;

/** One request with everything that its answer is made from; taken once, so a switch in between changes nothing. */
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  method: 'GET' | 'HEAD';
  site: Site;
  /** Releases before the last switches, loaded only when a hashed name is not in the current one. */
  earlier(): Promise<Site[]> | null;
  files: FileCache;
  onTrouble(error: unknown, entry: Entry): void;
};

export type Found =
  | { kind: 'file'; entry: Entry }
  | { kind: 'redirect'; location: string }
  | { kind: 'missing'; entry: Entry | undefined };

/**
 * What a path means in a release (security facts, 3.3): the exact file, a folder's `index.html`, the way to it, or
 * nothing, with the site's own `404.html` when it has one.
 */
export function findFile(site: Site, { file, query }: RequestPath): Found {
  const isFolder = file === '' || file.endsWith('/');
  const entry = site.find(isFolder ? `${file}index.html` : file);
  if (entry !== undefined) return { kind: 'file', entry };
  if (!isFolder && site.find(`${file}/index.html`) !== undefined) {
    return { kind: 'redirect', location: locationOf(`${file}/`, query) };
  }
  return { kind: 'missing', entry: site.find('404.html') };
}

/** Answers one request from one release. Waits for nothing when the file is in memory. */
export function respond(exchange: Exchange, path: RequestPath): void {
  const found = findFile(exchange.site, path);
  if (found.kind === 'file') sendFile(exchange, found.entry);
  else if (found.kind === 'redirect') sendRedirect(exchange.response, found.location);
  else sendMissing(exchange, path, found.entry);
}

export function sendPage(response: ServerResponse, page: Page): void {
  response.writeHead(page.status, [...page.headers]).end(page.body);
}

function sendRedirect(response: ServerResponse, location: string): void {
  const headers = ['Location', location, 'Content-Length', '0', 'Cache-Control', 'public, max-age=0, must-revalidate'];
  response.writeHead(308, [...headers, 'X-Content-Type-Options', 'nosniff']).end();
}

function sendMissing(exchange: Exchange, path: RequestPath, notFound: Entry | undefined): void {
  const earlier = exchange.earlier();
  if (earlier === null) {
    sendNotFound(exchange, notFound);
    return;
  }
  earlier
    .then((sites) => findEarlierAsset(sites, path.file))
    // An earlier release that is gone or damaged is no reason to fail: its files are extras.
    .catch(() => undefined)
    .then((entry) => (entry === undefined ? sendNotFound(exchange, notFound) : sendFile(exchange, entry)));
}

function sendNotFound(exchange: Exchange, entry: Entry | undefined): void {
  if (entry === undefined) sendPage(exchange.response, PAGES.noPage);
  else sendBody(exchange, entry, { status: 404, headers: entry.notFoundHeaders, start: 0, end: entry.sizeBytes });
}

function sendFile(exchange: Exchange, entry: Entry): void {
  const { request, response, method } = exchange;
  const verdict = judge(method, request.headers, entry);
  if (verdict.kind === 'whole') {
    sendBody(exchange, entry, { status: 200, headers: entry.okHeaders, start: 0, end: entry.sizeBytes });
  } else if (verdict.kind === 'part') {
    const { start, end } = verdict;
    const range = `bytes ${start}-${end - 1}/${entry.sizeBytes}`;
    const headers = [...entry.partHeaders, 'Content-Range', range, 'Content-Length', String(end - start)];
    sendBody(exchange, entry, { status: 206, headers, start, end });
  } else if (verdict.kind === 'notModified') {
    response.writeHead(304, entry.notModifiedHeaders.slice()).end();
  } else if (verdict.kind === 'preconditionFailed') {
    sendPage(response, PAGES.preconditionFailed);
  } else {
    const headers = ['Content-Range', `bytes */${entry.sizeBytes}`, 'Content-Length', '0', 'Cache-Control', 'no-cache'];
    response.writeHead(416, [...headers, 'X-Content-Type-Options', 'nosniff']).end();
  }
}

type Body = { status: number; headers: readonly string[]; start: number; end: number };

function sendBody(exchange: Exchange, entry: Entry, body: Body): void {
  const buffer = exchange.files.known(entry.sha256);
  if (buffer !== undefined) {
    writeBuffer(exchange.response, buffer, body);
    return;
  }
  const sending = entry.sizeBytes > WHOLE_MAX_BYTES ? sendPieces : sendLoaded;
  sending(exchange, entry, body).catch((error: unknown) => {
    exchange.onTrouble(error, entry);
    sendTrouble(exchange.response, error);
  });
}

function writeBuffer(response: ServerResponse, buffer: Buffer, { status, headers, start, end }: Body): void {
  const isWhole = start === 0 && end === buffer.length;
  response.writeHead(status, headers.slice()).end(isWhole ? buffer : buffer.subarray(start, end));
}

async function sendLoaded({ response, files }: Exchange, entry: Entry, body: Body): Promise<void> {
  const buffer = await files.load(entry);
  if (!response.destroyed) writeBuffer(response, buffer, body);
}

/** Nothing is said before the first piece has been read; a fault after that cuts the connection. */
async function sendPieces(exchange: Exchange, entry: Entry, body: Body): Promise<void> {
  const { response, files, method } = exchange;
  const { artifact, release } = await files.borrow(entry);
  try {
    let at = body.start;
    let piece = await artifact.read(at, Math.min(at + PIECE_BYTES, body.end));
    if (response.destroyed) return;
    response.writeHead(body.status, body.headers.slice());
    while (method === 'GET' && !response.destroyed) {
      at += piece.length;
      const isTaken = response.write(piece);
      if (at >= body.end) break;
      // The next piece is read while this one leaves; a slow reader holds up the one after it.
      const [next] = await Promise.all([
        artifact.read(at, Math.min(at + PIECE_BYTES, body.end)),
        isTaken ? undefined : untilTaken(response),
      ]);
      piece = next;
    }
    response.end();
  } finally {
    release();
  }
}

function untilTaken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.once('drain', settle);
    response.once('close', settle);
  });
}

/** Never a 404 (a cached one outlives the fault), and never the wrong bytes: what has begun is cut off. */
export function sendTrouble(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (!(error instanceof AppError)) sendPage(response, PAGES.failed);
  else sendPage(response, error.code === 'artifact_damaged' ? PAGES.damaged : PAGES.unavailable);
}
