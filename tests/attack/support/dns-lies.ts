import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import dnsPacket from 'dns-packet';
import type { Random } from '../../support/random.ts';
import { type DnsLie, type DnsQuestion, dnsAnswer, INSIDE, withLength } from './lying-name-server.ts';

/** Possible answers of a hostile name server. Over TCP a message has 65,535 bytes at the most. */
const RR_MAX = 65_000;
const HEADER_BYTES = 12;
const [QDCOUNT, ANCOUNT, NSCOUNT, ARCOUNT] = [4, 6, 8, 10];
const TYPES = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, CAA: 257 } as const;
type TypeNumber = (typeof TYPES)[keyof typeof TYPES];

/** A record as bytes: a pointer to the name of the question, and data that may say anything. */
function rawRecord(
  type: TypeNumber,
  data: Buffer,
  { length = data.length, name = pointer(HEADER_BYTES) }: { length?: number; name?: Buffer } = {},
) {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(60, 4);
  head.writeUInt16BE(length & 0xffff, 8);
  return Buffer.concat([name, head, data]);
}

/** The question repeated, with these records behind it. */
function rawAnswer(question: DnsQuestion, records: readonly Buffer[], counts: Record<number, number> = {}): Buffer {
  const message = Buffer.concat([dnsAnswer(question), ...records]);
  message.writeUInt16BE(Math.min(records.length, 0xffff), ANCOUNT);
  for (const [at, count] of Object.entries(counts)) message.writeUInt16BE(count, Number(at));
  return message;
}

const typeOf = ({ type }: DnsQuestion): TypeNumber => TYPES[type as keyof typeof TYPES] ?? TYPES.TXT;
const pointer = (to: number): Buffer => Buffer.from([0xc0 | (to >> 8), to & 0xff]);

/** Data of a type that is right, so that only what was meant to be wrong is wrong. */
function plainData(type: TypeNumber, random: Random): Buffer {
  if (type === TYPES.A) return random.bytes(4);
  if (type === TYPES.AAAA) return random.bytes(16);
  if (type === TYPES.TXT) return Buffer.from([3, 0x61, 0x62, 0x63]);
  if (type === TYPES.CAA) return Buffer.concat([Buffer.from([0, 5]), Buffer.from('issueca.example')]);
  return pointer(HEADER_BYTES);
}

function manyRecords(question: DnsQuestion, random: Random, bytesMax: number): Buffer[] {
  const records: Buffer[] = [];
  for (let bytes = 0; bytes < bytesMax; bytes += records.at(-1)?.length ?? 0) {
    records.push(rawRecord(typeOf(question), plainData(typeOf(question), random)));
  }
  return records;
}

/** Names that lead to each other, to themselves, ahead, beyond the end, or through all of each other. */
function loops(question: DnsQuestion, random: Random): Buffer {
  const start = dnsAnswer(question).length;
  const count = random.pick([1, 2, 400]);
  const records = Array.from({ length: count }, (_, number) => {
    const at = start + number * 14;
    const to = random.pick([at, at + 12, Math.max(HEADER_BYTES, at - 14), at + 14, 0x3fff, 0, start]);
    return rawRecord(TYPES.CNAME, pointer(random.chance(0.5) ? at : to), { name: pointer(to) });
  });
  return rawAnswer(question, records);
}

async function say(socket: Socket, piece: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(piece)) return;
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => undefined);
  over.abort();
}

async function forEver(socket: Socket, piece: Buffer, everyMs: number): Promise<void> {
  while (!socket.destroyed) {
    await say(socket, piece);
    await wait(everyMs);
  }
}

async function silence(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close');
}

/** One message over TCP. */
function overTcp(make: (question: DnsQuestion, random: Random) => Buffer): DnsLie {
  return { tcp: (socket, question, random) => say(socket, withLength(make(question, random))) };
}

export const DNS_LIES: Readonly<Record<string, DnsLie>> = {
  'bytes of no meaning': {
    udp: ({ id }, random) =>
      random.many(1, 40, () => {
        const bytes = random.bytes(random.below(1_300));
        if (bytes.length >= HEADER_BYTES) {
          bytes.writeUInt16BE(id, 0);
          bytes[2] = 0x80 | random.below(0x80);
        }
        return bytes;
      }),
  },
  'an honest answer with bytes changed': {
    udp: (question, random) =>
      random.many(1, 10, () => {
        const bytes = rawAnswer(question, manyRecords(question, random, 300));
        for (const at of random.many(1, 8, () => random.below(bytes.length))) bytes[at] = random.below(256);
        bytes.writeUInt16BE(question.id, 0);
        return bytes;
      }),
  },
  'names that lead in circles': { udp: (question, random) => [loops(question, random)] },
  'names that lead in circles, over TCP': overTcp(loops),
  'lengths that lie': {
    udp: (question, random) => {
      const data = plainData(typeOf(question), random);
      const length = random.pick([0, 1, data.length - 1, data.length + 1, 300, 0xffff]);
      return [rawAnswer(question, [rawRecord(typeOf(question), data, { length })])];
    },
  },
  'counts that lie': {
    udp: (question, random) => {
      const counts = Object.fromEntries(
        random.many(1, 3, () => [random.pick([QDCOUNT, ANCOUNT, NSCOUNT, ARCOUNT]), random.pick([0, 2, 499, 0xffff])]),
      );
      return [rawAnswer(question, manyRecords(question, random, 200), counts)];
    },
  },
  'thousands of records': overTcp((question, random) =>
    rawAnswer(question, manyRecords(question, random, random.pick([15_000, RR_MAX]))),
  ),
  'five hundred name servers': overTcp((question, random) => {
    const servers = Array.from({ length: 450 }, (_, number) => {
      const label = `n${number}`;
      const data = Buffer.concat([Buffer.from([label.length]), Buffer.from(label), pointer(HEADER_BYTES)]);
      return rawRecord(TYPES.NS, data);
    });
    return rawAnswer({ ...question, type: random.pick([question.type, 'NS' as const]) }, servers);
  }),
  'five hundred short records of the longest names': overTcp((question, random) => {
    const labels = Array.from({ length: 3 }, () => Buffer.concat([Buffer.from([62]), Buffer.alloc(62, 'n')]));
    const long = Buffer.concat([...labels, pointer(HEADER_BYTES)]);
    const type = random.pick([TYPES.NS, TYPES.CNAME, typeOf(question)]);
    const at = dnsAnswer(question).length + HEADER_BYTES;
    const first = rawRecord(TYPES.NS, long);
    const name = random.pick([pointer(HEADER_BYTES), pointer(at)]);
    return rawAnswer(question, [first, ...Array.from({ length: 499 }, () => rawRecord(type, pointer(at), { name }))]);
  }),
  'texts of sixteen kilobytes': overTcp((question, random) => {
    const string = Buffer.concat([Buffer.from([255]), Buffer.alloc(255, random.pick(['x', '\\', '"', '<']))]);
    const records = random.many(1, 4, () =>
      rawRecord(TYPES.TXT, Buffer.concat(Array.from({ length: 15 }, () => string))),
    );
    return rawAnswer(question, records);
  }),
  "strangers' answers without end": {
    udp: (question, random) =>
      Array.from({ length: 200 }, () =>
        dnsAnswer({ ...question, ...(random.chance(0.5) ? { id: question.id ^ 1 } : { name: 'x.test' }) }),
      ),
  },
  'aliases without end': {
    udp: (question, random) => {
      const { name } = question;
      const [, step = '0'] = /^s(\d+)\./.exec(name) ?? [];
      const next = random.chance(0.2) ? name : `s${Number(step) + 1}.${name.split('.').slice(-2).join('.')}`;
      return [dnsAnswer(question, { answers: [{ type: 'CNAME', name, ttl: 60, data: next }] })];
    },
  },
  'name servers inside': {
    udp: (question, random) => {
      const { name } = question;
      const zone = name.split('.').slice(-2).join('.');
      const server = `ns.${zone}`;
      const address = random.pick([INSIDE, '169.254.169.254', '0.0.0.0', '10.0.0.1', '255.255.255.255']);
      return [
        dnsAnswer(question, {
          flags: random.chance(0.5) ? 0 : dnsPacket.AUTHORITATIVE_ANSWER,
          answers:
            name === server
              ? [{ type: 'A', name, ttl: 60, data: address }]
              : [{ type: 'NS', name, ttl: 60, data: server }],
          authorities: [{ type: 'NS', name, ttl: 60, data: server }],
          additionals: [{ type: 'A', name: server, ttl: 60, data: address }],
        }),
      ];
    },
  },
  'that it answers for nothing': {
    udp: (question, random) => [dnsAnswer(question, { flags: random.below(16) })],
  },
  'always that there is more': {
    udp: (question) => [dnsAnswer(question, { flags: dnsPacket.TRUNCATED_RESPONSE })],
  },
  nothing: { udp: () => [] },
  'a length and no message': {
    tcp: async (socket, _question, random) => {
      await say(socket, withLength(Buffer.alloc(0), random.pick([0, 1, 500, 16_384, 16_385, 0xffff])));
      if (random.chance(0.5)) await silence(socket);
      else socket.destroy();
    },
  },
  'a byte now and then': {
    tcp: async (socket, question) => {
      for (const byte of withLength(dnsAnswer(question))) {
        if (socket.destroyed) return;
        await say(socket, Buffer.from([byte]));
        await wait(100);
      }
    },
  },
  'messages without end': {
    tcp: async (socket, question, random) => {
      await say(socket, withLength(dnsAnswer(question), random.pick([16_000, 0xffff])));
      await forEver(socket, Buffer.alloc(64 * 1024, 0x78), 1);
    },
  },
};
