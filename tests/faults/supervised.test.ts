import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openAccount, publishSite } from '../support/api-account.ts';
import { mongodPidOf, startRealApp } from '../support/real-app.ts';
import { ask, childAt, childrenOf, isRunning } from '../support/real-group.ts';

const SUPERVISED = ['dist/server/main.js', '--supervised'];

/**
 * What it computes before it answers is what a person waits for at the least; on a quiet machine that is all but
 * nothing more.
 */
const START_CPU_MAX_MS = 2_000;
/** One tick of the clock in which Linux counts CPU time (proc_pid_stat(5), times(2)). */
const TICK_MS = 10;

function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) * TICK_MS;
}

/** Longer than a delay of the supervisor; asked again until an answer comes. */
const statusOf = (url: string): Promise<number> =>
  ask(url).then(
    ({ status }) => status,
    () => 0,
  );

test('an app process that is killed comes up by itself again and again, on the same database', async () => {
  await using app = await startRealApp({}, SUPERVISED);
  const account = await openAccount(app.url, 'supervised');
  const site = await publishSite(account, 'Supervised', { 'index.html': 'still here' });
  const mongod = mongodPidOf(app);
  for (let round = 0; round < 2; round += 1) {
    const killed = childAt(app, 0);
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => childrenOf(app)).not.toContain(killed);
    await expect.poll(() => statusOf(`${app.url}/api/ready`)).toBe(200);
    await expect.poll(() => statusOf(`http://${site.slug}.localhost:${app.sitesPort}/`)).toBe(200);
    await expect.poll(() => childAt(app, 0)).not.toBe(killed);
    expect(cpuMsOf(childAt(app, 0))).toBeLessThan(START_CPU_MAX_MS);
  }
  expect(mongodPidOf(app)).toBe(mongod);
  expect(isRunning(mongod)).toBe(true);
  expect(app.output().match(/"message":"Database is running/g)).toHaveLength(1);

  const child = childAt(app, 0);
  const closed = once(app.child, 'close');
  app.child.kill('SIGTERM');
  await closed;
  expect(app.child.exitCode).toBe(0);
  expect([child, mongod].filter(isRunning)).toEqual([]);
});

/** Blocks the event loop of a child for good on SIGUSR2. */
const FREEZES = `if (process.argv.includes('child-of-a-group')) process.once('SIGUSR2', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

test.each(process.env.FAIRLEAD_FULL_COUNTS === '1' ? [1, 2] : [2])(
  'of %i processes one that is frozen is ended and started again',
  async (processes) => {
    const preload = `--import data:text/javascript,${encodeURIComponent(FREEZES)}`;
    await using app = await startRealApp({ PROCESSES: String(processes), NODE_OPTIONS: preload }, SUPERVISED);
    const frozen = childAt(app, 0);
    process.kill(frozen, 'SIGUSR2');
    await expect.poll(() => isRunning(frozen), { timeout: 100_000 }).toBe(false);
    await expect.poll(() => childAt(app, 0), { timeout: 100_000 }).not.toBe(frozen);
    await expect.poll(() => statusOf(`${app.url}/api/ready`)).toBe(200);
    expect(app.output()).toContain('Process does not go on; it is ended');
  },
);

/** These are children, all but the first, that die before they have done anything. */
const DIES = `import cluster from 'node:cluster'; if ((cluster.worker?.id ?? 1) > 1) process.exit(1);`;
const FAILED_STARTS = 5;
/** Each line of the log, and how long it says that the next try is away. */
const FAILED_START = /"at":"([^"]+)"[^\n]*"message":"Process could not be started again"[^\n]*"nextTryInMs":(\d+)/g;

test('a child that dies at once is started again more and more seldom', async () => {
  const preload = `--import data:text/javascript,${encodeURIComponent(DIES)}`;
  await using app = await startRealApp({ NODE_OPTIONS: preload }, SUPERVISED);
  process.kill(childAt(app, 0), 'SIGKILL');
  const failed = () =>
    [...app.output().matchAll(FAILED_START)].map(([, at = '', nextTryInMs]) => ({
      at: Date.parse(at),
      nextTryInMs: Number(nextTryInMs),
    }));
  await expect.poll(() => failed().length, { timeout: 100_000 }).toBeGreaterThanOrEqual(FAILED_STARTS);
  const starts = failed().slice(0, FAILED_STARTS);
  for (const [index, { at, nextTryInMs }] of starts.entries()) {
    const next = starts[index + 1];
    if (next === undefined) break;
    expect(next.nextTryInMs).toBeGreaterThan(nextTryInMs);
    // A timer may fire a millisecond early.
    expect(next.at - at).toBeGreaterThanOrEqual(nextTryInMs - 1);
  }
}, 200_000);
