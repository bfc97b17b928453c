import type { WebResponse } from '../../http/transport/http2-response.ts';
import { type FileCache, WHOLE_MAX_BYTES } from './file-cache.ts';
import type { Body } from './served-file.ts';

/** Large files leave in pieces of this size: smaller ones cost more calls, larger ones only memory. */
const PIECE_BYTES = 256 * 1024;

type Way = { files: FileCache; response: WebResponse; method: 'GET' | 'HEAD' };
/** Bytes [start, end) of the body, with the head of the answer. */
export type BodyRange = { status: number; headers: string[]; start: number; end: number };

/**
 * Sends a body that is not in memory, and returns how many bytes were sent. When it throws before the head was sent,
 * the caller can still answer with an error; after that the connection has to be cut.
 */
export async function sendBody(way: Way, { source, sizeBytes }: Body, range: BodyRange): Promise<number> {
  if (sizeBytes > WHOLE_MAX_BYTES) return sendPieces(way, source, range);
  const buffer = await way.files.load(source);
  if (way.response.destroyed) return 0;
  way.response.writeHead(range.status, range.headers).end(buffer.subarray(range.start, range.end));
  return way.method === 'GET' ? range.end - range.start : 0;
}

/** Nothing is sent before the first piece has been read. */
async function sendPieces(
  { files, response, method }: Way,
  source: Body['source'],
  { status, headers, start, end }: BodyRange,
): Promise<number> {
  const { artifact, release } = await files.borrow(source);
  let at = start;
  let sent = 0;
  try {
    let piece = await artifact.read(at, Math.min(at + PIECE_BYTES, end));
    if (response.destroyed) return 0;
    response.writeHead(status, headers);
    while (method === 'GET' && !response.destroyed) {
      at += piece.length;
      sent += piece.length;
      const isTaken = response.write(piece);
      if (at >= end) break;
      // The next piece is read while this one leaves; a slow reader delays the one after it.
      const [next] = await Promise.all([
        artifact.read(at, Math.min(at + PIECE_BYTES, end)),
        isTaken ? undefined : untilTaken(response),
      ]);
      piece = next;
    }
    response.end();
    return sent;
  } finally {
    release();
  }
}

function untilTaken(response: WebResponse): Promise<void> {
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
