import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
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
    const isHeld = async () => (await readFile(`/proc/${child.pid}/stat`, 'latin1')).includes(') T ');
    vi.useFakeTimers();
    try {
      child.kill('SIGSTOP');
      await expect.poll(isHeld).toBe(true);
      const { onFrozen } = watched(1_000, child.pid);
      vi.advanceTimersByTime(100 * 1_000);
      expect(onFrozen).not.toHaveBeenCalled();
      child.kill('SIGCONT');
      await expect.poll(isHeld).toBe(false);
      vi.advanceTimersByTime((LOOKS_MAX + 1) * 1_000);
      expect(onFrozen).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  },
);
