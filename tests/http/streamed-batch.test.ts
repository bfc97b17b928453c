import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createTestApp } from '../support/app.ts';
import { listen, shareApp } from '../support/listen.ts';
import { IS_FULL } from '../support/size.ts';

const STREAMED = [
  { 'trpc-accept': 'application/jsonl' },
  { accept: 'text/html, application/jsonl' },
  { accept: 'application/jsonl; q=1' },
];

const theApp = shareApp();

test.each(STREAMED)('a login whose cookie would come too late is refused, and sets none: %j', async (headers) => {
  const { app, listener } = await theApp();
  const { user, password } = await app.person();
  const login = (more: Record<string, string>) =>
    fetch(`${listener.url}/api/trpc/auth.login?batch=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...more },
      body: JSON.stringify({ 0: { json: { username: user.username, password } } }),
    });

  const streamed = await login(headers);
  expect(streamed.status).toBe(400);
  expect(await streamed.json()).toMatchObject({ error: { json: { data: { code: 'bad_request' } } } });
  expect(streamed.headers.getSetCookie()).toEqual([]);
  const whole = await login({});
  expect(whole.status).toBe(200);
  expect(whole.headers.getSetCookie().join()).toContain('fairlead_refresh');
});

/** Connections that the driver's pool may have opened meanwhile; one left by each batch would be hundreds. */
const POOL = 10;
/** Timers, sockets and requests of this process that have not ended. */
const resources = (): number => process.getActiveResourcesInfo().length;

test('streamed batches that are broken off leave nothing behind', async () => {
  const count = IS_FULL ? 10_000 : 200;
  await using app = await createTestApp();
  await using listening = await listen(app);
  const batch = `/api/trpc/${Array.from({ length: 10 }, () => 'user.get').join()}?batch=1`;
  const request = `GET ${batch} HTTP/1.1\r\nHost: localhost\r\ntrpc-accept: application/jsonl\r\n\r\n`;
  const before = resources();
  for (let sent = 0; sent < count; sent += 1) {
    const socket = connect(listening.port, '127.0.0.1', () => {
      socket.write(request, () => socket.destroy());
    });
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
  }
  await expect.poll(resources).toBeLessThanOrEqual(before + POOL);
});
