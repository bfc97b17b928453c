import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
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
import { requestIdFor } from './answer-error.ts';
import { createApp } from './app.ts';
import type { Readiness } from './health.ts';
import { guardChange, setApiHeaders } from './security.ts';
import type { SocketTimes } from './socket-member.ts';
import { createWebApp } from './web-app.ts';
import { createSocketDoor } from './websocket.ts';

const TRPC = '/api/trpc/';
/** Security facts, 3.2, "Settings": what comes slowly holds no connection for long. */
const SETTINGS = {
  headersTimeout: 10_000,
  /** Security facts, 2.1: a file may take ten minutes to arrive. */
  requestTimeout: 10 * 60_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
} as const;
const REQUESTS_PER_SOCKET = 1_000;
const UPLOADS = '/api/uploads/';
/** Of any other call: 100 KB are there by then, or never. */
const BODY_MS = 30_000;
/** Security facts, 12: what is in flight at a stop is given this long. */
const IN_FLIGHT_MS = 10_000;

export type HttpServerOptions = {
  providers: Providers;
  /** 0 takes a free one. */
  port: number;
  /** Undefined listens on all addresses. */
  host?: string | undefined;
  /** Folder of the built web app. */
  webRoot: string;
  readiness: Readiness;
  /** Tests wait less. */
  socketTimes?: Partial<SocketTimes>;
  timeouts?: Partial<Record<keyof typeof SETTINGS, number>> & { bodyMs?: number };
};

export type HttpServer = {
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly address: AddressInfo;
  /** Connections for events that are open now. */
  readonly openSockets: number;
};

/**
 * The one listener: `/api/trpc` goes to tRPC's own handler before Express sees it (measured: 1.4 times Express's
 * adapter), upgrades to the WebSocket, all else to Express. `start` rejects when the port is taken.
 * `stop` sends sockets away to come back, refuses new connections and gives calls in flight ten seconds.
 */
export function createHttpServer({
  providers,
  port,
  host,
  webRoot,
  readiness,
  socketTimes,
  timeouts: { bodyMs = BODY_MS, ...settings } = {},
}: HttpServerOptions): HttpServer {
  const webApp = createWebApp(webRoot, () => providers.addresses);
  const app = createApp(providers, webApp, readiness);
  const sockets = createSocketDoor(providers, socketTimes);
  const server = createServer({ ...SETTINGS, ...settings }, (request, response) => {
    requestIdFor(response);
    if (!request.url?.startsWith(UPLOADS)) limitBody(request, response, bodyMs);
    if (request.url?.startsWith(TRPC)) answerProcedure(providers, request, response);
    else app(request, response);
  });
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET;
  server.on('upgrade', sockets.upgrade);

  return {
    async start() {
      await webApp.load();
      server.listen({ port, ...(host !== undefined && { host }) });
      await once(server, 'listening');
      sockets.start();
    },
    async stop() {
      await sockets.stop();
      await closeServer(server);
    },
    get address() {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
      return address;
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

function answerProcedure(providers: Providers, request: IncomingMessage, response: ServerResponse): void {
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
    guardChange(request, path, providers.addresses);
    guardSubscription(decodedPath(options.path));
  } catch (error) {
    response.setHeader('Content-Type', 'application/json');
    internal_exceptionHandler(options)(nameRequest(toTRPCError(error), requestIdFor(response)));
    return;
  }
  // It resolves when the answer has been sent, and never if the caller goes away: nobody waits for it.
  void nodeHTTPRequestHandler(options);
}

/** As tRPC reads it. Throws `bad_request` where it would fail. */
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

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const giveUp = setTimeout(() => server.closeAllConnections(), IN_FLIGHT_MS);
  await closed;
  clearTimeout(giveUp);
}
