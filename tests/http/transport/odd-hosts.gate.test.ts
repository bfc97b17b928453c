import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { closeOf } from '../../support/close-of.ts';
import { createTestHost, type TestHost } from '../../support/host.ts';
import { type Listening, listen } from '../../support/listen.ts';
import { IS_FULL } from '../../support/size.ts';

const ODD_HOSTS = [
  ...['', ' ', '[', ']', '[]', '[::', '[::1', '[zz]', '%', '%zz', '%00', 'a:99999', 'a:-1', 'a:b', ':', ':80'],
  ...['a b', 'a/b', '?', '#', 'user@', '\\', 'a,b', '..', 'xn--', '\u00ff', 'a'.repeat(5_000)],
];
/** One of each kind: nothing, no address, no name, bytes that are no text, a port too many, an end within. */
const FEW_HOSTS = ['', '[', '%zz', '\u00ff', 'a:99999', '#'];
/** The entries that are tried with every odd host, because they read the address first. */
const WITH_ALL: readonly string[] = ['an upgrade', 'a procedure'];
const ENTRIES = [
  ['an upgrade', 'GET /api/trpc?connectionParams=1', 'Connection: Upgrade\r\nUpgrade: websocket'],
  ['an upgrade elsewhere', 'GET //', 'Connection: Upgrade\r\nUpgrade: websocket'],
  ['a procedure', 'GET /api/trpc/user.get', ''],
  ['a batch', 'GET /api/trpc/user.get,user.get?batch=1', ''],
  ['a call', 'POST /api/logout', 'Content-Length: 0'],
  ['a page', 'GET /', 'Accept: text/html'],
  ['an absolute address', 'GET http://[/api/user', ''],
  ['an upload', 'PUT /api/uploads/none/manifest', 'Content-Type: application/json\r\nContent-Length: 2'],
] as const;
const HANDSHAKE = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

/** Whatever was answered until the connection ended, by the server or by the end of this question. */
async function say(port: number, line: string, host: string, more: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    // Its connection stays open, for the upgrade or for another request.
    if (more.includes('Upgrade') && text.includes('\r\n\r\n')) socket.destroy();
  });
  socket.on('error', () => undefined);
  const close = more.includes('Upgrade') ? HANDSHAKE : 'Connection: close';
  const head = [`${line} HTTP/1.1`, `Host: ${host}`, close, ...(more === '' ? [] : [more])];
  socket.write(`${head.join('\r\n')}\r\n\r\n${more.endsWith('Content-Length: 2') ? '{}' : ''}`, 'latin1');
  await closeOf(socket);
  return text;
}

const hostsFor = (what: string): readonly string[] => (IS_FULL || WITH_ALL.includes(what) ? ODD_HOSTS : FEW_HOSTS);

let app: TestApp;
let listening: Listening;
let site: TestHost;

beforeAll(async () => {
  app = await createTestApp();
  listening = await listen(app);
  site = await createTestHost();
});

afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await listening[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** A promise that nobody caught would end the process of these tests as it would end the app. */
test.each(ENTRIES)('no Host header at %s ends the app, and each is answered', async (what, line, more) => {
  for (const host of hostsFor(what)) {
    const answer = await say(listening.port, line, host, more);
    expect([host, answer]).toEqual([host, expect.stringMatching(/^HTTP\/1\.1 [1-4]\d\d /)]);
  }
  expect(await say(listening.port, 'GET /api/health', '[', '')).toMatch(/^HTTP\/1\.1 400 /);
  expect(await say(listening.port, 'GET /api/health', 'localhost', '')).toMatch(/^HTTP\/1\.1 200 /);
});

test.each(ENTRIES)('no Host header at %s ends the host, and each is answered', async (what, line, more) => {
  const { port } = site.host.address;
  for (const host of hostsFor(what)) {
    const answer = await say(port, line, host, more);
    expect([host, answer]).toEqual([host, expect.stringMatching(/^HTTP\/1\.1 [34]\d\d /)]);
  }
  expect(await say(port, 'GET /', 'nobody.localhost', '')).toMatch(/^HTTP\/1\.1 404 /);
});
