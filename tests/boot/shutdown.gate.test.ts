import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { cacheApp } from '../support/cached-app.ts';
import { followEvents } from '../support/event-client.ts';
import { holdProcess } from '../support/held-process.ts';
import { mongodPidOf, type RealApp, startRealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';
import { isRunning } from '../support/supervised-app.ts';

/** Nothing is thought of a signal that comes within this long after the first (server/boot/main.ts). */
const SAME_SIGNAL_MS = 1_000;

/** Returns the exit code once the process is over and all that it has said is here: both may come in either order. */
async function endOf(app: RealApp, closed: Promise<unknown>): Promise<number | null> {
  await closed;
  // What takes longer than a stop may is ended by the app itself (server/boot/main.ts).
  expect(app.output()).not.toContain('Stopping takes too long');
  return app.child.exitCode;
}

/** Sends the signal and waits until the app has heard it. */
async function signalAndHear(app: RealApp, signal: NodeJS.Signals): Promise<void> {
  app.child.kill(signal);
  await expect.poll(() => app.output(), { interval: 5 }).toContain(`Stopping (${signal})`);
}

const cachedApp = cacheApp(() => startRealApp({ MONGOMS_SYSTEM_BINARY: inject('mongodPath') }));

test('a second signal later than a second after the first ends at once with 1, and the next start is whole', async () => {
  const app = await cachedApp.running();
  // Held in the middle of its stop: the database does not answer to its signal.
  const closed = once(app.child, 'close');
  const letGo = await holdProcess(mongodPidOf(app));
  await signalAndHear(app, 'SIGTERM');
  await wait(1.5 * SAME_SIGNAL_MS);
  app.child.kill('SIGTERM');
  // It is the signal that ends it, and not the time that a stop has.
  const exitCode = await endOf(app, closed);
  letGo();
  expect(exitCode).toBe(1);
  await app.restart();
  expect((await fetch(`${app.url}/api/ready`)).status).toBe(200);
});

/** The other test stops it by SIGTERM. */
test.each(IS_FULL ? (['SIGTERM', 'SIGINT'] as const) : (['SIGINT'] as const))(
  '%s, twice within a second, ends with 0 and its database last: a request in hand is answered whole, nothing new is taken, and an event socket is told to come back',
  async (signal) => {
    const app = await cachedApp.running();
    const registered = await fetch(`${app.url}/api/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: signal, email: `${signal}@example.com`, password: 'Correct horse 1' }),
    });
    const { accessToken } = await registered.json();
    await using client = followEvents({ url: app.url, origin: app.url, token: accessToken, retryDelayMs: 1_000 });
    await client.until(() => client.seen.length > 0);
    const before = app.output().length;
    const mongod = mongodPidOf(app);
    const closed = once(app.child, 'close');
    const body = JSON.stringify({ username: 'nobody here', password: 'Correct horse 1' });
    const inHand = request(`${app.url}/api/login`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        Expect: '100-continue',
      },
    });
    const answered = once(inHand, 'response');
    answered.catch(() => undefined);
    // The app says so once it has the request in hand.
    const isTaken = once(inHand, 'continue');
    inHand.flushHeaders();
    await isTaken;
    inHand.write(body.slice(0, 10));
    await signalAndHear(app, signal);
    app.child.kill(signal);
    await client.until(() => client.codes.includes(1012));
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
    expect(await endOf(app, closed)).toBe(0);
    expect(app.output()).toMatch(/"message":"Stopped"/);
    // Whatever still ran when its database went would have said so.
    expect(app.output().slice(before)).not.toMatch(/"level":"(?:warn|error)"/);
    expect(isRunning(mongod)).toBe(false);
  },
);
