import { expect, test, vi } from 'vitest';
import { runInTimeSlices } from '../../server/lib/time-slices.ts';

const TASKS = 20;
const STEPS = 30;

test('however many work at once, others have their turn after five milliseconds of all of them together', async () => {
  let clock = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock);
  let stepsOfTurn = 0;
  let mostSteps = 0;
  let isOver = false;
  const enforcePace = (): void => {
    mostSteps = Math.max(mostSteps, stepsOfTurn);
    stepsOfTurn = 0;
    if (!isOver) setImmediate(enforcePace);
  };
  setImmediate(enforcePace);
  function* work(result: number): Generator<void, number> {
    for (let step = 0; step < STEPS; step += 1) {
      clock += 1;
      stepsOfTurn += 1;
      yield;
    }
    return result;
  }
  const results = await Promise.all(Array.from({ length: TASKS }, (_, task) => runInTimeSlices(work(task))));
  isOver = true;
  enforcePace();
  now.mockRestore();
  expect(results).toEqual(Array.from({ length: TASKS }, (_, task) => task));
  expect(mostSteps).toBeGreaterThan(0);
  expect(mostSteps).toBeLessThanOrEqual(2 * 5);
});
