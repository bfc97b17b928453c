import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TsigAlgorithm } from '../../../routers/schemas/dns-providers.ts';

/**
 * Signatures of DNS messages with a shared key (RFC 8945). The signature is the last record of the message; it covers
 * the message without it, the name of the key, the time, and in an answer the signature of the request as well.
 */
export type TsigKey = { name: string; algorithm: TsigAlgorithm; secret: string };

/** The server's verdict on the request's signature, or ours on its own. `stale` has the server's time, in s. */
export type SignatureCheck =
  | { kind: 'genuine' | 'unsigned' | 'forged' | 'secret_wrong' | 'key_unknown' }
  | { kind: 'clock_differs'; serverTimeS: number };

const TYPE_TSIG = 250;
const CLASS_ANY = 255;
/** RFC 8945, section 10: the recommended difference between two clocks, in seconds. */
const FUDGE_S = 300;
const ERRORS = { badSig: 16, badKey: 17, badTime: 18 } as const;
const HEADER_BYTES = 12;

type Variables = { timeS: number; error: number; other: Buffer };

/** Returns the message with its signature, and the signature for verifying the answer. */
export function sign(message: Buffer, key: TsigKey, now: Date): { signed: Buffer; mac: Buffer } {
  const variables = { timeS: Math.floor(now.getTime() / 1_000), error: 0, other: Buffer.alloc(0) };
  const mac = macOf([message, covered(key, variables)], key);
  const rdata = Buffer.concat([
    encodeName(key.algorithm),
    time48(variables.timeS),
    uint16(FUDGE_S),
    uint16(mac.length),
    mac,
    message.subarray(0, 2),
    uint16(0),
    uint16(0),
  ]);
  const signed = Buffer.concat([
    message,
    encodeName(key.name),
    uint16(TYPE_TSIG),
    uint16(CLASS_ANY),
    Buffer.alloc(4),
    uint16(rdata.length),
    rdata,
  ]);
  signed.writeUInt16BE(message.readUInt16BE(10) + 1, 10);
  return { signed, mac };
}

/** Verifies an answer against the signature of its request. Throws a RangeError for a message that ends too early. */
export function verify(answer: Buffer, requestMac: Buffer, key: TsigKey, now: Date): SignatureCheck {
  const at = lastRecordOf(answer);
  if (at === null) return { kind: 'unsigned' };
  const typeAt = skipName(answer, at);
  if (answer.readUInt16BE(typeAt) !== TYPE_TSIG) return { kind: 'unsigned' };
  const timeAt = skipName(answer, typeAt + 10);
  const timeS = answer.readUIntBE(timeAt, 6);
  const macLength = answer.readUInt16BE(timeAt + 8);
  const mac = answer.subarray(timeAt + 10, timeAt + 10 + macLength);
  const afterMac = timeAt + 10 + macLength;
  const error = answer.readUInt16BE(afterMac + 2);
  const other = answer.subarray(afterMac + 6, afterMac + 6 + answer.readUInt16BE(afterMac + 4));
  // Neither can be signed: the two sides do not share a key (RFC 8945, section 5.2).
  if (error === ERRORS.badSig) return { kind: 'secret_wrong' };
  if (error === ERRORS.badKey) return { kind: 'key_unknown' };
  const message = Buffer.from(answer.subarray(0, at));
  message.writeUInt16BE(message.readUInt16BE(10) - 1, 10);
  answer.copy(message, 0, afterMac, afterMac + 2);
  const request = Buffer.concat([uint16(requestMac.length), requestMac]);
  const wanted = macOf([request, message, covered(key, { timeS, error, other })], key);
  if (mac.length !== wanted.length || !timingSafeEqual(mac, wanted)) return { kind: 'forged' };
  if (error === ERRORS.badTime && other.length === 6) {
    return { kind: 'clock_differs', serverTimeS: other.readUIntBE(0, 6) };
  }
  return Math.abs(now.getTime() / 1_000 - timeS) > FUDGE_S ? { kind: 'forged' } : { kind: 'genuine' };
}

/** Encodes a name in lower case and without compression, as signatures cover it. */
export function encodeName(name: string): Buffer {
  const labels = name === '' ? [] : name.toLowerCase().split('.');
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([Buffer.byteLength(label)]), Buffer.from(label)]),
    Buffer.from([0]),
  ]);
}

export function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

function covered(key: TsigKey, { timeS, error, other }: Variables): Buffer {
  return Buffer.concat([
    encodeName(key.name),
    uint16(CLASS_ANY),
    Buffer.alloc(4),
    encodeName(key.algorithm),
    time48(timeS),
    uint16(FUDGE_S),
    uint16(error),
    uint16(other.length),
    other,
  ]);
}

function macOf(parts: readonly Buffer[], { algorithm, secret }: TsigKey): Buffer {
  const hmac = createHmac(algorithm.replace('hmac-', ''), Buffer.from(secret, 'base64'));
  return hmac.update(Buffer.concat(parts)).digest();
}

function time48(timeS: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(timeS, 0, 6);
  return bytes;
}

/** Returns the start of the last record; null when there is none. */
function lastRecordOf(message: Buffer): number | null {
  const questions = message.readUInt16BE(4);
  const records = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
  let at = HEADER_BYTES;
  for (let index = 0; index < questions; index += 1) at = skipName(message, at) + 4;
  let last: number | null = null;
  for (let index = 0; index < records; index += 1) {
    last = at;
    const typeAt = skipName(message, at);
    at = typeAt + 10 + message.readUInt16BE(typeAt + 8);
  }
  return message.readUInt16BE(10) === 0 ? null : last;
}

/** Returns the position after a name. A pointer ends it (RFC 1035, section 4.1.4). */
function skipName(message: Buffer, from: number): number {
  let at = from;
  for (let length = message.readUInt8(at); length !== 0; length = message.readUInt8(at)) {
    if (length >= 0xc0) return at + 2;
    at += 1 + length;
  }
  return at + 1;
}
