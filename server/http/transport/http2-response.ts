import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { Writable } from 'node:stream';
import type { Unread } from './http2-unread.ts';

/** Sends a handler's answer, over HTTP/1.1 and HTTP/2 alike. */
export type WebResponse = {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly statusCode: number;
  /** Takes the headers as name, value, name, value. */
  writeHead(status: number, headers: string[]): WebResponse;
  write(piece: Buffer): boolean;
  end(body?: Buffer): unknown;
  destroy(): unknown;
  once(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
};

export type Http2Response = WebResponse & {
  /** The number of bytes that the answer may hold in memory until its reader has taken them. */
  readonly heldBytes: number;
  /** Releases the bytes that nobody will take. */
  release(): void;
};

/** Before its size is known, an answer is counted with the largest file that is sent whole. */
const UNKNOWN_BYTES = 1024 * 1024;
/**
 * A body is written in parts of one frame (RFC 9113, section 4.2): Node reports a part only when all of it was taken,
 * and a slow reader takes a long time for a megabyte.
 */
const FRAME_BYTES = 16 * 1024;
/** Headers of a connection are not allowed in a stream (RFC 9113, section 8.2.2); Node throws for these. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Header lists are built once for many answers, so their HTTP/2 form is cached, too. */
const converted = new WeakMap<readonly string[], OutgoingHttpHeaders>();

function headersOf(list: readonly string[]): OutgoingHttpHeaders {
  const known = converted.get(list);
  if (known !== undefined) return known;
  // Sites choose the names of their headers: none may collide with a property that every object inherits.
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let index = 0; index + 1 < list.length; index += 2) {
    const name = list[index]?.toLowerCase() ?? '';
    const value = list[index + 1] ?? '';
    if (CONNECTION_HEADERS.has(name)) continue;
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    // Cookies must not be joined (RFC 6265, section 3).
    else headers[name] = name === 'set-cookie' ? [before, value].flat() : `${before}, ${value}`;
  }
  converted.set(list, headers);
  return headers;
}

type Body = Pick<WebResponse, 'write' | 'end'> & { drained(): Writable; release(): void };

/** Sends a body part by part, and reports how much of it was taken. */
function createBody(stream: ServerHttp2Stream, unread: Unread): Body {
  /** The bytes of each piece that nobody has taken yet. */
  const held = new Map<Buffer, number>();
  let queue: Writable | undefined;

  function hold(piece: Buffer): void {
    held.set(piece, piece.length);
    unread.hold(piece);
  }

  function send(piece: Buffer, at: number, isLast: boolean, done?: () => void): void {
    const next = Math.min(at + FRAME_BYTES, piece.length);
    const onTaken = (error?: Error | null): void => {
      if (error || !held.has(piece)) return;
      unread.take(next - at);
      held.set(piece, piece.length - next);
      if (next < piece.length) {
        send(piece, next, isLast, done);
        return;
      }
      held.delete(piece);
      unread.release(piece, 0);
      done?.();
    };
    const part = piece.subarray(at, next);
    if (isLast && next === piece.length) stream.end(part, onTaken);
    else stream.write(part, onTaken);
  }

  function drained(): Writable {
    queue ??= new Writable({
      write: (piece: Buffer, _encoding, done) => send(piece, 0, false, done),
      final(done) {
        stream.end();
        done();
      },
    });
    return queue;
  }

  return {
    drained,
    write(piece) {
      hold(piece);
      return drained().write(piece);
    },
    end(piece) {
      if (piece !== undefined) hold(piece);
      if (queue !== undefined) queue.end(piece);
      else if (piece === undefined) stream.end();
      else send(piece, 0, true);
    },
    release() {
      for (const [piece, rest] of held) unread.release(piece, rest);
      held.clear();
    },
  };
}

/** Creates the answer of one stream. Writes after the client has gone are dropped, as over HTTP/1.1. */
export function createHttp2Response(stream: ServerHttp2Stream, isHead: boolean, unread: Unread): Http2Response {
  const isOver = (): boolean => stream.destroyed || stream.closed;
  const body = createBody(stream, unread);
  let status = 200;
  let heldBytes = UNKNOWN_BYTES;
  const response: Http2Response = {
    get headersSent() {
      return stream.headersSent;
    },
    get destroyed() {
      return isOver();
    },
    get statusCode() {
      return status;
    },
    get heldBytes() {
      return heldBytes;
    },
    writeHead(code, headers) {
      status = code;
      if (!isOver()) stream.respond({ ':status': code, ...headersOf(headers) }, { endStream: isHead || code === 304 });
      return response;
    },
    write(piece) {
      // The next piece is read while this one waits.
      heldBytes = piece.length * 2;
      return isOver() || isHead || body.write(piece);
    },
    end(piece) {
      heldBytes = piece?.length ?? heldBytes;
      if (!isOver() && !stream.writableEnded) body.end(piece);
    },
    destroy: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    release: body.release,
    once: (event, listener) => (event === 'drain' ? body.drained() : stream).once(event, listener),
    off: (event, listener) => (event === 'drain' ? body.drained() : stream).off(event, listener),
  };
  return response;
}
