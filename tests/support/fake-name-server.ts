import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import dnsPacket from 'dns-packet';
import { freePort } from './free-ports.ts';

/** The questions to a name server of somebody hostile, to which no real one can be brought. */
export type Asked = {
  id: number;
  name: string;
  type: dnsPacket.RecordType;
  transport: 'udp' | 'tcp';
  hasEdns: boolean;
};
/** The messages to send back, in order; over TCP the first alone, with its length in front. */
export type Respond = (asked: Asked) => readonly Buffer[];

export type FakeNameServer = {
  address: string;
  port: number;
  asked: Asked[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** Returns an answer as an honest authority writes it; `changes` make it something else. */
export function answerTo({ id, name, type }: Asked, changes: Partial<dnsPacket.Packet> = {}): Buffer {
  return dnsPacket.encode({
    type: 'response',
    id,
    flags: dnsPacket.AUTHORITATIVE_ANSWER,
    questions: [{ name, type, class: 'IN' }],
    ...changes,
  });
}

/** A server at this address that answers as it is told, over UDP and TCP. */
export async function startFakeNameServer(
  respond: Respond,
  { address = '127.0.0.1', port }: { address?: string; port?: number } = {},
): Promise<FakeNameServer> {
  const at = port ?? (await freePort());
  const asked: Asked[] = [];
  const answersTo = (message: Buffer, transport: Asked['transport']): readonly Buffer[] => {
    const { id = 0, questions, additionals } = dnsPacket.decode(message);
    const [question = { name: '', type: 'A' as const }] = questions ?? [];
    const hasEdns = additionals?.some(({ type }) => type === 'OPT') === true;
    const one = { id, name: question.name, type: question.type, transport, hasEdns };
    asked.push(one);
    return respond(one);
  };
  const udp = createSocket('udp4');
  udp.on('message', (message, from) => {
    for (const answer of answersTo(message, 'udp')) udp.send(answer, from.port, from.address);
  });
  udp.bind(at, address);
  await once(udp, 'listening');
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (message) => {
      const [answer] = answersTo(message.subarray(2), 'tcp');
      if (answer === undefined) return socket.end();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([length, answer]));
    });
  });
  tcp.listen(at, address);
  await once(tcp, 'listening');
  return {
    address,
    port: at,
    asked,
    async [Symbol.asyncDispose]() {
      udp.close();
      tcp.close();
      await Promise.all([once(udp, 'close'), once(tcp, 'close')]);
    },
  };
}
