import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { SocketTimes } from '../../server/http/websocket/client-socket.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { type Listening, listen } from '../support/listen.ts';

const BYTES = 1_000;
const [STRANGER, SAME_NETWORK, OTHER] = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '192.0.2.1'];
/** Half of a message that would stop a subscription which nobody has. */
const HALF = `${' '.repeat(BYTES)}{"id":7,`;
const REST = '"method":"subscription.stop"}';

async function listenBehindProxy(app: TestApp, socketTimes: Partial<SocketTimes> = {}): Promise<Listening> {
  const listener = await listen(app, { socketTimes });
  app.providers.addresses = { ...app.providers.addresses, trustedProxies: 1 };
  return listener;
}

/** An admitted socket of a client at this address. */
async function openFrom(app: TestApp, { url, origin }: Listening, address: string) {
  const { accessToken: token } = await app.person();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/trpc?connectionParams=1`, {
    headers: { origin, 'x-forwarded-for': address },
  });
  const closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)]);
  // Of a connection that is refused the wait for its opening tells.
  closed.catch(() => undefined);
  await once(socket, 'open');
  socket.send(JSON.stringify({ method: 'connectionParams', data: { token } }));
  const params = { path: 'events.stream', input: { json: {} } };
  socket.send(JSON.stringify({ id: 1, jsonrpc: '2.0', method: 'subscription', params }));
  await once(socket, 'message');
  return { socket, closed };
}

async function statusOfCall({ url }: Listening, address: string): Promise<number> {
  const answer = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ username: 'nobody', password: 'x'.repeat(BYTES) }),
  });
  return answer.status;
}

/** Begins a call whose body does not come. */
async function holdCall({ port }: Listening, address: string) {
  const call = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(call, 'connect');
  const head = ['POST /api/login HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
  const more = [`Content-Length: ${BYTES}`, `X-Forwarded-For: ${address}`, 'Expect: 100-continue', '', ''];
  call.write([...head, ...more].join('\r\n'));
  await once(call, 'data');
  return call;
}

test('a message that is not whole yet counts with the bodies of its network, until it is or its socket is gone', async () => {
  await using app = await createTestApp({ limits: { bodyBytes: { perAddress: 2 * BYTES, perProcess: 100 * BYTES } } });
  await using listener = await listenBehindProxy(app);
  const { socket } = await openFrom(app, listener, STRANGER);

  socket.send(HALF, { fin: false });
  await expect.poll(() => statusOfCall(listener, SAME_NETWORK)).toBe(503);
  expect(await statusOfCall(listener, OTHER)).not.toBe(503);
  socket.send(REST);
  await expect.poll(() => statusOfCall(listener, SAME_NETWORK)).not.toBe(503);
  expect(socket.readyState).toBe(WebSocket.OPEN);

  socket.send(HALF, { fin: false });
  await expect.poll(() => statusOfCall(listener, SAME_NETWORK)).toBe(503);
  socket.terminate();
  await expect.poll(() => statusOfCall(listener, SAME_NETWORK)).not.toBe(503);
});

test('a socket whose message finds no room is closed with the code for later, and others go on', async () => {
  await using app = await createTestApp({ limits: { bodyBytes: { perAddress: 2 * BYTES, perProcess: 100 * BYTES } } });
  await using listener = await listenBehindProxy(app);
  const refused = await openFrom(app, listener, STRANGER);
  const whole = await openFrom(app, listener, STRANGER);
  const other = await openFrom(app, listener, OTHER);
  const call = await holdCall(listener, SAME_NETWORK);

  refused.socket.send(HALF, { fin: false });
  expect(await refused.closed).toEqual([1013, 'overloaded']);
  other.socket.send(HALF, { fin: false });
  other.socket.send(REST);
  for (const { socket } of [whole, other]) socket.send(JSON.stringify({ id: 2, method: 'subscription', params: null }));
  await Promise.all([whole, other].map(({ socket }) => once(socket, 'message')));
  call.destroy();
  for (const { socket } of [whole, other]) socket.close();
});

test('a message that does not become whole closes its socket', async () => {
  await using app = await createTestApp();
  await using listener = await listenBehindProxy(app, { messageMs: 50 });
  const { socket, closed } = await openFrom(app, listener, STRANGER);
  socket.send(HALF, { fin: false });
  expect(await closed).toEqual([4408, 'A message took too long']);
});
