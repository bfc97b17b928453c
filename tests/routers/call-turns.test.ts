import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCaller, publicProcedure, router } from '../../routers/trpc.ts';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns calls that are named in `begun` when they begin, and last until `end` is called with the same name. */
async function openCalls() {
  const app = await createTestApp({ limits: { longestCallTurnMs: 500 } });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  let isOver = false;
  const hold = async (name: string): Promise<void> => {
    begun.push(name);
    if (!isOver) await new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const callerOf = createCaller(
    router({ hold: publicProcedure.input(String).query(({ input }): Promise<void> => hold(input)) }),
  );
  const open: Promise<unknown>[] = [];
  return {
    begun,
    call(accountId: string, name: string): Promise<void> {
      const ctx = app.context({ kind: 'account', accountId, sessionId: `session of ${accountId}` });
      const called = callerOf(ctx).hold(name);
      open.push(called.catch(() => undefined));
      return called;
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await settled();
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const end of ends.values()) end();
      await vi.advanceTimersByTimeAsync(1_000);
      await Promise.all(open);
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Everything has happened that waits for no timer. */
const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test('the first call of an account begins beside any number of another one', async () => {
  await using calls = await openCalls();
  for (const name of ['a1', 'a2', 'a3', 'a4']) void calls.call('ada', name);
  await settled();
  expect(calls.begun).toEqual(['a1', 'a2']);

  void calls.call('bob', 'b1');
  void calls.call('bob', 'b2');
  await settled();
  expect(calls.begun).toEqual(['a1', 'a2', 'b1']);

  await calls.end('b1');
  expect(calls.begun, 'while two calls are under way, each account has one').toEqual(['a1', 'a2', 'b1', 'b2']);
});

test('after the calls of a page an account rests between two for as long as one took, while others are there', async () => {
  await using calls = await openCalls();
  for (let number = 0; number < 12; number += 1) void calls.call('ada', `a${number}`);
  void calls.call('bob', 'b1');
  await settled();
  for (let number = 0; number < 9; number += 1) await calls.end(`a${number}`);
  expect(calls.begun.at(-1)).toBe('a9');
  await calls.end('a9');
  expect(calls.begun.at(-1)).toBe('a10');

  await vi.advanceTimersByTimeAsync(40);
  await calls.end('a10');
  await vi.advanceTimersByTimeAsync(39);
  expect(calls.begun.at(-1)).toBe('a10');
  await vi.advanceTimersByTimeAsync(1);
  expect(calls.begun.at(-1)).toBe('a11');
});

test('an account that is alone does not rest, and has two calls under way', async () => {
  await using calls = await openCalls();
  for (let number = 0; number < 13; number += 1) void calls.call('ada', `a${number}`);
  await vi.advanceTimersByTimeAsync(40);
  expect(calls.begun).toEqual(['a0', 'a1']);
  for (let number = 0; number < 11; number += 1) await calls.end(`a${number}`);
  expect(calls.begun).toHaveLength(13);
});

test('a call that waits for others keeps nobody waiting', async () => {
  await using calls = await openCalls();
  for (const name of ['a1', 'a2', 'a3']) void calls.call('ada', name);
  await vi.advanceTimersByTimeAsync(499);
  expect(calls.begun).toEqual(['a1', 'a2']);
  await vi.advanceTimersByTimeAsync(1);
  expect(calls.begun).toEqual(['a1', 'a2', 'a3']);
});

test('so many calls of an account wait, and one more is refused', async () => {
  await using calls = await openCalls();
  for (let number = 0; number < 202; number += 1) void calls.call('ada', `a${number}`);
  await settled();
  expect(await refusalOf(calls.call('ada', 'one more'))).toMatchObject({ code: 'rate_limited', retryAfterMs: 1_000 });
  void calls.call('bob', 'b1');
  await settled();
  expect(calls.begun).toEqual(['a0', 'a1', 'b1']);
});
