import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { catchErrors } from './catch-errors.ts';
import { type ConnectionCounts, endSilentConnections, limitConnection, watchAnswers } from './connections.ts';
import { watchUnread } from './http1-unread.ts';
import type { Http2Sessions, WebRequest } from './http2.ts';
import type { WebResponse } from './http2-response.ts';
import { createInFlightLimit, type TakeSlot } from './requests-in-flight.ts';
import { createTlsServer, serveHttp2, type TlsOptions } from './tls.ts';
import { createUnreadBudget } from './unread-budget.ts';

/** A client that sends slowly does not hold a connection for long. */
const SETTINGS = { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, keepAliveTimeout: 5_000 } as const;
const REQUESTS_PER_SOCKET = 1_000;
const CONNECTIONS_MAX = 10_000;
const SILENT_MS = 60_000;
/** Equals the limit of the file cache. */
const HELD_MAX_BYTES = 256 * 1024 * 1024;
/** Running requests get this long when the app stops. */
const STOP_GRACE_MS = 10_000;

export type ListenerTimeouts = Partial<Record<keyof typeof SETTINGS | 'requestTimeout' | 'silentMs', number>>;

export type ListenerOptions = {
  /** The port's name in the counters. */
  name: string;
  /** Port 0 takes a free one; `address` returns it. */
  port: number;
  host: string | undefined;
  /** The most connections at once; 10,000 when absent. */
  connectionsMax?: number | undefined;
  /** A request must arrive whole within this time. */
  requestTimeout: number;
  /** True when an answer may take longer than a silence: such a connection is not silent, it waits for us. */
  mayAnswerSlowly?: boolean;
  handle(request: IncomingMessage, response: ServerResponse): unknown;
  /** Answers the error that `handle` threw or rejected with. */
  onError(request: IncomingMessage, response: ServerResponse, error: unknown): void;
  /** With these options the port speaks TLS, and HTTP/2 with clients that support it. */
  tls?: TlsOptions | undefined;
  timeouts?: ListenerTimeouts | undefined;
  /** The limit of the bytes that all its answers hold until their readers take them; 256 MiB when absent. */
  heldMaxBytes?: number | undefined;
};

export type Listener = {
  server: Server;
  /** Rejects when the port is taken. */
  start(): Promise<void>;
  /** Accepts no new connection, finishes running answers and closes idle connections. */
  stop(): Promise<void>;
  readonly address: AddressInfo;
};

/**
 * Creates the HTTP server of a port, with the limits that every port has: silent connections are closed, connections
 * are capped in all and by address (behind a proxy, requests by client), and an error of a handler ends its own
 * request alone.
 */
export function createListener(counts: ConnectionCounts, options: ListenerOptions): Listener {
  const { name, port, host, requestTimeout, mayAnswerSlowly = false, handle, onError } = options;
  const { silentMs = SILENT_MS, ...timeouts } = options.timeouts ?? {};
  const settings = { ...SETTINGS, requestTimeout, ...timeouts };
  const takeSlot = createInFlightLimit(counts);
  const answer = withinLimit(takeSlot, handle);
  const onRequest: RequestListener = (request, response) => {
    response.on('error', () => response.destroy());
    catchErrors(
      () => answer(request, response),
      (error) => onError(request, response, error),
      () => response.destroy(),
    );
  };
  const inTurn = oneAtATime(onRequest);
  const server =
    options.tls === undefined ? createServer(settings, inTurn) : createTlsServer(settings, inTurn, options.tls);
  const budget = createUnreadBudget(options.heldMaxBytes ?? HELD_MAX_BYTES);
  watchUnread(server, budget, settings.connectionsCheckingInterval);
  const http2 =
    options.tls === undefined
      ? undefined
      : serveHttp2(server, {
          ...options.tls,
          handle: withinLimit(takeSlot, options.tls.handle),
          idleMs: settings.keepAliveTimeout,
          sweepMs: settings.connectionsCheckingInterval,
          silentMs,
          requestsMax: REQUESTS_PER_SOCKET,
          budget,
        });
  server.maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET;
  endSilentConnections(server, silentMs, mayAnswerSlowly ? watchAnswers(server) : undefined);
  server.on('connection', (socket) => {
    catchErrors(
      () => limitConnection(socket, counts, name),
      () => socket.destroy(),
    );
  });

  return {
    server,
    async start() {
      server.listen({ port, ...(host !== undefined && { host }) });
      await once(server, 'listening');
    },
    stop: () => closeServer(server, http2),
    get address() {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
      return address;
    },
  };
}

/** Handles a request once it has a slot; without one, the error of `takeSlot` is answered. */
function withinLimit<Request extends WebRequest, Response extends Pick<WebResponse, 'once'>>(
  takeSlot: TakeSlot,
  handle: (request: Request, response: Response) => unknown,
): (request: Request, response: Response) => unknown {
  return (request, response) => {
    takeSlot(request, response);
    return handle(request, response);
  };
}

/**
 * More than Firefox sent when it still pipelined, and than any browser sends now. A client that pipelines must expect
 * the connection to end, and repeats its requests (RFC 9112, section 9.3.2).
 */
const WAITING_MAX = 32;

/**
 * Answers the requests of a connection one after the other, and reads no further while one waits. Node hands over
 * every request of a read of 64 KB before the first is answered: a client that sends hundreds and reads nothing would
 * make us hold every request and every answer.
 */
function oneAtATime(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, { newest: ServerResponse; waiting: number }>();

  function begin(socket: Socket, newest: ServerResponse): void {
    const line = { newest, waiting: 0 };
    lines.set(socket, line);
    // Node resumes it at the end of each request (lib/_http_common.js, `parserOnMessageComplete`).
    socket.on('resume', () => line.waiting > 0 && socket.pause());
  }

  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined) begin(socket, response);
    const before = line?.newest;
    if (line !== undefined) line.newest = response;
    if (line === undefined || before === undefined || before.closed) return listener(request, response);
    line.waiting += 1;
    if (line.waiting > WAITING_MAX) return void socket.destroy();
    socket.pause();
    before.once('close', () => {
      line.waiting -= 1;
      if (socket.destroyed) return;
      if (line.waiting === 0) socket.resume();
      listener(request, response);
    });
  };
}

async function closeServer(server: Server, http2: Http2Sessions | undefined): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  http2?.close();
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => {
    server.closeAllConnections();
    http2?.destroy();
  }, STOP_GRACE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
