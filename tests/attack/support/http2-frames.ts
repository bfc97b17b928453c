import type { Random } from '../../support/random.ts';
import { oddText } from './odd-values.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const TYPES = {
  ...{ data: 0, headers: 1, priority: 2, rstStream: 3, settings: 4, pushPromise: 5, ping: 6, goAway: 7 },
  ...{ windowUpdate: 8, continuation: 9 },
} as const;
const [END_STREAM, END_HEADERS] = [1, 4];
/** `:status: 500` in the table that all share (RFC 7541, appendix A). */
const STATUS_500 = 0x80 | 14;
const HEAD_BYTES = 9;

type Frame = { type: number; flags?: number; stream?: number; payload?: Buffer; length?: number };

/** One frame (RFC 9113, section 4.1), right unless it is told to be wrong. */
function frame({ type, flags = 0, stream = 0, payload = Buffer.alloc(0), length = payload.length }: Frame): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** A text as HPACK writes it without Huffman's code (RFC 7541, section 5.2). */
function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const size = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>= 7) size.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...size, rest]), bytes]);
}

function fieldsIn(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));
}

export type Asked = { authority(): string; path(): string };

function oddFields(random: Random, { authority, path }: Asked): (readonly [string, string])[] {
  const fields = [
    [':method', random.chance(0.8) ? 'GET' : random.pick(['HEAD', 'POST', 'CONNECT', 'get', ''])],
    [':scheme', random.chance(0.9) ? 'https' : oddText(random, 20)],
    [':authority', authority()],
    [':path', path()],
    ...random.many(0, random.chance(0.6) ? 0 : random.pick([1, 4, 200]), () => [
      random.pick(['host', 'Host', 'cookie', 'connection', 'te', 'range', 'if-none-match', ':path', ':x', 'x']),
      random.chance(0.5) ? authority() : oddText(random, 2_000),
    ]),
  ].map(([name = '', value = '']) => [name, value] as const);
  return random.chance(0.9) ? fields : fields.filter(() => random.chance(0.7));
}

function request(random: Random, stream: number, asked: Asked, isFramedWell: boolean): Buffer[] {
  if (isFramedWell) {
    const payload = fieldsIn(oddFields(random, asked));
    return [frame({ type: TYPES.headers, flags: END_STREAM | END_HEADERS, stream, payload })];
  }
  const block = random.chance(0.9) ? fieldsIn(oddFields(random, asked)) : random.bytes(random.below(300));
  const flags = random.chance(0.9) ? END_STREAM | END_HEADERS : random.below(256);
  if (random.chance(0.8)) return [frame({ type: TYPES.headers, flags, stream, payload: block })];
  const cut = random.below(block.length + 1);
  const pieces = random.many(1, 30, () => frame({ type: TYPES.continuation, stream, payload: random.bytes(5) }));
  return [
    frame({ type: TYPES.headers, flags: END_STREAM, stream, payload: block.subarray(0, cut) }),
    ...(random.chance(0.3) ? pieces : []),
    frame({ type: TYPES.continuation, flags: END_HEADERS, stream, payload: block.subarray(cut) }),
  ];
}

function oddFrames(random: Random, stream: number): Buffer[] {
  const own = random.chance(0.7) ? stream : random.pick([0, 1, 2, 0x7fff_ffff, 0xffff_ffff]);
  const number = (): Buffer => random.pick([Buffer.alloc(4), Buffer.alloc(4, 0xff), random.bytes(4)]);
  return random.pick<() => Buffer[]>([
    () => [frame({ type: TYPES.rstStream, stream: own, payload: number() })],
    () => [frame({ type: TYPES.windowUpdate, stream: random.chance(0.5) ? 0 : own, payload: number() })],
    () => [
      frame({ type: TYPES.data, flags: random.below(16), stream: own, payload: random.bytes(random.below(2_000)) }),
    ],
    () => [frame({ type: TYPES.priority, stream: own, payload: random.bytes(5) })],
    () => [frame({ type: TYPES.goAway, payload: random.bytes(8 + random.below(50)) })],
    () => [frame({ type: TYPES.pushPromise, flags: END_HEADERS, stream: own, payload: random.bytes(40) })],
    () => random.many(1, 100, () => frame({ type: TYPES.ping, payload: random.bytes(8) })),
    () => random.many(1, 100, () => frame({ type: TYPES.settings, payload: random.bytes(6 * random.below(10)) })),
    () => [frame({ type: random.below(256), flags: random.below(256), stream: own, payload: random.bytes(20) })],
    () => [frame({ type: random.below(10), stream: own, length: random.pick([1, 16_384, 16_385, 0xff_ffff]) })],
  ])();
}

/** A session in bytes: requests that are right or nearly so, taken back or not, with frames that break the protocol. */
export function oddSession(random: Random, asked: Asked): Buffer[] {
  // A frame that breaks the protocol ends the session, and nothing in it is answered.
  const isFramedWell = random.chance(0.6);
  const settings = isFramedWell || random.chance(0.7) ? Buffer.alloc(0) : random.bytes(6 * random.below(20));
  const pieces = [
    isFramedWell || random.chance(0.9) ? PREFACE : random.bytes(24),
    frame({ type: TYPES.settings, payload: settings }),
  ];
  const count = random.chance(0.1) ? 300 : 1 + random.below(6);
  for (let number = 0; number < count; number += 1) {
    const stream = isFramedWell || random.chance(0.95) ? 2 * number + 1 : random.below(100);
    pieces.push(...request(random, stream, asked, isFramedWell));
    if (count > 10) pieces.push(frame({ type: TYPES.rstStream, stream, payload: Buffer.from([0, 0, 0, 8]) }));
    else if (!isFramedWell && random.chance(0.3)) pieces.push(...oddFrames(random, stream));
  }
  return [Buffer.concat(pieces)];
}

/** Answers in these bytes that admit a fault of the server; a body that repeats our own text is none. */
export function http2FaultIn(received: string): string | null {
  const bytes = Buffer.from(received, 'latin1');
  for (let at = 0; at + HEAD_BYTES < bytes.length; at += HEAD_BYTES + bytes.readUIntBE(at, 3)) {
    const isAnswer = bytes[at + 3] === TYPES.headers;
    if (isAnswer && bytes[at + HEAD_BYTES] === STATUS_500) return 'an answer of status 500';
  }
  return null;
}
