import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../support/app.ts';
import { type Listening, listen } from '../support/listen.ts';

const BYTES = 1_000;
const [STRANGER, SAME_NETWORK] = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'];
const DOORS = ['/api/trpc/auth.login', '/api/login'] as const;

function budgetedApp(bodyBytes: { perAddress: number; perProcess: number }): Promise<TestApp> {
  return createTestApp({ limits: { bodyBytes } });
}

/** The listener behind a proxy, which names the address that each call comes from. */
async function listenBehindProxy(app: TestApp): Promise<Listening> {
  const listener = await listen(app);
  app.providers.addresses = { ...app.providers.addresses, trustedProxies: 1 };
  return listener;
}

/** Begins a call whose body does not come, and resolves once the app is there to read it. */
async function holdCall({ port }: Listening, address: string, path: string, length: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', length];
  socket.write([...head, `X-Forwarded-For: ${address}`, 'Expect: 100-continue', '', ''].join('\r\n'));
  await once(socket, 'data');
  return socket;
}

async function call({ url }: Listening, address: string, path: string) {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ username: 'nobody', password: 'x'.repeat(BYTES) }),
  });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
}

test.each(DOORS)('one network has its share of what bodies may hold of memory, at %s', async (path) => {
  await using app = await budgetedApp({ perAddress: 2 * BYTES, perProcess: 100 * BYTES });
  await using listener = await listenBehindProxy(app);
  const held = await holdCall(listener, STRANGER, path, `Content-Length: ${BYTES}`);

  const refused = await call(listener, SAME_NETWORK, path);
  expect(refused).toMatchObject({ status: 503, retryAfter: '2' });
  expect(refused.text).toContain('"code":"overloaded"');
  expect((await call(listener, '2001:db8:1:3::1', path)).status).not.toBe(503);
  expect((await call(listener, '192.0.2.1', path)).status).not.toBe(503);

  held.destroy();
  await expect.poll(async () => (await call(listener, SAME_NETWORK, path)).status).not.toBe(503);
});

test('few senders cannot keep others out, and all together have a limit', async () => {
  await using app = await budgetedApp({ perAddress: 5 * BYTES, perProcess: 6 * BYTES });
  await using listener = await listenBehindProxy(app);
  const [path] = DOORS;
  const length = `Content-Length: ${BYTES}`;
  const held = [];
  for (let number = 0; number < 3; number += 1) held.push(await holdCall(listener, STRANGER, path, length));
  expect((await call(listener, STRANGER, path)).status).toBe(503);
  for (let number = 0; number < 3; number += 1) held.push(await holdCall(listener, `192.0.2.${number}`, path, length));
  expect((await call(listener, '198.51.100.1', path)).status).toBe(503);
  expect((await fetch(`${listener.url}/api/health`)).status).toBe(200);
  for (const socket of held) socket.destroy();
});

test('many networks of one customer of IPv6 hold no more than half of all room', async () => {
  await using app = await budgetedApp({ perAddress: 5 * BYTES, perProcess: 6 * BYTES });
  await using listener = await listenBehindProxy(app);
  const [path] = DOORS;
  const held = [];
  for (let number = 0; number < 3; number += 1) {
    held.push(await holdCall(listener, `2001:db8:1:${number}::1`, path, `Content-Length: ${BYTES}`));
  }
  expect((await call(listener, '2001:db8:1:ff00::1', path)).status).toBe(503);
  expect((await call(listener, '2001:db8:2::1', path)).status).not.toBe(503);
  for (const socket of held) socket.destroy();
});

test('a body of unknown length counts as the longest', async () => {
  await using app = await budgetedApp({ perAddress: 100 * 1024, perProcess: 100 * 1024 });
  await using listener = await listenBehindProxy(app);
  const held = await holdCall(listener, STRANGER, '/api/login', 'Transfer-Encoding: chunked');
  expect((await call(listener, STRANGER, '/api/login')).status).toBe(503);
  held.destroy();
});

test('the bytes of an account’s calls are counted over its sessions, before a body is parsed', async () => {
  await using app = await createTestApp({ limits: { accountBodyBytesPerMinute: 10_000 } });
  await using listener = await listen(app);
  const [one, other] = [await app.person(), await app.person()];
  const input = { username: one.user.username, password: one.password };
  const { accessToken } = await app.anonymous().auth.login(input);
  const send = (token: string, body?: string) =>
    fetch(`${listener.url}/api/${body === undefined ? 'user' : 'feedback'}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body }),
    });
  // Not what the form takes: it is parsed all the same.
  const long = JSON.stringify({ rating: 9, comment: 'a'.repeat(6_000) });
  expect((await send(one.accessToken, long)).status).toBe(400);
  const over = await send(accessToken, long);
  expect([over.status, Number(over.headers.get('Retry-After')) > 0]).toEqual([429, true]);
  expect((await send(one.accessToken)).status).toBe(200);
  expect((await send(other.accessToken, long)).status).toBe(400);
});
