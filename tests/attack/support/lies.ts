import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Random } from '../../support/random.ts';
import type { Lie, Telling } from './lying-proxy.ts';

/**
 * Possible answers of a lying platform, all of them on the bare connection, since no server of Node's would send them.
 */
const MIB = 1024 ** 2;
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const UNENDING = `${OK}Connection: close\r\n\r\n`;
/** Unpacked 64 MiB of one letter. */
const BOMB = gzipSync(Buffer.alloc(64 * MIB, 0x20));

const WORDS = ['pondering', 'READY?', '', 'constructor', '__proto__', 'x'.repeat(MIB)];
const ODD: readonly unknown[] = [
  ...[null, true, -1, 1e308, '', '../../user', 'a\u0000b\r\nc', 'https://user:word@example.com/', {}, [], [[null]]],
  'x'.repeat(MIB),
];
const STATUSES = [100, 204, 226, 300, 304, 401, 402, 403, 404, 409, 410, 413, 418, 422, 429, 451, 500, 503, 599, 999];
const WAITS = ['0', '-1', 'NaN', '1e99', '99999999999', '31536000', 'Fri, 31 Dec 9999 23:59:59 GMT', 'tomorrow'];
const STATE_FIELDS = ['state', 'status', 'readyState', 'readySubstate', 'aliasAssigned'];
const ADDRESS_FIELDS = [
  ...['url', 'ssl_url', 'deploy_url', 'deploy_ssl_url', 'alias', 'web_url'],
  ...['html_url', 'put_url', 'get_url', 'output_stream_url'],
];

export async function say(socket: Socket, ...pieces: (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) {
    if (!socket.destroyed && !socket.write(piece)) await drained(socket);
  }
}

/** Resolves as well when the other side is gone. */
async function drained(socket: Socket): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => undefined);
  over.abort();
}

async function forEver(socket: Socket, piece: string | Buffer, everyMs = 0): Promise<void> {
  while (!socket.destroyed) {
    await say(socket, piece);
    await wait(everyMs);
  }
}

/** Waits until the other side closes the connection. */
async function silence(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close');
}

export function answer(status: number, body: string | Buffer, headers = ''): Buffer {
  const length = Buffer.byteLength(body);
  const head = `HTTP/1.1 ${status} Said\r\nContent-Type: application/json\r\n${headers}Content-Length: ${length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

/** An honest answer, changed: with `change` for each field of an object in it. */
async function changed(telling: Telling, change: (name: string, value: unknown) => unknown): Promise<void> {
  const honest = await telling.honest();
  let body: string | Buffer = honest.body;
  try {
    body = JSON.stringify(
      JSON.parse(honest.body.toString(), (name, value) => (name === '' ? value : change(name, value))),
    );
  } catch {
    // A page of the site is changed as well.
    body = Buffer.concat([honest.body, Buffer.from('?')]);
  }
  await say(telling.socket, answer(honest.status, body));
}

const digests = (random: Random): string[] => random.many(1_000, 1_001, () => random.bytes(20).toString('hex'));

function insideOf({ inside, foreign, random }: Telling): string {
  const { port } = new URL(inside);
  return random.pick([
    `${inside}/latest/meta-data/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/',
    `http://0x7f000042:${port}/`,
    `http://127.66:${port}/`,
    `http://[::ffff:127.0.0.66]:${port}/`,
    'file:///etc/passwd',
    'gopher://127.0.0.66/',
    `http://user:word@${new URL(inside).host}/`,
    `${foreign}/elsewhere`,
  ]);
}

export const LIES: Readonly<Record<string, Lie>> = {
  'a body without an end': async ({ socket }) => {
    await say(socket, UNENDING, '{"id":"');
    await forEver(socket, Buffer.alloc(64 * 1024, 0x78));
  },
  'a redirect': async (telling) => {
    const status = telling.random.pick([301, 302, 303, 307, 308]);
    await say(telling.socket, answer(status, '', `Location: ${insideOf(telling)}\r\n`));
  },
  'a length that is too long': async ({ socket, honest, random }) => {
    await say(socket, `${OK}Content-Length: 5000\r\n\r\n`, (await honest()).body.subarray(0, 4_000));
    if (random.chance(0.5)) await silence(socket);
  },
  'a length that is too short, and a second answer behind it': async ({ socket, honest }) => {
    const { body } = await honest();
    await say(socket, `${OK}Content-Length: 2\r\n\r\n`, body, answer(200, '{"id":"another"}'));
  },
  'two lengths, and pieces': async ({ socket, random }) => {
    const coding = random.pick(['Content-Length: 7\r\n', 'Transfer-Encoding: chunked\r\n', 'Content-Length: -1\r\n']);
    await say(socket, `${OK}Content-Length: 2\r\n${coding}\r\n{}`, '5\r\n{}   \r\n');
  },
  'pieces without an end': async ({ socket }) => {
    await say(socket, `${OK}Transfer-Encoding: chunked\r\n\r\n`, '2\r\n{"\r\n', 'ffffffffff\r\n');
    await forEver(socket, Buffer.alloc(64 * 1024, 0x78));
  },
  'a bomb': async ({ socket, random }) => {
    const coding = random.pick(['gzip', 'gzip, gzip', 'br', 'zstd']);
    await say(socket, answer(200, BOMB, `Content-Encoding: ${coding}\r\n`));
  },
  'files that were never offered': (telling) => {
    const { random } = telling;
    return changed(telling, (name, value) => {
      if (name === 'required' || name === 'missing') return digests(random);
      // What Vercel says when files are missing.
      return name === 'readyState' && random.chance(0.5) ? 'QUEUED' : value;
    });
  },
  'that files are missing': async ({ socket, random }) => {
    const missing = digests(random);
    await say(socket, answer(400, JSON.stringify({ error: { code: 'missing_files', message: 'Missing', missing } })));
  },
  'addresses of this machine': (telling) =>
    changed(telling, (name, value) => {
      if (!ADDRESS_FIELDS.includes(name)) return value;
      return Array.isArray(value) ? [insideOf(telling)] : insideOf(telling);
    }),
  'millions of values': async ({ socket, random }) => {
    const one = random.pick(['0', '{}', '"a"', '[]', '{"id":"a","name":"b"}', '{"id":0}']);
    const list = `[${`${one},`.repeat((random.pick([1, 3, 15]) * MIB) / (one.length + 1))}${one}]`;
    await say(socket, answer(200, random.pick([list, `{"required":${list},"id":"a","missing":${list}}`])));
  },
  'a million fields': async ({ socket }) => {
    const fields = Array.from({ length: 400_000 }, (_, number) => `"k${number}":0`).join();
    await say(socket, answer(200, `{"errors":{${fields}},"id":"a"}`));
  },
  'lists in lists': async ({ socket, random }) => {
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"error":', '}'],
      ['{"errors":[', ']}'],
    ] as const);
    const depth = random.pick([90_000, 200_000]);
    await say(socket, answer(random.pick([200, 422]), `${open.repeat(depth)}1${close.repeat(depth)}`));
  },
  'megabytes of headers': async ({ socket, random }) => {
    await say(socket, 'HTTP/1.1 200 OK\r\n');
    const line = random.chance(0.5) ? `X-A: ${'x'.repeat(64 * 1024)}\r\n` : 'X-A: x\r\n'.repeat(8_000);
    for (let sent = 0; sent < 100; sent += 1) await say(socket, line);
    await say(socket, '\r\n{}');
  },
  'a byte a second': async ({ socket, random }) => {
    if (random.chance(0.5)) await say(socket, UNENDING, '{');
    else await say(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ');
    await forEver(socket, ' ', 1_000);
  },
  'early hints without an end': ({ socket }) => forEver(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', 20),
  'a page': async ({ socket, random }) => {
    const page = `<!doctype html><script>${'<a '.repeat(100_000)}</script><h1>Be right back</h1>`;
    const body = random.chance(0.5) ? page : '<'.repeat(MIB);
    await say(socket, `HTTP/1.1 ${random.pick([200, 502])} OK\r\nContent-Type: text/html\r\n\r\n${body}`);
  },
  'states that nobody knows': (telling) =>
    changed(telling, (name, value) => (STATE_FIELDS.includes(name) ? telling.random.pick(WORDS) : value)),
  'that all is done': (telling) =>
    changed(telling, (name, value) => {
      const done: Record<string, unknown> = { state: 'ready', readyState: 'READY', required: [], aliasAssigned: true };
      return Object.hasOwn(done, name) ? done[name] : value;
    }),
  'another status': async ({ socket, random }) => {
    const wait = random.chance(0.5) ? `Retry-After: ${random.pick(WAITS)}\r\nX-RateLimit-Remaining: 0\r\n` : '';
    const body = JSON.stringify({
      message: '<b>no</b> '.repeat(10_000),
      error: { code: random.pick(WORDS), message: 'no' },
    });
    await say(socket, answer(random.pick(STATUSES), body, wait));
  },
  'odd values': (telling) =>
    changed(telling, (_name, value) => (telling.random.chance(0.3) ? telling.random.pick(ODD) : value)),
  'nothing, and is gone': async ({ socket, random }) => {
    if (random.chance(0.5)) await say(socket, `${OK}Content-Length: 50\r\n\r\n{"id"`);
    if (random.chance(0.5)) socket.resetAndDestroy();
    else socket.destroy();
  },
  'nothing at all': ({ socket }) => silence(socket),
  'another protocol': async ({ socket, random }) => {
    await say(
      socket,
      random.pick([
        random.bytes(500),
        'SSH-2.0-OpenSSH_9.9\r\n',
        'HTTP/9.9 200 OK\r\n\r\n',
        '\u0015\u0003\u0003\u0000\u0002\u0002F',
      ]),
    );
  },
};
