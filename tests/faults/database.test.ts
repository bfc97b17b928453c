import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { clientOf, openAccount, publishSite } from '../support/api-account.ts';
import { cacheApp } from '../support/cached-app.ts';
import { holdProcess } from '../support/held-process.ts';
import { randomOf, SEED } from '../support/random.ts';
import { mongodPidOf, type RealApp, startRealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';
import { hashedSite, loadHashedSite, startVisiting } from '../support/visitor.ts';

const KILLS = IS_FULL ? 20 : 1;
const PATIENCE = { timeout: IS_FULL ? 60_000 : 30_000, interval: 50 };
const WRITERS = IS_FULL ? 4 : 2;

async function post(app: RealApp, path: string, body: unknown, token?: string): Promise<Response> {
  return fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
}

let made = 0;
const PASSWORD = 'Correct horse 1';

function newPerson(): { username: string; email: string; password: string } {
  made += 1;
  const username = `person ${process.pid} ${made}`;
  return { username, email: `p${process.pid}.${made}@example.com`, password: PASSWORD };
}

/** Registers people until told to stop; remembers whom the app has acknowledged. */
async function write(app: RealApp, acknowledged: string[], until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const person = newPerson();
    const response = await post(app, '/api/register', person).catch(() => null);
    if (response?.ok) acknowledged.push(person.username);
    else await wait(50);
  }
}

/** A 503 asks to come again, as a client does; any other answer is the answer. */
async function signInAs(app: RealApp, username: string): Promise<number> {
  for (;;) {
    const { status } = await post(app, '/api/login', { username, password: PASSWORD });
    if (status !== 503) return status;
    await wait(100);
  }
}

async function untilReady(app: RealApp): Promise<void> {
  await expect.poll(async () => (await fetch(`${app.url}/api/ready`).catch(() => null))?.status, PATIENCE).toBe(200);
}

/** The one that is visited all the time, and as many that nobody asks for before their kill as there are kills. */
let sites: { asked: string; unasked: string[]; publishedIn: ChildProcess } | undefined;
const cachedApp = cacheApp(async () => {
  const app = await startRealApp();
  const account = await openAccount(app.url, newPerson().username);
  const publish = async (name: string, word: string) =>
    `${(await publishSite(account, name, hashedSite(word))).slug}.localhost`;
  const unasked: string[] = [];
  for (let number = 1; number <= KILLS; number += 1)
    unasked.push(await publish(`Unasked ${number}`, `unasked ${number}`));
  sites = { asked: await publish('Asked', 'asked for'), unasked, publishedIn: app.child };
  return app;
});

/** Kills in the middle of writes, several times, and then looks for every write that was acknowledged. */
async function killAndLook(app: RealApp, kill: () => Promise<void>): Promise<void> {
  const acknowledged: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    const stop = new AbortController();
    const before = acknowledged.length;
    const writers = Array.from({ length: WRITERS }, () => write(app, acknowledged, stop.signal));
    // In the middle of writes, not before the first: another moment each time.
    await expect.poll(() => acknowledged.length, { ...PATIENCE, interval: 10 }).toBeGreaterThan(before + 2);
    await wait(randomOf(SEED, round).below(200));
    await kill();
    stop.abort();
    await Promise.all(writers);
    await untilReady(app);
    // The last one of each round is the one most at risk.
    for (const username of acknowledged.slice(-1)) expect(await signInAs(app, username)).toBe(200);
  }
  const stored = new Set(await storedNames(app));
  expect(acknowledged.filter((username) => !stored.has(username))).toEqual([]);
}

/** Returns the user names in the database, read without the app. */
async function storedNames(app: RealApp): Promise<unknown[]> {
  const read = async (name: string) => JSON.parse(await readFile(join(app.dataDir, 'mongo', name), 'utf8'));
  const [{ port }, { user, password }] = [await read('version.json'), await read('credentials.json')];
  const uri = `mongodb://${user}:${password}@127.0.0.1:${port}/fairlead?directConnection=true&authSource=admin`;
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    return await client.db().collection('users').distinct('username');
  } finally {
    await client.close();
  }
}

// The kill of both is this and more.
if (IS_FULL) {
  test('every acknowledged write survives kill -9 of the app', async () => {
    const app = await cachedApp.running();
    await killAndLook(app, async () => {
      await app.kill();
      await app.restart();
    });
  });
}

test('every acknowledged write survives kill -9 of both', async () => {
  const app = await cachedApp.running();
  await killAndLook(app, async () => {
    process.kill(mongodPidOf(app), 'SIGKILL');
    await app.kill();
    await app.restart();
  });
});

test('every acknowledged write survives kill -9 of the database, which the running app starts again, and every site is served throughout', async () => {
  const app = await cachedApp.running();
  if (sites === undefined) throw new Error('Nothing was published.');
  const { asked, unasked, publishedIn } = sites;
  // Each was looked at when it went live: nobody has asked for one since a start after that.
  if (app.child === publishedIn) {
    await app.kill();
    await app.restart();
  }
  let [isAway, visitsAway, round] = [false, 0, 0];
  const visits = startVisiting(async () => {
    const wasAway = isAway;
    const { word, fault } = await loadHashedSite(app.sitesPort, asked);
    if (wasAway && isAway) visitsAway += 1;
    return fault ?? (word === 'asked for' ? null : `The site that is asked for answered with ${word}`);
  });
  await killAndLook(app, async () => {
    const pid = mongodPidOf(app);
    const visitsBefore = visitsAway;
    process.kill(pid, 'SIGKILL');
    isAway = true;
    const host = unasked[round] ?? '';
    round += 1;
    expect(await loadHashedSite(app.sitesPort, host)).toEqual({ word: `unasked ${round}`, fault: null });
    await expect.poll(() => mongodPidOf(app), PATIENCE).not.toBe(pid);
    isAway = false;
    expect(visitsAway).toBeGreaterThan(visitsBefore);
    expect(app.child.exitCode).toBeNull();
  });
  await visits.stop();
  expect(visits.wrong).toEqual([]);
});

/** Stopped with its sockets open, as by a disk that does not answer. */
async function whileDatabaseHangs(app: RealApp, work: () => Promise<void>): Promise<void> {
  const letGo = await holdProcess(mongodPidOf(app));
  try {
    await work();
  } finally {
    letGo();
  }
}

test('while the database hangs every call ends with 503, leaves nothing behind, and after it all goes on', async () => {
  const app = await cachedApp.running();
  const person = newPerson();
  const registered = await post(app, '/api/register', person);
  expect(registered.ok).toBe(true);
  const { accessToken } = await registered.json();
  const creator = await openAccount(app.url, newPerson().username);
  const createHarbour = () =>
    post(app, '/api/trpc/deployments.create', { json: { name: 'Harbour', platform: 'built-in' } }, creator.token);
  await whileDatabaseHangs(app, async () => {
    // A report on readiness is kept for a moment.
    await expect.poll(async () => (await fetch(`${app.url}/api/ready`)).status).toBe(503);
    const [ready, ...others] = await Promise.all([
      refusal(fetch(`${app.url}/api/ready`)),
      refusal(fetch(`${app.url}/api/user`, { headers: { Authorization: `Bearer ${accessToken}` } })),
      refusal(post(app, '/api/login', { username: person.username, password: PASSWORD })),
      refusal(post(app, '/api/register', newPerson())),
    ]);
    expect(ready).toMatchObject({ status: 'not ready', database: 'unavailable' });
    for (const body of others)
      expect(body).toMatchObject({ code: 'database_unavailable', message: expect.any(String) });
    expect((await createHarbour()).status).toBe(503);
    expect((await fetch(`${app.url}/api/health`)).status).toBe(200);
  });
  await untilReady(app);
  expect(await signInAs(app, person.username)).toBe(200);
  // Its caller was told to send it again.
  expect((await createHarbour()).status).toBe(200);
  const { items } = await clientOf(creator).deployments.list.query();
  expect(items.map(({ name }) => name)).toEqual(['Harbour']);
});

/** Returns the body of an answer that asks to come again later. */
async function refusal(call: Promise<Response>): Promise<unknown> {
  const response = await call;
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  return response.json();
}

test('an upload in the middle of which the database hangs ends with 503, and is taken when sent again', async () => {
  const app = await cachedApp.running();
  const account = await openAccount(app.url, newPerson().username);
  const { uploadId } = await clientOf(account).releases.prepare.mutate();
  const list = JSON.stringify({ files: [{ path: 'index.html', sha256: HELLO, sizeBytes: 5 }] });
  const put = (path: string, type: string, body: string) =>
    request(`${app.url}/api/uploads/${uploadId}/${path}`, {
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${account.token}`,
        'Content-Type': type,
        'Content-Length': Buffer.byteLength(body),
      },
    });
  const sendList = () => put('manifest', 'application/json', list);
  const sendFile = () => put(`files/${HELLO}`, 'application/octet-stream', 'hello');
  expect(await ended(sendList(), list)).toBe(200);
  const begun = [
    { sending: sendList(), body: list },
    { sending: sendFile(), body: 'hello' },
  ];
  await Promise.all(
    begun.map(({ sending, body }) => new Promise((resolve) => sending.write(body.slice(0, 2), resolve))),
  );
  // Who sends is asked of the database first, which has a bound of its own: by the time that a list which came later has
  // been taken, those two are known.
  expect(await ended(sendList(), list)).toBe(200);
  await whileDatabaseHangs(app, async () => {
    const statuses = await Promise.all(begun.map(({ sending, body }) => ended(sending, body.slice(2))));
    expect(statuses).toEqual([503, 503]);
  });
  await untilReady(app);
  expect(await ended(sendFile(), 'hello')).toBe(204);
});

const HELLO = createHash('sha256').update('hello').digest('hex');

async function ended(sending: ClientRequest, rest: string): Promise<number | undefined> {
  sending.end(rest);
  const [response] = await once(sending, 'response');
  return response.resume().statusCode;
}
