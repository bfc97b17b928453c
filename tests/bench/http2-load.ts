import { connect, type TLSSocket } from 'node:tls';

/**
 * A load generator for HTTP/2 answers that are all alike: some streams at a time on each connection, written and read as
 * frames (RFC 9113, section 4.1), so that it costs less than the servers that it drives. A connection that the server
 * ends after its last answer is opened again.
 */
export type Http2Load = {
  port: number;
  host: string;
  path: string;
  /** The length of every body. */
  bodyBytes: number;
  connections: number;
  streams: number;
  durationMs: number;
  /** Ends earlier, after this many answers. */
  answersMax?: number;
};

const FRAME = { data: 0, headers: 1, settings: 4, ping: 6, goaway: 7, windowUpdate: 8 } as const;
const HEAD_BYTES = 9;
const END_STREAM = 1;
const END_HEADERS = 4;
const ACK = 1;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const LARGEST_WINDOW = 2 ** 31 - 1;
const FIRST_WINDOW = 65_535;

/** Answers the requests a second; throws when a body has another length. */
export async function http2Load(load: Http2Load): Promise<{ requests: number; perSecond: number }> {
  const startedAt = performance.now();
  const endAt = startedAt + load.durationMs;
  let requests = 0;
  const drive = async (): Promise<void> => {
    while (performance.now() < endAt && requests < (load.answersMax ?? Number.POSITIVE_INFINITY)) {
      const answered = await driveOne(load, endAt);
      requests += answered;
    }
  };
  await Promise.all(Array.from({ length: load.connections }, drive));
  return { requests, perSecond: requests / ((performance.now() - startedAt) / 1000) };
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Indexed GET and https, then path, authority and user-agent as literals (RFC 7541, section 6 and appendix A). */
function headersOf({ path, host }: Http2Load): Buffer {
  const literal = (index: number[], text: string): Buffer =>
    Buffer.concat([Buffer.from([...index, text.length]), Buffer.from(text)]);
  return Buffer.concat([
    Buffer.from([0x82, 0x87]),
    literal([0x04], path),
    literal([0x01], host),
    literal([0x0f, 0x2b], 'bench'),
  ]);
}

/** One connection until the time is over or the server ends it; answers how many requests were answered. */
function driveOne(load: Http2Load, endAt: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port, host } = load;
    const socket = connect({
      host: '127.0.0.1',
      port,
      servername: host,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
    });
    const bodies = new Map<number, number>();
    const head = headersOf(load);
    let next = 1;
    let answered = 0;
    let isLast = false;
    const request = (): void => {
      bodies.set(next, 0);
      socket.write(frame(FRAME.headers, END_STREAM | END_HEADERS, next, head));
      next += 2;
    };
    const onEnd = (stream: number): void => {
      const bytes = bodies.get(stream);
      bodies.delete(stream);
      if (bytes !== load.bodyBytes) return void socket.destroy(new Error(`A body has ${bytes} bytes.`));
      answered += 1;
      if (isLast || performance.now() >= endAt) socket.destroy();
      else request();
    };
    const onFrame = (type: number, flags: number, stream: number, bytes: Buffer): void => {
      if (type === FRAME.data) bodies.set(stream, (bodies.get(stream) ?? 0) + bytes.length);
      if (type <= FRAME.headers && (flags & END_STREAM) !== 0) onEnd(stream);
      if (type === FRAME.goaway) isLast = true;
      if (type === FRAME.settings && (flags & ACK) === 0) socket.write(frame(type, ACK, 0, Buffer.alloc(0)));
      if (type === FRAME.ping && (flags & ACK) === 0) socket.write(frame(type, ACK, 0, bytes));
    };
    readFrames(socket, onFrame);
    socket.once('secureConnect', () => {
      socket.setNoDelay(true);
      const window = frame(FRAME.windowUpdate, 0, 0, uint32(LARGEST_WINDOW - FIRST_WINDOW));
      socket.write(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0, Buffer.alloc(0)), window]));
      for (let stream = 0; stream < load.streams; stream += 1) request();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(answered));
  });
}

type OnFrame = (type: number, flags: number, stream: number, payload: Buffer) => void;

function readFrames(socket: TLSSocket, onFrame: OnFrame): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => {
    pending = pending.length === 0 ? piece : Buffer.concat([pending, piece]);
    while (pending.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + pending.readUIntBE(0, 3);
      if (pending.length < end) return;
      const [type, flags, stream] = [pending.readUInt8(3), pending.readUInt8(4), pending.readUInt32BE(5)];
      const payload = pending.subarray(HEAD_BYTES, end);
      pending = pending.subarray(end);
      onFrame(type, flags, stream, payload);
    }
  });
}
