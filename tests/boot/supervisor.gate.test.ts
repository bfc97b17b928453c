import { once } from 'node:events';
import { expect, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Account, clientOf, openAccount } from '../support/api-account.ts';
import { cacheApp } from '../support/cached-app.ts';
import { freePorts } from '../support/free-ports.ts';
import type { RealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';
import { makeFolder, startUntilItEnds } from '../support/start.ts';
import { ask, childOf, isRunning, startSupervised } from '../support/supervised-app.ts';

const NEW_DATA = 'There is no data yet';

const cachedApp = cacheApp(() => startSupervised({ MONGOMS_SYSTEM_BINARY: inject('mongodPath') }));

async function apiToken(account: Account): Promise<string> {
  return (
    await clientOf(account).tokens.create.mutate({
      name: 'script',
      scopes: ['read', 'write'],
      currentPassword: account.password,
    })
  ).secret;
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

test('the child ends with its supervisor when that is killed, and the next start is whole', async () => {
  const app = await cachedApp.running();
  const child = childOf(app);
  await app.kill();
  await expect.poll(() => isRunning(child)).toBe(false);
  await app.restart();
  expect(isRunning(childOf(app))).toBe(true);
  expect((await ask(`${app.url}/api/ready`)).status).toBe(200);
  expect(app.output()).not.toContain(NEW_DATA);
});

/** Alone it is what a shell or npm sends, with its group what a terminal or systemd does. */
test.each(IS_FULL ? ['alone', 'with its group'] : ['with its group'])(
  'SIGTERM to the supervisor %s stops all with 0',
  async (whom) => {
    const app = await cachedApp.running();
    const account = await openAccount(app.url, `socket holder ${whom}`);
    const { socket } = await openSocket(app, await apiToken(account));
    const child = childOf(app);
    const left = once(socket, 'close');
    const closed = once(app.child, 'close');
    const before = app.output().length;
    if (whom !== 'alone') process.kill(child, 'SIGTERM');
    app.child.kill('SIGTERM');
    const [code] = await left;
    await closed;
    expect(app.child.exitCode).toBe(0);
    expect(app.output()).not.toContain('Stopping takes too long');
    expect(code).toBe(1012);
    expect(isRunning(child)).toBe(false);
    expect(app.output().slice(before)).not.toMatch(/"level":"(?:warn|error)"/);
  },
);

if (IS_FULL)
  test('a start that fails in the child is told once', async () => {
    await using folder = await makeFolder();
    const { port, sitesPort } = await freePorts();
    const cannotListen = `import { Server } from 'node:net';
    if (process.argv.includes('child-of-a-supervisor')) Server.prototype.listen = function ({ port }) {
      setImmediate(() => this.emit('error', Object.assign(new Error('listen EACCES'), { code: 'EACCES', port })));
    };`;
    const ended = await startUntilItEnds(
      {
        PORT: String(port),
        SITES_PORT: String(sitesPort),
        DATA_DIR: folder.path,
        MONGOMS_SYSTEM_BINARY: inject('mongodPath'),
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(cannotListen)}`,
      },
      { programArguments: ['--supervised'] },
    );
    expect(ended.stderr).toBe(
      `Fairlead did not start: SITES_PORT is ${sitesPort}, which this user may not listen on; set SITES_PORT to a port above 1023.\n`,
    );
    expect(ended.exitCode).toBe(1);
  });
