import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  type Account,
  clientOf,
  openAccount,
  publishSite,
  releaseEnd,
  startPublish,
} from '../../support/api-account.ts';
import { cacheApp } from '../../support/cached-app.ts';
import { type EventClient, followEvents } from '../../support/event-client.ts';
import { freePorts } from '../../support/free-ports.ts';
import type { RealApp } from '../../support/real-app.ts';
import { type Answer, ask, childAt, childrenOf, isRunning, startGroup, withChild } from '../../support/real-group.ts';
import { IS_FULL } from '../../support/size.ts';
import { makeFolder, startUntilItEnds } from '../../support/start.ts';

const CALLS_PER_MINUTE = 600;
const SOCKETS_PER_ACCOUNT = 10;
const BATCH = 10;
const MESSAGES = 10;
const NEW_DATA = 'There are no data yet';
/** No measure of speed: on a busy machine a start takes as long as it takes. */
const START_TIMEOUT_MS = 100_000;

const cachedApp = cacheApp(() => startGroup({ MONGOMS_SYSTEM_BINARY: inject('mongodPath') }));

const visit = (app: RealApp, slug: string): Promise<Answer> => ask(`http://${slug}.localhost:${app.sitesPort}/`);

async function apiToken(account: Account): Promise<string> {
  return (
    await clientOf(account).tokens.create.mutate({
      name: 'script',
      scopes: ['read', 'write'],
      currentPassword: account.password,
    })
  ).secret;
}

/** Ten calls in one request. */
async function callTen(app: RealApp, token: string): Promise<number> {
  const paths = Array.from({ length: BATCH }, () => 'user.get').join();
  const { status } = await ask(`${app.url}/api/trpc/${paths}?batch=1`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return status;
}

/** Returns a script's socket, once it was accepted or refused: `ready` or the code that it was closed with. */
async function openSocket(app: RealApp, token: string): Promise<{ socket: WebSocket; outcome: 'ready' | number }> {
  const socket = new WebSocket(`${app.url.replace('http://localhost', 'ws://127.0.0.1')}/api/trpc?connectionParams=1`);
  await once(socket, 'open');
  const outcome = new Promise<'ready' | number>((resolve) => {
    socket.once('message', () => resolve('ready'));
    socket.once('close', resolve);
  });
  socket.send(JSON.stringify({ method: 'connectionParams', data: { token } }));
  socket.send(
    JSON.stringify({ id: 1, method: 'subscription', params: { path: 'events.stream', input: { json: {} } } }),
  );
  return { socket, outcome: await outcome };
}

test('limits, events and releases of two processes are those of one', async () => {
  const app = await cachedApp.running();
  const account = await openAccount(app.url, 'two processes');
  const token = await apiToken(account);
  const children = childrenOf(app);
  expect(children).toHaveLength(2);
  const at = <T>(child: 0 | 1, work: () => Promise<T>): Promise<T> => withChild(app, childAt(app, child), work);
  const follow = async (): Promise<EventClient> => {
    const client = followEvents({ url: app.url, token });
    await client.until(() => client.seen.length > 0);
    return client;
  };

  await using one = await at(0, follow);
  await using other = await at(1, follow);
  const messages = Array.from({ length: MESSAGES }, (_, n) => `message ${n}`);
  for (const [n, message] of messages.entries()) {
    const send = () =>
      ask(`${app.url}/api/trpc/events.sendTest`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify({ json: { message } }),
      });
    expect((await at(n % 2 === 0 ? 0 : 1, send)).status).toBe(200);
  }
  for (const client of [one, other]) {
    await client.until(() => client.messages().length >= messages.length);
    expect(client.messages()).toEqual(messages);
  }

  const site = await publishSite(account, 'Two processes', { 'index.html': 'first' });
  const { release } = await startPublish(account, site, { 'index.html': 'second' });
  expect(await releaseEnd(account, release.id)).toBe('live');
  for (const child of [0, 1] as const)
    await expect.poll(async () => (await at(child, () => visit(app, site.slug))).body).toBe('second');
  const releases = await clientOf(account).releases.list.query({ deploymentId: site.deploymentId });
  expect(releases.items.map(({ number, state }) => [number, state])).toEqual([
    [2, 'live'],
    [1, 'superseded'],
  ]);
});

test('sockets and calls are counted over both processes, and one that is killed gives back what it held', async () => {
  const app = await cachedApp.running();
  const account = await openAccount(app.url, 'counted');
  const token = await apiToken(account);
  const [killed, spared] = [childAt(app, 0), childAt(app, 1)];
  const openSockets = async (count: number): Promise<WebSocket[]> => {
    const opened = [];
    for (let n = 0; n < count; n += 1) opened.push(await openSocket(app, token));
    expect(opened.map(({ outcome }) => outcome)).toEqual(opened.map(() => 'ready'));
    return opened.map(({ socket }) => socket);
  };
  const there = await withChild(app, killed, () => openSockets(SOCKETS_PER_ACCOUNT / 2));
  const elsewhere = await withChild(app, spared, () => openSockets(SOCKETS_PER_ACCOUNT / 2));
  for (const child of [killed, spared])
    expect((await withChild(app, child, () => openSocket(app, token))).outcome).toBe(4429);

  const closed = there.map((socket) => once(socket, 'close'));
  process.kill(killed, 'SIGKILL');
  await Promise.all(closed);
  await expect.poll(async () => (await openSocket(app, token)).outcome).toBe('ready');
  await expect.poll(() => childrenOf(app)).not.toContain(killed);
  expect(elsewhere.map(({ readyState }) => readyState)).toEqual(elsewhere.map(() => WebSocket.OPEN));
  for (const socket of elsewhere) socket.terminate();

  // Counted by process, none would be refused; whatever minute ends meanwhile, one is.
  const statuses: number[] = [];
  const batches = (2 * CALLS_PER_MINUTE) / BATCH - 1;
  const callAt = (child: number, count: number): Promise<void> =>
    withChild(app, child, async () => {
      for (let n = 0; n < count; n += 1) statuses.push(await callTen(app, token));
    });
  await callAt(spared, Math.floor(batches / 2));
  await callAt(childAt(app, 0), Math.ceil(batches / 2));
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});

test('the children end with the first process when it is killed, and the next start is whole', async () => {
  const app = await cachedApp.running();
  const children = childrenOf(app);
  await app.kill();
  await expect.poll(() => children.filter(isRunning)).toEqual([]);
  await app.restart();
  expect(childrenOf(app)).toHaveLength(2);
  expect((await ask(`${app.url}/api/ready`)).status).toBe(200);
  expect(app.output()).not.toContain(NEW_DATA);
});

/** Alone it is what a shell or npm sends, with its group what a terminal or systemd does. */
test.each(IS_FULL ? ['alone', 'with its group'] : ['with its group'])(
  'SIGTERM to the first process %s stops all with 0',
  async (whom) => {
    const app = await cachedApp.running();
    const account = await openAccount(app.url, `socket holder ${whom}`);
    const { socket } = await openSocket(app, await apiToken(account));
    const children = childrenOf(app);
    const left = once(socket, 'close');
    const closed = once(app.child, 'close');
    const before = app.output().length;
    if (whom !== 'alone') for (const child of children) process.kill(child, 'SIGTERM');
    app.child.kill('SIGTERM');
    const [code] = await left;
    await closed;
    expect(app.child.exitCode).toBe(0);
    expect(app.output()).not.toContain('Stopping takes too long');
    expect(code).toBe(1012);
    expect(children.filter(isRunning)).toEqual([]);
    expect(app.output().slice(before)).not.toMatch(/"level":"(?:warn|error)"/);
  },
);

if (IS_FULL)
  test('a start that fails in the children alone is told once', async () => {
    await using folder = await makeFolder();
    const { port, sitesPort } = await freePorts();
    const cannotListen = `import { Server } from 'node:net';
    if (process.argv.includes('child-of-a-group')) Server.prototype.listen = function ({ port }) {
      setImmediate(() => this.emit('error', Object.assign(new Error('listen EACCES'), { code: 'EACCES', port })));
    };`;
    const ended = await startUntilItEnds({
      PORT: String(port),
      SITES_PORT: String(sitesPort),
      PROCESSES: '3',
      DATA_DIR: folder.path,
      MONGOMS_SYSTEM_BINARY: inject('mongodPath'),
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(cannotListen)}`,
    });
    expect(ended.stderr).toBe(
      `Fairlead did not start: SITES_PORT is ${sitesPort}, which this user may not listen on; set SITES_PORT to a port above 1023.\n`,
    );
    expect(ended.exitCode).toBe(1);
  });

test('the app is ready when all of its processes are', async () => {
  await using folder = await makeFolder();
  const gate = join(folder.path, 'gate');
  const waitAtGate = `import cluster from 'node:cluster'; import { existsSync } from 'node:fs';
    while (cluster.worker?.id === 2 && !existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 20));`;
  const { port, sitesPort } = await freePorts();
  const url = `http://localhost:${port}/api`;
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      PORT: String(port),
      SITES_PORT: String(sitesPort),
      PROCESSES: '2',
      DATA_DIR: join(folder.path, 'data'),
      MONGOMS_SYSTEM_BINARY: inject('mongodPath'),
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(waitAtGate)}`,
    },
  });
  const ended = once(child, 'exit');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const statusOf = async (path: string): Promise<number> =>
    (await ask(`${url}/${path}`).catch(() => null))?.status ?? 0;

  await expect.poll(() => statusOf('health'), { timeout: START_TIMEOUT_MS }).toBe(200);
  expect(await statusOf('ready')).toBe(503);
  await writeFile(gate, '');
  await expect.poll(() => statusOf('ready'), { timeout: START_TIMEOUT_MS }).toBe(200);

  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
  expect(output).toContain(NEW_DATA);
});
