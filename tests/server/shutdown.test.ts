import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import { type RealApp, startRealApp } from '../support/real-app.ts';

/** Product page, section 10. */
const IDLE_STOP_MS = 15_000;

/** Waits for the end of the process, and tells how it ended and after what time. */
async function ending(app: RealApp): Promise<{ exitCode: number | null; signal: string | null; afterMs: number }> {
  const startedAt = Date.now();
  if (app.child.exitCode === null && app.child.signalCode === null) await once(app.child, 'exit');
  return { exitCode: app.child.exitCode, signal: app.child.signalCode, afterMs: Date.now() - startedAt };
}

function startApp(): Promise<RealApp> {
  return startRealApp({ MONGOMS_SYSTEM_BINARY: inject('mongodPath') });
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s, twice within a second, stops an idle app with 0 and its database last',
  async (signal) => {
    await using app = await startApp();
    app.child.kill(signal);
    await wait(200);
    app.child.kill(signal);
    const { exitCode, afterMs } = await ending(app);
    expect(exitCode).toBe(0);
    expect(afterMs).toBeLessThan(IDLE_STOP_MS);
    expect(app.output()).toMatch(/"message":"Stopped"/);
    await expect(fetch(`${app.url}/api/health`)).rejects.toThrow();
    await app.restart();
    expect(app.output()).not.toContain('Database of an earlier start');
  },
);

test('a request in hand is answered whole before the end, and nothing new is taken', async () => {
  await using app = await startApp();
  const body = JSON.stringify({ username: 'nobody here', password: 'Correct horse 1' });
  const inHand = request(`${app.url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
  });
  const answered = once(inHand, 'response');
  inHand.write(body.slice(0, 10));
  await wait(300);
  app.child.kill('SIGTERM');
  await expect
    .poll(() =>
      fetch(`${app.url}/api/health`).then(
        () => 'taken',
        () => 'refused',
      ),
    )
    .toBe('refused');
  inHand.end(body.slice(10));
  const [response] = await answered;
  expect(response.statusCode).toBe(401);
  expect(await json(response)).toMatchObject({ code: 'credentials_wrong' });
  expect((await ending(app)).exitCode).toBe(0);
});

test('an event socket is told to come back and does not hold up the end', async () => {
  await using app = await startApp();
  const registered = await fetch(`${app.url}/api/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'socket holder', email: 'socket@example.com', password: 'Correct horse 1' }),
  });
  const { accessToken } = await registered.json();
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/api/trpc?connectionParams=1`, { origin: app.url });
  await once(socket, 'open');
  socket.send(JSON.stringify({ method: 'connectionParams', data: { token: accessToken } }));
  socket.send(
    JSON.stringify({ id: 1, method: 'subscription', params: { path: 'events.stream', input: { json: {} } } }),
  );
  const [first] = await once(socket, 'message');
  expect(String(first)).toContain('"id":1');
  const closed = once(socket, 'close');
  app.child.kill('SIGTERM');
  const [code] = await closed;
  expect(code).toBe(1012);
  expect((await ending(app)).exitCode).toBe(0);
});

test('a second signal later than a second after the first ends at once with 1, and the next start is whole', async () => {
  await using app = await startApp();
  // Held in the middle of its stop: the database does not answer to its signal.
  const pid = Number(/"message":"Database is running".*"pid":(\d+)/.exec(app.output())?.[1]);
  process.kill(pid, 'SIGSTOP');
  app.child.kill('SIGTERM');
  await wait(1_500);
  app.child.kill('SIGTERM');
  const { exitCode, afterMs } = await ending(app);
  process.kill(pid, 'SIGCONT');
  expect(exitCode).toBe(1);
  expect(afterMs).toBeLessThan(IDLE_STOP_MS);
  await app.restart();
  expect((await fetch(`${app.url}/api/ready`)).status).toBe(200);
});
