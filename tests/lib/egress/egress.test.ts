import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { textWithinBudget } from '../../../server/lib/egress/answer-budget.ts';
import { createEgress, type EgressRequest } from '../../../server/lib/egress/egress.ts';
import { classifyAddress, isReachable, parseRange } from '../../../server/lib/egress/rules.ts';
import { connectionWords } from '../../../server/lib/egress/words.ts';
import { atFreePort, portOf } from '../../support/at-free-port.ts';
import { testEgress } from '../../support/platforms.ts';
import { requestHandler } from '../../support/request-handler.ts';
import { IS_FULL } from '../../support/size.ts';

const ASK: EgressRequest = { signal: new AbortController().signal, maxBytes: 1_000_000, wholeMs: 60_000 };
const rangesOf = (...texts: string[]) => texts.map(parseRange).filter((range) => range !== null);

/** A server of this machine, and how many have connected to it. */
async function listening(answer: RequestListener, host = '127.0.0.1') {
  const server = createServer(answer);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  return { ...(await atFreePort(server, host)), connections: () => connections };
}

const textFrom = (url: string, request: Partial<EgressRequest> = {}, egress = testEgress()) =>
  egress.request(url, { ...ASK, ...request }, async ({ body }) => textWithinBudget(body));

const REFUSED = [
  // IPv4, in every way that it is written; the URL parser turns most of them into the dotted form.
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '127.0.0.1.', '0', '0.0.0.0'],
  ...['①②⑦.⓪.⓪.①', '127。0。0。1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['100.100.100.200', '192.0.0.192', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '192.88.99.1'],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
  // IPv6.
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::1]', '[2002:7f00:1::]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
  ...['[fe80::1]', '[fec0::1]', '[fd00:ec2::254]', '[ff02::1]', '[2001:db8::1]', '[3fff::1]', '[100::1]', '[5f00::1]'],
  // No addresses at all.
  ...['256.1.1.1', '1.2.3.4.5', '0x100000000', '[fe80::1%25eth0]', 'user@127.0.0.1'],
  // Names of this machine, and names without a dot.
  ...['localhost', 'LOCALHOST', 'localhost.', 'foo.localhost', 'ⓛocalhost'],
];

test.each(REFUSED)('%s is not gone to', async (host) => {
  await using here = await listening((_request, response) => response.end('secret'));
  for (const url of [`http://${host}:${here.port}/`, `http://${host}/`]) {
    await expect(textFrom(url, {}, createEgress()), url).rejects.toMatchObject({ fault: 'refused' });
  }
  expect(here.connections()).toBe(0);
});

test.each(['1.1.1.1', '172.32.0.1', '2606:4700:4700::1111'])('%s is an address of the web', (address) => {
  expect(classifyAddress(address)).toBe('public');
  expect(isReachable('site.example.com', 443, [address], {})).toBe(true);
});

test('a name is gone to when each of its addresses may be, and when it is a public name', () => {
  const rules = { allow: rangesOf('10.0.0.0/8') };
  expect(isReachable('a.example.com', 443, ['1.1.1.1', '127.0.0.1'], rules)).toBe(false);
  expect(isReachable('a.example.com', 443, ['fd00::1'], rules)).toBe(false);
  expect(isReachable('a.example.com', 443, [], rules)).toBe(false);
  expect(isReachable('a.example.com', 443, ['10.0.0.5'], rules)).toBe(true);
  expect(isReachable('printer.local', 443, ['10.0.0.5'], rules)).toBe(true);
  for (const name of ['metadata.google.internal', 'printer.local', 'site.test', 'a.home.arpa', 'x.onion', 'intranet']) {
    expect(isReachable(name, 443, ['1.1.1.1'], rules), name).toBe(false);
  }
});

test.each([22, 25, 6379, 27_017])('port %i of a public address is not gone to', (port) => {
  expect(isReachable('a.example.com', port, ['1.1.1.1'], {})).toBe(false);
  expect(isReachable('a.example.com', port, ['1.1.1.1'], { bases: ['https://ghe.example.com:8443'] })).toBe(false);
  expect(isReachable('ghe.example.com', 8443, ['1.1.1.1'], { bases: ['https://ghe.example.com:8443'] })).toBe(true);
});

test('what hands out the credentials of a machine is never allowed', () => {
  for (const address of [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
  ]) {
    expect(classifyAddress(address, rangesOf('0.0.0.0/0', '::/0')), address).toBe('refused');
  }
});

test('a redirect is followed by hand: to what may be reached, no further than five times, and no other scheme', async () => {
  await using inside = await listening((_request, response) => response.end('secret'), '127.0.0.2');
  const egress = createEgress({ allow: rangesOf('127.0.0.1') });
  const to: Record<string, string> = {
    '/in': `http://127.0.0.2:${inside.port}/`,
    '/file': 'file:///etc/passwd',
    '/gopher': 'gopher://127.0.0.1/',
    '/round': '/round',
    '/once': '/end',
  };
  await using outside = await listening((request, response) => {
    const location = to[request.url ?? ''];
    response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location }).end('end');
  });
  const led = (path: string) => textFrom(`${outside.url}${path}`, { redirects: 5 }, egress);
  expect(await led('/once')).toBe('end');
  for (const path of ['/in', '/file', '/gopher'])
    await expect(led(path), path).rejects.toMatchObject({ fault: 'refused' });
  await expect(led('/round')).rejects.toMatchObject({ fault: 'redirects' });
  expect(inside.connections()).toBe(0);
});

test('headers that are meant for one origin do not follow to another', async () => {
  const heard: (string | undefined)[] = [];
  await using other = await listening((request, response) => {
    heard.push(request.headers.authorization);
    response.end('there');
  });
  await using first = await listening((request, response) => {
    heard.push(request.headers.authorization);
    response.writeHead(307, { location: other.url }).end();
  });
  const headers = ({ origin }: URL): Record<string, string> =>
    origin === first.url ? { authorization: 'secret' } : {};
  expect(await textFrom(first.url, { redirects: 1, headers })).toBe('there');
  expect(heard).toEqual(['secret', undefined]);
});

test('an endless body, a long one and a lie about its length are cut off', async () => {
  await using platform = await listening((request, response) => {
    if (request.url === '/lie') response.setHeader('content-length', 10_000_000);
    const send = (): void => {
      while (response.write(Buffer.alloc(65_536)));
      response.once('drain', send);
    };
    send();
  });
  for (const path of ['/', '/lie']) {
    await expect(textFrom(`${platform.url}${path}`), path).rejects.toMatchObject({ fault: 'too_large' });
  }
});

test('headers without an end are an error', async () => {
  await using platform = await listening((_request, response) => {
    response.setHeader('x-long', 'x'.repeat(100_000));
    response.end();
  });
  await expect(textFrom(platform.url)).rejects.toMatchObject({ fault: 'connection' });
});

test('one that says nothing is left, and so is one that trickles for longer than the whole may take', async () => {
  await using platform = await listening(async (request, response) => {
    if (request.url === '/silent') return;
    response.writeHead(200);
    while (!response.destroyed) {
      response.write('x');
      await delay(20);
    }
  });
  await expect(textFrom(`${platform.url}/silent`, { silenceMs: 100 })).rejects.toMatchObject({ fault: 'silent' });
  await expect(textFrom(platform.url, { silenceMs: 1_000, wholeMs: 300 })).rejects.toMatchObject({ fault: 'too_slow' });
});

test('bodies that share a slow line get through, however long all of it takes', async () => {
  const MEGABYTE = 1024 * 1024;
  const sizes = [12, 12].map((megabytes) => megabytes * MEGABYTE);
  // Half of each is taken bit by bit, which is more than the system keeps for a connection.
  await using platform = await listening(
    requestHandler(async (request, response) => {
      let taken = 0;
      let steps = 0;
      for await (const piece of request) {
        taken += piece.length;
        if (steps >= 20 || taken < (steps + 1) * 0.4 * MEGABYTE) continue;
        steps += 1;
        await delay(90);
      }
      response.end(String(taken));
    }),
  );
  const send = (size: number) => textFrom(platform.url, { method: 'PUT', body: Buffer.alloc(size), silenceMs: 1_500 });
  expect(await Promise.all(sizes.map(send))).toEqual(sizes.map(String));
});

test('a peer that never takes the body is silent, and the body is let go', async () => {
  const deaf = createSocketServer((socket) => socket.on('error', () => undefined).pause()).listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  let isClosed = false;
  const chunks = (async function* () {
    try {
      for (;;) yield Buffer.alloc(1024 * 1024);
    } finally {
      isClosed = true;
    }
  })();
  const url = `http://127.0.0.1:${portOf(deaf)}/`;
  const sent = textFrom(url, { method: 'PUT', body: { sizeBytes: 1e12, chunks }, silenceMs: 200 });
  await expect(sent).rejects.toMatchObject({ fault: 'silent' });
  await expect.poll(() => isClosed).toBe(true);
  deaf.close();
});

test('the reason of the signal is what ends a request', async () => {
  await using platform = await listening(() => undefined);
  const abort = new AbortController();
  const asked = textFrom(platform.url, { signal: abort.signal });
  await expect.poll(platform.connections).toBe(1);
  abort.abort(new Error('cancelled'));
  await expect(asked).rejects.toThrow('cancelled');
});

test('a site of ours is asked for at the listener, under its own name', async () => {
  const hosts: (string | undefined)[] = [];
  await using host = await listening((request, response) => {
    hosts.push(request.headers.host);
    response.end('ours');
  });
  const listener = { protocol: 'http:', host: '127.0.0.1', port: host.port } as const;
  expect(await textFrom('http://harbour.sites.example.com:3001/', { listener }, createEgress())).toBe('ours');
  // People come through a proxy with TLS, which is not in our way.
  expect(await textFrom('https://harbour.sites.example.com/', { listener }, createEgress())).toBe('ours');
  expect(hosts).toEqual(['harbour.sites.example.com:3001', 'harbour.sites.example.com']);
});

test.each(['127.0.0.0/8', '::1/128', '10.0.0.7', 'fd00::/8'])('%s is a range', (text) => {
  expect(parseRange(text)).not.toBe(null);
});

test.each(['localhost', '10.0.0.0/33', '0x7f.1', '10', ''])('%s is no range', (text) => {
  expect(parseRange(text)).toBe(null);
});

test('names whose name server is silent hold no thread of the process', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const egress = createEgress({ nameServers: [`127.0.0.1:${silent.address().port}`] });
  const ended: string[] = [];
  const asked = Array.from({ length: 64 }, async (_, n) => {
    const request = { signal: AbortSignal.timeout(60_000), maxBytes: 1, wholeMs: 60_000 };
    await egress
      .request(`https://slow${n}.example.com/`, request, async () => undefined)
      .catch(() => ended.push('name'));
  });
  // This one is asked in a thread, of which there are few.
  await lookup('localhost');
  ended.push('thread');
  expect(ended).toEqual(['thread']);
  // The full size waits until the lookups have failed; by then the thread has long been free.
  if (IS_FULL) await Promise.all(asked);
  silent.close();
});

/** A name server with these addresses for any name, one after the other, and no IPv6; with none it knows no name. */
async function answeringNames(addresses: string[]) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let asked = 0;
  socket.on('message', (query, { address, port }) => {
    // RFC 1035, section 4: the question begins behind 12 bytes, and ends in a zero, its type and its class.
    const end = query.indexOf(0, 12) + 5;
    const isIpv4 = query.readUInt16BE(end - 4) === 1;
    const found =
      isIpv4 && addresses.length > 0
        ? (addresses[Math.min(asked++, addresses.length - 1)] ?? '').split('.').map(Number)
        : null;
    const head = Buffer.concat([
      query.subarray(0, 2),
      Buffer.from([0x81, addresses.length > 0 ? 0x80 : 0x83, 0, 1, 0, found === null ? 0 : 1, 0, 0, 0, 0]),
    ]);
    const record = found === null ? [] : [0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...found];
    socket.send(Buffer.concat([head, query.subarray(12, end), Buffer.from(record)]), port, address);
  });
  return {
    nameServers: [`127.0.0.1:${socket.address().port}`],
    asked: () => asked,
    [Symbol.asyncDispose]: async () => void socket.close(),
  };
}

test('a name is not even looked up for a port that is closed to all', async () => {
  await using names = await answeringNames(['1.1.1.1']);
  const { nameServers } = names;
  const egress = createEgress({ nameServers, bases: ['https://ghe.example.com:8443'] });
  for (const port of [22, 6_379, 65_535]) {
    await expect(textFrom(`http://a.example.com:${port}/`, {}, egress)).rejects.toMatchObject({ fault: 'refused' });
  }
  expect(names.asked()).toBe(0);
});

test('a name is connected to at the address that was checked, and not where it leads a moment later', async () => {
  await using outside = await listening((_request, response) => response.end('outside'));
  await using inside = await listening((_request, response) => response.end('inside'), '127.0.0.66');
  await using names = await answeringNames(['127.0.0.1', '127.0.0.66']);
  const egress = createEgress({ allow: rangesOf('127.0.0.1'), nameServers: names.nameServers });
  const ask = (port: number) => textFrom(`http://rebinding.example.com:${port}/`, { isFresh: true }, egress);

  expect(await ask(outside.port)).toBe('outside');
  expect(names.asked()).toBe(1);
  await expect(ask(inside.port)).rejects.toMatchObject({ fault: 'refused' });
  expect(inside.connections()).toBe(0);
});

test('what keeps an address from answering is said in words, and not in those of the system', async () => {
  await using nobody = await answeringNames([]);
  const unknown = textFrom('https://nobody.example.com/', {}, createEgress({ nameServers: nobody.nameServers }));
  await expect(unknown).rejects.toMatchObject({ fault: 'unknown_name', message: 'this address does not exist' });

  const closed = { fault: 'connection', message: 'nothing answers there', cause: { code: 'ECONNREFUSED' } };
  await expect(textFrom('http://127.0.0.1:1/')).rejects.toMatchObject(closed);

  await using broken = await listening((_request, response) => void response.destroy());
  const saidOf = (url: string) => textFrom(url).catch((error: unknown) => String(error));
  expect(await saidOf(broken.url)).toBe('EgressError: the connection broke off');
  const secured = broken.url.replace('http:', 'https:');
  expect(await saidOf(secured)).toBe('EgressError: what answers there does not speak TLS as it should');
});

test('what is the matter with a certificate is said in words', () => {
  const said = (code: string) => connectionWords(Object.assign(new Error(`unable: ${code}`), { code }), code);
  expect(said('CERT_HAS_EXPIRED')).toBe('its certificate has expired');
  expect(said('ERR_TLS_CERT_ALTNAME_INVALID')).toBe('its certificate is for another name');
  expect(said('DEPTH_ZERO_SELF_SIGNED_CERT')).toBe('its certificate is not trusted');
});

test('a name server that refuses the connection says nothing about the address', async () => {
  const unasked = textFrom('https://site.example.com/', {}, createEgress({ nameServers: ['127.0.0.1:1'] }));
  await expect(unasked).rejects.toMatchObject({ fault: 'connection', message: 'the name servers do not answer' });
});
