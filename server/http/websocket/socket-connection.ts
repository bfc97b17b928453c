import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { Called } from '../../../routers/call-limit.ts';
import { countContextCalls } from '../../../routers/context.ts';
import { toAppError } from '../../../routers/error-shape.ts';
import type { AccountContext, SubscriptionConnection } from '../../context.ts';
import { MINUTE_MS } from '../../lib/durations.ts';
import type { AppError } from '../../lib/errors.ts';

export type SocketTimes = {
  /** The message `connectionParams` must have come by then. */
  helloMs: number;
  /** Within this time a message that has begun must be whole. */
  messageMs: number;
  pingMs: number;
  /** How long a reader may leave more than `BUFFERED_MAX_BYTES` unread. */
  slowMs: number;
};

const MESSAGES_PER_MINUTE = 100;
const BUFFERED_MAX_BYTES = 1024 * 1024;
const MISSED_PINGS_MAX = 2;
/** Within this a client has taken the close frame and answered it. */
const CLOSING_MS = 1_000;
/** A tab needs one; the rest is for scripts that follow several things. */
const SUBSCRIPTIONS_MAX = 20;

/** 4401 makes a client ask for a fresh token before it comes back; the others say why (RFC 6455, section 7.4). */
export const CLOSE_CODES = {
  policy: 1008,
  restart: 1012,
  later: 1013,
  ended: 4401,
  foreign: 4403,
  slow: 4408,
  tooMany: 4429,
} as const;

export function closeCodeOf(error: AppError): number {
  if (error.status === 401) return CLOSE_CODES.ended;
  if (error.code === 'origin_foreign') return CLOSE_CODES.foreign;
  if (error.status === 429) return CLOSE_CODES.tooMany;
  return error.status >= 500 ? CLOSE_CODES.later : CLOSE_CODES.policy;
}

/** One open connection. `context` is set once its token has been found good. */
export type Connection = {
  client: WebSocket;
  request: IncomingMessage;
  address: string;
  context: AccountContext | undefined;
  /** What it has said while nobody knew yet whose calls that are. */
  said: Called;
  subscriptions: number;
  missedPings: number;
  /** Pings of ours whose answer has not come, however late it may. */
  unanswered: number;
  /** This and the following times are by `performance.now()`: setting the machine's clock ends no connection. */
  pingedAt: number;
  slowSince: number | null;
  minute: { endsAt: number; messages: number };
};

/** Makes the state of a connection that was just opened. */
export function createConnection(client: WebSocket, request: IncomingMessage, address: string): Connection {
  const now = performance.now();
  const connection: Connection = {
    client,
    request,
    address,
    context: undefined,
    said: { calls: 0, bytes: 0 },
    subscriptions: 0,
    missedPings: 0,
    unanswered: 0,
    pingedAt: now,
    slowSince: null,
    minute: { endsAt: now + MINUTE_MS, messages: 0 },
  };
  client.on('pong', () => {
    const isAsked = connection.unanswered > 0;
    connection.unanswered -= isAsked ? 1 : 0;
    connection.missedPings = 0;
    hear(connection, { calls: isAsked ? 0 : 1 });
  });
  // Each is answered, and costs as much as a message.
  client.on('ping', () => hear(connection));
  return connection;
}

/** Counts messages, pings or pongs: of this connection, and as calls of whoever sends them. */
export function hear(connection: Connection, heard: Partial<Called> & { messages?: number } = {}): void {
  const { messages = 1, calls = messages, bytes = 0 } = heard;
  countMessages(connection, messages);
  countAsCalls(connection, { calls, bytes });
}

/**
 * Counts messages, pings and pongs; one beyond the limit of a minute closes the connection (1008), whether or not its client
 * lets that happen.
 */
export function countMessages(connection: Connection, count: number): void {
  const now = performance.now();
  if (connection.minute.endsAt <= now) connection.minute = { endsAt: now + MINUTE_MS, messages: 0 };
  connection.minute.messages += count;
  const { client } = connection;
  if (connection.minute.messages <= MESSAGES_PER_MINUTE || client.readyState !== client.OPEN) return;
  client.close(CLOSE_CODES.policy, 'Too many messages');
  setTimeout(() => client.terminate(), CLOSING_MS).unref();
}

/**
 * Counts messages as calls of whoever sends them as well: a limit of each connection alone is none for a client that opens one
 * after the other. One too many closes the connection (4429); what comes before its token is found good is counted then.
 */
export function countAsCalls(connection: Connection, { calls, bytes }: Called = { calls: 0, bytes: 0 }): void {
  const { client, context, said } = connection;
  connection.said = { calls: said.calls + calls, bytes: said.bytes + bytes };
  if (context === undefined || connection.said.calls === 0) return;
  countContextCalls(context, takeSaid(connection)).catch((error: unknown) => {
    const known = toAppError(error);
    client.close(closeCodeOf(known), known.code);
  });
}

/** Returns what a connection has said that is not counted yet; whoever takes it counts it. */
export function takeSaid(connection: Connection): Called {
  const { said } = connection;
  connection.said = { calls: 0, bytes: 0 };
  return said;
}

/** Pings when it is time, and terminates a reader that leaves too much unread for too long or answers no ping. */
export function heartbeat(connection: Connection, { pingMs, slowMs }: SocketTimes): void {
  const now = performance.now();
  const isSlow = connection.client.bufferedAmount > BUFFERED_MAX_BYTES;
  connection.slowSince = isSlow ? (connection.slowSince ?? now) : null;
  const unreadMs = connection.slowSince === null ? 0 : now - connection.slowSince;
  if (unreadMs >= slowMs || (connection.missedPings >= MISSED_PINGS_MAX && now - connection.pingedAt >= pingMs)) {
    connection.client.terminate();
    return;
  }
  if (now - connection.pingedAt < pingMs || connection.client.readyState !== connection.client.OPEN) return;
  connection.pingedAt = now;
  connection.missedPings += 1;
  connection.unanswered += 1;
  connection.client.ping();
}

/** Returns the part of a connection that a subscription may use. */
export function forSubscriptions(connection: Connection): SubscriptionConnection {
  const { client, request } = connection;
  return {
    countSubscription() {
      connection.subscriptions += 1;
      if (connection.subscriptions > SUBSCRIPTIONS_MAX) client.close(CLOSE_CODES.policy, 'Too many subscriptions');
      let isCounted = true;
      return () => {
        if (isCounted) connection.subscriptions -= 1;
        isCounted = false;
      };
    },
    async whenWritable(signal) {
      if (client.bufferedAmount <= BUFFERED_MAX_BYTES) return;
      await new Promise<void>((resolve) => {
        const end = (): void => {
          request.socket.off('drain', end);
          client.off('close', end);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        request.socket.on('drain', end);
        client.on('close', end);
        signal?.addEventListener('abort', end);
      });
    },
    close: () => client.close(CLOSE_CODES.ended, 'session_ended'),
  };
}
