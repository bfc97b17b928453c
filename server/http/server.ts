import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnyTRPCProcedure, TRPCError } from '@trpc/server';
import {
  internal_exceptionHandler,
  type NodeHTTPCreateContextFnOptions,
  type NodeHTTPRequestHandlerOptions,
  nodeHTTPRequestHandler,
} from '@trpc/server/adapters/node-http';
import { appRouter } from '../../routers/_app.ts';
import { type Context, contextFor, REQUEST_ID_HEADER } from '../../routers/context.ts';
import {
  logFault,
  nameRequest,
  requestIdOf,
  retryAfterSeconds,
  toAppError,
  toTRPCError,
} from '../../routers/error-shape.ts';
import { BATCH_MAX_CALLS, JSON_BODY_MAX_BYTES } from '../../routers/schemas/limits.ts';
import { AppError } from '../errors.ts';
import type { Providers } from '../service-context.ts';
import { createListener, type ListenerTimeouts } from '../transport/listener.ts';
import { answerError, requestIdFor } from './answer-error.ts';
import { createApp } from './app.ts';
import { holdBody } from './body-budget.ts';
import type { Readiness } from './health.ts';
import { requireHostName, requireOwnOrigin, setApiHeaders } from './security.ts';
import type { SocketTimes } from './socket-connection.ts';
import { createWebApp } from './web-app.ts';
import { createSocketServer } from './websocket.ts';

const TRPC = '/api/trpc/';
/** A file of the largest size arrives within this at 2 MB/s. */
const REQUEST_TIMEOUT_MS = 10 * 60_000;
const UPLOADS = '/api/uploads/';
/** Within this the body of any other call, 100 KB at most, must have arrived. */
const BODY_MS = 30_000;

export type HttpServerOptions = {
  providers: Providers;
  /** A port of 0 takes a free one. */
  port: number;
  host?: string | undefined;
  /** Folder of the built web app. */
  webRoot: string;
  readiness: Readiness;
  /** The number of processes that share the connections; 1 when absent. */
  processes?: number;
  socketTimes?: Partial<SocketTimes>;
  timeouts?: ListenerTimeouts & { bodyMs?: number };
};

export type HttpServer = {
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly address: AddressInfo;
  /** Connections for events that are open now. */
  readonly openSockets: number;
};

/**
 * The one listener of the app: `/api/trpc` goes to tRPC's own handler before Express sees it, which is 1.4 times as fast as
 * tRPC's adapter for Express; upgrades go to the WebSocket, all else to Express. `start` rejects when the port is taken.
 * `stop` tells the sockets to reconnect, refuses new connections and gives calls in flight ten seconds.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { providers, port, host, webRoot, readiness, processes, socketTimes } = options;
  const { bodyMs = BODY_MS, ...timeouts } = options.timeouts ?? {};
  const webApp = createWebApp(webRoot, providers);
  const app = createApp(providers, webApp, readiness);
  const sockets = createSocketServer(providers, socketTimes);
  const listener = createListener(providers, {
    name: 'the app',
    port,
    host,
    processes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    mayAnswerSlowly: true,
    handle(request, response) {
      requestIdFor(response);
      requireHostName(request);
      if (!request.url?.startsWith(UPLOADS)) limitBody(request, response, bodyMs);
      if (request.url?.startsWith(TRPC)) return answerProcedure(providers, request, response);
      return app(request, response);
    },
    onError: (request, response, error) => answerError(request, response, error, providers.log),
    timeouts,
  });
  listener.server.on('upgrade', sockets.upgrade);

  return {
    async start() {
      await webApp.load();
      await listener.start();
      sockets.start();
    },
    async stop() {
      await sockets.stop();
      await listener.stop();
    },
    get address() {
      return listener.address;
    },
    get openSockets() {
      return sockets.size;
    },
  };
}

/** Ends a request whose body is not there in time, as Node ends one that is over `requestTimeout`. */
function limitBody(request: IncomingMessage, response: ServerResponse, bodyMs: number): void {
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (!response.headersSent) request.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    request.destroy();
  }, bodyMs);
  request.once('end', () => clearTimeout(timer));
  request.once('close', () => clearTimeout(timer));
}

async function answerProcedure(
  providers: Providers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url?.split('?', 1)[0] ?? TRPC;
  setApiHeaders(response, providers.addresses);
  const options: NodeHTTPRequestHandlerOptions<typeof appRouter, IncomingMessage, ServerResponse> = {
    req: request,
    res: response,
    router: appRouter,
    path: path.slice(TRPC.length),
    maxBodySize: JSON_BODY_MAX_BYTES,
    maxBatchSize: BATCH_MAX_CALLS,
    createContext: (call) => createContext(providers, call),
    responseMeta: ({ errors, type, ctx }) => ({ headers: headersOf(errors, { type, ctx }) }),
  };
  try {
    guardMethod(request);
    requireOwnOrigin(request, path, providers.addresses);
    guardStream(request);
    guardSubscription(decodedPath(options.path));
    await holdBody(providers, request, response);
  } catch (error) {
    response.setHeader('Content-Type', 'application/json');
    const retryAfter = retryAfterSeconds(toAppError(error));
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    internal_exceptionHandler(options)(nameRequest(toTRPCError(error), requestIdFor(response)));
    return;
  }
  // It resolves when the answer has been sent, and never if the caller goes away: nobody waits for it.
  void nodeHTTPRequestHandler(options);
}

/** tRPC makes a `Request` of every call, and the Fetch standard allows none with this method ("forbidden method"). */
function guardMethod({ method }: IncomingMessage): void {
  if (method === 'TRACE') throw new AppError('method_not_allowed', 'TRACE is not possible here.');
}

/** tRPC would stream the answers of a batch: its headers have left by then, and with them the place for a cookie. */
function guardStream({ headers }: IncomingMessage): void {
  const accepted = String(headers['trpc-accept'] ?? headers.accept ?? '').split(',');
  if (!accepted.some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === 'application/jsonl')) return;
  throw new AppError('bad_request', 'Answers are not streamed: accept application/json.');
}

/** Decodes a path as tRPC does. Throws `bad_request` where tRPC would fail. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw new AppError('bad_request', 'The address of this call holds a percent sign that stands for nothing.', {
      cause: error,
    });
  }
}

/** tRPC would answer one as a stream of server-sent events, which no end of a session ends. */
function guardSubscription(path: string): void {
  if (proceduresByPath()[path]?._def.type !== 'subscription') return;
  throw new AppError('method_not_allowed', 'Subscribe over the WebSocket at /api/trpc.');
}

/** tRPC keeps its procedures by their whole path, and types them as the tree they were declared in. */
function proceduresByPath(): Record<string, AnyTRPCProcedure | undefined> {
  return appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure | undefined>;
}

async function createContext(
  providers: Providers,
  { req, res, info }: NodeHTTPCreateContextFnOptions<IncomingMessage, ServerResponse>,
): Promise<Context> {
  try {
    return await contextFor(providers, req, res, { calls: info.calls.length });
  } catch (error) {
    const requestId = requestIdFor(res);
    logFault(providers.log, { requestId, path: info.calls.map(({ path }) => path).join() }, error);
    throw nameRequest(toTRPCError(error), requestId);
  }
}

type Answered = { type: string; ctx: Context | undefined };

function headersOf(errors: TRPCError[], { type, ctx }: Answered): Record<string, string> {
  const known = errors.map(toAppError);
  const waits = known.flatMap((error) => retryAfterSeconds(error) ?? []).map(Number);
  const isWrongMethod = known.some((error) => error.code === 'method_not_allowed');
  const [first] = errors;
  return {
    ...(waits.length > 0 && { 'Retry-After': String(Math.max(...waits)) }),
    ...(isWrongMethod && { Allow: type === 'mutation' ? 'POST' : 'GET, HEAD' }),
    // What fails before it has a context is numbered by the formatter.
    ...(first !== undefined && ctx === undefined && { [REQUEST_ID_HEADER]: requestIdOf(first, ctx) }),
  };
}
