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

function headersOf(status: number, list: readonly string[]): OutgoingHttpHeaders {
  const known = converted.get(list);
  if (known?.[':status'] === status) return known;
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
  const made = { ':status': status, ...headers };
  converted.set(list, made);
  return made;
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

/**
 * The answer of one stream. Writes after the client has gone are dropped, as over HTTP/1.1. It is a class since an
 * object literal with getters is of a shape of its own each time, which stays in memory until a full collection.
 */
export class Http2Response implements WebResponse {
  statusCode = 200;
  /** The number of bytes that the answer may hold in memory until its reader has taken them. */
  heldBytes = UNKNOWN_BYTES;
  readonly #stream: ServerHttp2Stream;
  readonly #isHead: boolean;
  readonly #body: Body;

  constructor(stream: ServerHttp2Stream, isHead: boolean, unread: Unread) {
    this.#stream = stream;
    this.#isHead = isHead;
    this.#body = createBody(stream, unread);
  }

  get headersSent(): boolean {
    return this.#stream.headersSent;
  }

  get destroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  writeHead(status: number, headers: string[]): this {
    this.statusCode = status;
    const endStream = this.#isHead || status === 304;
    if (!this.destroyed) this.#stream.respond(headersOf(status, headers), { endStream });
    return this;
  }

  write(piece: Buffer): boolean {
    // The next piece is read while this one waits.
    this.heldBytes = piece.length * 2;
    return this.destroyed || this.#isHead || this.#body.write(piece);
  }

  end(piece?: Buffer): void {
    this.heldBytes = piece?.length ?? this.heldBytes;
    if (!this.destroyed && !this.#stream.writableEnded) this.#body.end(piece);
  }

  destroy(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  /** Releases the bytes that nobody will take. */
  release(): void {
    this.#body.release();
  }

  once(event: 'drain' | 'close', listener: () => void): void {
    this.#emitterOf(event).once(event, listener);
  }

  off(event: 'drain' | 'close', listener: () => void): void {
    this.#emitterOf(event).off(event, listener);
  }

  #emitterOf(event: 'drain' | 'close'): Writable {
    return event === 'drain' ? this.#body.drained() : this.#stream;
  }
}
