import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/**
 * A load generator for answers that are all alike: keep-alive HTTP/1.1 over raw sockets, one request in flight a
 * connection. The first answer of each connection is read in full, of the others status and length alone are looked at,
 * so that a server at its best costs the generator less than itself. A connection that the server ends after a whole
 * answer is opened again.
 */
export type SteadyLoad = {
  port: number;
  request: string;
  status: number;
  connections: number;
  durationMs: number;
  /** Speaks TLS and names this server. */
  servername?: string;
};
export type SteadyResult = { requests: number; perSecond: number; latenciesMs: number[] };

/** Throws when an answer has another status or length than the first one. */
export async function steadyLoad(options: SteadyLoad): Promise<SteadyResult> {
  const request = Buffer.from(options.request, 'latin1');
  const startedAt = performance.now();
  const endAt = startedAt + options.durationMs;
  const latenciesMs: number[] = [];
  const drive = async (): Promise<void> => {
    while (performance.now() < endAt) await driveOne(options, request, endAt, latenciesMs);
  };
  await Promise.all(Array.from({ length: options.connections }, drive));
  const seconds = (performance.now() - startedAt) / 1000;
  return { requests: latenciesMs.length, perSecond: latenciesMs.length / seconds, latenciesMs };
}

/** One connection from its first request until the time is over or the server ends it. */
function driveOne(options: SteadyLoad, request: Buffer, endAt: number, latenciesMs: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = open(options);
    socket.setNoDelay(true);
    const answer = createCounter(options.status);
    let sentAt = 0;
    const send = (): void => {
      answer.begin();
      sentAt = performance.now();
      socket.write(request);
    };
    socket.once(options.servername === undefined ? 'connect' : 'secureConnect', send);
    socket.once('error', reject);
    socket.once('close', () => {
      if (answer.isLast()) latenciesMs.push(performance.now() - sentAt);
      if (answer.isLast() || answer.isNone()) resolve();
      else reject(new Error('The server closed a connection in the middle of an answer.'));
    });
    socket.on('data', (piece: Buffer) => {
      const state = answer.take(piece);
      if (state === 'more') return;
      if (state === 'wrong') {
        socket.destroy();
        reject(new Error(`An answer is not as it should be: ${piece.toString('latin1', 0, 300)}`));
        return;
      }
      latenciesMs.push(performance.now() - sentAt);
      if (performance.now() < endAt) send();
      else leave(socket, resolve);
    });
  });
}

function open({ port, servername }: SteadyLoad): Socket {
  if (servername === undefined) return connect(port, '127.0.0.1');
  return connectTls({ host: '127.0.0.1', port, servername, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
}

/** Counts the bytes of one answer after the other; the length of the first is that of all. */
function createCounter(status: number) {
  let expected = 0;
  let received = 0;
  let head: Buffer = Buffer.alloc(0);
  return {
    begin(): void {
      received = 0;
    },
    take(piece: Buffer): 'more' | 'whole' | 'wrong' {
      if (received === 0 && statusOf(piece) !== status) return 'wrong';
      if (received === 0) head = piece;
      else if (expected === 0) head = Buffer.concat([head, piece]);
      received += piece.length;
      if (expected === 0) expected = lengthOf(head) ?? 0;
      if (received === expected) return 'whole';
      return expected > 0 && received > expected ? 'wrong' : 'more';
    },
    /** The last answer before a close has other headers, so that its length is its own. */
    isLast: (): boolean => received > 0 && received === lengthOf(head),
    isNone: (): boolean => received === 0,
  };
}

function leave(socket: Socket, resolve: () => void): void {
  socket
    .removeAllListeners('close')
    .removeAllListeners('error')
    .on('error', () => undefined);
  socket.end(resolve);
}

function statusOf(piece: Buffer): number {
  return Number(piece.toString('latin1', 9, 12));
}

/** Returns the length of the whole answer with its head; null while the head is not complete. */
function lengthOf(bytes: Buffer): number | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = head.startsWith('HTTP/1.1 304') ? '0' : /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`An answer has no length: ${head}`);
  return end + 4 + Number(length);
}
