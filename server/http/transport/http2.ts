import type { IncomingHttpHeaders } from 'node:http';
import {
  constants,
  type IncomingHttpHeaders as Http2Headers,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { catchErrors } from './catch-errors.ts';
import { createClosing } from './http2-closing.ts';
import { Http2Response, type WebResponse } from './http2-response.ts';
import { createHeldMemory, type Unread } from './http2-unread.ts';
import type { Burden, UnreadBudget } from './unread-budget.ts';

/** The parts of a request that handlers read, over HTTP/1.1 and HTTP/2 alike. */
export type WebRequest = {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
  rawHeaders: readonly string[];
  socket: { remoteAddress?: string | undefined; localAddress?: string | undefined };
};

export type Http2Options = {
  handle(request: WebRequest, response: WebResponse): unknown;
  /** Answers the error that `handle` threw or rejected with. */
  onError(request: WebRequest, response: WebResponse, error: unknown): void;
  /** A session without requests is closed after this time. */
  idleMs: number;
  /** A session is closed after this time without traffic, or without any of the data that its reader has asked for. */
  silentMs: number;
  sweepMs: number;
  /** A session is closed after this many requests, whether they were answered or reset. */
  requestsMax: number;
  /** Limits the bytes that the answers of all sessions hold until their readers take them. */
  budget: UnreadBudget;
};

/**
 * nghttp2 ends a session that floods it with frames, up to these limits. Header fields may be as many and as long as
 * over HTTP/1.1, besides the four pseudo-header fields (RFC 9113, section 8.3.1).
 */
const LIMITS = {
  settings: { maxConcurrentStreams: 100, maxHeaderListSize: 16 * 1024, enablePush: false },
  maxHeaderListPairs: 104,
  maxSettings: 16,
  maxOutstandingPings: 4,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // In megabytes, and above HELD_MAX_BYTES: a browser does not repeat a request that is refused here.
  maxSessionMemory: 64,
} as const;
/** The answers of one session may hold this much until their reader takes it; further requests wait. */
const HELD_MAX_BYTES = 16 * 1024 * 1024;
/** This few answers always hold less than that: a megabyte each. */
const FEW = 16;

export type Http2Sessions = {
  /** Speaks HTTP/2 on a connection that has agreed to it (ALPN). */
  accept(socket: TLSSocket): void;
  /** Accepts no new requests, and ends each session with its last answer. */
  close(): void;
  /** Cuts the remaining sessions off. */
  destroy(): void;
};

type TrackedSession = {
  /** Weighs the data that its reader leaves untaken, by amount and time. */
  burden(now: number): number;
  isIdle(now: number): boolean;
  isSilent(now: number): boolean;
  close(): void;
  destroy(): void;
};

/** Creates the HTTP/2 half of a TLS port: each stream goes to the same handler as HTTP/1.1. */
export function createHttp2Sessions(options: Http2Options): Http2Sessions {
  const sessions = new Set<TrackedSession>();
  const memory = createHeldMemory();
  let sweeping: NodeJS.Timeout | undefined;

  function sweep(): void {
    const now = performance.now();
    for (const tracked of sessions) {
      if (tracked.isSilent(now)) tracked.destroy();
      else if (tracked.isIdle(now)) tracked.close();
    }
  }

  function heaviest(): Burden | undefined {
    const now = performance.now();
    let [worst, most] = [undefined as TrackedSession | undefined, 0];
    for (const tracked of sessions) {
      const weight = tracked.burden(now);
      if (weight > most) [worst, most] = [tracked, weight];
    }
    return worst && { weight: most, end: worst.destroy };
  }

  options.budget.add({ bytes: () => memory.bytes, heaviest });

  return {
    accept(socket) {
      const tracked = trackSession(socket, options, memory.createUnread(options.budget.makeRoom));
      sessions.add(tracked);
      sweeping ??= setInterval(sweep, options.sweepMs).unref();
      socket.once('close', () => {
        sessions.delete(tracked);
        if (sessions.size > 0) return;
        clearInterval(sweeping);
        sweeping = undefined;
      });
    },
    close() {
      for (const tracked of sessions) tracked.close();
    },
    destroy() {
      for (const tracked of sessions) tracked.destroy();
    },
  };
}

type Begun = [stream: ServerHttp2Stream, headers: Http2Headers, flags: number, rawHeaders: string[]];

function trackSession(socket: TLSSocket, options: Http2Options, unread: Unread): TrackedSession {
  const session = performServerHandshake(socket, LIMITS);
  const streams = createStreams(socket, session, options, unread);
  let movedAt = performance.now();
  let bytes = 0;

  // A session that its client has broken ends by itself, and its streams with it.
  session.on('error', () => undefined);
  session.on('stream', (...begun: Begun) => {
    catchErrors(
      () => streams.take(...begun),
      () => socket.destroy(),
    );
  });

  return {
    close: streams.close,
    destroy() {
      session.destroy();
      // A session that is already closed waits for its peer to end the connection.
      socket.destroy();
      streams.release();
    },
    burden: (now) => unread.bytes * (1 + now - unread.since),
    isIdle: streams.isIdle,
    isSilent(now) {
      const moved = socket.bytesRead + socket.bytesWritten;
      if (moved !== bytes) movedAt = now;
      bytes = moved;
      // PING and SETTINGS are traffic as well (RFC 9113, section 6), but take none of the held data.
      return now - (unread.bytes > 0 ? unread.since : movedAt) > options.silentMs;
    },
  };
}

/** Creates the queue of a session's streams: further ones wait while the answers hold much that nobody has read. */
function createStreams(socket: TLSSocket, session: ServerHttp2Session, options: Http2Options, unread: Unread) {
  const peer = { remoteAddress: socket.remoteAddress, localAddress: socket.localAddress };
  const answering = new Set<Http2Response>();
  const waiting = new Set<() => void>();
  const answerSoon = inNextTurn(answerNext, () => socket.destroy());
  const closing = createClosing(session, answerSoon);
  let requests = 0;
  let endedAt = performance.now();

  function answerNext(): void {
    if (requests >= options.requestsMax) closing.begin();
    for (const begin of waiting) {
      if (answering.size >= FEW && heldBytes(answering) >= HELD_MAX_BYTES) return;
      waiting.delete(begin);
      begin();
    }
    if (isUnused()) closing.finish();
  }

  const isUnused = (): boolean => answering.size + waiting.size === 0;

  return {
    close: closing.close,
    take(...[stream, headers, flags, rawHeaders]: Begun): void {
      const response = new Http2Response(stream, headers[':method'] === 'HEAD', unread);
      requests += 1;
      stream.on('error', () => undefined);
      const request = requestOf(headers, rawHeaders, peer);
      const begin = (): void => {
        if (stream.destroyed) return;
        answering.add(response);
        answer(options, request, response);
      };
      waiting.add(begin);
      stream.once('close', () => {
        waiting.delete(begin);
        answering.delete(response);
        response.release();
        endedAt = performance.now();
        answerSoon();
      });
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) === 0) closeAfterAnswer(stream);
      answerSoon();
    },
    isIdle: (now: number) => isUnused() && (closing.isBegun || now - endedAt > options.idleMs),
    /** Gives back what the answers of a session that has ended still hold. */
    release() {
      for (const response of answering) response.release();
    },
  };
}

/**
 * Node tells of streams in the middle of reading frames. Whatever sends or ends there can free memory that the rest of
 * the reading still uses, which ends the process (https://github.com/nodejs/node/pull/65093). Work waits for the next
 * turn, and is done once for all calls until then.
 */
function inNextTurn(work: () => void, onError: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      catchErrors(work, onError);
    });
  };
}

function answer({ handle, onError }: Http2Options, request: WebRequest, response: WebResponse): void {
  catchErrors(
    () => handle(request, response),
    (error) => onError(request, response, error),
    () => response.destroy(),
  );
}

function heldBytes(answering: ReadonlySet<Http2Response>): number {
  let sum = 0;
  for (const { heldBytes: held } of answering) sum += held;
  return sum;
}

/**
 * No handler here reads a body: a client that sends one is told to stop once the answer is complete (RFC 9113, section
 * 8.1).
 */
function closeAfterAnswer(stream: ServerHttp2Stream): void {
  stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR));
}

/**
 * Converts a request to the form of HTTP/1.1. A `host` that differs from the authority is listed a second time, so
 * that it is refused like two of them (RFC 9113, section 8.3.1).
 */
function requestOf(headers: Http2Headers, rawHeaders: readonly string[], peer: WebRequest['socket']): WebRequest {
  const authority = headers[':authority'];
  const differs = authority !== undefined && headers.host !== undefined && headers.host !== authority;
  if (authority !== undefined) headers.host = authority;
  return {
    method: headers[':method'],
    url: headers[':path'],
    headers,
    rawHeaders: differs ? [...rawHeaders, 'host', authority] : rawHeaders,
    socket: peer,
  };
}
