import { expect, test, vi } from 'vitest';
import {
  type Answer,
  type Ask,
  createRemoteTally,
  createTallyDesk,
} from '../../server/process-group/tally-by-message.ts';
import { createTally, type Tally } from '../../server/tally.ts';

/** A process that asks `tally` by messages, which arrive as copies. */
function processOf(tally: Tally) {
  const remote = createRemoteTally((asks: Ask[]) => desk.receive(structuredClone(asks)));
  const desk = createTallyDesk(tally, (answers: Answer[]) => remote.receive(structuredClone(answers)));
  return { tally: remote.tally, end: desk.close };
}

test('what two processes count is counted together, and anew in the next window', async () => {
  let now = 1_000;
  const all = createTally(() => now);
  const [one, other] = [processOf(all), processOf(all)];

  const first = await one.tally.count('calls of me', 2, 60_000);
  now += 10_000;
  const second = await other.tally.count('calls of me', 3, 60_000);
  const somebodyElse = await other.tally.count('calls of you', 1, 60_000);
  now += 50_000;
  const later = await one.tally.count('calls of me', 1, 60_000);

  expect(first).toEqual({ count: 2, leftMs: 60_000 });
  expect(second).toEqual({ count: 5, leftMs: 50_000 });
  expect(somebodyElse.count).toBe(1);
  expect(later).toEqual({ count: 1, leftMs: 60_000 });
});

test('a window ends in its time, though the clock of the machine was set back by a day', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const tally = createTally();
    for (let calls = 0; calls < 600; calls += 1) await tally.count('calls of me', 1, 60_000);
    vi.setSystemTime(Date.now() - 24 * 3_600_000);

    expect(await tally.count('calls of me', 1, 60_000)).toEqual({ count: 601, leftMs: 60_000 });
    vi.advanceTimersByTime(60_000);
    expect(await tally.count('calls of me', 1, 60_000)).toEqual({ count: 1, leftMs: 60_000 });
  } finally {
    vi.useRealTimers();
  }
});

test('the places under a key are those of all processes, and come back when they are given back', async () => {
  const all = createTally();
  const [one, other] = [processOf(all), processOf(all)];
  const held = await one.tally.take('sockets', { limit: 2 });
  const alsoHeld = await other.tally.take('sockets', { limit: 2 });

  expect(held).not.toBeNull();
  expect(alsoHeld).not.toBeNull();
  expect(await other.tally.take('sockets', { limit: 2 })).toBeNull();
  expect(await other.tally.take('other sockets', { limit: 2 })).not.toBeNull();

  held?.();
  held?.();
  expect(await other.tally.take('sockets', { limit: 2 })).not.toBeNull();
  expect(await one.tally.take('sockets', { limit: 2 })).toBeNull();
});

test('who finds no place waits in line, and goes in when somebody of another process leaves', async () => {
  const all = createTally();
  const [one, other] = [processOf(all), processOf(all)];
  const inside = await one.tally.take('passwords', { limit: 1, inLine: 1 });
  let hasWaited = false;
  const waiting = other.tally.take('passwords', { limit: 1, inLine: 1 }).then((leave) => {
    hasWaited = true;
    return leave;
  });

  expect(await one.tally.take('passwords', { limit: 1, inLine: 1 })).toBeNull();
  expect(hasWaited).toBe(false);
  inside?.();
  expect(await waiting).not.toBeNull();
});

test('a process that ends gives back what it held and what it waited for', async () => {
  const all = createTally();
  const [one, other] = [processOf(all), processOf(all)];
  await one.tally.take('uploads', { limit: 2 });
  await other.tally.take('uploads', { limit: 2 });
  void one.tally.take('uploads', { limit: 2, inLine: 5 });
  await expect.poll(() => other.tally.take('uploads', { limit: 2 })).toBeNull();

  one.end();

  const again = await other.tally.take('uploads', { limit: 2 });
  expect(again).not.toBeNull();
  expect(await other.tally.take('uploads', { limit: 2 })).toBeNull();
  again?.();
  expect(await other.tally.take('uploads', { limit: 2 })).not.toBeNull();
});
