import { EventEmitter, once } from 'node:events';
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client';
import superjson from 'superjson';
import { WebSocket } from 'ws';
import type { AppRouter } from '../../routers/_app.ts';
import type { StreamItem } from '../../routers/schemas/events.ts';

export type Seen = { id: number; data: StreamItem };

export type EventClient = {
  seen: Seen[];
  /** Numbers of the notifications among it. */
  messages(): string[];
  errors: unknown[];
  /** Close codes of its sockets so far. */
  codes: number[];
  /** The open socket, to be broken. */
  socket(): WebSocket;
  /**
   * Resolves once this holds of what was seen; looks again after each item and each close. Rejects when the subscription
   * was refused: nothing more would come.
   */
  until(holds: () => boolean): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type EventClientOptions = {
  /** `http://…` of the listener; a function when it moves. */
  url: string | (() => string);
  token: string | (() => string);
  /** Sent by browsers; absent for a script. */
  origin?: string | (() => string);
  lastEventId?: string;
  retryDelayMs?: number;
};

const RETRY_MS = 20;
const read = (value: string | (() => string)): string => (typeof value === 'string' ? value : value());

/** tRPC's own client on a real socket, as the app and scripts use it, with nothing added but what a test looks at. */
export function followEvents(options: EventClientOptions): EventClient {
  const news = new EventEmitter();
  const sockets: WebSocket[] = [];
  const seen: Seen[] = [];
  const errors: unknown[] = [];
  const codes: number[] = [];

  class Socket extends WebSocket {
    constructor(url: string) {
      super(url, options.origin === undefined ? {} : { headers: { origin: read(options.origin) } });
      sockets.push(this);
      this.on('close', (code) => {
        codes.push(code);
        news.emit('news');
      });
    }
  }

  const socketClient = createWSClient({
    url: () => `${read(options.url).replace(/^http/, 'ws')}/api/trpc`,
    WebSocket: asBrowserSocket(Socket),
    connectionParams: () => ({ token: read(options.token) }),
    retryDelayMs: () => options.retryDelayMs ?? RETRY_MS,
  });
  const client = createTRPCClient<AppRouter>({ links: [wsLink({ client: socketClient, transformer: superjson })] });
  const subscription = client.events.stream.subscribe(
    options.lastEventId === undefined ? {} : { lastEventId: options.lastEventId },
    {
      onData: ({ id, data }) => {
        seen.push({ id: Number(id), data });
        news.emit('news');
      },
      onError: (error) => {
        errors.push(error);
        news.emit('news');
      },
    },
  );

  async function close(): Promise<void> {
    subscription.unsubscribe();
    await socketClient.close();
  }
  return {
    seen,
    errors,
    codes,
    messages: () => seen.flatMap(({ data }) => (data.type === 'notification' ? [data.message] : [])),
    socket: () => {
      const socket = sockets.findLast(({ readyState }) => readyState === WebSocket.OPEN);
      if (socket === undefined) throw new Error('No socket is open.');
      return socket;
    },
    async until(holds) {
      while (!holds()) {
        if (errors.length > 0) throw errors[0];
        await once(news, 'news');
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** ws keeps to the browser's interface; its types differ in events that tRPC's client does not read. */
function asBrowserSocket(socket: new (url: string) => WebSocket): typeof globalThis.WebSocket {
  return socket as unknown as typeof globalThis.WebSocket;
}
