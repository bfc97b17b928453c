import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressOf } from '../../routers/client-address.ts';
import { isLoopback } from '../loopback.ts';
import type { HostProviders } from './serve.ts';

type Counts = Pick<HostProviders, 'addresses' | 'limits' | 'tally'>;

/** Security facts, 3.2. */
const PER_ADDRESS = 100;
/** Parts in which a silence is measured: it is noticed at the most one of them too late. */
const PARTS = 6;
/** A timer that Node has started again without a word takes two parts, less what clocks are rounded by. */
const RESTARTED = 1.9;

/**
 * Takes so many connections of one visitor at once, who is told apart as a caller of the API is: one person has a whole
 * /64 of IPv6. Behind a proxy all connections are the proxy's, and how many a visitor may have is its affair. Loopback
 * peers are people at the machine itself.
 */
export async function limitConnection(socket: Socket, { addresses, limits, tally }: Counts): Promise<void> {
  if ((addresses.trustedProxies ?? 0) > 0) return;
  const peer = socket.remoteAddress ?? '';
  if (!limits.isAddressCounted && isLoopback(peer)) return;
  const leave = await tally.take(`visits of ${addressOf(peer, undefined, 0)}`, { limit: PER_ADDRESS });
  if (leave === null) socket.destroy();
  else if (socket.destroyed) leave();
  else socket.once('close', leave);
}

type Silence = { parts: number; toldAt: number; bytes: number };

/**
 * Ends connections over which nothing has moved for `silentMs`, in either direction; not before, and soon after. Node's
 * own timer takes up to twice its time: it starts again without a word when a part of the last write has been taken since
 * it looked (lib/net.js, `_onTimeout`), which the first time is always so. So it is asked for parts of the time, and those
 * that it tells of one right after the other are added up.
 */
export function endSilentConnections(server: Server, silentMs: number): void {
  const partMs = silentMs / PARTS;
  const silences = new WeakMap<Socket, Silence>();
  server.timeout = partMs;
  server.on('timeout', (socket: Socket) => {
    // After an answer Node counts the time that a connection is kept open for the next request, which is over.
    if (socket.timeout !== partMs) return void socket.destroy();
    const toldAt = performance.now();
    const bytes = socket.bytesRead + socket.bytesWritten;
    const last = silences.get(socket);
    const isLonger = last !== undefined && last.bytes === bytes && toldAt - last.toldAt < RESTARTED * partMs;
    const parts = isLonger ? last.parts + 1 : 1;
    if (parts >= PARTS) return void socket.destroy();
    silences.set(socket, { parts, toldAt, bytes });
    socket.setTimeout(partMs);
  });
}
