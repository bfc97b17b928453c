import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import dnsPacket from 'dns-packet';
import { freePort } from '../../support/free-ports.ts';
import type { Random } from '../../support/random.ts';

const HERE = '127.0.0.1';
/** An address of this machine that EGRESS_ALLOW does not name. */
export const INSIDE = '127.0.0.66';
const TLD = 'test';

export type DnsQuestion = { id: number; name: string; type: dnsPacket.RecordType };
/**
 * The answers to one question: messages over UDP, or a conversation over TCP, to which a truncated answer over UDP
 * leads the question.
 */
export type DnsLie = {
  udp?(question: DnsQuestion, random: Random): readonly Buffer[];
  tcp?(socket: Socket, question: DnsQuestion, random: Random): Promise<void>;
};

/** Tells which questions for a domain get a lie, counted from the first. */
export type DnsPlan = { lie: DnsLie; from: number; times: number; random: Random };

export type LyingNameServer = AsyncDisposable & {
  port: number;
  /** Answers with this from now on, where nothing is lied. */
  hold(record: { name: string; type: 'A' | 'TXT'; value: string }): void;
  /** Lies to everybody who asks for names of this domain; null forgets it. */
  lieAbout(domain: string, plan: DnsPlan | null): void;
  /** Questions that went where none may go, since the last look. */
  takeLeaks(): string[];
};

/** Returns an answer as an authority writes it; `changes` make it something else. */
export function dnsAnswer({ id, name, type }: DnsQuestion, changes: Partial<dnsPacket.Packet> = {}): Buffer {
  const flags = dnsPacket.AUTHORITATIVE_ANSWER;
  return dnsPacket.encode({ type: 'response', id, flags, questions: [{ name, type, class: 'IN' }], ...changes });
}

/**
 * One server that is the resolver, the registry of `test` and the authority of all domains in it: honest, but to
 * questions for domains that it lies about.
 */
export async function startLyingNameServer(): Promise<LyingNameServer> {
  const port = await freePort();
  const lied = new Map<string, DnsPlan & { asked: number }>();
  const held: Held = new Map();
  const leaks: string[] = [];

  function lieFor({ name }: DnsQuestion): (DnsPlan & { asked: number }) | null {
    const plan = lied.get(name.toLowerCase().split('.').slice(-2).join('.'));
    if (plan === undefined) return null;
    const number = plan.asked++;
    return number >= plan.from && number < plan.from + plan.times ? plan : null;
  }

  const udp = createSocket('udp4');
  udp.on('error', () => undefined);
  udp.on('message', (message, from) => {
    const question = questionIn(message);
    if (question === null) return;
    const plan = lieFor(question);
    const send = (answer: Buffer, { port: to, address }: RemoteInfo = from): void => udp.send(answer, to, address);
    if (plan === null) return send(honestAnswer(question, held));
    if (plan.lie.udp !== undefined) for (const answer of plan.lie.udp(question, plan.random)) send(answer);
    // The question comes again, and is then the one that is lied to.
    else {
      plan.asked -= 1;
      send(dnsAnswer(question, { flags: dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.TRUNCATED_RESPONSE }));
    }
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (message) => {
      const question = questionIn(message.subarray(2));
      const plan = question === null ? null : lieFor(question);
      if (question === null) socket.destroy();
      else if (plan?.lie.tcp === undefined) socket.end(withLength(honestAnswer(question, held)));
      else plan.lie.tcp(socket, question, plan.random).catch(() => socket.destroy());
    });
  });
  const inside = createSocket('udp4').on('message', () => leaks.push('a name server inside was asked'));
  const insideTcp = createServer((socket) => {
    leaks.push('a name server inside was asked');
    socket.destroy();
  });
  udp.bind(port, HERE);
  inside.bind(port, INSIDE);
  tcp.listen(port, HERE);
  insideTcp.listen(port, INSIDE);
  await Promise.all([udp, inside, tcp, insideTcp].map((server) => once(server, 'listening')));

  return {
    port,
    hold: ({ name, type, value }) => void held.set(`${name} ${type}`, { type, name, ttl: 60, data: value }),
    lieAbout(domain, plan) {
      if (plan === null) lied.delete(domain);
      else lied.set(domain, { ...plan, asked: 0 });
    },
    takeLeaks: () => leaks.splice(0),
    async [Symbol.asyncDispose]() {
      await Promise.all([udp, inside, tcp, insideTcp].map((server) => once(server.close(), 'close')));
    },
  };
}

function questionIn(message: Buffer): DnsQuestion | null {
  try {
    const { id = 0, questions } = dnsPacket.decode(message);
    const [question] = questions ?? [];
    return question === undefined ? null : { id, name: question.name, type: question.type };
  } catch {
    return null;
  }
}

/** Answers by name and type. */
type Held = Map<string, dnsPacket.Answer>;

/** Every domain is there, and has name servers and no other records than those that are held. */
function honestAnswer(question: DnsQuestion, held: Held): Buffer {
  const { name, type } = question;
  const known = held.get(`${name.toLowerCase()} ${type}`);
  if (known !== undefined) return dnsAnswer(question, { answers: [{ ...known, name }] });
  const isZone = name.split('.').length <= 2 && name.endsWith(TLD);
  if (type === 'NS' && isZone)
    return dnsAnswer(question, { answers: [{ type: 'NS', name, ttl: 60, data: `ns.${TLD}` }] });
  if (type === 'A' && name === `ns.${TLD}`) {
    return dnsAnswer(question, { answers: [{ type: 'A', name, ttl: 60, data: HERE }] });
  }
  return dnsAnswer(question);
}

/** A message as it is sent over TCP (RFC 1035, section 4.2.2). */
export function withLength(message: Buffer, length = message.length): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(length & 0xffff);
  return Buffer.concat([head, message]);
}
