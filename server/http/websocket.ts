import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { getWSConnectionHandler } from '@trpc/server/adapters/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { appRouter } from '../../routers/_app.ts';
import { clientAddress } from '../../routers/client-address.ts';
import { contextForSocket } from '../../routers/context.ts';
import { toAppError, toTRPCError } from '../../routers/error-shape.ts';
import { AppError } from '../errors.ts';
import { isLoopback } from '../loopback.ts';
import type { AccountContext, Providers } from '../service-context.ts';
import { isInForce, standingOf } from '../services/standing.ts';
import type { GiveBack } from '../tally.ts';
import { foreignOrigin, isOwnOrigin } from './security.ts';
import { countedEncoder } from './socket-encoder.ts';
import {
  CLOSE,
  countMessage,
  createMember,
  lineOf,
  lookAfter,
  type Member,
  type SocketTimes,
} from './socket-member.ts';

const TIMES: SocketTimes = { helloMs: 10_000, pingMs: 25_000, slowMs: 10_000 };
const MESSAGE_MAX_BYTES = 64 * 1024;
const LOOK_MS = 500;
const CLOSE_WAIT_MS = 2_000;
/** After a question that the database did not answer, whether a session is still in force. */
const ASK_AGAIN_MS = 500;

export type SocketDoor = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  start(): void;
  stop(): Promise<void>;
  /** How many connections are open. */
  readonly size: number;
};

type Upgrade = { socket: Duplex; head: Buffer };

type Room = {
  providers: Providers;
  times: SocketTimes;
  server: WebSocketServer;
  members: Set<Member>;
  /** How many changes of sessions and tokens were told so far. */
  changesTold: number;
  isStopping: boolean;
};

/**
 * The WebSocket at /api/trpc: subscriptions only. A foreign origin is refused before the upgrade; a connection lives as
 * long as the session or API token that opened it, on whichever instance that ends; a reader that takes nothing is let
 * go, since it resumes where it was. Cookies have no say (security facts, section 8).
 */
export function createSocketDoor(providers: Providers, times: Partial<SocketTimes> = {}): SocketDoor {
  const room: Room = {
    providers,
    times: { ...TIMES, ...times },
    server: new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MESSAGE_MAX_BYTES }),
    members: new Set(),
    changesTold: 0,
    isStopping: false,
  };
  let looking: NodeJS.Timeout | undefined;
  let unsubscribe = (): void => undefined;

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      void letIn(room, request, { socket, head });
    },
    start() {
      const { slowMs, pingMs } = room.times;
      looking = setInterval(
        () => room.members.forEach((member) => void lookAfter(member, room.times)),
        Math.min(LOOK_MS, slowMs, pingMs),
      );
      unsubscribe = watchStandings(room);
    },
    async stop() {
      room.isStopping = true;
      clearInterval(looking);
      unsubscribe();
      await sendAway(room);
    },
    get size() {
      return room.members.size;
    },
  };
}

async function letIn(room: Room, request: IncomingMessage, { socket, head }: Upgrade): Promise<void> {
  const refusal = refuse(room, request) ?? (await refuseCrowd(room, request, socket));
  if (refusal === undefined)
    room.server.handleUpgrade(request, socket, head, (client) => accept(room, client, request));
  else sendRefusal(socket, refusal);
}

/** Whoever keeps its own half of the connection open would hold up the end of the process. */
function sendRefusal(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** The status of an upgrade that is not made. */
function refuse({ providers, isStopping }: Room, request: IncomingMessage): string | undefined {
  if (isStopping) return '503 Service Unavailable';
  if (request.url?.split('?', 1)[0] !== '/api/trpc') return '404 Not Found';
  const { origin } = request.headers;
  return origin !== undefined && !isOwnOrigin(origin, providers.addresses) ? '403 Forbidden' : undefined;
}

/** Likewise, of one more than an address may have; the others of its sockets may be in other processes. */
async function refuseCrowd(room: Room, request: IncomingMessage, socket: Duplex): Promise<string | undefined> {
  const { limits, tally } = room.providers;
  const address = addressOf(room.providers, request);
  if (!isCounted(room.providers, address)) return undefined;
  const leave = await tally.take(`sockets of ${address}`, { limit: limits.socketsPerAddress });
  if (leave === null) return '429 Too Many Requests';
  leaveWith(socket, leave);
  return room.isStopping ? '503 Service Unavailable' : undefined;
}

/** Gives a place back when the socket closes, or at once when it did so while the place was asked for. */
function leaveWith(socket: Duplex, leave: GiveBack): void {
  if (socket.destroyed) leave();
  else socket.once('close', leave);
}

function accept(room: Room, client: WebSocket, request: IncomingMessage): void {
  const member = createMember(client, request, addressOf(room.providers, request));
  room.members.add(member);
  const hello = setTimeout(() => client.close(CLOSE.slow, 'No token came in time'), room.times.helloMs);
  client.once('close', () => {
    clearTimeout(hello);
    room.members.delete(member);
  });
  client.on('message', () => countMessage(member));
  const handle = getWSConnectionHandler({
    wss: room.server,
    router: appRouter,
    createContext: async ({ info }) => {
      clearTimeout(hello);
      return admit(room, member, info.connectionParams?.token);
    },
    experimental_encoder: countedEncoder(() => client.close(CLOSE.policy, 'Too many subscriptions')),
  });
  handle(client, request);
}

async function admit(room: Room, member: Member, token: string | undefined): Promise<AccountContext> {
  const { providers, changesTold } = room;
  try {
    const context = await contextForSocket(providers, member.request, { token, line: lineOf(member) });
    const { accountId, kind } = context.actor;
    // Every browser names its origin: without one it is a script, and a script has a token of its own.
    if (member.request.headers.origin === undefined && kind !== 'token') throw foreignOrigin(providers.addresses);
    const leave = await providers.tally.take(`sockets of ${accountId}`, { limit: providers.limits.socketsPerAccount });
    if (leave === null) throw new AppError('rate_limited', 'Too many connections of this account are open.');
    leaveWith(member.request.socket, leave);
    member.context = context;
    // What was told since the token was looked at named nobody who was known here yet.
    if (room.changesTold !== changesTold) void endIfOver(room, member.client, context);
    return context;
  } catch (error) {
    const known = toAppError(error);
    member.client.close(closeCodeOf(known), known.code);
    throw toTRPCError(error);
  }
}

/** Closes connections whose session or token ends, wherever that is done; asks for all again after a break of the feed. */
function watchStandings(room: Room): () => void {
  const recheck = (isConcerned: (context: AccountContext) => boolean): void => {
    room.changesTold += 1;
    for (const { client, context } of room.members) {
      if (context !== undefined && isConcerned(context)) void endIfOver(room, client, context);
    }
  };
  return room.providers.changes.subscribe(['sessions', 'api_tokens'], {
    onChange({ collection, id }) {
      recheck(({ actor }) => {
        const standing = standingOf(actor);
        return standing?.collection === collection && standing.id === id;
      });
    },
    onReopened: () => recheck(() => true),
  });
}

/** Asks until the database answers: a short trouble breaks no change stream, and then nobody would ask again. */
async function endIfOver(room: Room, client: WebSocket, context: AccountContext): Promise<void> {
  while (client.readyState === client.OPEN && !room.isStopping) {
    const isOver = await isInForce(context).then(
      (holds) => !holds,
      () => null,
    );
    if (isOver) client.close(CLOSE.ended, 'session_ended');
    if (isOver !== null) return;
    await wait(ASK_AGAIN_MS, undefined, { ref: false });
  }
}

/** Tells everybody to come back, and lets go of who does not close. */
async function sendAway({ members }: Room): Promise<void> {
  const notice = JSON.stringify({ id: null, method: 'reconnect' });
  const leaving = [...members].map(({ client }) => client);
  const closed = leaving.map((client) => new Promise((resolve) => client.once('close', resolve)));
  for (const client of leaving) {
    client.send(notice);
    client.close(CLOSE.restart, 'The server restarts');
  }
  const giveUp = setTimeout(() => {
    for (const client of leaving) client.terminate();
  }, CLOSE_WAIT_MS);
  await Promise.all(closed);
  clearTimeout(giveUp);
}

/** Loopback peers are people at the machine itself, unless a proxy stands in front (security facts, 1.8). */
function isCounted(providers: Providers, address: string): boolean {
  return providers.limits.isAddressCounted || !isLoopback(address);
}

function addressOf(providers: Providers, request: IncomingMessage): string {
  return clientAddress(request, providers.addresses.trustedProxies ?? 0);
}

function closeCodeOf(error: AppError): number {
  if (error.status === 401) return CLOSE.ended;
  if (error.code === 'origin_foreign') return CLOSE.foreign;
  if (error.status === 429) return CLOSE.tooMany;
  return error.status >= 500 ? CLOSE.later : CLOSE.policy;
}
