import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, inject, test } from 'vitest';
import { cacheApp } from '../support/cached-app.ts';
import { followEvents } from '../support/event-client.ts';
import { type RealApp, startRealApp } from '../support/real-app.ts';

/** An idle app promises to stop within this. */
const IDLE_STOP_MS = 15_000;

/** Nothing is thought of a signal that comes within this long after the first (server/main.ts). */
const SAME_SIGNAL_MS = 1_000;

type Ending = { exitCode: number | null; afterMs: number };

/** Waits for the end of the process and of what it has said: both may come in either order. */
async function ending(app: RealApp, closed: Promise<unknown>): Promise<Ending> {
  const startedAt = Date.now();
  await closed;
  return { exitCode: app.child.exitCode, afterMs: Date.now() - startedAt };
}

/** Sends the signal and waits until the app has heard it. */
async function signalAndHear(app: RealApp, signal: NodeJS.Signals): Promise<void> {
  app.child.kill(signal);
  await expect.poll(() => app.output(), { interval: 5 }).toContain(`Stopping (${signal})`);
}

const cachedApp = cacheApp(() => startRealApp({ MONGOMS_SYSTEM_BINARY: inject('mongodPath') }));
afterAll(cachedApp.end);

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s, twice within a second, stops an idle app with 0 and its database last',
  async (signal) => {
    const app = await cachedApp.running();
    const before = app.output().length;
    const closed = once(app.child, 'close');
    await signalAndHear(app, signal);
    app.child.kill(signal);
    const { exitCode, afterMs } = await ending(app, closed);
    expect(exitCode).toBe(0);
    expect(afterMs).toBeLessThan(IDLE_STOP_MS);
    expect(app.output()).toMatch(/"message":"Stopped"/);
    // Whatever still ran when its database went would have said so.
    expect(app.output().slice(before)).not.toMatch(/"level":"(?:warn|error)"/);
    await expect(fetch(`${app.url}/api/health`)).rejects.toThrow();
    await app.restart();
    expect(app.output()).not.toContain('Database of an earlier start');
  },
);

test('a request in hand is answered whole before the end, and nothing new is taken', async () => {
  const app = await cachedApp.running();
  const closed = once(app.child, 'close');
  const body = JSON.stringify({ username: 'nobody here', password: 'Correct horse 1' });
  const inHand = request(`${app.url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), Expect: '100-continue' },
  });
  const answered = once(inHand, 'response');
  // The app says so once it has the request in hand.
  const isTaken = once(inHand, 'continue');
  inHand.flushHeaders();
  await isTaken;
  inHand.write(body.slice(0, 10));
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
  expect((await ending(app, closed)).exitCode).toBe(0);
});

test('an event socket is told to come back and does not hold up the end', async () => {
  const app = await cachedApp.running();
  const registered = await fetch(`${app.url}/api/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'socket holder', email: 'socket@example.com', password: 'Correct horse 1' }),
  });
  const { accessToken } = await registered.json();
  await using client = followEvents({ url: app.url, origin: app.url, token: accessToken, retryDelayMs: 1_000 });
  await client.until(() => client.seen.length > 0);
  const closed = once(app.child, 'close');
  app.child.kill('SIGTERM');
  await client.until(() => client.codes.includes(1012));
  expect((await ending(app, closed)).exitCode).toBe(0);
});

test('a second signal later than a second after the first ends at once with 1, and the next start is whole', async () => {
  const app = await cachedApp.running();
  // Held in the middle of its stop: the database does not answer to its signal.
  const pid = Number(/"message":"Database is running".*"pid":(\d+)/.exec(app.output())?.[1]);
  const closed = once(app.child, 'close');
  process.kill(pid, 'SIGSTOP');
  await signalAndHear(app, 'SIGTERM');
  await wait(1.5 * SAME_SIGNAL_MS);
  app.child.kill('SIGTERM');
  const { exitCode } = await ending(app, closed);
  process.kill(pid, 'SIGCONT');
  expect(exitCode).toBe(1);
  // It is the signal that ended it, and not the time that a stop has.
  expect(app.output()).not.toContain('Stopping takes too long');
  await app.restart();
  expect((await fetch(`${app.url}/api/ready`)).status).toBe(200);
});
