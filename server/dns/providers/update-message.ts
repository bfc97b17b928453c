import { isIP } from 'node:net';
import dnsPacket from 'dns-packet';
import type { RecordChange, RecordData, WrittenType } from '../provider.ts';
import { caaPartsOf } from '../record-values.ts';
import { encodeName, uint16 } from './tsig.ts';

/**
 * The message of RFC 2136, with conditions and changes in one. A set that is not shared must be as it was when the
 * plan was made. In TXT and CAA sets only single values are added and removed, so that all others stay.
 */
const OPCODE_UPDATE = 5 << 11;
const TYPES: Readonly<Partial<Record<WrittenType | 'SOA' | 'ANY', number>>> = {
  A: 1,
  CNAME: 5,
  SOA: 6,
  TXT: 16,
  AAAA: 28,
  CAA: 257,
  ANY: 255,
};
/** Values of others in such a set may have bytes that no text holds, and are never sent. */
const SHARED: ReadonlySet<WrittenType> = new Set(['TXT', 'CAA']);
const CLASS = { IN: 1, NONE: 254, ANY: 255 } as const;
const STRING_MAX_BYTES = 255;
/** The bytes before the data in an answer whose name is the root: header, name, type, class and time to live. */
const BEFORE_RDATA = 12 + 1 + 2 + 2 + 4 + 2;

/** Returns an update of this zone, without a signature. Without changes it only asks whether the zone exists. */
export function updateMessage(id: number, zone: string, changes: readonly RecordChange[]): Buffer {
  const conditions = changes.length === 0 ? [record(zone, 'SOA', CLASS.ANY)] : changes.flatMap(conditionsOf);
  const gone = changes.flatMap(({ type, name, before, after }) =>
    valuesWithout(before, after).map((value) => record(name, type, CLASS.NONE, 0, rdataOf(type, value))),
  );
  const coming = changes.flatMap(({ type, name, before, after }) =>
    (SHARED.has(type) || before?.ttl === after?.ttl ? valuesWithout(after, before) : (after?.values ?? [])).map(
      (value) => record(name, type, CLASS.IN, after?.ttl ?? 0, rdataOf(type, value)),
    ),
  );
  return messageOf(id, zone, conditions, [...gone, ...coming]);
}

/** Returns an update that changes nothing, and succeeds if this exact name exists (RFC 2136, section 2.4.4). */
export function inUseMessage(id: number, zone: string, name: string): Buffer {
  return messageOf(id, zone, [record(name, 'ANY', CLASS.ANY)], []);
}

function messageOf(id: number, zone: string, conditions: readonly Buffer[], updates: readonly Buffer[]): Buffer {
  const counts = [1, conditions.length, updates.length, 0].map(uint16);
  const question = [encodeName(zone), uint16(TYPES.SOA ?? 0), uint16(CLASS.IN)];
  return Buffer.concat([uint16(id), uint16(OPCODE_UPDATE), ...counts, ...question, ...conditions, ...updates]);
}

function conditionsOf({ type, name, before }: RecordChange): readonly Buffer[] {
  if (before === null) return [record(name, type, CLASS.NONE)];
  if (SHARED.has(type)) return [];
  return before.values.map((value) => record(name, type, CLASS.IN, 0, rdataOf(type, value)));
}

function valuesWithout(one: RecordData | null, other: RecordData | null): readonly string[] {
  return (one?.values ?? []).filter((value) => other?.values.includes(value) !== true);
}

function record(
  name: string,
  type: WrittenType | 'SOA' | 'ANY',
  classOf: number,
  ttl = 0,
  rdata: Buffer = Buffer.alloc(0),
): Buffer {
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(ttl);
  return Buffer.concat([
    encodeName(name),
    uint16(TYPES[type] ?? 0),
    uint16(classOf),
    seconds,
    uint16(rdata.length),
    rdata,
  ]);
}

/** Returns the data of one value on the wire. Throws a RangeError for a value that does not fit the type. */
function rdataOf(type: WrittenType, value: string): Buffer {
  const caa = type === 'CAA' ? caaPartsOf(value) : null;
  // RFC 8659, section 4.1; tags besides dns-packet's own three are handled here as well.
  if (caa !== null) {
    const tag = Buffer.from(caa.tag);
    return Buffer.concat([Buffer.from([caa.flags, tag.length]), tag, Buffer.from(caa.value)]);
  }
  return dnsPacket.encode({ type: 'response', answers: [answerOf(type, value)] }).subarray(BEFORE_RDATA);
}

function answerOf(type: WrittenType, value: string): dnsPacket.Answer {
  if (type === 'A' || type === 'AAAA') {
    if (isIP(value) !== (type === 'A' ? 4 : 6)) throw new RangeError(`${value} is not an address of type ${type}.`);
    return { type, name: '.', data: value };
  }
  if (type === 'CNAME') return { type, name: '.', data: value };
  if (type === 'TXT') return { type, name: '.', data: chunksOf(Buffer.from(value)) };
  throw new RangeError(`${value} is not a value of type ${type}.`);
}

function chunksOf(bytes: Buffer): Buffer[] {
  const count = Math.max(1, Math.ceil(bytes.length / STRING_MAX_BYTES));
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * STRING_MAX_BYTES, (index + 1) * STRING_MAX_BYTES),
  );
}
