import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';

/** Takes what a handler answers, over HTTP/1.1 and HTTP/2 alike. */
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
  /** How many bytes the answer may hold in memory until its reader has taken them. */
  readonly heldBytes: number;
};

/** An answer holds the largest file that is sent whole while nobody knows yet what it will be. */
const UNKNOWN_BYTES = 1024 * 1024;
/** What belongs to a connection is not sent in a stream (RFC 9113, section 8.2.2); Node throws at these. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Header lists are finished once for many answers, and so is the form that HTTP/2 takes them in. */
const converted = new WeakMap<readonly string[], OutgoingHttpHeaders>();

function headersOf(list: readonly string[]): OutgoingHttpHeaders {
  const known = converted.get(list);
  if (known !== undefined) return known;
  // A site names its headers: none of them may be met with a property that every object inherits.
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let index = 0; index + 1 < list.length; index += 2) {
    const name = list[index]?.toLowerCase() ?? '';
    const value = list[index + 1] ?? '';
    if (CONNECTION_HEADERS.has(name)) continue;
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    // Cookies do not join (RFC 6265, section 3).
    else headers[name] = name === 'set-cookie' ? [before, value].flat() : `${before}, ${value}`;
  }
  converted.set(list, headers);
  return headers;
}

/** Creates the answer of one stream. What is written after the client has gone is dropped, as over HTTP/1.1. */
export function createHttp2Response(stream: ServerHttp2Stream, isHead: boolean): Http2Response {
  let status = 200;
  let heldBytes = UNKNOWN_BYTES;
  const isOver = (): boolean => stream.destroyed || stream.closed;
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
      return isOver() || isHead || stream.write(piece);
    },
    end(body) {
      heldBytes = body?.length ?? heldBytes;
      if (!isOver() && !stream.writableEnded) stream.end(body);
    },
    destroy: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    once: (event, listener) => stream.once(event, listener),
    off: (event, listener) => stream.off(event, listener),
  };
  return response;
}
