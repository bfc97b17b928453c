import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Log } from '../../server/log.ts';
import { createUndo } from '../../server/start/undo.ts';

function arrange() {
  const told: string[] = [];
  const quiet = (): void => undefined;
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error: (message) => void told.push(message) };
  const undo = createUndo(log);
  /** Takes a turn of the event loop to stop, as all that is real does. */
  const begin = (what: string, end: () => Promise<void> = async () => undefined): void =>
    undo.began(what, async () => {
      told.push(`stopping ${what}`);
      await wait(1);
      await end();
      told.push(`stopped ${what}`);
    });
  return { undo, told, begin };
}

test('what was begun first is stopped last, each when the one after it has stopped', async () => {
  const { undo, told, begin } = arrange();
  for (const what of ['database', 'connection', 'doors']) begin(what);
  await Promise.all([undo.stopAll(), undo.stopAll()]);
  expect(told).toEqual([
    ...['stopping doors', 'stopped doors'],
    ...['stopping connection', 'stopped connection'],
    ...['stopping database', 'stopped database'],
  ]);
});

test('one that cannot be stopped is told, and does not keep the others running', async () => {
  const { undo, told, begin } = arrange();
  begin('database');
  begin('doors', () => Promise.reject(new Error('stuck')));
  await undo.stopAll();
  expect(told).toEqual(['stopping doors', 'Stopping failed: doors', 'stopping database', 'stopped database']);
});

test('what comes up in the middle of a stop goes down at once', async () => {
  const { undo, told, begin } = arrange();
  begin('database', async () => begin('doors'));
  await undo.stopAll();
  await expect.poll(() => told).toContain('stopped doors');
  expect(undo.isStopping).toBe(true);
});
