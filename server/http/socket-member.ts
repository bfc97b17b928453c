import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { AccountContext, Line } from '../service-context.ts';

/** Security facts, 8.5 to 8.8. */
export type SocketTimes = {
  /** Until `connectionParams` has come. */
  helloMs: number;
  pingMs: number;
  /** How long a reader may hold more than `BUFFERED_MAX_BYTES` back. */
  slowMs: number;
};

const MESSAGES_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
const BUFFERED_MAX_BYTES = 1024 * 1024;
const MISSED_PINGS_MAX = 2;

/** 4401 makes a client ask for a fresh token before it comes back; the others say why (RFC 6455, section 7.4). */
export const CLOSE = {
  policy: 1008,
  restart: 1012,
  later: 1013,
  ended: 4401,
  foreign: 4403,
  slow: 4408,
  tooMany: 4429,
} as const;

/** One open connection. `context` is there once its token was found good. */
export type Member = {
  client: WebSocket;
  request: IncomingMessage;
  address: string;
  context: AccountContext | undefined;
  missedPings: number;
  /** This, and all that follows, by `performance.now()`: a clock that is set anew ends no connection. */
  pingedAt: number;
  slowSince: number | null;
  minute: { endsAt: number; messages: number };
};

/** A connection that was just opened, with all its clocks at their start. */
export function createMember(client: WebSocket, request: IncomingMessage, address: string): Member {
  const now = performance.now();
  const member: Member = {
    client,
    request,
    address,
    context: undefined,
    missedPings: 0,
    pingedAt: now,
    slowSince: null,
    minute: { endsAt: now + MINUTE_MS, messages: 0 },
  };
  client.on('pong', () => {
    member.missedPings = 0;
  });
  return member;
}

/** One message came; beyond the limit of a minute it closes the connection (1008). */
export function countMessage(member: Member): void {
  const now = performance.now();
  if (member.minute.endsAt <= now) member.minute = { endsAt: now + MINUTE_MS, messages: 0 };
  member.minute.messages += 1;
  if (member.minute.messages > MESSAGES_PER_MINUTE) member.client.close(CLOSE.policy, 'Too many messages');
}

/** Pings when it is time, and lets go of a reader that holds too much back for too long or answers no ping. */
export function lookAfter(member: Member, { pingMs, slowMs }: SocketTimes): void {
  const now = performance.now();
  const isSlow = member.client.bufferedAmount > BUFFERED_MAX_BYTES;
  member.slowSince = isSlow ? (member.slowSince ?? now) : null;
  const heldBackMs = member.slowSince === null ? 0 : now - member.slowSince;
  if (heldBackMs >= slowMs || (member.missedPings >= MISSED_PINGS_MAX && now - member.pingedAt >= pingMs)) {
    member.client.terminate();
    return;
  }
  if (now - member.pingedAt < pingMs || member.client.readyState !== member.client.OPEN) return;
  member.pingedAt = now;
  member.missedPings += 1;
  member.client.ping();
}

/** What a subscription knows of its connection. */
export function lineOf({ client, request }: Member): Line {
  return {
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
    hangUp: () => client.close(CLOSE.ended, 'session_ended'),
  };
}
