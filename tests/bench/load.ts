import { connect, type Socket } from 'node:net';

/**
 * A load generator of our own: keep-alive HTTP/1.1 over raw sockets, one request in flight a connection. It reads
 * nothing but the status, the length and the body, so that it costs far less than the server it drives.
 */
export type LoadOptions = {
  port: number;
  request: string;
  connections: number;
  durationMs: number;
  expectBody?: RegExp;
};
export type LoadResult = { requests: number; perSecond: number; latenciesMs: number[] };

/** Throws when an answer is no 200 or its body is not the expected one. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const bytes = Buffer.from(options.request);
  const startedAt = performance.now();
  const endAt = startedAt + options.durationMs;
  const latenciesMs: number[] = [];
  await Promise.all(Array.from({ length: options.connections }, () => drive(options, bytes, endAt, latenciesMs)));
  const seconds = (performance.now() - startedAt) / 1000;
  return { requests: latenciesMs.length, perSecond: latenciesMs.length / seconds, latenciesMs };
}

function drive(options: LoadOptions, request: Buffer, endAt: number, latenciesMs: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(options.port, '127.0.0.1');
    socket.setNoDelay(true);
    let pending: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      socket.write(request);
    };
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.once('connect', send);
    socket.once('error', fail);
    socket.once('close', () => reject(new Error('The server closed a connection before its answer.')));
    socket.on('data', (piece: Buffer) => {
      pending = pending.length === 0 ? piece : Buffer.concat([pending, piece]);
      const answer = takeAnswer(pending);
      if (answer === null) return;
      pending = Buffer.alloc(0);
      const fault = faultOf(answer, options.expectBody);
      if (fault !== null) return fail(new Error(fault));
      latenciesMs.push(performance.now() - sentAt);
      if (performance.now() < endAt) send();
      else end(socket, resolve);
    });
  });
}

function end(socket: Socket, resolve: () => void): void {
  socket
    .removeAllListeners('close')
    .removeAllListeners('error')
    .on('error', () => undefined);
  socket.end(resolve);
}

type Answer = { status: number; body: Buffer };

/** One whole answer, or null while a part is missing; the generator never has two in flight. */
function takeAnswer(bytes: Buffer): Answer | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const rest = bytes.subarray(headEnd + 4);
  if (length === undefined) {
    const body = joinChunks(rest);
    return body === null ? null : { status, body };
  }
  return rest.length < Number(length) ? null : { status, body: rest };
}

/** RFC 9112, section 7.1; null while a chunk is missing. Nobody here sends trailers. */
function joinChunks(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error('An answer has neither a length nor chunks.');
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return null;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}

function faultOf({ status, body }: Answer, expectBody: RegExp | undefined): string | null {
  if (status !== 200) return `Status ${status}: ${body.toString('utf8').slice(0, 300)}`;
  if (expectBody !== undefined && !expectBody.test(body.toString('utf8')))
    return `Wrong body: ${body.toString('utf8').slice(0, 300)}`;
  return null;
}
