import { createHmac } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import dnsPacket from 'dns-packet';
import { encodeName, uint16 } from '../../../server/dns/providers/tsig.ts';
import { freePort } from '../../support/free-ports.ts';
import type { Random } from '../../support/random.ts';
import { type DnsLie, type DnsPlan, type DnsQuestion, dnsAnswer, INSIDE, withLength } from './lying-name-server.ts';

const HERE = '127.0.0.1';
const ALGORITHM = 'hmac-sha256';
const TYPE_TSIG = 250;
const CLASS_ANY = 255;
const UPDATE = 5;
const [BAD_SIG, BAD_KEY, BAD_TIME] = [16, 17, 18];
const MAC_BYTES = 32;

/** The key that opens it, whatever the zone. */
export const KEY = {
  keyName: 'key.test',
  algorithm: ALGORITHM,
  secret: Buffer.alloc(32, 'k').toString('base64'),
} as const;

/** Counts and lies to updates alone, or to questions as well: of those there are many more. */
export type UpdatePlan = DnsPlan & { isOfUpdates: boolean };

export type LyingUpdateServer = AsyncDisposable & {
  port: number;
  /** Lies to everybody who asks for this zone; null forgets it. */
  lieAbout(zone: string, plan: UpdatePlan | null): void;
  /** Connections that went where none may go, since the last look. */
  takeLeaks(): string[];
};

type Signing = { rcode?: number; error?: number; other?: Buffer; timeS?: number };

/** An answer to a signed update, signed in turn (RFC 8945, section 5.3); `changes` make it something else. */
function signedAnswer(
  request: Buffer,
  { rcode = 0, error = 0, other = Buffer.alloc(0), ...changes }: Signing = {},
): Buffer {
  const { timeS = Math.floor(Date.now() / 1_000) } = changes;
  const message = Buffer.from([...request.subarray(0, 2), 0xa8, rcode, ...Buffer.alloc(8)]);
  // The request ends in its signature: the code, 16 bytes in front of the end, the id, an error and no more.
  const requestMac = request.subarray(request.length - 6 - MAC_BYTES, request.length - 6);
  const clock = Buffer.alloc(8);
  clock.writeUIntBE(timeS, 0, 6);
  clock.writeUInt16BE(300, 6);
  const [name, algorithm] = [encodeName(KEY.keyName), encodeName(ALGORITHM)];
  const says = Buffer.concat([uint16(error), uint16(other.length), other]);
  const covered = [name, uint16(CLASS_ANY), Buffer.alloc(4), algorithm, clock, says];
  const mac = createHmac('sha256', Buffer.from(KEY.secret, 'base64'))
    .update(Buffer.concat([uint16(requestMac.length), requestMac, message, ...covered]))
    .digest();
  const rdata = Buffer.concat([algorithm, clock, uint16(mac.length), mac, message.subarray(0, 2), says]);
  message.writeUInt16BE(1, 10);
  return Buffer.concat([
    message,
    name,
    uint16(TYPE_TSIG),
    uint16(CLASS_ANY),
    Buffer.alloc(4),
    uint16(rdata.length),
    rdata,
  ]);
}

/** Returns a false or damaged variant of a signed answer. */
function oddAnswer(request: Buffer, random: Random): Buffer {
  const honest = signedAnswer(request);
  return random.pick<() => Buffer>([
    () => {
      for (const at of random.many(1, 8, () => random.below(honest.length))) honest[at] = random.below(256);
      return honest;
    },
    () => honest.subarray(0, random.below(honest.length)),
    () => {
      honest.writeUInt16BE(random.pick([0, 2, 500, 0xffff]), random.pick([4, 6, 8, 10]));
      return honest;
    },
    () => signedAnswer(request, { rcode: random.below(16) }),
    () => signedAnswer(request, { timeS: random.pick([0, 2 ** 47, 1e9]) }),
    () => {
      const other = random.bytes(random.pick([0, 6, 7, 30_000]));
      return signedAnswer(request, { error: random.pick([BAD_SIG, BAD_KEY, BAD_TIME, 0xffff]), other });
    },
    () => Buffer.concat([honest.subarray(0, 12), Buffer.alloc(60_000, 0xc0)]),
    () => Buffer.concat([honest.subarray(0, 12), Buffer.alloc(60_000, 1)]),
  ])();
}

/** A server that takes every update and has no records: honest, but to those who ask for zones that it lies about. */
export async function startLyingUpdateServer(): Promise<LyingUpdateServer> {
  const port = await freePort();
  const lied = new Map<string, UpdatePlan & { asked: number }>();
  const leaks: string[] = [];

  function planFor(name: string, isUpdate: boolean): DnsPlan | null {
    const plan = lied.get(name.toLowerCase().split('.').slice(-2).join('.'));
    if (plan === undefined || (plan.isOfUpdates && !isUpdate)) return null;
    const number = plan.asked++;
    return number >= plan.from && number < plan.from + plan.times ? plan : null;
  }

  async function answer(socket: Socket, request: Buffer): Promise<void> {
    const question = questionIn(request);
    if (question === null) return void socket.destroy();
    const isUpdate = (request[2] ?? 0) >> 3 === UPDATE;
    const plan = planFor(question.name, isUpdate);
    if (plan === null) return void socket.write(withLength(isUpdate ? signedAnswer(request) : dnsAnswer(question)));
    const { lie, random } = plan;
    if (lie === ODD_SIGNATURES)
      return void socket.write(withLength(isUpdate ? oddAnswer(request, random) : dnsAnswer(question)));
    if (lie.tcp !== undefined) return lie.tcp(socket, question, random);
    for (const message of lie.udp?.(question, random) ?? []) socket.write(withLength(message));
  }

  const udp = createSocket('udp4').on('error', () => undefined);
  udp.on('message', (message, from) => {
    const question = questionIn(message);
    if (question === null) return;
    const flags = dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.TRUNCATED_RESPONSE;
    udp.send(dnsAnswer(question, { flags }), from.port, from.address);
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (message) => void answer(socket, message.subarray(2)).catch(() => socket.destroy()));
  });
  const inside = createServer((socket) => {
    leaks.push('a server inside was asked');
    socket.destroy();
  });
  udp.bind(port, HERE);
  tcp.listen(port, HERE);
  inside.listen(port, INSIDE);
  await Promise.all([udp, tcp, inside].map((server) => once(server, 'listening')));
  return {
    port,
    lieAbout(zone, plan) {
      if (plan === null) lied.delete(zone);
      else lied.set(zone, { ...plan, asked: 0 });
    },
    takeLeaks: () => leaks.splice(0),
    async [Symbol.asyncDispose]() {
      await Promise.all([udp, tcp, inside].map((server) => once(server.close(), 'close')));
    },
  };
}

/** Told by the server itself, since it takes the request to be made. */
export const ODD_SIGNATURES: DnsLie = {};

/** An update names its zone where a question has its name (RFC 2136, section 2.3). */
function questionIn(message: Buffer): DnsQuestion | null {
  try {
    const head = Buffer.from(message.subarray(0, 12));
    head.fill(0, 6);
    const { id = 0, questions } = dnsPacket.decode(Buffer.concat([head, message.subarray(12)]));
    const [question] = questions ?? [];
    return question === undefined ? null : { id, name: question.name, type: question.type };
  } catch {
    return null;
  }
}
