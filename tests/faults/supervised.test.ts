import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openAccount, publishSite } from '../support/api-account.ts';
import { cacheApp } from '../support/cached-app.ts';
import { mongodPidOf, type RealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';
import { ask, childOf, isRunning, startSupervised } from '../support/supervised-app.ts';

const KILLS = 2;
const FAILED_STARTS = IS_FULL ? 5 : 3;
/** In the full size a child is silent for a quarter of a minute before it is ended. */
const LOOK_EVERY_MS = IS_FULL ? 1_000 : 250;
const PATIENCE = { timeout: IS_FULL ? 100_000 : 40_000 };

/** Longer than a delay of the supervisor; asked again until an answer comes. */
const statusOf = (url: string): Promise<number> =>
  ask(url).then(
    ({ status }) => status,
    () => 0,
  );

/** While this file exists, children die before they have done anything. */
const DEADLY = join(tmpdir(), `fairlead-deadly-${process.pid}`);
/** Blocks the event loop of a child for good on SIGUSR2; looks whether a child is alive come as often as is said. */
const PRELOAD = `import { existsSync } from 'node:fs';
const { setInterval: every } = globalThis;
globalThis.setInterval = (work, ms, ...rest) => every(work, ms === 1_000 ? ${LOOK_EVERY_MS} : ms, ...rest);
if (process.argv.includes('child-of-a-supervisor')) {
  if (existsSync(${JSON.stringify(DEADLY)})) process.exit(1);
  process.once('SIGUSR2', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
}`;

const cachedApp = cacheApp(() =>
  startSupervised({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(PRELOAD)}` }),
);
afterEach(() => rm(DEADLY, { force: true }));

/** Ends the process of an app, and expects that it comes up by itself on the same database, where it is not held back. */
async function endChild(app: RealApp, signal: 'SIGKILL' | 'SIGUSR2', meanwhile?: () => Promise<void>): Promise<void> {
  const account = await openAccount(app.url, `supervised ${childOf(app)}`);
  const site = await publishSite(account, 'Supervised', { 'index.html': 'still here' });
  const [ended, mongod] = [childOf(app), mongodPidOf(app)];
  process.kill(ended, signal);
  await expect.poll(() => isRunning(ended), PATIENCE).toBe(false);
  await meanwhile?.();
  await expect.poll(() => statusOf(`${app.url}/api/ready`), PATIENCE).toBe(200);
  // Sites come back before the rest does.
  expect(await statusOf(`http://${site.slug}.localhost:${app.sitesPort}/`)).toBe(200);
  await expect.poll(() => childOf(app)).not.toBe(ended);
  expect(mongodPidOf(app)).toBe(mongod);
  expect(isRunning(mongod)).toBe(true);
  expect(app.output().match(/"message":"Database is running/g)).toHaveLength(1);
}

// A frozen one is killed as well, by the first process.
if (IS_FULL)
  test('an app process that is killed comes up by itself again and again', async () => {
    const app = await cachedApp.running();
    for (let round = 0; round < KILLS; round += 1) await endChild(app, 'SIGKILL');
  });

/** Each line of the log, and how long it says that the next try is away. */
const FAILED_START = /"at":"([^"]+)"[^\n]*"message":"Process could not be started again"[^\n]*"nextTryInMs":(\d+)/g;

test('a process that is frozen is ended and started again, more and more seldom while it dies at once, until it lives or the app is told to end', async () => {
  if (IS_FULL) await cachedApp.end();
  const app = await cachedApp.running();
  const mongod = mongodPidOf(app);
  await writeFile(DEADLY, '');
  const failed = () =>
    [...app.output().matchAll(FAILED_START)].map(([, at = '', nextTryInMs]) => ({
      at: Date.parse(at),
      nextTryInMs: Number(nextTryInMs),
    }));
  await endChild(app, 'SIGUSR2', async () => {
    await expect.poll(() => failed().length, PATIENCE).toBeGreaterThanOrEqual(FAILED_STARTS);
    await rm(DEADLY);
  });
  expect(app.output()).toContain('Process does not respond; stopping it');
  const starts = failed().slice(0, FAILED_STARTS);
  for (const [index, { at, nextTryInMs }] of starts.entries()) {
    const next = starts[index + 1];
    if (next === undefined) break;
    expect(next.nextTryInMs).toBeGreaterThan(nextTryInMs);
    // A timer may fire a millisecond early.
    expect(next.at - at).toBeGreaterThanOrEqual(nextTryInMs - 1);
  }

  const child = childOf(app);
  const closed = once(app.child, 'close');
  app.child.kill('SIGTERM');
  await closed;
  expect(app.child.exitCode).toBe(0);
  expect([child, mongod].filter(isRunning)).toEqual([]);
});
