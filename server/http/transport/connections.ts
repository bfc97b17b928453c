import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressOf } from '../../../routers/client-address.ts';
import type { Providers } from '../../context.ts';
import { isLoopback, networksOf } from '../../lib/loopback.ts';

export type ConnectionCounts = Pick<Providers, 'addresses' | 'limits' | 'rateCounters'>;

/** Twenty tabs with six connections each are fewer: a browser opens no more to one host. */
export const PER_ADDRESS = 100;
/** A silence is measured in this many parts, so that it is noticed at most one part too late. */
const PARTS = 6;
/** Node's timer, when it has restarted unnoticed, takes two parts, less what clocks round off. */
const RESTARTED = 1.9;

/**
 * Closes a connection beyond those that one address may have open at this port. An IPv6 address counts by its /64, which is
 * what one person has, and by the networks that this is in. Behind a proxy all connections are the proxy's, and requests are counted instead
 * (requests-in-flight.ts).
 * Loopback peers are people at the machine itself.
 */
export async function limitConnection(
  socket: Socket,
  { addresses, limits, rateCounters }: ConnectionCounts,
  port: string,
): Promise<void> {
  if ((addresses.trustedProxies ?? 0) > 0) return;
  const peer = socket.remoteAddress ?? '';
  if (!limits.isAddressCounted && isLoopback(peer)) return;
  for (const { key, times } of networksOf(addressOf(peer, undefined, 0))) {
    const freeSlot = await rateCounters.takeSlot(`connections of ${key} to ${port}`, { limit: PER_ADDRESS * times });
    if (freeSlot === null) return void socket.destroy();
    if (socket.destroyed) return freeSlot();
    socket.once('close', freeSlot);
  }
}

type Silence = { parts: number; notedAt: number; bytes: number };

/**
 * Closes connections over which nothing has moved for `silentMs`, in either direction; not before, and soon after. A
 * connection for which `isAnswering` is true waits for us and is spared.
 *
 * Node's own timer takes up to twice its time: it restarts unnoticed when a part of the last write has been taken since it
 * looked (lib/net.js, `_onTimeout`), which the first time is always so. So it is set to parts of the time, and parts that
 * follow each other directly are added up.
 */
export function endSilentConnections(
  server: Server,
  silentMs: number,
  isAnswering: (socket: Socket) => boolean = () => false,
): void {
  const partMs = silentMs / PARTS;
  const silences = new WeakMap<Socket, Silence>();
  server.timeout = partMs;
  server.on('timeout', (socket: Socket) => {
    // After an answer Node counts the time that a connection is kept open for the next request, which is over.
    if (socket.timeout !== partMs) return void socket.destroy();
    const notedAt = performance.now();
    const bytes = socket.bytesRead + socket.bytesWritten;
    const last = silences.get(socket);
    const isLonger = last !== undefined && last.bytes === bytes && notedAt - last.notedAt < RESTARTED * partMs;
    const parts = isAnswering(socket) ? 0 : isLonger ? last.parts + 1 : 1;
    if (parts >= PARTS) return void socket.destroy();
    silences.set(socket, { parts, notedAt, bytes });
    socket.setTimeout(partMs);
  });
}

/**
 * Returns a test of which connections of the server wait for us: the request has arrived whole or has bytes that we
 * have not read yet, and nothing of the answer so far waits for its reader.
 */
export function watchAnswers(server: Server): (socket: Socket) => boolean {
  const unfinished = new WeakMap<Socket, Set<() => boolean>>();
  server.on('request', (request, response) => {
    const { socket } = request;
    const open = unfinished.get(socket) ?? new Set();
    unfinished.set(socket, open);
    const isOurTurn = (): boolean => (request.complete || request.readableLength > 0) && response.writableLength === 0;
    open.add(isOurTurn);
    response.once('close', () => open.delete(isOurTurn));
  });
  return (socket) =>
    socket.writableLength === 0 && [...(unfinished.get(socket) ?? [])].some((isOurTurn) => isOurTurn());
}
