import { expect, test } from 'vitest';
import { withTimeout } from '../../server/lib/with-timeout.ts';

const NEVER = new Promise<never>(() => undefined);
const LONG_MS = 60_000;

test('work that ends in time gives its result or its error', async () => {
  expect(await withTimeout(Promise.resolve('done'), LONG_MS, () => 'late')).toBe('done');
  await expect(withTimeout(Promise.reject(new Error('failed')), LONG_MS, () => 'late')).rejects.toThrow('failed');
});

test('work that takes too long ends with what the caller makes of it', async () => {
  expect(await withTimeout(NEVER, 1, () => 'late')).toBe('late');
  await expect(withTimeout(NEVER, 1, () => Promise.reject(new Error('too slow')))).rejects.toThrow('too slow');
});

test('what fails after its time is no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  let fail = (_error: Error): void => undefined;
  const work = new Promise<void>((_resolve, reject) => {
    fail = reject;
  });
  expect(await withTimeout(work, 1, () => 'late')).toBe('late');
  fail(new Error('later'));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
