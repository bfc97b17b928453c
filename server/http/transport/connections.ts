import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isLoopback } from '../../../routers/rules/loopback.ts';
import type { Providers } from '../../context.ts';
import { addressOf } from '../../lib/client-address.ts';
import { networksOf } from '../../lib/networks.ts';

export type ConnectionCounts = Pick<Providers, 'addresses' | 'limits' | 'rateCounters'>;

/** More than twenty tabs with six connections each: a browser opens no more to one host. */
export const PER_ADDRESS = 100;
/** A silence is measured in this many parts, so that it is noticed at most one part late. */
const PARTS = 6;
/** Node's timer takes two parts when it has restarted unnoticed; this allows for rounding of the clocks. */
const RESTARTED = 1.9;

/**
 * Closes a connection beyond those that one address may have open at this port. An IPv6 address counts by its /64,
 * which is one person's, and by the wider networks around it. Behind a proxy all connections are the proxy's, so
 * requests are counted there (requests-in-flight.ts). Loopback peers are people at the machine itself.
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
 * Closes connections without traffic in either direction for `silentMs`; not before, and soon after. A connection for
 * which `isAnswering` is true waits for us and is spared.
 *
 * Node's own timer takes up to twice its time: it restarts unnoticed when a part of the last write was taken since its
 * last check (lib/net.js, `_onTimeout`), which is always so the first time. So it is set to parts of the time, and
 * consecutive parts are added up.
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
    // After an answer Node counts how long a connection is kept open for the next request, and that time is over.
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
 * Returns a test for connections that wait for us: the request has arrived whole or has bytes that we have not read
 * yet, and no part of the answer waits for its reader.
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
