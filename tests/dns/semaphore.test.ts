import { expect, test } from 'vitest';
import { createSemaphore } from '../../server/dns/queries/semaphore.ts';

/** Asks for turns under these names, and notes each that begins; `end` gives the first open one of a name back. */
function startTurns(limit: number, keptForOthers?: number) {
  const semaphore = createSemaphore(limit, keptForOthers);
  const calls = new Map<string, AbortController>();
  const begun: string[] = [];
  const open: { name: string; end(): void }[] = [];
  const callOf = (name: string): AbortController => {
    const call = calls.get(name) ?? new AbortController();
    calls.set(name, call);
    return call;
  };
  return {
    begun,
    ask(name: string, count = 1) {
      for (let number = 0; number < count; number += 1) {
        void semaphore.acquire(callOf(name).signal).then((end) => {
          begun.push(end === null ? `no ${name}` : name);
          if (end !== null) open.push({ name, end });
        });
      }
    },
    end(name: string) {
      const [turn] = open.splice(
        open.findIndex((one) => one.name === name),
        1,
      );
      turn?.end();
    },
    abort: (name: string) => callOf(name).abort(),
  };
}

test('turns are given in the order of those who ask, and who goes leaves the row', async () => {
  const { begun, ask, end, abort } = startTurns(2);
  ask('a', 3);
  ask('b');
  ask('c');
  await expect.poll(() => begun).toEqual(['a', 'a']);
  abort('b');
  await expect.poll(() => begun).toEqual(['a', 'a', 'no b']);
  end('a');
  await expect.poll(() => begun).toEqual(['a', 'a', 'no b', 'a']);
  end('a');
  await expect.poll(() => begun).toEqual(['a', 'a', 'no b', 'a', 'c']);
});

test('whoever has no turn gets one that is kept, however many questions others have', async () => {
  const { begun, ask, end } = startTurns(4, 2);
  ask('a', 10);
  await expect.poll(() => begun).toEqual(['a', 'a']);
  ask('b', 2);
  ask('c', 2);
  await expect.poll(() => begun).toEqual(['a', 'a', 'b', 'c']);
  // One that has ended is followed by who has none, and not by who has waited for longer.
  end('b');
  await expect.poll(() => begun).toEqual(['a', 'a', 'b', 'c', 'b']);
  end('b');
  end('c');
  await expect.poll(() => begun.filter((name) => name === 'c')).toHaveLength(2);
  expect(begun.filter((name) => name === 'a')).toHaveLength(2);
});
