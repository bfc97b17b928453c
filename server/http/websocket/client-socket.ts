import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { Called } from '../../../routers/call-limit.ts';
import { countContextCalls } from '../../../routers/context.ts';
import { toAppError } from '../../../routers/error-shape.ts';
import type { AccountContext, SubscriptionSocket } from '../../context.ts';
import { MINUTE_MS } from '../../lib/durations.ts';
import type { AppError } from '../../lib/errors.ts';

export type SocketTimes = {
  /** The message `connectionParams` must arrive within this time. */
  helloMs: number;
  /** A message that has begun must be whole within this time. */
  messageMs: number;
  pingMs: number;
  /** The time for which a reader may leave more than `BUFFERED_MAX_BYTES` unread. */
  slowMs: number;
};

const MESSAGES_PER_MINUTE = 100;
const BUFFERED_MAX_BYTES = 1024 * 1024;
const MISSED_PINGS_MAX = 2;
/** A client has received the close frame and answered it within this time. */
const CLOSING_MS = 1_000;
/** A tab needs one; the rest is for scripts that follow several things. */
const SUBSCRIPTIONS_MAX = 20;

/** 4401 makes a client get a fresh token before it reconnects; the others give the reason (RFC 6455, section 7.4). */
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

/** One open connection. `context` is set once its token was accepted. */
export type ClientSocket = {
  client: WebSocket;
  request: IncomingMessage;
  address: string;
  context: AccountContext | undefined;
  /** The calls and bytes that it sent before its account was known. */
  said: Called;
  subscriptions: number;
  missedPings: number;
  /** Our pings that have no answer yet, however late it may come. */
  unanswered: number;
  /** This and the following times are by `performance.now()`: setting the machine's clock ends no connection. */
  pingedAt: number;
  slowSince: number | null;
  minute: { endsAt: number; messages: number };
};

/** Creates the state of a connection that was just opened. */
export function openClientSocket(client: WebSocket, request: IncomingMessage, address: string): ClientSocket {
  const now = performance.now();
  const socket: ClientSocket = {
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
    const isAsked = socket.unanswered > 0;
    socket.unanswered -= isAsked ? 1 : 0;
    socket.missedPings = 0;
    hear(socket, { calls: isAsked ? 0 : 1 });
  });
  // Each ping is answered, and costs as much as a message.
  client.on('ping', () => hear(socket));
  return socket;
}

/** Counts messages, pings or pongs: for this connection, and as calls of the sender. */
export function hear(socket: ClientSocket, heard: Partial<Called> & { messages?: number } = {}): void {
  const { messages = 1, calls = messages, bytes = 0 } = heard;
  countMessages(socket, messages);
  countAsCalls(socket, { calls, bytes });
}

/**
 * Counts messages, pings and pongs; one beyond the limit of a minute closes the connection (1008), whether or not its
 * client cooperates.
 */
export function countMessages(socket: ClientSocket, count: number): void {
  const now = performance.now();
  if (socket.minute.endsAt <= now) socket.minute = { endsAt: now + MINUTE_MS, messages: 0 };
  socket.minute.messages += count;
  const { client } = socket;
  if (socket.minute.messages <= MESSAGES_PER_MINUTE || client.readyState !== client.OPEN) return;
  client.close(CLOSE_CODES.policy, 'Too many messages');
  setTimeout(() => client.terminate(), CLOSING_MS).unref();
}

/**
 * Counts messages as calls of the sender as well: a limit for each connection alone could be evaded by opening one
 * after the other. One too many closes the connection (4429); messages before the token was accepted are counted then.
 */
export function countAsCalls(socket: ClientSocket, { calls, bytes }: Called = { calls: 0, bytes: 0 }): void {
  const { client, context, said } = socket;
  socket.said = { calls: said.calls + calls, bytes: said.bytes + bytes };
  if (context === undefined || socket.said.calls === 0) return;
  countContextCalls(context, takeSaid(socket)).catch((error: unknown) => {
    const known = toAppError(error);
    client.close(closeCodeOf(known), known.code);
  });
}

/** Returns the calls and bytes of a connection that are not counted yet; the caller must count them. */
export function takeSaid(socket: ClientSocket): Called {
  const { said } = socket;
  socket.said = { calls: 0, bytes: 0 };
  return said;
}

/** Sends pings when it is time, and terminates a reader that leaves too much unread for too long or answers no ping. */
export function heartbeat(socket: ClientSocket, { pingMs, slowMs }: SocketTimes): void {
  const now = performance.now();
  const isSlow = socket.client.bufferedAmount > BUFFERED_MAX_BYTES;
  socket.slowSince = isSlow ? (socket.slowSince ?? now) : null;
  const unreadMs = socket.slowSince === null ? 0 : now - socket.slowSince;
  if (unreadMs >= slowMs || (socket.missedPings >= MISSED_PINGS_MAX && now - socket.pingedAt >= pingMs)) {
    socket.client.terminate();
    return;
  }
  if (now - socket.pingedAt < pingMs || socket.client.readyState !== socket.client.OPEN) return;
  socket.pingedAt = now;
  socket.missedPings += 1;
  socket.unanswered += 1;
  socket.client.ping();
}

/** Returns the part of a connection that a subscription may use. */
export function forSubscriptions(socket: ClientSocket): SubscriptionSocket {
  const { client, request } = socket;
  return {
    countSubscription() {
      socket.subscriptions += 1;
      if (socket.subscriptions > SUBSCRIPTIONS_MAX) client.close(CLOSE_CODES.policy, 'Too many subscriptions');
      let isCounted = true;
      return () => {
        if (isCounted) socket.subscriptions -= 1;
        isCounted = false;
      };
    },
    whenWritable(signal) {
      if (client.bufferedAmount <= BUFFERED_MAX_BYTES) return undefined;
      return new Promise<void>((resolve) => {
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
