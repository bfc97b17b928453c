import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { getWSConnectionHandler } from '@trpc/server/adapters/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { appRouter } from '../../../routers/_app.ts';
import { contextForSocket } from '../../../routers/context.ts';
import { toAppError, toTRPCError } from '../../../routers/error-shape.ts';
import { isLoopback } from '../../../routers/rules/loopback.ts';
import { credentialOf, isStillValid } from '../../account/auth/credential-validity.ts';
import type { AccountContext, Providers } from '../../context.ts';
import { clientAddress } from '../../lib/client-address.ts';
import { MINUTE_MS } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';
import { networksOf } from '../../lib/networks.ts';
import type { FreeSlot } from '../../lib/rate-counters.ts';
import { foreignOrigin, isOwnOrigin, requireHostName } from '../security.ts';
import { catchErrors } from '../transport/catch-errors.ts';
import {
  CLOSE_CODES,
  type ClientSocket,
  closeCodeOf,
  countAsCalls,
  forSubscriptions,
  hear,
  heartbeat,
  openClientSocket,
  type SocketTimes,
  takeSaid,
} from './client-socket.ts';
import { boundMessages } from './message-budget.ts';
import { createSocketEncoder } from './socket-encoder.ts';

const TIMES: SocketTimes = { helloMs: 10_000, messageMs: 30_000, pingMs: 25_000, slowMs: 10_000 };
const MESSAGE_MAX_BYTES = 64 * 1024;
/** No browser and no client of ours sends a message in fragments, and each takes memory beyond its bytes. */
const FRAGMENTS_MAX = 64;
/** A message of the largest size arrives in some 120 pieces when each packet (536 bytes or more) is read alone. */
const PIECES_MAX = 256;
const HEARTBEAT_CHECK_MS = 500;
const CLOSE_WAIT_MS = 2_000;
/** When the database did not answer whether a session is still valid, it is asked again after this time. */
const ASK_AGAIN_MS = 500;

export type SocketServer = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  start(): void;
  stop(): Promise<void>;
  readonly size: number;
};

type Upgrade = { socket: Duplex; head: Buffer };

type State = {
  providers: Providers;
  times: SocketTimes;
  server: WebSocketServer;
  sockets: Set<ClientSocket>;
  /** The number of changes of sessions and tokens that the change feed has reported so far. */
  reportedChanges: number;
  isStopping: boolean;
};

/**
 * Creates the WebSocket at /api/trpc, for subscriptions only. A foreign origin is refused before the upgrade. A
 * connection lives as long as the session or API token that opened it, whichever instance ends that. A reader that
 * takes nothing is disconnected; it can resume where it was. Cookies are ignored, because a page of another site would
 * send them too.
 */
export function createSocketServer(providers: Providers, times: Partial<SocketTimes> = {}): SocketServer {
  const state: State = {
    providers,
    times: { ...TIMES, ...times },
    server: new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: MESSAGE_MAX_BYTES,
      maxFragments: FRAGMENTS_MAX,
      maxBufferedChunks: PIECES_MAX,
    }),
    sockets: new Set(),
    reportedChanges: 0,
    isStopping: false,
  };
  let heartbeats: NodeJS.Timeout | undefined;
  let unsubscribe = (): void => undefined;

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      catchErrors(
        () => accept(state, request, { socket, head }),
        (error) => {
          providers.log.error('An upgrade to a WebSocket failed', { error: String(error) });
          socket.destroy();
        },
      );
    },
    start() {
      const { slowMs, pingMs } = state.times;
      const beat = (): void => {
        for (const socket of state.sockets) heartbeat(socket, state.times);
      };
      heartbeats = setInterval(beat, Math.min(HEARTBEAT_CHECK_MS, slowMs, pingMs));
      unsubscribe = watchCredentials(state);
    },
    async stop() {
      state.isStopping = true;
      clearInterval(heartbeats);
      unsubscribe();
      await disconnectAll(state);
    },
    get size() {
      return state.sockets.size;
    },
  };
}

async function accept(state: State, request: IncomingMessage, { socket, head }: Upgrade): Promise<void> {
  const refusal = refuse(state, request) ?? (await refuseCrowd(state, request, socket));
  if (refusal === undefined)
    state.server.handleUpgrade(request, socket, head, (client) => serve(state, client, request));
  else sendRefusal(socket, refusal);
}

/** Destroys the socket after the answer: a peer that keeps its half of it open would hold up the end of the process. */
function sendRefusal(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** Returns the status line that refuses an upgrade, or undefined to accept it. */
function refuse({ providers, isStopping }: State, request: IncomingMessage): string | undefined {
  try {
    requireHostName(request);
  } catch {
    return '400 Bad Request';
  }
  if (isStopping) return '503 Service Unavailable';
  if (request.url?.split('?', 1)[0] !== '/api/trpc') return '404 Not Found';
  const { origin } = request.headers;
  return origin !== undefined && !isOwnOrigin(origin, providers.addresses) ? '403 Forbidden' : undefined;
}

/** Refuses a socket beyond what an address may have, or open in a minute, over all processes. */
async function refuseCrowd(state: State, request: IncomingMessage, socket: Duplex): Promise<string | undefined> {
  const { limits, rateCounters } = state.providers;
  const address = addressOf(state.providers, request);
  if (!isCounted(state.providers, address)) return undefined;
  for (const { key, times } of networksOf(address)) {
    const { count } = await rateCounters.count(`sockets opened by ${key}`, 1, MINUTE_MS);
    if (count > limits.socketsOpenedPerMinute * times) return '429 Too Many Requests';
    const freeSlot = await rateCounters.takeSlot(`sockets of ${key}`, { limit: limits.socketsPerAddress * times });
    if (freeSlot === null) return '429 Too Many Requests';
    freeOnClose(socket, freeSlot);
  }
  return state.isStopping ? '503 Service Unavailable' : undefined;
}

/** Gives a slot back when the socket closes, or at once if it closed while the slot was being taken. */
function freeOnClose(socket: Duplex, freeSlot: FreeSlot): void {
  if (socket.destroyed) freeSlot();
  else socket.once('close', freeSlot);
}

function serve(state: State, client: WebSocket, request: IncomingMessage): void {
  const socket = openClientSocket(client, request, addressOf(state.providers, request));
  containEvents(client, (error) => {
    state.providers.log.error('A message over a WebSocket failed', { error: String(error) });
    client.terminate();
  });
  state.sockets.add(socket);
  boundMessages(state.providers, {
    client,
    socket: request.socket,
    address: socket.address,
    messageMs: state.times.messageMs,
    onRefused(error) {
      const known = toAppError(error);
      client.close(closeCodeOf(known), known.code);
    },
    onLate: () => client.close(CLOSE_CODES.slow, 'A message took too long'),
  });
  const hello = setTimeout(() => client.close(CLOSE_CODES.slow, 'No token came in time'), state.times.helloMs);
  client.once('close', () => {
    clearTimeout(hello);
    state.sockets.delete(socket);
  });
  client.on('message', (data) => hear(socket, { bytes: Buffer.isBuffer(data) ? data.length : 0 }));
  const handle = getWSConnectionHandler({
    wss: state.server,
    router: appRouter,
    createContext: async ({ info }) => {
      clearTimeout(hello);
      return admit(state, socket, info.connectionParams?.token);
    },
    // The frame was counted as one message.
    experimental_encoder: createSocketEncoder((messages) => hear(socket, { messages: messages - 1 })),
  });
  handle(client, request);
}

/** Lets an exception in a listener of the client's events end its connection alone. */
function containEvents(client: WebSocket, onError: (error: unknown) => void): void {
  const emit = client.emit.bind(client);
  client.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    let hasListeners = true;
    catchErrors(() => {
      hasListeners = emit(event, ...values);
    }, onError);
    return hasListeners;
  };
}

async function admit(state: State, socket: ClientSocket, token: string | undefined): Promise<AccountContext> {
  const { providers, reportedChanges } = state;
  try {
    const context = await contextForSocket(providers, socket.request, {
      token,
      connection: forSubscriptions(socket),
      said: takeSaid(socket),
    });
    const { accountId, kind } = context.actor;
    // Every browser sends its origin: without one it is a script, and a script has a token of its own.
    if (socket.request.headers.origin === undefined && kind !== 'token') throw foreignOrigin(providers.addresses);
    const freeSlot = await providers.rateCounters.takeSlot(`sockets of ${accountId}`, {
      limit: providers.limits.socketsPerAccount,
    });
    if (freeSlot === null) throw new AppError('rate_limited', 'Too many connections of this account are open.');
    freeOnClose(socket.request.socket, freeSlot);
    socket.context = context;
    countAsCalls(socket);
    // A change reported while the token was checked found no account at this connection yet.
    if (state.reportedChanges !== reportedChanges) void endIfOver(state, socket.client, context);
    return context;
  } catch (error) {
    const known = toAppError(error);
    socket.client.close(closeCodeOf(known), known.code);
    throw toTRPCError(error);
  }
}

/** Closes connections whose session or token has ended in any process; after a break of the feed it checks them all. */
function watchCredentials(state: State): () => void {
  const recheck = (isConcerned: (context: AccountContext) => boolean): void => {
    state.reportedChanges += 1;
    for (const { client, context } of state.sockets) {
      if (context !== undefined && isConcerned(context)) void endIfOver(state, client, context);
    }
  };
  return state.providers.changes.subscribe(['sessions', 'api_tokens'], {
    onChange({ collection, id }) {
      recheck(({ actor }) => {
        const credential = credentialOf(actor);
        return credential?.collection === collection && credential.id === id;
      });
    },
    onReopened: () => recheck(() => true),
  });
}

/** Asks until the database answers: a short outage breaks no change stream, so nothing else would trigger the check. */
async function endIfOver(state: State, client: WebSocket, context: AccountContext): Promise<void> {
  while (client.readyState === client.OPEN && !state.isStopping) {
    const isOver = await isStillValid(context).then(
      (holds) => !holds,
      () => null,
    );
    if (isOver) client.close(CLOSE_CODES.ended, 'session_ended');
    if (isOver !== null) return;
    await wait(ASK_AGAIN_MS, undefined, { ref: false });
  }
}

/** Tells all clients to reconnect, and terminates the connections that do not close. */
async function disconnectAll({ sockets }: State): Promise<void> {
  const notice = JSON.stringify({ id: null, method: 'reconnect' });
  const leaving = [...sockets].map(({ client }) => client);
  const closed = leaving.map((client) => new Promise((resolve) => client.once('close', resolve)));
  for (const client of leaving) {
    client.send(notice);
    client.close(CLOSE_CODES.restart, 'The server is restarting');
  }
  const terminateTimer = setTimeout(() => {
    for (const client of leaving) client.terminate();
  }, CLOSE_WAIT_MS);
  await Promise.all(closed);
  clearTimeout(terminateTimer);
}

/** Returns whether the address is counted: without a proxy, loopback peers are people at the machine itself. */
function isCounted(providers: Providers, address: string): boolean {
  return providers.limits.isAddressCounted || !isLoopback(address);
}

function addressOf(providers: Providers, request: IncomingMessage): string {
  return clientAddress(request, providers.addresses.trustedProxies ?? 0);
}
