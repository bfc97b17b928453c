import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Burden, UnreadBudget } from './unread-budget.ts';

/**
 * A check also runs after this many requests: at most as many answers of a megabyte may be queued between two checks.
 */
const LOOK_EVERY_REQUESTS = 100;

/** The bytes that a reader has taken in all, and the time when it last took some. */
type Reader = { takenBytes: number; since: number };

/**
 * Counts the answers over HTTP/1.1 that wait in this process for their readers; bytes in the system's buffers do not
 * count. A file that goes to many counts for each of them: only readers that take nothing weigh much, and those are
 * closed first.
 */
export function watchUnread(server: Server, budget: UnreadBudget, lookEveryMs: number): void {
  const readers = new Map<Socket, Reader>();
  let bytes = 0;
  let requests = 0;

  function look(): void {
    const now = performance.now();
    bytes = 0;
    for (const [socket, reader] of readers) {
      const takenBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || takenBytes !== reader.takenBytes)
        Object.assign(reader, { takenBytes, since: now });
      bytes += socket.writableLength;
    }
    budget.makeRoom();
  }

  function heaviest(): Burden | undefined {
    const now = performance.now();
    let [worst, most] = [undefined as Socket | undefined, 0];
    for (const [socket, { since }] of readers) {
      const weight = socket.writableLength * (1 + now - since);
      if (weight > most) [worst, most] = [socket, weight];
    }
    return worst && { weight: most, end: () => end(worst) };
  }

  function end(socket: Socket): void {
    bytes -= socket.writableLength;
    readers.delete(socket);
    socket.destroy();
  }

  budget.add({ bytes: () => bytes, heaviest });
  server.on('request', ({ socket }) => {
    if (!readers.has(socket)) {
      readers.set(socket, { takenBytes: 0, since: performance.now() });
      socket.once('close', () => readers.delete(socket));
    }
    requests += 1;
    if (requests % LOOK_EVERY_REQUESTS === 0) look();
  });
  server.once('listening', () => {
    const looking = setInterval(look, lookEveryMs).unref();
    server.once('close', () => clearInterval(looking));
  });
}
