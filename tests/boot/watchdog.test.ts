import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { startWatchdog } from '../../server/boot/watchdog.ts';

const LOOKS_MAX = 15;
/** The id of this process, which runs and must not be stopped. */
const { pid } = process;

function watched(everyMs?: number, whom = pid) {
  const onFrozen = vi.fn();
  return { onFrozen, watch: startWatchdog(whom, onFrozen, everyMs) };
}

test('a child that says nothing for fifteen looks is frozen, and is told of once', () => {
  vi.useFakeTimers();
  try {
    const { onFrozen } = watched(1_000);
    vi.advanceTimersByTime(LOOKS_MAX * 1_000);
    expect(onFrozen).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(onFrozen).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(100 * 1_000);
    expect(onFrozen).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

test('a word now and then is enough, and a watch that was stopped tells nothing', () => {
  vi.useFakeTimers();
  try {
    const { onFrozen, watch } = watched(1_000);
    for (let word = 0; word < 10; word += 1) {
      vi.advanceTimersByTime(LOOKS_MAX * 1_000);
      watch.heard(false);
    }
    watch.stop();
    vi.advanceTimersByTime(100 * 1_000);
    expect(onFrozen).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});

test('a child under a debugger may stand still for as long as somebody looks at it', () => {
  vi.useFakeTimers();
  try {
    const { onFrozen, watch } = watched(1_000);
    watch.heard(true);
    vi.advanceTimersByTime(100 * 1_000);
    expect(onFrozen).not.toHaveBeenCalled();
    watch.heard(false);
    vi.advanceTimersByTime((LOOKS_MAX + 1) * 1_000);
    expect(onFrozen).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

test('hours in which the machine sleeps are one look', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] });
  try {
    const { onFrozen, watch } = watched(1_000);
    vi.advanceTimersByTime(10 * 1_000);
    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    vi.advanceTimersByTime(1_000);
    expect(onFrozen).not.toHaveBeenCalled();
    watch.stop();
  } finally {
    vi.useRealTimers();
  }
});

async function startIdle(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return child;
}

test.runIf(process.platform === 'linux')(
  'a child that a signal has stopped is not frozen until it goes on',
  async () => {
    const child = await startIdle();
    const { onFrozen, watch } = watched(5, child.pid);
    try {
      child.kill('SIGSTOP');
      await wait(5 * LOOKS_MAX * 10);
      expect(onFrozen).not.toHaveBeenCalled();
      child.kill('SIGCONT');
      await expect.poll(() => onFrozen.mock.calls.length).toBe(1);
    } finally {
      watch.stop();
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  },
);
