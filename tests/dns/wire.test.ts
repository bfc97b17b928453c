import { createSocket } from 'node:dgram';
import dnsPacket from 'dns-packet';
import { expect, test } from 'vitest';
import type { Question } from '../../server/dns/queries/message.ts';
import { ask } from '../../server/dns/queries/wire.ts';
import { type Asked, answerTo, type Respond, startFakeNameServer } from '../support/fake-name-server.ts';
import { freePort } from '../support/free-ports.ts';

const QUESTION: Question = { name: 'www.shop.test', type: 'A', of: 'name-server' };
const { signal: PATIENT } = new AbortController();
const A = (data: string, name = 'www.shop.test') => ({ type: 'A' as const, name, ttl: 60, data });
const good = (asked: Asked) => answerTo(asked, { answers: [A('192.0.2.1')] });
const TRUNCATED = dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.TRUNCATED_RESPONSE;

/** Puts the question to a server that answers like this. */
async function askOf(respond: Respond, limit = PATIENT) {
  await using server = await startFakeNameServer(respond);
  return { found: await ask(server, QUESTION, limit), asked: server.asked };
}

test('what is no answer to this question is passed over until the answer comes', async () => {
  const { found } = await askOf((asked) => [
    answerTo({ ...asked, id: asked.id ^ 1 }, { answers: [A('192.0.2.66')] }),
    answerTo({ ...asked, name: 'www.else.test' }, { answers: [A('192.0.2.66')] }),
    answerTo({ ...asked, type: 'TXT' }, { answers: [A('192.0.2.66')] }),
    answerTo(asked, { type: 'query' }),
    Buffer.from('no message'),
    good(asked),
  ]);
  expect(found).toMatchObject({ rcode: 'NOERROR', isAuthoritative: true, answers: [{ value: '192.0.2.1' }] });
});

test('an answer from another address is none', async () => {
  const forger = createSocket('udp4').bind(0, '127.0.0.1');
  const wire = createSocket('udp4');
  const port = await freePort();
  const truth: Buffer[] = [];
  await new Promise<void>((listening) => wire.bind(port, '127.0.0.1', listening));
  wire.on('message', (message, from) => {
    const { id = 0 } = dnsPacket.decode(message);
    const asked: Asked = { id, name: QUESTION.name, type: 'A', transport: 'udp', hasEdns: true };
    forger.send(answerTo(asked, { answers: [A('192.0.2.66')] }), from.port, from.address, () => {
      truth.push(good(asked));
      wire.send(good(asked), from.port, from.address);
    });
  });
  const found = await ask({ address: '127.0.0.1', port }, QUESTION, PATIENT);
  wire.close();
  forger.close();
  expect(truth).toHaveLength(1);
  expect(found).toMatchObject({ answers: [{ value: '192.0.2.1' }] });
});

test('a server that sends nothing but forgeries is given up', async () => {
  const { found } = await askOf((asked) => Array.from({ length: 40 }, () => good({ ...asked, id: asked.id ^ 1 })));
  expect(found).toBe('malformed');
});

test('an answer that did not fit is asked for over TCP', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => A(`192.0.2.${index}`));
  const { found, asked } = await askOf((one) => [
    one.transport === 'udp' ? answerTo(one, { flags: TRUNCATED }) : answerTo(one, { answers: texts }),
  ]);
  expect(asked.map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
  expect(typeof found === 'string' ? found : found.answers).toHaveLength(20);
});

test('over TCP an answer may be neither long, nor cut short, nor another one', async () => {
  const overTcp = (respond: Respond) =>
    askOf((one) => (one.transport === 'udp' ? [answerTo(one, { flags: TRUNCATED })] : respond(one)));
  const long = (one: Asked) => Buffer.concat([good(one), Buffer.alloc(65_000)]);
  expect((await overTcp((one) => [long(one)])).found).toBe('malformed');
  expect((await overTcp((one) => [answerTo(one, { flags: TRUNCATED })])).found).toBe('malformed');
  expect((await overTcp((one) => [good({ ...one, id: one.id ^ 1 })])).found).toBe('malformed');
  expect((await overTcp(() => [])).found).toBe('unreachable');
});

/** Header and question of an answer with one more record, whose bytes these are. */
function withRecord(asked: Asked, record: Buffer): Buffer {
  const message = answerTo(asked);
  message.writeUInt16BE(1, 6);
  return Buffer.concat([message, record]);
}

test('a name that points at itself, or an address cut off, is no answer', async () => {
  const length = (asked: Asked) => answerTo(asked).length;
  const loop = (asked: Asked) => Buffer.from([0xc0, length(asked), 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  expect((await askOf((asked) => [withRecord(asked, loop(asked))])).found).toBe('malformed');
  const short = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0]);
  expect((await askOf((asked) => [withRecord(asked, short)])).found).toBe('malformed');
});

/** Records of sixteen bytes, which point at the name of the question. */
function withAddresses(asked: Asked, count: number): Buffer {
  const message = answerTo(asked);
  message.writeUInt16BE(count, 6);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  return Buffer.concat([message, ...Array.from({ length: count }, () => record)]);
}

test('an answer of more records than any zone needs is not read', async () => {
  expect((await askOf((asked) => [withAddresses(asked, 500)])).found).toMatchObject({ rcode: 'NOERROR' });
  expect((await askOf((asked) => [withAddresses(asked, 501)])).found).toBe('malformed');
});

test('of an answer as much is kept as a zone needs, whatever its short records lead to', async () => {
  const name = `${`${'n'.repeat(62)}.`.repeat(3)}${'n'.repeat(59)}.te`;
  const servers = (asked: Asked) => {
    const message = answerTo(asked);
    message.writeUInt16BE(500, 6);
    const record = Buffer.from([0xc0, 12, 0, 2, 0, 1, 0, 0, 0, 60, 0, 2, 0xc0, 12]);
    return Buffer.concat([message, ...Array.from({ length: 500 }, () => record)]);
  };
  await using server = await startFakeNameServer((one) => [
    one.transport === 'udp' ? answerTo(one, { flags: TRUNCATED }) : servers(one),
  ]);
  const found = await ask(server, { name, type: 'NS', of: 'name-server' }, PATIENT);
  if (typeof found === 'string') expect.fail(found);
  expect(found.answers.length).toBeGreaterThan(16);
  expect(found.answers.reduce((sum, record) => sum + record.name.length + record.value.length, 0)).toBeLessThan(16_385);
});

test('what an answer says of other names is not kept, and of a long set the same part in any order', async () => {
  const others = Array.from({ length: 100 }, (_, index) => A('192.0.2.9', `n${index}.shop.test`));
  const set = Array.from({ length: 100 }, (_, index) => A(`192.0.2.${index}`));
  const overTcp = (answers: ReturnType<typeof A>[], more: Partial<dnsPacket.Packet> = {}) =>
    askOf((one) => [answerTo(one, one.transport === 'udp' ? { flags: TRUNCATED } : { answers, ...more })]);
  const { found } = await overTcp([...others, A('192.0.2.1')], { authorities: others, additionals: others });
  expect(found).toMatchObject({ answers: [{ value: '192.0.2.1' }], authorities: [], additionals: [] });
  const [one, other] = [await overTcp(set), await overTcp(set.toReversed())];
  expect(one.found).toEqual(other.found);
  expect(typeof one.found === 'string' ? [] : one.found.answers).toHaveLength(64);
});

test('names that lead through thousands of pointers are not read', async () => {
  const { found } = await askOf((asked) => {
    const start = answerTo(asked).length + 12;
    const chain = Buffer.alloc(4_000);
    for (let offset = 0; offset < chain.length; offset += 2)
      chain.writeUInt16BE(0xc000 + (offset === 0 ? 12 : start + offset - 2), offset);
    const unknown = Buffer.from([0xc0, 12, 0, 10, 0, 1, 0, 0, 0, 60, chain.length >> 8, chain.length & 0xff]);
    return [withRecord(asked, Buffer.concat([unknown, chain]))];
  });
  expect(found).toBe('malformed');
});

test('a refusal without the question is a refusal', async () => {
  const { found } = await askOf((asked) => [answerTo(asked, { flags: 5, questions: [] })]);
  expect(found).toMatchObject({ rcode: 'REFUSED', isAuthoritative: false });
});

test('a server that does not know EDNS is asked without it', async () => {
  const FORMERR = { flags: 1 };
  const { found, asked } = await askOf((one) => [one.hasEdns ? answerTo(one, FORMERR) : good(one)]);
  expect(found).toMatchObject({ rcode: 'NOERROR', answers: [{ value: '192.0.2.1' }] });
  expect(asked.map(({ hasEdns }) => hasEdns)).toEqual([true, false]);
  expect((await askOf((one) => [answerTo(one, FORMERR)])).found).toMatchObject({ rcode: 'FORMERR' });
});

test('records of another class and times with the top bit are not taken as they are', async () => {
  const { found } = await askOf((asked) => [
    answerTo(asked, {
      answers: [
        { ...A('192.0.2.1'), class: 'CH' },
        { ...A('192.0.2.2'), ttl: 2 ** 31 },
      ],
    }),
  ]);
  expect(found).toMatchObject({ answers: [{ value: '192.0.2.2', ttl: 0 }] });
});

test('a silent server is waited for no longer than the limit, and one that is not there not at all', async () => {
  const limit = new AbortController();
  const { found, asked } = await askOf(() => {
    setImmediate(() => limit.abort());
    return [];
  }, limit.signal);
  expect([found, asked.length]).toEqual(['timeout', 1]);
  expect(await ask({ address: '127.0.0.1', port: await freePort() }, QUESTION, PATIENT)).toBe('unreachable');
  expect(await ask({ address: '127.0.0.1', port: 53 }, QUESTION, AbortSignal.abort())).toBe('timeout');
});

test.each(['a..test', 'two words.test', 'é'.repeat(40), `${'a'.repeat(64)}.test`, 'x.'.repeat(150)])(
  'what is no name is not asked for: %s',
  async (name) => {
    await using server = await startFakeNameServer((asked) => [good(asked)]);
    expect(await ask(server, { ...QUESTION, name }, PATIENT)).toBe('malformed');
    expect(server.asked).toEqual([]);
  },
);

test('a lost packet is sent again', async () => {
  let received = 0;
  const { found } = await askOf((one) => {
    received += 1;
    return received === 1 ? [] : [good(one)];
  });
  expect(found).toMatchObject({ rcode: 'NOERROR' });
  expect(received).toBe(2);
});
