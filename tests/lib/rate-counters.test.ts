import { expect, test, vi } from 'vitest';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { countingProcess } from '../support/counting-process.ts';

test('what two processes count is counted together, and anew in the next window', async () => {
  let now = 1_000;
  const all = createRateCounters(() => now);
  const [one, other] = [countingProcess(all), countingProcess(all)];

  const first = await one.rateCounters.count('calls of me', 2, 60_000);
  now += 10_000;
  const second = await other.rateCounters.count('calls of me', 3, 60_000);
  const somebodyElse = await other.rateCounters.count('calls of you', 1, 60_000);
  now += 50_000;
  const later = await one.rateCounters.count('calls of me', 1, 60_000);

  expect(first).toEqual({ count: 2, leftMs: 60_000 });
  expect(second).toEqual({ count: 5, leftMs: 50_000 });
  expect(somebodyElse.count).toBe(1);
  expect(later).toEqual({ count: 1, leftMs: 60_000 });
});

test('a window ends in its time, though the clock of the machine was set back by a day', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const rateCounters = createRateCounters();
    for (let calls = 0; calls < 600; calls += 1) await rateCounters.count('calls of me', 1, 60_000);
    vi.setSystemTime(Date.now() - 24 * 3_600_000);

    expect(await rateCounters.count('calls of me', 1, 60_000)).toEqual({ count: 601, leftMs: 60_000 });
    vi.advanceTimersByTime(60_000);
    expect(await rateCounters.count('calls of me', 1, 60_000)).toEqual({ count: 1, leftMs: 60_000 });
  } finally {
    vi.useRealTimers();
  }
});

test('the places under a key are those of all processes, and come back when they are given back', async () => {
  const all = createRateCounters();
  const [one, other] = [countingProcess(all), countingProcess(all)];
  const held = await one.rateCounters.takeSlot('sockets', { limit: 2 });
  const alsoHeld = await other.rateCounters.takeSlot('sockets', { limit: 2 });

  expect(held).not.toBeNull();
  expect(alsoHeld).not.toBeNull();
  expect(await other.rateCounters.takeSlot('sockets', { limit: 2 })).toBeNull();
  expect(await other.rateCounters.takeSlot('other sockets', { limit: 2 })).not.toBeNull();

  held?.();
  held?.();
  expect(await other.rateCounters.takeSlot('sockets', { limit: 2 })).not.toBeNull();
  expect(await one.rateCounters.takeSlot('sockets', { limit: 2 })).toBeNull();
});

test('who finds no place waits in line, and goes in when somebody of another process leaves', async () => {
  const all = createRateCounters();
  const [one, other] = [countingProcess(all), countingProcess(all)];
  const inside = await one.rateCounters.takeSlot('passwords', { limit: 1, queueLength: 1 });
  let hasWaited = false;
  const waiting = other.rateCounters.takeSlot('passwords', { limit: 1, queueLength: 1 }).then((leave) => {
    hasWaited = true;
    return leave;
  });

  expect(await one.rateCounters.takeSlot('passwords', { limit: 1, queueLength: 1 })).toBeNull();
  expect(hasWaited).toBe(false);
  inside?.();
  expect(await waiting).not.toBeNull();
});

test('a process that ends gives back what it held and what it waited for', async () => {
  const all = createRateCounters();
  const [one, other] = [countingProcess(all), countingProcess(all)];
  await one.rateCounters.takeSlot('uploads', { limit: 2 });
  await other.rateCounters.takeSlot('uploads', { limit: 2 });
  void one.rateCounters.takeSlot('uploads', { limit: 2, queueLength: 5 });
  await expect.poll(() => other.rateCounters.takeSlot('uploads', { limit: 2 })).toBeNull();

  one.end();

  const again = await other.rateCounters.takeSlot('uploads', { limit: 2 });
  expect(again).not.toBeNull();
  expect(await other.rateCounters.takeSlot('uploads', { limit: 2 })).toBeNull();
  again?.();
  expect(await other.rateCounters.takeSlot('uploads', { limit: 2 })).not.toBeNull();
});

test('what is held under a key is held for all processes, and given back in parts or with the process', async () => {
  const all = createRateCounters();
  const [one, other] = [countingProcess(all), countingProcess(all)];
  const giveBack = await one.rateCounters.hold('bytes', 60, 100);

  expect(await other.rateCounters.hold('bytes', 41, 100)).toBeNull();
  expect(await other.rateCounters.hold('other bytes', 41, 100)).not.toBeNull();
  expect(giveBack?.(50)).toBe(10);
  await expect.poll(() => other.rateCounters.hold('bytes', 85, 100)).not.toBeNull();
  expect(giveBack?.(50)).toBe(0);
  expect(giveBack?.(50)).toBe(0);
  await expect.poll(() => one.rateCounters.hold('bytes', 15, 100)).not.toBeNull();
  expect(await one.rateCounters.hold('bytes', 1, 100)).toBeNull();
  other.end();
  await expect.poll(() => one.rateCounters.hold('bytes', 85, 100)).not.toBeNull();
});
