import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createShutdownStack } from '../../server/boot/shutdown-stack.ts';
import type { Log } from '../../server/lib/log.ts';

function arrange() {
  const told: string[] = [];
  const quiet = (): void => undefined;
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error: (message) => void told.push(message) };
  const shutdown = createShutdownStack(log);
  /** Takes a turn of the event loop to stop, as all that is real does. */
  const start = (what: string, end: () => Promise<void> = async () => undefined): void =>
    shutdown.push(what, async () => {
      told.push(`stopping ${what}`);
      await turn();
      await end();
      told.push(`stopped ${what}`);
    });
  return { shutdown, told, start };
}

test('what was started first is stopped last, each when the one after it has stopped', async () => {
  const { shutdown, told, start } = arrange();
  for (const what of ['database', 'connection', 'listeners']) start(what);
  await Promise.all([shutdown.stopAll(), shutdown.stopAll()]);
  expect(told).toEqual([
    ...['stopping listeners', 'stopped listeners'],
    ...['stopping connection', 'stopped connection'],
    ...['stopping database', 'stopped database'],
  ]);
});

test('one that cannot be stopped is told, and does not keep the others running', async () => {
  const { shutdown, told, start } = arrange();
  start('database');
  start('listeners', () => Promise.reject(new Error('stuck')));
  await shutdown.stopAll();
  expect(told).toEqual(['stopping listeners', 'Stopping failed: listeners', 'stopping database', 'stopped database']);
});

test('what comes up in the middle of a stop goes down at once', async () => {
  const { shutdown, told, start } = arrange();
  start('database', async () => start('listeners'));
  await shutdown.stopAll();
  await expect.poll(() => told).toContain('stopped listeners');
  expect(shutdown.isStopping).toBe(true);
});
