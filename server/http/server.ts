import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Providers } from '../context.ts';
import { answerError, requestIdFor } from './answer-error.ts';
import { createApp } from './app.ts';
import type { Readiness } from './health.ts';
import { answerProcedures, TRPC } from './procedures.ts';
import { hasBody, requireHostName } from './security.ts';
import { createListener, type ListenerTimeouts } from './transport/listener.ts';
import { createWebApp } from './web-app.ts';
import type { SocketTimes } from './websocket/client-socket.ts';
import { createSocketServer } from './websocket/websocket.ts';

/** A file of the largest size arrives within this time at 2 MB/s. */
const REQUEST_TIMEOUT_MS = 10 * 60_000;
const UPLOADS = '/api/uploads/';
/** The body of any other call, 100 KB at most, must arrive within this time. */
const BODY_MS = 30_000;

export type HttpServerOptions = {
  providers: Providers;
  /** Port 0 takes a free one. */
  port: number;
  host?: string | undefined;
  /** The folder of the built web app. */
  webRoot: string;
  readiness: Readiness;
  socketTimes?: Partial<SocketTimes>;
  timeouts?: ListenerTimeouts & { bodyMs?: number };
};

export type HttpServer = {
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly address: AddressInfo;
  /** The number of open connections for events. */
  readonly openSockets: number;
};

/**
 * The listener of the app: `/api/trpc` is answered before Express, which alone costs as much as a small call; upgrades
 * go to the WebSocket, everything else to Express. `start` rejects when the port is taken. `stop` tells the sockets to
 * reconnect, refuses new connections and gives running calls ten seconds.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { providers, port, host, webRoot, readiness, socketTimes } = options;
  const { bodyMs = BODY_MS, ...timeouts } = options.timeouts ?? {};
  const webApp = createWebApp(webRoot, providers);
  const app = createApp(providers, webApp, readiness);
  const sockets = createSocketServer(providers, socketTimes);
  const listener = createListener(providers, {
    name: 'the app',
    port,
    host,
    requestTimeout: REQUEST_TIMEOUT_MS,
    mayAnswerSlowly: true,
    handle(request, response) {
      requestIdFor(response);
      requireHostName(request);
      if (hasBody(request) && !request.url?.startsWith(UPLOADS)) limitBody(request, response, bodyMs);
      if (request.url?.startsWith(TRPC)) return answerProcedures(providers, request, response);
      return app(request, response);
    },
    onError: (request, response, error) => answerError(request, response, error, providers.log),
    timeouts,
  });
  listener.server.on('upgrade', sockets.upgrade);

  return {
    async start() {
      webApp.load();
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

/** Ends a request whose body does not arrive in time, as Node ends one that exceeds `requestTimeout`. */
function limitBody(request: IncomingMessage, response: ServerResponse, bodyMs: number): void {
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (!response.headersSent) request.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    request.destroy();
  }, bodyMs);
  request.once('end', () => clearTimeout(timer));
  request.once('close', () => clearTimeout(timer));
}
