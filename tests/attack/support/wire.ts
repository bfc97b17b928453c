import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';

const QUIET_MS = 20;
const LONGEST_MS = 500;
const KEPT_BYTES = 64 * 1024;

/**
 * Sends bytes as they are over a connection of its own, piece by piece, and returns the beginning of what came back.
 * The connection ends when the server ends it, or soon after nothing more comes; by `reset` at once, without a farewell.
 */
export async function sendBytes(
  port: number,
  pieces: readonly Buffer[],
  ending: 'quiet' | 'reset' = 'quiet',
): Promise<string> {
  return converse(connect(port, '127.0.0.1'), pieces, ending);
}

/** The same over a connection that is there, or is on its way to be. */
export async function converse(
  socket: Socket,
  pieces: readonly Buffer[],
  ending: 'quiet' | 'reset' = 'quiet',
): Promise<string> {
  let [received, heardAt] = ['', performance.now()];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    heardAt = performance.now();
    if (received.length < KEPT_BYTES) received += piece.toString('latin1');
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await Promise.race([closed, new Promise<void>((resolve) => void socket.write(piece, () => resolve()))]);
  }
  // What lies under TLS cannot be reset from above it.
  if (ending === 'reset' && socket instanceof TLSSocket) socket.destroy();
  else if (ending === 'reset') socket.resetAndDestroy();
  const sentAt = performance.now();
  heardAt = sentAt;
  while (!socket.destroyed && performance.now() - sentAt < LONGEST_MS) {
    if (received !== '' && performance.now() - heardAt > QUIET_MS) break;
    await Promise.race([closed, wait(QUIET_MS)]);
  }
  socket.destroy();
  await closed;
  return received;
}

/** Answers in these bytes that admit a fault of the server: status 500, or the code of an error that nobody foresaw. */
export function faultIn(received: string): string | null {
  const at = received.search(/^HTTP\/1\.1 500|"code":"internal"/m);
  return at === -1 ? null : received.slice(at, at + 300);
}
