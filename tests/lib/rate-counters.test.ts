import { expect, test, vi } from 'vitest';
import { createRateCounters } from '../../server/lib/rate-counters.ts';

test('what is counted under a key is counted together, and anew in the next window', async () => {
  let now = 1_000;
  const all = createRateCounters(() => now);

  const first = await all.count('calls of me', 2, 60_000);
  now += 10_000;
  const second = await all.count('calls of me', 3, 60_000);
  const somebodyElse = await all.count('calls of you', 1, 60_000);
  now += 50_000;
  const later = await all.count('calls of me', 1, 60_000);

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

test('the places under a key are limited, and come back when they are given back', async () => {
  const all = createRateCounters();
  const held = await all.takeSlot('sockets', { limit: 2 });
  const alsoHeld = await all.takeSlot('sockets', { limit: 2 });

  expect(held).not.toBeNull();
  expect(alsoHeld).not.toBeNull();
  expect(await all.takeSlot('sockets', { limit: 2 })).toBeNull();
  expect(await all.takeSlot('other sockets', { limit: 2 })).not.toBeNull();

  held?.();
  held?.();
  expect(await all.takeSlot('sockets', { limit: 2 })).not.toBeNull();
  expect(await all.takeSlot('sockets', { limit: 2 })).toBeNull();
});

test('who finds no place waits in line, and goes in when somebody leaves', async () => {
  const all = createRateCounters();
  const inside = await all.takeSlot('passwords', { limit: 1, queueLength: 1 });
  let hasWaited = false;
  const waiting = all.takeSlot('passwords', { limit: 1, queueLength: 1 }).then((leave) => {
    hasWaited = true;
    return leave;
  });

  expect(await all.takeSlot('passwords', { limit: 1, queueLength: 1 })).toBeNull();
  expect(hasWaited).toBe(false);
  inside?.();
  expect(await waiting).not.toBeNull();
});

test('what is held under a key is limited, and given back in parts', async () => {
  const all = createRateCounters();
  const giveBack = await all.hold('bytes', 60, 100);

  expect(await all.hold('bytes', 41, 100)).toBeNull();
  expect(await all.hold('other bytes', 41, 100)).not.toBeNull();
  expect(giveBack?.(50)).toBe(10);
  await expect.poll(() => all.hold('bytes', 85, 100)).not.toBeNull();
  expect(giveBack?.(50)).toBe(0);
  expect(giveBack?.(50)).toBe(0);
  await expect.poll(() => all.hold('bytes', 15, 100)).not.toBeNull();
  expect(await all.hold('bytes', 1, 100)).toBeNull();
});
