import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Budgeted, holdBytes } from '../body-budget.ts';
import { createFrameLengths } from './frame-lengths.ts';

/** The close frame has left within this time; whatever arrived of the message is dropped then. */
const DROP_MS = 1_000;

type Bounded = {
  client: WebSocket;
  /** The connection below `client`. */
  socket: Duplex;
  address: string;
  /** A message that has begun must be whole within this time. */
  messageMs: number;
  /** Closes the client, with the code that gives the reason. */
  onRefused(error: unknown): void;
  onLate(): void;
};

/**
 * Counts incomplete messages of a WebSocket like bodies of calls (body-budget.ts), by the length that their frames
 * announce, because `ws` keeps the part that has arrived. A connection is not read further until there is room. A
 * whole message is handled at once and never waits in memory.
 */
export function boundMessages(providers: Budgeted, bounded: Bounded): void {
  const { client, socket, address, messageMs } = bounded;
  const read = createFrameLengths();
  let heldBytes = 0;
  let giveBack = (): void => undefined;
  let lateTimer: NodeJS.Timeout | undefined;

  function end(close: () => void): void {
    client.pause();
    close();
    setTimeout(() => client.terminate(), DROP_MS).unref();
  }

  function startClock(): void {
    lateTimer ??= setTimeout(() => end(bounded.onLate), messageMs);
  }

  function stopClock(): void {
    clearTimeout(lateTimer);
    lateTimer = undefined;
  }

  function release(): void {
    giveBack();
    giveBack = () => undefined;
    heldBytes = 0;
  }

  async function hold(bytes: number): Promise<void> {
    client.pause();
    release();
    try {
      const refund = await holdBytes(providers, address, bytes);
      if (client.readyState !== client.OPEN) return refund();
      giveBack = refund;
      heldBytes = bytes;
      client.resume();
    } catch (error) {
      end(() => bounded.onRefused(error));
    }
  }

  client.on('message', stopClock);
  client.once('close', () => {
    stopClock();
    release();
  });
  socket.on('data', (piece: Buffer) => {
    const announced = read(piece);
    if (client.readyState !== client.OPEN) return;
    if (announced > 0) startClock();
    if (announced === 0) release();
    else if (announced !== heldBytes) void hold(announced);
  });
}
