import { createHash, type Hash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromQuickLook, QuickTask } from './quick-look.ts';

/**
 * The thread that fetches the files of a release from our own host, and hashes them, while the host itself is at work in
 * the main thread. Each connection has one request at a time. Anything but the usual answer of the host ends the thread:
 * who started it knows what to do then.
 */
const AT_ONCE = 8;
const SEEN_A_MESSAGE = 50;
const HEAD_MAX_BYTES = 16 * 1024;
const HEAD_END = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

const { listener, hostname, authority, files } = taskOf(workerData);
const sockets = new Set<Socket>();
let nextFile = 0;
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

/** A connection, and what has arrived of the answer that it waits for. */
class SiteSocket {
  readonly #socket: Socket;
  #file = 0;
  #head: Buffer = NOTHING;
  #hash: Hash | null = null;
  #bytesLeft = 0;
  #isLast = false;

  constructor() {
    this.#socket = openSocket()
      .setNoDelay(true)
      .on('data', (chunk) => this.#take(chunk))
      .on('error', end)
      .on('close', () => this.#onClose());
    sockets.add(this.#socket);
    this.#ask();
  }

  #ask(): void {
    this.#file = nextFile;
    const file = files[nextFile];
    if (file === undefined) return;
    nextFile += 1;
    this.#head = NOTHING;
    this.#hash = null;
    this.#socket.write(
      `GET ${file.path} HTTP/1.1\r\nHost: ${authority}\r\nAccept: text/html, */*\r\nAccept-Encoding: identity\r\nUser-Agent: Fairlead${HEAD_END}`,
      'latin1',
    );
  }

  #take(chunk: Buffer): void {
    if (this.#hash !== null) {
      this.#takeBody(this.#hash, chunk);
      return;
    }
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const length = this.#head.indexOf(HEAD_END);
    if (length === -1 && this.#head.length <= HEAD_MAX_BYTES) return;
    const bodyStart = length + HEAD_END.length;
    if (!this.#isUsual(this.#head.toString('latin1', 0, bodyStart))) {
      end();
      return;
    }
    this.#hash = createHash('sha256');
    this.#takeBody(this.#hash, this.#head.subarray(bodyStart));
  }

  #takeBody(hash: Hash, bytes: Buffer): void {
    hash.update(bytes);
    this.#bytesLeft -= bytes.length;
    if (this.#bytesLeft > 0) return;
    if (this.#bytesLeft < 0 || hash.digest('hex') !== files[this.#file]?.sha256) {
      end();
      return;
    }
    note(this.#file);
    if (this.#isLast) this.#socket.destroy();
    else this.#ask();
  }

  #isUsual(head: string): boolean {
    this.#bytesLeft = files[this.#file]?.sizeBytes ?? 0;
    this.#isLast = head.includes('\r\nConnection: close\r\n');
    return head.startsWith('HTTP/1.1 200 ') && head.includes(`\r\nContent-Length: ${this.#bytesLeft}\r\n`);
  }

  /** The host ends a connection after a thousand requests. */
  #onClose(): void {
    sockets.delete(this.#socket);
    if (!this.#isLast) end();
    else if (!isOver && nextFile < files.length) new SiteSocket();
  }
}

for (let count = 0; count < Math.min(AT_ONCE, files.length); count += 1) new SiteSocket();
