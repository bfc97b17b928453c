import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type SecureVersion } from 'node:tls';
import type { Random } from '../../support/random.ts';
import { askHttp1, askHttp2, openHttp2 } from '../../support/tls-visitor.ts';
import type { Target } from '../support/attack.ts';
import { type AttackedApp, SITE_TEXT } from '../support/attacked-app.ts';
import { http2FaultIn, oddSession } from '../support/http2-frames.ts';
import { oddText } from '../support/odd-values.ts';
import { oddHead, oddHost, oddTarget } from '../support/requests.ts';
import { converse, faultIn } from '../support/wire.ts';

/** The longest name that a client may send in the first place (RFC 6066, section 3). */
const NAME_MAX = 250;
const VERSIONS: readonly SecureVersion[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
const PROTOCOLS = [['h2'], ['http/1.1'], ['h2', 'http/1.1'], ['http/1.1', 'h2'], ['x'], ['h2c', 'h2']];

function oddName(random: Random, { domain, site }: AttackedApp): string {
  if (random.chance(0.3)) return oddText(random, NAME_MAX);
  return random.pick([
    ...[domain, `www.${domain}`, domain.toUpperCase(), `${domain}.`, `a.${domain}`, `*.${domain}`, `.${domain}`],
    ...[`${site.slug}.localhost`, 'localhost', 'test', '[::1]', 'a'.repeat(NAME_MAX), '__proto__'],
    ...[`${'a.'.repeat(100)}test`, 'xn--a.test', `${domain}\0.test`, `${domain}:443`, ' ', '%'],
  ]);
}

/** Returns the first bytes of a client, with a name that a client could not be made to send. */
async function helloOf(name: string): Promise<Buffer> {
  const placeholder = 'n'.repeat(Math.max(1, Buffer.byteLength(name, 'latin1')));
  const wire = new Duplex({
    read: () => undefined,
    write(piece, _encoding, done) {
      wire.emit('said', piece);
      done();
    },
  });
  const said = once(wire, 'said');
  const socket = connect({ socket: wire, servername: placeholder, ALPNProtocols: ['h2', 'http/1.1'] });
  socket.on('error', () => undefined);
  const [hello]: Buffer[] = await said;
  socket.destroy();
  const bytes = Buffer.from(hello ?? Buffer.alloc(0));
  const at = bytes.indexOf(placeholder);
  if (at >= 0) bytes.write(name, at, 'latin1');
  return bytes;
}

/** The beginning of a handshake, as it is, with bytes changed, cut off, or with others behind it. */
async function rawHello(random: Random, attacked: AttackedApp): Promise<Buffer[]> {
  const hello = await helloOf(oddName(random, attacked));
  if (random.chance(0.5))
    for (const at of random.many(1, 10, () => random.below(hello.length))) hello[at] = random.below(256);
  const sent = random.chance(0.8) ? hello : hello.subarray(0, random.below(hello.length));
  const record = (): Buffer => {
    const body = random.bytes(random.below(2_000));
    return Buffer.concat([
      Buffer.from([random.pick([20, 21, 22, 23, 24, 0]), 3, random.below(5), body.length >> 8, body.length & 255]),
      body,
    ]);
  };
  return [...(random.chance(0.1) ? [random.bytes(200)] : [sent]), ...random.many(0, 3, record)];
}

async function speakHttp(random: Random, attacked: AttackedApp): Promise<string | null> {
  const { domain, tlsPort: port } = attacked;
  const [minVersion, maxVersion] = random.chance(0.8) ? [] : [random.pick(VERSIONS), random.pick(VERSIONS)].sort();
  const name = random.chance(0.7)
    ? random.pick([domain, `www.${domain}`])
    : oddName(random, attacked).replace(/[^a-z0-9.*-]/gi, '');
  const socket = connect({
    ...{ host: '127.0.0.1', port, servername: name, rejectUnauthorized: false, ALPNProtocols: random.pick(PROTOCOLS) },
    ...(minVersion !== undefined && maxVersion !== undefined && { minVersion, maxVersion }),
  });
  socket.on('error', () => undefined);
  const isOpen = await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).then(
    () => !socket.destroyed,
    () => false,
  );
  if (!isOpen) return null;
  const authority = () => (random.chance(0.85) ? domain : oddHost(random, attacked));
  const path = () => (random.chance(0.6) ? random.pick(['/', '/app.js']) : oddTarget(random, attacked));
  const head = () =>
    random.chance(0.5)
      ? oddHead(random, attacked)
      : Buffer.from(`GET ${path()} HTTP/1.1\r\nHost: ${authority()}\r\n\r\n`);
  const ending = random.chance(0.1) ? 'reset' : 'quiet';
  // Each protocol is spoken to those who have agreed to it, and now and then to the others.
  const isHttp2 = (socket.alpnProtocol === 'h2') !== random.chance(0.05);
  const pieces = isHttp2 ? oddSession(random, { authority, path }) : random.many(1, 3, () => head());
  const received = await converse(socket, pieces, ending);
  return socket.alpnProtocol === 'h2' ? http2FaultIn(received) : faultIn(received);
}

/** Somebody who only looks at the site. */
async function visit(random: Random, { domain, tlsPort }: AttackedApp): Promise<string | null> {
  if (random.chance(0.5)) {
    const answer = await askHttp1(tlsPort, domain, '/');
    return answer.endsWith(SITE_TEXT) ? null : `a visitor was told ${answer.slice(0, 200)}`;
  }
  const session = await openHttp2(tlsPort, domain);
  const { status, text } = await askHttp2(session, '/');
  session.destroy();
  return text === SITE_TEXT ? null : `a visitor was told ${status} ${text.slice(0, 200)}`;
}

/** The port that speaks TLS: handshakes in bytes, odd server names, and over those that succeed HTTP/1.1 and HTTP/2. */
export const target: Target = {
  name: 'tls',
  rounds: { few: 80, many: 10_000 },
  prepare: (attacked) => async (random) => {
    const kind = random.below(10);
    if (kind === 0) return [await visit(random, attacked)].filter((fault) => fault !== null);
    if (kind > 3) return [await speakHttp(random, attacked)].filter((fault) => fault !== null);
    const socket = connectTcp(attacked.tlsPort, '127.0.0.1');
    await converse(socket, await rawHello(random, attacked), random.chance(0.2) ? 'reset' : 'quiet');
    return [];
  },
};
