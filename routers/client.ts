import {
  createTRPCClient,
  createWSClient,
  httpBatchLink,
  splitLink,
  type TRPCClient,
  TRPCClientError,
  type TRPCLink,
  type TRPCWebSocketClient,
  wsLink,
} from '@trpc/client';
import superjson from 'superjson';
import { WebSocket } from 'ws';
import type { AppRouter } from './_app.ts';
import { PLAIN_INPUT } from './rules/plain-input.ts';
import type * as limits from './schemas/limits.ts';

/** The compiler holds both to the contract, which a script does not import. */
const BATCH_MAX_CALLS = 10 satisfies typeof limits.BATCH_MAX_CALLS;
const RECONNECT_MS = 10_000 satisfies typeof limits.REALTIME_RECONNECT_MS;
/** Only what comes down holds what JSON cannot, such as dates. */
const transformer = { input: PLAIN_INPUT, output: superjson };
const URL_MAX_LENGTH = 2_000;
/** A script without subscriptions keeps no connection open. */
const IDLE_CLOSE_MS = 1_000;
/** The server closes a socket with this code when its token is unknown, or is no longer valid. */
const TOKEN_REFUSED = 4401;

export type FairleadClientOptions = {
  /** The base URL of the installation, for example `https://fairlead.example.com`. */
  url: string;
  /** An API token from Settings; its scopes limit what it may do. */
  token: string;
  /** Returns the pause before attempt number `attempt` (from 0) to reconnect for events. */
  retryDelayMs?: (attempt: number) => number;
};

/** The whole router with inferred types; `close` ends the connection for events, so that a script can end. */
export type FairleadClient = TRPCClient<AppRouter> & { close(): Promise<void> };

/**
 * Creates the typed client for scripts: queries and mutations over HTTP, ten to a request, subscriptions over one
 * WebSocket that continues after the last event when a connection was lost, and fails when the token is refused.
 */
export function createFairleadClient({
  url,
  token,
  retryDelayMs = () => RECONNECT_MS,
}: FairleadClientOptions): FairleadClient {
  const base = url.replace(/(?<!\/)\/+$/, '');
  const failing = createFailingLink();
  const socket = createWSClient({
    url: `${base.replace(/^http/, 'ws')}/api/trpc`,
    WebSocket: asBrowserSocket(WebSocket),
    connectionParams: { token },
    retryDelayMs,
    lazy: { enabled: true, closeMs: IDLE_CLOSE_MS },
    keepAlive: { enabled: true },
    onClose: (cause) => {
      if (cause?.code === TOKEN_REFUSED) failing.failAll('This API token is unknown, expired or revoked.');
    },
  });
  const client = createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: [failing.link, wsLink({ client: socket, transformer })],
        false: httpBatchLink({
          url: `${base}/api/trpc`,
          transformer,
          maxItems: BATCH_MAX_CALLS,
          maxURLLength: URL_MAX_LENGTH,
          headers: { Authorization: `Bearer ${token}` },
        }),
      }),
    ],
  });
  return withClose(client, socket);
}

/** Creates a link whose subscriptions can be failed: tRPC's own would connect again for good, and say nothing. */
function createFailingLink() {
  const failures = new Set<(error: TRPCClientError<AppRouter>) => void>();
  const link: TRPCLink<AppRouter> =
    () =>
    ({ op, next }) => {
      const running = next(op);
      return {
        ...running,
        subscribe(observer) {
          const fail = (error: TRPCClientError<AppRouter>) => observer.error?.(error);
          failures.add(fail);
          const { unsubscribe } = running.subscribe(observer);
          return {
            unsubscribe() {
              failures.delete(fail);
              unsubscribe();
            },
          };
        },
      };
    };
  return {
    link,
    failAll(message: string): void {
      for (const fail of [...failures]) fail(new TRPCClientError(message));
    },
  };
}

/** Adds `close` to a client, whose own properties are made when they are read. */
function withClose(client: TRPCClient<AppRouter>, socket: TRPCWebSocketClient): FairleadClient {
  const close = (): Promise<void> => socket.close();
  return new Proxy(client, {
    get: (target, name) => (name === 'close' ? close : Reflect.get(target, name)),
  }) as FairleadClient;
}

/**
 * The assertion holds because ws follows the browser's interface; its types differ in events that tRPC's client never
 * reads.
 */
function asBrowserSocket(socket: typeof WebSocket): typeof globalThis.WebSocket {
  return socket as unknown as typeof globalThis.WebSocket;
}
