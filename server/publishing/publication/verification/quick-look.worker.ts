import { createHash, type Hash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromQuickLook, QuickTask } from './quick-look.ts';

/**
 * The thread that fetches the files of a release from our own host, and hashes them, while the host itself is at work in
 * the main thread. Each connection has some requests under way, so that neither side waits for the other, and fewer than
 * the host lets wait. Anything but the usual answer of the host ends the thread: who started it knows what to do then.
 */
const AT_ONCE = 8;
const ASKED_MAX = 16;
const SEEN_A_MESSAGE = 50;
const HEAD_MAX_BYTES = 16 * 1024;
const HEAD_END = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

const { listener, hostname, authority, files } = taskOf(workerData);
const sockets = new Set<Socket>();
/** Positions of the files that are still to be asked for, the next one last. */
const left = [...files.keys()].reverse();
let seenCount = 0;
let seen: number[] = [];
let isOver = false;

/** Trusts the task: `quick-look.ts` alone starts this thread. */
function taskOf(data: unknown): QuickTask {
  return data as QuickTask;
}

function reportSeen(): void {
  const message: FromQuickLook = { seen, isOver };
  seen = [];
  parentPort?.postMessage(message);
}

function note(file: number): void {
  seen.push(file);
  seenCount += 1;
  if (seenCount === files.length) end();
  else if (seen.length === SEEN_A_MESSAGE) reportSeen();
}

function end(): void {
  if (isOver) return;
  isOver = true;
  reportSeen();
  for (const socket of sockets) socket.destroy();
}

/** Accepts any certificate, as the careful look does: the listener is ours. */
function openSocket(): Socket {
  const { protocol, host, port } = listener;
  if (protocol === 'http:') return connect(port, host);
  return connectTls({ host, port, servername: hostname, ALPNProtocols: ['http/1.1'], rejectUnauthorized: false });
}

/** A connection, the files that were asked for on it, and what has arrived of the answer to the first of them. */
class SiteSocket {
  readonly #socket: Socket;
  readonly #asked: number[] = [];
  #head: Buffer = NOTHING;
  #hash: Hash | null = null;
  #bytesLeft = 0;
  #isLast = false;
  #hasAnswered = false;

  constructor() {
    this.#socket = openSocket()
      .setNoDelay(true)
      .on('data', (chunk) => this.#take(chunk))
      // What follows is the same as after any other end.
      .on('error', () => undefined)
      .on('close', () => this.#onClose());
    sockets.add(this.#socket);
    this.#ask();
  }

  #ask(): void {
    if (left.length === 0) return;
    const asking = left.splice(this.#asked.length - ASKED_MAX).reverse();
    this.#asked.push(...asking);
    const requests = asking.map(
      (file) =>
        `GET ${files[file]?.path} HTTP/1.1\r\nHost: ${authority}\r\nAccept: text/html, */*\r\nAccept-Encoding: identity\r\nUser-Agent: Fairlead${HEAD_END}`,
    );
    this.#socket.write(requests.join(''), 'latin1');
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !isOver && !this.#socket.destroyed) rest = this.#takeSome(rest);
    if (!isOver && this.#asked.length <= ASKED_MAX / 2) this.#ask();
  }

  /** Takes the rest of a head, or of a body, and returns what follows. */
  #takeSome(bytes: Buffer): Buffer {
    if (this.#hash !== null) return this.#takeBody(this.#hash, bytes);
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    const length = this.#head.indexOf(HEAD_END);
    if (length === -1 && this.#head.length <= HEAD_MAX_BYTES) return NOTHING;
    const bodyStart = length + HEAD_END.length;
    const body = this.#head.subarray(bodyStart);
    if (!this.#isUsual(this.#head.toString('latin1', 0, bodyStart))) end();
    this.#head = NOTHING;
    return this.#takeBody(createHash('sha256'), body);
  }

  #takeBody(hash: Hash, bytes: Buffer): Buffer {
    const body = bytes.subarray(0, this.#bytesLeft);
    hash.update(body);
    this.#hash = hash;
    this.#bytesLeft -= body.length;
    if (this.#bytesLeft === 0) this.#endBody(hash);
    return bytes.subarray(body.length);
  }

  #endBody(hash: Hash): void {
    const file = this.#asked.shift() ?? -1;
    if (hash.digest('hex') !== files[file]?.sha256) end();
    if (isOver) return;
    this.#hash = null;
    this.#hasAnswered = true;
    note(file);
    if (this.#isLast) this.#socket.destroy();
  }

  #isUsual(head: string): boolean {
    this.#bytesLeft = files[this.#asked[0] ?? -1]?.sizeBytes ?? 0;
    this.#isLast = head.includes('\r\nConnection: close\r\n');
    return head.startsWith('HTTP/1.1 200 ') && head.includes(`\r\nContent-Length: ${this.#bytesLeft}\r\n`);
  }

  /** The host ends a connection after a thousand requests, and leaves those behind them unanswered. */
  #onClose(): void {
    sockets.delete(this.#socket);
    left.push(...this.#asked.reverse());
    if (isOver || left.length === 0) return;
    if (this.#hasAnswered) new SiteSocket();
    else end();
  }
}

for (let count = 0; count < Math.min(AT_ONCE, files.length); count += 1) new SiteSocket();
